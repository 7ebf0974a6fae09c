#!/usr/bin/env bash
# Checks a pull request: runs its tests with its definition. The draft does not change.
# The script needs PARLEY_URL, PARLEY_TOKEN (verbs read and test) and AGENT.
set -euo pipefail
cd "$(dirname "$0")"
node .parley/parley.js agents test "$AGENT" --definition agent.json --file suite.yaml --junit "${REPORT:-report.xml}"
