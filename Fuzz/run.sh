#!/usr/bin/env bash
# Fuzzes what reads bytes from outside, with libFuzzer and AddressSanitizer.
#
#   bash Fuzz/run.sh [SECONDS [KIND…]]    for so long (10 when left out) for each kind, all kinds
#                                         when left out: Tests/FixtureInvariants/InputKind.swift
#
# The rules are in Tests/FixtureInvariants, and `swift test` applies them to Seeds and FailCases. An
# input that breaks its rule is put into FailCases: once the cause is fixed it stays there, under a
# name that says what it was. What else is learned stays below .build and is built upon next time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null

seconds=${1-10}
[ $# -eq 0 ] || shift
kinds=("$@")
[ $# -gt 0 ] || kinds=(requests responses chunked codings stored targets contents
  redactions rules rows cassettes control)

scratch="$PWD/.build/fuzz"
# The driver takes the last -sanitize alone, so the two stand in one. Optimized, with assertions.
flags=("-sanitize=fuzzer,address" -O -assert-config Debug)
swift build --scratch-path "$scratch" --target FixtureInvariants "${flags[@]/#/-Xswiftc=}" >&2

# SwiftPM links no fuzzer: the objects of today's sources, with the harness.
products=$(swift build --scratch-path "$scratch" --show-bin-path)
objects=()
sources=$(find Sources/Fixture* Tests/FixtureInvariants -name '*.swift'; ls Sources/CFixture*/*.c)
for source in $sources; do
  # `Sources/TARGET/FOLDER/FILE`: what comes of it lies in `TARGET.build`, whatever the folder.
  target=${source#*/}
  object="$products/${target%%/*}.build/${source##*/}.o"
  # Only what the rules depend on was built.
  [ ! -e "$object" ] || objects+=("$object")
done
# What SwiftPM makes of resources is a source, too.
objects+=("$products"/Fixture*.build/embedded_resources.swift.o)
maps=()
for map in "$PWD"/Sources/CFixture*/module.modulemap "$products"/CFixture*/module.modulemap; do
  maps+=(-Xcc "-fmodule-map-file=$map")
done
libraries=$(pkg-config --libs sqlite3 zlib libbrotlidec libbrotlienc libzstd)
# shellcheck disable=SC2086 # a list of words
swiftc "${flags[@]}" -swift-version 6 -parse-as-library -use-ld=lld -I "$products/Modules" \
  "${maps[@]}" Fuzz/Harness.swift "${objects[@]}" $libraries -o "$scratch/fuzzer"

# The codec's corpus, of which each input is a seed.
python3 Tests/Acceptance/codec_corpus.py "$scratch/seeds"

# A folder for this run alone, in memory where there is such a place.
parent=${TMPDIR:-/tmp}
[ ! -w /dev/shm ] || parent=/dev/shm
TMPDIR=$(mktemp -d "$parent/fixtured-fuzz-XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
mkdir "$TMPDIR/found"

# The backtracer can hang a process that the sanitizer ends.
export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS=malloc_context_size=4:quarantine_size_mb=16

fuzz() {
  local kind=$1 bytes=2048 seeds
  local folders=("$scratch/learned/$kind")
  [ "$kind" != cassettes ] || bytes=16384
  mkdir -p "${folders[0]}"
  for seeds in "Fuzz/Seeds/$kind" "Fuzz/FailCases/$kind" "$scratch/seeds/$kind"; do
    [ ! -d "$seeds" ] || folders+=("$seeds")
  done
  FUZZ_KIND=$kind nice -n 19 timeout -k 5 $((seconds + 60)) "$scratch/fuzzer" \
    -max_total_time="$seconds" -timeout=20 -rss_limit_mb=1024 -max_len="$bytes" \
    -artifact_prefix="$TMPDIR/found/" "${folders[@]}" >"$TMPDIR/log" 2>&1
}

found=0
for kind in "${kinds[@]}"; do
  if fuzz "$kind"; then
    echo "$kind: $(grep -a DONE "$TMPDIR/log" | tail -n 1)"
    continue
  fi
  found=1
  echo "$kind: broke its rule" >&2
  # What the harness or a sanitizer said, and where; the first lines of each are enough.
  grep -aE 'Fatal error|ERROR:|runtime failure|#[0-9]+ .* in .*Fixture|^heard' "$TMPDIR/log" |
    cut -c 1-500 | head -n 20 >&2 || tail -n 20 "$TMPDIR/log" >&2
  for input in "$TMPDIR"/found/*; do
    [ -e "$input" ] || continue
    mkdir -p "Fuzz/FailCases/$kind"
    mv "$input" "Fuzz/FailCases/$kind/"
    echo "$kind: kept Fuzz/FailCases/$kind/$(basename "$input")" >&2
  done
done
exit "$found"
