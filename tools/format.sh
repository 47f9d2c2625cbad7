#!/usr/bin/env bash
# Formats every C and C++ file that git knows, or with --check names those that are not formatted.
set -euo pipefail
cd "$(dirname "$0")/.."

formatter=${CLANG_FORMAT:-clang-format-19}
mode=(-i)
[ "${1:-}" = --check ] && mode=(--dry-run --Werror)
git ls-files -z -- '*.h' '*.c' '*.cpp' '*.cu' | xargs -0 --no-run-if-empty "$formatter" --style=file "${mode[@]}"
