#!/usr/bin/env bash
# Everything that CI checks, in stages with their times; the last line is "N passed, N failed".
# CUZK_JOBS sets the number of parallel jobs, CUZK_FUZZ_SECONDS the time of all fuzzers together (0: none).
set -uo pipefail
cd "$(dirname "$0")/.."

jobs=${CUZK_JOBS:-$(nproc)}
results=build/results
rm -rf "$results" && mkdir -p "$results"
times=() failed=() junit=()

# stage NAME COMMAND...: runs it, notes its time and whether it failed; later stages still run.
stage() {
  local name=$1 begin=$SECONDS status=0
  shift
  printf '\n== %s\n' "$name"
  "$@" || status=$?
  times+=("$(printf '%5d s  %s' $((SECONDS - begin)) "$name")")
  return $status
}

build() {  # PRESET TARGET...
  local preset=$1
  shift
  cmake --preset "$preset" >"$results/configure-$preset.log" 2>&1 || { cat "$results/configure-$preset.log"; return 1; }
  cmake --build --preset "$preset" -j "$jobs" --target "$@"
}

run_ctest() {  # PRESET REPORT CTEST-ARGUMENTS...
  local preset=$1 report=$2
  shift 2
  ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure --progress --no-tests=error --output-junit "$report" "$@"
}

# test_stage NAME PRESET CTEST-ARGUMENTS...: failed cases are counted from the report; a run without one is a failed stage.
test_stage() {
  local name=$1 report=$PWD/$results/${1// /-}.xml
  stage "$name" run_ctest "$2" "$report" "${@:3}"
  if [ -s "$report" ]; then junit+=("$report"); else failed+=("$name"); fi
}

build_stage() { stage "build $1" build "$@" || { failed+=("build $1"); return 1; }; }

# The release program and everything that is tested in full.
build_stage release all && test_stage "test release" release
stage lint tools/lint.sh build/release || failed+=(lint)

# Ten known faults, drawn and put back: the test that stands for each must see it.
mutation_report=$PWD/$results/mutation.xml
stage mutation tools/mutation.py --random 10 --junit "$mutation_report"
if [ -s "$mutation_report" ]; then junit+=("$mutation_report"); else failed+=(mutation); fi

# Sanitizers where bytes from outside are parsed, memory is managed or threads meet.
build_stage asan sanitized_tests vector_case && {
  test_stage "test asan" asan -L sanitized -LE slow
  test_stage "vectors asan" asan -R '^vectors\.(malformed|groth16|filecoin_statement|real_seals|real_posts)\.'
}
build_stage tsan threaded_tests && test_stage "test tsan" tsan -L threaded -LE slow

if [ "${CUZK_FUZZ_SECONDS:-300}" -gt 0 ] && compgen -G 'fuzz/*_fuzz.cpp' >/dev/null; then
  build_stage fuzz fuzzers && { stage fuzz tools/fuzz.sh build/fuzz "${CUZK_FUZZ_SECONDS:-300}" || failed+=(fuzz); }
fi

printf '\n== times\n'
printf '%s\n' "${times[@]}" "$(printf '%5d s  all stages' "$SECONDS")"
flags=()
for name in "${failed[@]}"; do flags+=(--stage-failed "$name"); done
python3 tools/ci_summary.py "${flags[@]}" "${junit[@]}"
