#!/usr/bin/env bash
# Makes the circuits of the benchmark ladder: chains of Poseidon(2), 517 constraints a hash, with witness and development key.
#
#   bench/ladder/make.sh FOLDER [LOG_SIZE...]     (default 14 16 18)
#
# leaves FOLDER/poseidon-2p<LOG>.{r1cs,wtns,zkey,vk.json}. Needs node, npm and a built program (CUZK, default
# build/release/bin/cuzk). What exists is not made again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cuzk=${CUZK:-$root/build/release/bin/cuzk}
folder=$1
shift
[ $# -gt 0 ] || set -- 14 16 18

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$folder/work
mkdir -p "$work"
if [ ! -d "$work/node_modules" ]; then
  cp "$here/package.json" "$here/package-lock.json" "$work/"
  (cd "$work" && npm ci --silent --no-audit --no-fund)
fi

# circuit LOG: as many hashes as fit into 2^LOG rows, a little below so that public rows fit too.
circuit() {
  local hashes=$(((1 << $1) / 517))
  [ $((hashes * 517 + 3)) -le $((1 << $1)) ] || hashes=$((hashes - 1))
  cat <<CIRCOM
pragma circom 2.0.0;
include "poseidon.circom";
template Chain(n) {
  signal input seed;
  signal input salt;
  signal output out;
  component hash[n];
  for (var i = 0; i < n; i++) {
    hash[i] = Poseidon(2);
    hash[i].inputs[0] <== i == 0 ? seed : hash[i - 1].out;
    hash[i].inputs[1] <== salt;
  }
  out <== hash[n - 1].out;
}
component main {public [seed]} = Chain($hashes);
CIRCOM
}

for log in "$@"; do
  name=poseidon-2p$log
  if [ ! -f "$folder/$name.wtns" ]; then
    circuit "$log" >"$work/$name.circom"
    echo '{"seed": "20240607", "salt": "987654321987654321"}' >"$work/input.json"
    (cd "$work" && node_modules/.bin/circom2 "$name.circom" --wasm --r1cs -l node_modules/circomlib/circuits -o . >/dev/null &&
      node_modules/.bin/snarkjs wtns calculate "${name}_js/$name.wasm" input.json "$name.wtns" >/dev/null)
    mv "$work/$name.r1cs" "$work/$name.wtns" "$folder/"
  fi
  [ -f "$folder/$name.zkey" ] || "$cuzk" setup "$folder/$name.r1cs" "$folder/$name.zkey" "$folder/$name.vk.json"
done
