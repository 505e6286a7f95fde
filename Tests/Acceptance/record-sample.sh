#!/usr/bin/env bash
# Records cassettes/httpbin.db anew, with its dump beside it: httpbin through `fixtured record`.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cd "$root"
swift build -c release --product fixtured
FIXTURED="$(swift build -c release --show-bin-path)/fixtured"
export FIXTURED PYTHONDONTWRITEBYTECODE=1
"$(sh "$here/python.sh")" "$here/record_sample.py" "$root/cassettes/httpbin.db"
