#!/usr/bin/env bash
# Proves from a .zkey above 4 GiB with anonymous memory limited to 3 GiB, verifies the proof, and merges the figures into
# docs/benchmarks/cpu.json.
#
#   tools/bench_large.sh [LOG_SIZE] [FOLDER]     (default 23, build/large; needs 5 GiB of disk, 7 GiB of memory for the setup)
set -euo pipefail
cd "$(dirname "$0")/.."
log=${1:-23} folder=${2:-build/large}
limit=$((3 << 30))
bin=build/release/bin

mkdir -p "$folder"
key=$folder/chain-2p$log.zkey witness=$folder/chain-2p$log.wtns
[ -f "$key" ] || "$bin/large_key" "$log" "$key" "$witness"

# RLIMIT_DATA counts private writable memory: heap, stacks and anonymous maps, not the mapped key.
(
  ulimit -d $((limit / 1024))
  exec "$bin/cuzk" prove --json "$key" "$witness" "$folder/proof.json" "$folder/public.json" >"$folder/result.json"
)
"$bin/cuzk" verify "$key" "$folder/public.json" "$folder/proof.json"

python3 - "$folder/result.json" "$key" "$limit" docs/benchmarks/cpu.json <<'PYTHON'
import json, os, sys
result, key, limit, out = sys.argv[1:]
run = json.load(open(result))
figures = json.load(open(out)) if os.path.exists(out) else {}
figures.update({
    "large_zkey_bytes": os.path.getsize(key),
    "large_zkey_anonymous_limit_bytes": int(limit),
    "large_zkey_prove_cpu_s": round(run["cpu_seconds"], 3),
    "large_zkey_prove_wall_s": round(run["phases"]["total_seconds"], 3),
    "large_zkey_peak_resident_bytes": run["peak_resident_bytes"],
})
json.dump(figures, open(out, "w"), indent=1, sort_keys=True)
PYTHON
