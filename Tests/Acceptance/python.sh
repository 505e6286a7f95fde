#!/bin/sh
# Prints the path of a Python that has what the acceptance tests use, made once below .build:
# httpbin and gunicorn, and the library `requests` as a source package, with its tests.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder="$root/.build/acceptance"
made="$folder/made-2"
if [ ! -e "$made" ]; then
  rm -rf "$folder"
  mkdir -p "$folder"
  python3 -m venv "$folder/venv" >&2
  pip="$folder/venv/bin/python -m pip --quiet --disable-pip-version-check"
  $pip install httpbin gunicorn setuptools wheel >&2
  $pip install pytest pysocks 'requests==2.32.3' >&2
  $pip download --no-deps --no-binary requests --no-build-isolation --dest "$folder" \
    'requests==2.32.3' >&2
  tar -C "$folder" -xzf "$folder/requests-2.32.3.tar.gz"
  touch "$made"
fi
echo "$folder/venv/bin/python"
