#!/usr/bin/env bash
# make demo: proves and verifies a published circuit, and shows what each step took.
#
# The circuit is Semaphore v4 (anonymous group membership, tree depth 20) as its authors publish it on npm:
# @zk-kit/semaphore-artifacts 4.13.0 (MIT), key with the contributions of its ceremony. When the registry does not answer, a
# small circuit of tests/vectors takes its place. Everything lands in build/demo.
set -euo pipefail
cd "$(dirname "$0")/.."

cuzk=$PWD/build/release/bin/cuzk
artifacts=@zk-kit/semaphore-artifacts@4.13.0
circuit=semaphore-20
work=$PWD/build/demo
export NO_COLOR=1
mkdir -p "$work"

# step TEXT COMMAND...: runs it, prints the text with the seconds it took; its own output only when it fails.
step() {
  local text=$1 begin end status=0
  shift
  begin=$(date +%s%N)
  "$@" >"$work/step.log" 2>&1 || status=$?
  end=$(date +%s%N)
  if [ $status -ne 0 ]; then
    printf '  failed     %s\n' "$text"
    cat "$work/step.log"
    return $status
  fi
  printf '  %8s s  %s\n' "$(awk "BEGIN { printf \"%.2f\", ($end - $begin) / 1e9 }")" "$text"
}

fetch() {
  [ -f "$work/$circuit.zkey" ] && return 0
  timeout 180 npm pack "$artifacts" --silent --fetch-retries=0 --pack-destination "$work" || return 1
  tar -xzf "$work"/zk-kit-semaphore-artifacts-*.tgz -C "$work" --strip-components=1 \
    "package/$circuit.wasm" "package/$circuit.zkey" "package/$circuit.json" package/LICENSE
  rm -f "$work"/zk-kit-semaphore-artifacts-*.tgz
}

tools() {  # snarkjs: computes the witness, and has the last word on the proof
  [ -d "$work/node_modules/snarkjs" ] && return 0
  cp tests/oracle/package.json tests/oracle/package-lock.json "$work/"
  (cd "$work" && timeout 180 npm ci --silent --no-audit --no-fund --fetch-retries=0)
}

snarkjs() { "$work/node_modules/.bin/snarkjs" "$@"; }

# Any secret and any siblings make a member of some group: the circuit outputs the root of the tree that they belong to.
input() {
  local siblings='' i
  for i in $(seq 1 20); do siblings+="\"$((i * 1000003))\","; done
  cat <<JSON
{"secret": "20240607", "merkleProofLength": "20", "merkleProofIndex": "700001",
 "merkleProofSiblings": [${siblings%,}], "message": "42", "scope": "7"}
JSON
}

published() {
  echo "Published circuit: $circuit of $artifacts"
  step "fetch key, witness program and verifying key" fetch || return 1
  step "fetch snarkjs" tools || return 1
  input >"$work/input.json"
  step "compute the witness (snarkjs)" snarkjs wtns calculate "$work/$circuit.wasm" "$work/input.json" "$work/witness.wtns"
  key=$work/$circuit.zkey witness=$work/witness.wtns vkey=$work/$circuit.json
}

shipped() {
  echo "The registry does not answer; shipped circuit: tests/vectors/circom/mimc8-bls12-381"
  local folder=$PWD/tests/vectors/circom/mimc8-bls12-381
  key=$folder/circuit.zkey witness=$folder/witness.wtns vkey=$folder/verification_key.json
}

published || shipped
proof=$work/proof.json public=$work/public.json
step "inspect the key, every point of it" "$cuzk" inspect --check "$key"
step "prove (and verify before writing)" "$cuzk" prove "$key" "$witness" "$proof" "$public"
summary=$(tail -n 1 "$work/step.log")
step "verify" "$cuzk" verify "$vkey" "$public" "$proof"
# The same proof for another statement: "1" stands for a public input that the proof was not made for.
refused() {
  sed '0,/"[0-9]*"/s//"1"/' "$public" >"$work/other.json"
  local status=0
  "$cuzk" verify "$vkey" "$work/other.json" "$proof" || status=$?
  [ $status -eq 1 ]
}
step "refuse the same proof for another statement" refused
if [ -d "$work/node_modules/snarkjs" ]; then
  step "verify with snarkjs, as an independent judge" snarkjs groth16 verify "$vkey" "$public" "$proof"
fi
echo "$summary"
echo "Proof: ${proof#"$PWD"/}, public inputs: ${public#"$PWD"/}"
