#!/usr/bin/env bash
# Shows with the release build what the README claims: real servers are recorded and replayed.
#
#   bash Tests/Acceptance/run.sh [TEST…]      tests by unittest's names, all when left out
#
# Needs `sh docker/setup.sh acceptance`. Keeps its Python packages below .build.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cd "$root"

swift build -c release --product fixtured
swift build -c release --product CodecPeer
swift build -c release --product StubPeer
products=$(swift build -c release --show-bin-path)
export FIXTURED="$products/fixtured" CODEC_PEER="$products/CodecPeer"
export STUB_PEER="$products/StubPeer"

# A folder for this run alone; what the tests start they also end, whatever happens.
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/fixtured-run-XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

python=$(sh "$here/python.sh")
client="$root/.build/acceptance/URLSessionClient"
source="$here/URLSessionClient/URLSessionClient.swift"
if [ ! -x "$client" ] || [ "$source" -nt "$client" ]; then
  swiftc -O -swift-version 6 -parse-as-library -o "$client" "$source"
fi
export URLSESSION_CLIENT="$client"

cd "$here"
export PYTHONDONTWRITEBYTECODE=1
if [ $# -gt 0 ]; then
  "$python" -m unittest -v "$@"
else
  "$python" -m unittest discover -v -p 'test_*.py'
fi
