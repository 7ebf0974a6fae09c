#!/usr/bin/env bash
# What a push to main does: the same check, then the draft goes live. Needs a token with the verb publish, too.
set -euo pipefail
cd "$(dirname "$0")"
./check.sh
${PARLEY:-npx parley} agents publish "$AGENT" > /dev/null
