#!/usr/bin/env bash
# clang-tidy on the sources given, else on those changed since the last commit.  usage: tools/tidy.sh [FILE...]
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(git diff --name-only --diff-filter=d HEAD -- '*.cpp')
fi
[ ${#files[@]} -gt 0 ] || { echo "no changed source"; exit 0; }
clang-tidy-19 --quiet -p build/release "${files[@]}"
