#!/usr/bin/env bash
# Filecoin's circuits at full size: records each, compares it with the reference's counts, densities and digest, and holds
# the re-opened file of the 32 GiB ones against the direct witness of a synthetic vanilla proof, row by row. Some minutes and
# 13 GB of memory; circuits stay in build/circuits.
# usage: tools/bench_filecoin.sh [CIRCUIT-ID...]     (default: all of the reference's)
set -euo pipefail
cd "$(dirname "$0")/.."

folder=build/circuits
mkdir -p "$folder"
tools/filecoin_counts.py --counts tests/vectors/filecoin/counts.json --folder "$folder" "$@"
for circuit in "$folder"/*-32g.circuit; do
  [ -e "$circuit" ] || continue
  build/release/bin/check_circuit "$circuit" 1
done
