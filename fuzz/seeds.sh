#!/usr/bin/env bash
# seeds.sh NAME FOLDER: copies the vectors that a fuzzer starts from (at most 64 KiB each) into FOLDER, or makes them from
# requests of 2 KiB sectors. Roots as for the tests: CUZK_VECTORS (separated by ':'), else tests/vectors and the shared
# vectors beside the checkout, where they are.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
name=$1 to=$2

requests=()
case $name in
  base64 | json_cursor) patterns=('*.json') ;;
  c1_json | c1_bincode) patterns=() requests=('porep-2KiB/*/c1.json*') ;;
  bincode | vanilla_list) patterns=() requests=('w*-2KiB/*/vanilla-*.json*' 'update-2KiB/*/vanilla.json*') ;;
  r1cs_file) patterns=('*.r1cs') ;;
  wtns_file) patterns=('*.wtns') ;;
  zkey_file) patterns=('*.zkey') ;;
  iden3_container) patterns=('*.wtns' '*.r1cs' 'z-*.zkey') ;;
  bellperson_params) patterns=('*.params') ;;
  bellperson_vk) patterns=('*.vk') ;;
  bellperson_proof) patterns=('*.proof' 'proof*.bin') ;;
  snarkjs_json | scalars_json) patterns=('*proof*.json' '*public*.json' '*vkey*.json' 'verification_key.json' 'trapdoor.json') ;;
  statement_json | recipe_json) patterns=('public.json') ;;
  detect) patterns=('*.r1cs' '*.wtns' '*.zkey' '*.vk' '*.params' '*proof*' '*.json') ;;
  *) exit 0 ;;
esac

IFS=: read -r -a roots <<<"${CUZK_VECTORS:-$here/tests/vectors:$here/../shared/vectors}"
for root in "${roots[@]}"; do
  [ -d "$root/filecoin" ] || continue
  for request in "${requests[@]}"; do
    find "$root/filecoin" -path "$root/filecoin/$request" -type f -print0
  done
done | xargs -0 --no-run-if-empty python3 "$here/fuzz/vanilla_seeds.py" "$name" "$to"

for root in "${roots[@]}"; do
  [ -d "$root" ] || continue
  for pattern in "${patterns[@]}"; do
    find "$root" -name "$pattern" -type f -size -65537c -print0
  done
done | while IFS= read -r -d '' file; do
  cp -f "$file" "$to/$(sha256sum "$file" | cut -c1-16)"
done
