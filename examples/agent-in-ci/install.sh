#!/usr/bin/env bash
# Unpacks the Parley command of a release into .parley, if the file has the checksum in parley/SHA256SUMS.
# The script uses no package registry. Run the script without a token in the environment.
set -euo pipefail
cd "$(dirname "$0")"
if [ ! -f parley/SHA256SUMS ]; then
  echo 'Copy SHA256SUMS and parley-server-VERSION.tgz of a Parley release into the folder parley.' >&2
  exit 1
fi
cd parley
sum=$(grep -E '^[0-9a-f]{64}  parley-server-[0-9][0-9A-Za-z.+-]*\.tgz$' SHA256SUMS) || {
  echo 'parley/SHA256SUMS has no line for parley-server-VERSION.tgz.' >&2
  exit 1
}
file=${sum#*  }
if [ ! -f "$file" ]; then
  releases=${PARLEY_RELEASES:?"Copy $file into the folder parley, or set PARLEY_RELEASES to the URL of a folder that has it"}
  curl --fail --silent --show-error --location --output "$file" "$releases/$file"
fi
echo "$sum" | sha256sum --check --strict --quiet
rm -rf ../.parley
mkdir ../.parley
tar -xzf "$file" -C ../.parley --strip-components=1
node ../.parley/parley.js --version
