#!/usr/bin/env bash
# What a push to main does: definition and tests become those of the agent, the tests run, and the draft goes live.
# Needs a token with the verbs read, test, push and publish.
set -euo pipefail
cd "$(dirname "$0")"
parley() { node .parley/parley.js "$@"; }
parley agents update "$AGENT" --file agent.json --draft > /dev/null
parley agents suite set "$AGENT" --file suite.yaml --keep-required > /dev/null
parley agents test "$AGENT" --junit "${REPORT:-report.xml}"
parley agents publish "$AGENT" > /dev/null
