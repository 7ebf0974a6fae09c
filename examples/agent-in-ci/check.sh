#!/usr/bin/env bash
# What the check of a pull request does: the change becomes the draft, and its tests run. People meet nothing of it.
# Needs PARLEY_URL, PARLEY_TOKEN (verbs read, test, push) and AGENT.
set -euo pipefail
cd "$(dirname "$0")"
parley() { node .parley/parley.js "$@"; }
parley agents update "$AGENT" --file agent.json --draft > /dev/null
parley agents suite set "$AGENT" --file suite.yaml --keep-required > /dev/null
parley agents test "$AGENT" --junit "${REPORT:-report.xml}"
