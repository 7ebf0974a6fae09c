#!/usr/bin/env bash
# What a push to main does: the same check, then the draft goes live. Needs a token with the verb publish, too.
set -euo pipefail
cd "$(dirname "$0")"
./check.sh
node .parley/parley.js agents publish "$AGENT" > /dev/null
