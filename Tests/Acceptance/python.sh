#!/bin/sh
# Prints the path of a Python that has httpbin and gunicorn, made once below .build.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder="$root/.build/acceptance"
if [ ! -e "$folder/venv/ready" ]; then
  mkdir -p "$folder"
  rm -rf "$folder/venv"
  python3 -m venv "$folder/venv" >&2
  "$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    httpbin gunicorn >&2
  touch "$folder/venv/ready"
fi
echo "$folder/venv/bin/python"
