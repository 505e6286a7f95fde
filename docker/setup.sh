#!/bin/sh
# Installs the Debian packages that building and testing need, and no others.
#
#   sh docker/setup.sh              to build and for `swift test`
#   sh docker/setup.sh acceptance   the same, and what Tests/Acceptance runs against
#   sh docker/setup.sh benchmark    to build, and what Tests/Benchmarks measures with
#   sh docker/setup.sh runtime      what a built `fixtured` needs to run
#
# Says nothing and needs neither root nor a network when every package is there already.
set -eu

build="curl libbrotli-dev libsqlite3-dev libssl-dev libzstd-dev openssl pkg-config zlib1g-dev"
acceptance="ca-certificates nginx-light python3 python3-venv strace"
benchmark="ca-certificates nginx-light python3 python3-venv valgrind wrk"
runtime="ca-certificates libbrotli1 libsqlite3-0 libssl3 libstdc++6 libzstd1 zlib1g"

die() {
  echo "setup.sh: $1" >&2
  exit 1
}

case "${1-build}" in
  build) wanted=$build ;;
  acceptance) wanted="$build $acceptance" ;;
  benchmark) wanted="$build $benchmark" ;;
  runtime) wanted=$runtime ;;
  *) die "unknown set '$1': use build, acceptance, benchmark or runtime" ;;
esac

command -v dpkg-query >/dev/null 2>&1 || die \
  "this is not a Debian system (no dpkg-query); install the equivalents of: $wanted"

# One line a package: the name and everything it provides, so that a renamed package
# (pkgconf for pkg-config, libssl3t64 for libssl3) counts as the one asked for.
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}, ${Provides},\n' |
  sed -n 's/ *([^)]*)//g; s/^installed / /p')
missing=""
for package in $wanted; do
  case $installed in
    *" $package,"*) ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

command -v apt-get >/dev/null 2>&1 || die "no apt-get here; install by hand:$missing"
[ "$(id -u)" -eq 0 ] || die "root is needed to install:$missing (sudo sh docker/setup.sh${1:+ $1})"

log=$(mktemp)
policy=/usr/sbin/policy-rc.d
ours=""
# shellcheck disable=SC2329 # called by the trap
clean_up() {
  rm -f "$log"
  [ -z "$ours" ] || rm -f "$policy"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

# A package that brings a service must not start it here.
if [ ! -e "$policy" ]; then
  ours=yes
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
fi

export DEBIAN_FRONTEND=noninteractive
quietly() {
  "$@" </dev/null >"$log" 2>&1 || {
    tail -n 15 "$log" >&2
    die "'$*' failed; the packages that are missing:$missing"
  }
}
quietly apt-get update -q
# shellcheck disable=SC2086 # a list of words
quietly apt-get install -q -y --no-install-recommends $missing
