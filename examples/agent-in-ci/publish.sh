#!/usr/bin/env bash
# Publishes a push to main: replaces the draft and the tests of the agent, runs the tests, and publishes the draft.
# The script needs a token with the verbs read, test, push and publish.
set -euo pipefail
cd "$(dirname "$0")"
parley() { node .parley/parley.js "$@"; }
parley agents update "$AGENT" --file agent.json --draft > /dev/null
parley agents suite set "$AGENT" --file suite.yaml --keep-required > /dev/null
parley agents test "$AGENT" --junit "${REPORT:-report.xml}"
parley agents publish "$AGENT" > /dev/null
