#!/usr/bin/env bash
# make demo: a proving service at work. Starts the daemon, gives it Filecoin's four proofs of a freshly sealed 2 KiB sector
# and the proof of a circom circuit over gRPC, verifies what comes back in other processes, and shows what each step took.
#
# The keys of Filecoin's circuits are development keys: who made them can forge proofs. They are made once (35 s on two cores,
# 1.8 GB) and kept in build/demo/keys. The circom circuit is Semaphore v4 (anonymous group membership, tree depth 20) as its
# authors publish it on npm: @zk-kit/semaphore-artifacts 4.13.0 (MIT), key with the contributions of its ceremony. When the
# registry does not answer, a small circuit of tests/vectors takes its place.
#
# usage: tools/demo.sh [--stay]      with --stay the daemon goes on until Enter is pressed, for a look at its dashboard
set -euo pipefail
cd "$(dirname "$0")/.."

cuzk=${CUZK_PROGRAM:-$PWD/build/release/bin/cuzk}
artifacts=@zk-kit/semaphore-artifacts@4.13.0
circuit=semaphore-20
work=$PWD/build/demo
keys=$work/keys
stay=${1:-}
export NO_COLOR=1
mkdir -p "$work" "$keys"
run=$(mktemp -d "${TMPDIR:-/tmp}/cuzk-demo-XXXXXX")  # of the daemon: socket, journal, log
daemon=
finish() {
  local status=$?
  if [ $status -ne 0 ] && [ -s "$run/log" ]; then tail -n 20 "$run/log"; fi
  if [ -n "$daemon" ]; then kill -KILL "$daemon" 2>/dev/null || true; fi
  rm -rf "$run"
}
trap finish EXIT

# step TEXT COMMAND...: runs it, prints the text with the seconds it took; its own output only when it fails.
step() {
  local text=$1 begin end status=0
  shift
  begin=$(date +%s%N)
  "$@" >"$work/step.log" 2>&1 || status=$?
  end=$(date +%s%N)
  if [ $status -ne 0 ]; then
    printf '  failed      %s\n' "$text"
    cat "$work/step.log"
    return $status
  fi
  printf '  %8.2f s  %s\n' "$(awk "BEGIN { print ($end - $begin) / 1e9 }")" "$text"
}

# Keys and inputs.

declare -A circuits=([porep]=porep-2k [winning]=winning-2k [window]=wpost-2k [snap]=snap-2k)
kinds=(winning window snap porep)

make_key() {
  "$cuzk" keys check --kind "$1" --sector-size 2KiB --params "$keys" --allow-development --no-digests >/dev/null 2>&1 ||
    "$cuzk" setup --circuit "${circuits[$1]}" --out "$keys/"
}

seal() { "$cuzk" gen-vanilla --kind "$1" --out "$work/$1.json" --public "$work/$1-public.json"; }

fetch() {
  [ -f "$work/$circuit.zkey" ] && return 0
  timeout 180 npm pack "$artifacts" --silent --fetch-retries=0 --pack-destination "$work" || return 1
  tar -xzf "$work"/zk-kit-semaphore-artifacts-*.tgz -C "$work" --strip-components=1 \
    "package/$circuit.wasm" "package/$circuit.zkey" "package/$circuit.json" package/LICENSE
  rm -f "$work"/zk-kit-semaphore-artifacts-*.tgz
}

tools() {  # snarkjs: computes the witness, and has a word on the proof
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
  step "fetch $circuit of $artifacts" fetch || return 1
  step "fetch snarkjs" tools || return 1
  input >"$work/input.json"
  step "compute its witness (snarkjs)" snarkjs wtns calculate "$work/$circuit.wasm" "$work/input.json" "$work/witness.wtns"
  name=$circuit key=$work/$circuit.zkey witness=$work/witness.wtns vkey=$work/$circuit.json
}

shipped() {
  echo "  the registry does not answer; the circuit tests/vectors/circom/mimc8-bls12-381 takes the place of a published one"
  local folder=$PWD/tests/vectors/circom/mimc8-bls12-381
  name=mimc8 key=$folder/circuit.zkey witness=$folder/witness.wtns vkey=$folder/verification_key.json
}

# The service.

start_daemon() {
  cat >"$run/cuzk.toml" <<TOML
[daemon]
listen = "unix://$run/cuzk.sock"
status_listen = "127.0.0.1:0"
[srs]
param_cache = "$keys"
[circom.keys]
$name = "$key"
[journal]
folder = "$run/journal"
TOML
  "$cuzk" serve --config "$run/cuzk.toml" 2>"$run/log" &
  daemon=$!
  local i
  for i in $(seq 300); do
    if grep -q ' ready$' "$run/log"; then return 0; fi
    kill -0 $daemon 2>/dev/null || break
    sleep 0.1
  done
  cat "$run/log"
  return 1
}

jobs=()
declare -A job_of
submit() {  # KIND OPTIONS...: gives a job, keeps its id
  local kind=$1
  shift
  "$cuzk" submit --json --label "demo-$kind" "$@" >"$work/submit.json"
  job_of[$kind]=$(sed -n 's/.*"job_id":"\([^"]*\)".*/\1/p' "$work/submit.json")
  jobs+=("${job_of[$kind]}")
}

collect() {
  local kind
  for kind in "${kinds[@]}"; do "$cuzk" await "${job_of[$kind]}" --out "$work/$kind.proof"; done
  "$cuzk" await "${job_of[circom]}" --out "$work/proof.json" --public "$work/public.json"
}

stop_daemon() {
  kill -TERM "$daemon"
  local status=0
  wait "$daemon" || status=$?
  daemon=
  if [ $status -ne 0 ] || ! grep -q ' stopped$' "$run/log"; then cat "$run/log"; return 1; fi
}

# The same proof for another statement: "1" stands for a public input that the proof was not made for.
refused() {
  sed '0,/"[0-9]*"/s//"1"/' "$work/public.json" >"$work/other.json"
  local status=0
  "$cuzk" verify "$vkey" "$work/other.json" "$work/proof.json" || status=$?
  [ $status -eq 1 ]
}

begin=$SECONDS
echo "Inputs and keys (development keys are made once)"
for kind in "${kinds[@]}"; do step "development key of ${circuits[$kind]}" make_key "$kind"; done
for kind in "${kinds[@]}"; do step "seal a 2 KiB sector, open it for $kind" seal "$kind"; done
published || shipped

echo "Service"
step "start the daemon" start_daemon
export CUZK_ADDRESS=unix://$run/cuzk.sock
http=$(sed -n 's|.*listening on \(http://.*\)|\1|p' "$run/log" | head -n 1)
echo "              dashboard: $http/"
for kind in "${kinds[@]}"; do
  step "submit $kind" submit "$kind" --kind "$kind" --vanilla "$work/$kind.json" --public "$work/$kind-public.json"
done
step "submit $name" submit circom --key "$name" "$witness"
python3 tools/demo_watch.py "$http" "${jobs[@]}"
step "fetch the proofs" collect

echo "Proofs, judged by processes of their own"
for kind in "${kinds[@]}"; do
  step "verify $kind ($(stat -c %s "$work/$kind.proof") bytes)" \
    "$cuzk" verify --kind "$kind" --public "$work/$kind-public.json" --proof "$work/$kind.proof" --params "$keys"
done
step "verify $name" "$cuzk" verify "$vkey" "$work/public.json" "$work/proof.json"
step "refuse the same proof for another statement" refused
if [ -d "$work/node_modules/snarkjs" ]; then
  step "verify $name with snarkjs, as an independent judge" snarkjs groth16 verify "$vkey" "$work/public.json" "$work/proof.json"
fi

if [ "$stay" = --stay ]; then
  read -r -p "The dashboard is at $http/ ; Enter stops the daemon. " || true
fi
step "stop the daemon" stop_daemon
echo "5 proofs made and verified in $((SECONDS - begin)) s; the dashboard was at $http/ (tools/demo.sh --stay keeps it)"
