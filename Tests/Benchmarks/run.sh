#!/usr/bin/env bash
# Measures the release build on this machine, beside nginx and mitmproxy; loopback only.
#
#   bash Tests/Benchmarks/run.sh [--readme] [NAME…]    all benchmarks when no name is given
#
# Prints a table and writes result.json beside this file; `--readme` puts the table into README.md
# as well. At most 90 s a benchmark and ten minutes in all, after what has to be installed and
# built. FIXTURED=PROGRAM measures that one and builds nothing. The names: see driver.py.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cd "$root"

sh docker/setup.sh benchmark
if [ -z "${FIXTURED-}" ]; then
  swift build -c release --product fixtured
  FIXTURED="$(swift build -c release --show-bin-path)/fixtured"
fi
python=$(sh Tests/Acceptance/python.sh benchmarks)

# A folder for this run alone, which nginx's worker may read whoever it runs as. Each process that
# the driver started has a file in it, named after its group, until it has ended.
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/fixtured-bench-XXXXXX")
chmod 755 "$TMPDIR"
mkdir "$TMPDIR/processes"
export FIXTURED TMPDIR PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH="$root/Tests/Acceptance"
driver=""
# shellcheck disable=SC2317,SC2329 # called by the trap
clean_up() {
  if [ -n "$driver" ]; then
    kill "$driver" 2>/dev/null || true
    wait "$driver" || true
  fi
  for file in "$TMPDIR"/processes/*; do
    [ ! -e "$file" ] || kill -KILL -- "-${file##*/}" 2>/dev/null || true
  done
  rm -rf "$TMPDIR"
}
trap clean_up EXIT
trap 'exit 143' HUP INT TERM

# In the background, so that a signal to this script is seen at once.
"$python" "$here/driver.py" "$@" &
driver=$!
status=0
wait "$driver" || status=$?
driver=""
exit "$status"
