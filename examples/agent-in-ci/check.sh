#!/usr/bin/env bash
# What the check of a pull request does: its definition and its tests run against each other. The draft stays as it is.
# Needs PARLEY_URL, PARLEY_TOKEN (verbs read and test) and AGENT.
set -euo pipefail
cd "$(dirname "$0")"
node .parley/parley.js agents test "$AGENT" --definition agent.json --file suite.yaml --junit "${REPORT:-report.xml}"
