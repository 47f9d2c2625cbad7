#!/usr/bin/env bash
# Runs every benchmark program (or those named) and leaves Google Benchmark's JSON, one file for each, in build/bench.
# usage: tools/bench.sh [NAME_bench]...
set -euo pipefail
cd "$(dirname "$0")/.."

out=build/bench
mkdir -p "$out"
programs=("$@")
[ $# -gt 0 ] || mapfile -t programs < <(cd build/release/bin && ls -- *_bench)
for name in "${programs[@]}"; do
  printf '== %s\n' "$name"
  "build/release/bin/$name" --benchmark_out="$out/$name.json" --benchmark_out_format=json
done
if [ -x tools/bench_report.py ]; then
  tools/bench_report.py
fi
