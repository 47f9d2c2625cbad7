#!/usr/bin/env bash
# Installs what is missing of the packages that building (and, without an argument, testing) needs. Debian 12 or later,
# as root or with sudo; says nothing when everything is there.
# usage: tools/deps.sh [build]
set -euo pipefail

build_packages=(
  g++ cmake ninja-build pkg-config ccache lld git ca-certificates python3
  libtbb-dev libsimdjson-dev libcli11-dev libssl-dev libexpected-dev libsqlite3-dev
  libgrpc++-dev protobuf-compiler-grpc libprotobuf-dev protobuf-compiler libtomlplusplus-dev
  libcpp-httplib-dev libsystemd-dev
)
test_packages=(
  python3 libgtest-dev libgmock-dev libbenchmark-dev librapidcheck-dev nlohmann-json3-dev libgmp-dev zlib1g-dev libzstd-dev
  chromium fonts-dejavu-core dpkg-dev file
  clang-19 clang-format-19 clang-tidy-19 libclang-rt-19-dev llvm-19
)

wanted=("${build_packages[@]}")
if [ "${1:-all}" != build ]; then
  wanted+=("${test_packages[@]}")
fi
# A Node of another origin is as good, and must not get Debian's npm beside it.
command -v node >/dev/null || wanted+=(nodejs npm)

if ! command -v dpkg-query >/dev/null; then
  echo "tools/deps.sh knows Debian only; install what these packages hold: ${wanted[*]}" >&2
  exit 0
fi

missing=()
for package in "${wanted[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "tools/deps.sh: run as root, or install: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
