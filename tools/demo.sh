#!/usr/bin/env bash
# Proves and verifies a circuit that others published: Semaphore (MIT) with a tree of depth 32, from its npm package when
# the registry answers, else the largest circuit that lies in tests/vectors. Everything is left in build/demo.
set -euo pipefail
cd "$(dirname "$0")/.."

cuzk=$PWD/build/release/bin/cuzk
package=@zk-kit/semaphore-artifacts@4.13.0
folder=build/demo
mkdir -p "$folder"

say() { printf '\n%s\n' "$*"; }
show() { printf '$ cuzk %s\n' "$*" && (cd "$folder" && "$cuzk" "$@"); }

# A member of a group of up to 2^32, in a tree of 20 levels, who signals a message without saying who they are.
write_input() {
  node -e '
    const siblings = Array.from({ length: 32 }, (_, level) => (level < 20 ? String(1000 + level) : "0"));
    console.log(JSON.stringify({ secret: "314159265358979323846", merkleProofLength: "20", merkleProofIndex: "700001",
      merkleProofSiblings: siblings, message: "27182818284590452353602874713527", scope: "42" }, null, 1));'
}

fetch_semaphore() {
  command -v npm >/dev/null || return 1
  if [ ! -f "$folder/semaphore-32.zkey" ]; then
    say "fetching $package (109 MB)"
    (cd "$folder" && timeout 300 npm pack --silent --fetch-retries=1 "$package" >/dev/null 2>&1) || return 1
    tar -xzf "$folder"/zk-kit-semaphore-artifacts-*.tgz -C "$folder" --strip-components=1 \
      package/semaphore-32.{zkey,wasm,json} || return 1
    rm -f "$folder"/zk-kit-semaphore-artifacts-*.tgz
  fi
  cp "$folder/semaphore-32.zkey" "$folder/circuit.zkey"
  cp "$folder/semaphore-32.json" "$folder/verification_key.json"
  write_input >"$folder/input.json"
  say "computing the witness (node, circuit's own WebAssembly)"
  node tools/circom_witness.mjs "$folder/semaphore-32.wasm" "$folder/input.json" "$folder/witness.wtns"
}

use_shipped() {
  local largest
  largest=$(find tests/vectors/circom -name circuit.zkey -printf '%s %h\n' | sort -rn | head -1 | cut -d' ' -f2-)
  say "the npm registry does not answer: proving the shipped circuit $(basename "$largest")"
  cp "$largest"/{circuit.zkey,witness.wtns,verification_key.json} "$folder/"
}

fetch_semaphore || use_shipped

say "what the key is"
show inspect circuit.zkey
say "prove"
show prove circuit.zkey witness.wtns proof.json public.json
say "verify, with the verification key that the package ships"
show verify verification_key.json public.json proof.json

say "verify the same proof for another statement: must be refused"
node -e '
  const [first, ...rest] = JSON.parse(require("fs").readFileSync(process.argv[1]));
  console.log(JSON.stringify([String(first === "0" ? 1n : BigInt(first) - 1n), ...rest]));
' "$folder/public.json" >"$folder/other.json"
status=0
show verify verification_key.json other.json proof.json || status=$?
[ "$status" -eq 1 ] || { echo "expected exit code 1, found $status"; exit 1; }
say "done: key, witness, proof and public signals are in $folder"
