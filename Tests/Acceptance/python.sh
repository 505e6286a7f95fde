#!/bin/sh
# Prints the path of a Python that has what one set of tests uses, made once below .build:
#
#   sh python.sh              h11, httpbin and gunicorn, and the library `requests` as a source
#                             package, with its tests
#   sh python.sh benchmarks   mitmproxy
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
use=${1-acceptance}
case $use in
  acceptance | benchmarks) ;;
  *) echo "python.sh: unknown set '$use': use acceptance or benchmarks" >&2; exit 1 ;;
esac
folder="$root/.build/$use"
made="$folder/made-3"

# shellcheck disable=SC2329 # both are called by their name's end
for_acceptance() {
  $pip install 'h11==0.16.0' httpbin gunicorn setuptools wheel >&2
  $pip install pytest pysocks 'requests==2.32.3' >&2
  $pip download --no-deps --no-binary requests --no-build-isolation --dest "$folder" \
    'requests==2.32.3' >&2
  tar -C "$folder" -xzf "$folder/requests-2.32.3.tar.gz"
}

# shellcheck disable=SC2329
for_benchmarks() {
  $pip install mitmproxy >&2
}

if [ ! -e "$made" ]; then
  rm -rf "$folder"
  mkdir -p "$folder"
  python3 -m venv "$folder/venv" >&2
  pip="$folder/venv/bin/python -m pip --quiet --disable-pip-version-check"
  "for_$use"
  touch "$made"
fi
echo "$folder/venv/bin/python"
