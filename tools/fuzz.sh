#!/usr/bin/env bash
# Runs every fuzzer for its share of SECONDS on its seeds, then prints the line coverage that the corpus reaches in the
# parser of the same name; below CUZK_FUZZ_COVERAGE per cent (default 85), or on a crash, it fails.
#
# fuzz/<name>_fuzz.cpp fuzzes src/formats/<name>.cpp (or <name>_reader.cpp, or src/<layer>/[<folder>/]<name>.cpp), with
# seeds from fuzz/corpus/<name>/ and, where the target asks for more, from the files that fuzz/seeds.sh <name> FOLDER
# puts into FOLDER. Inputs have at most 64 KiB, or what a line "// max_len: BYTES" of the target says. What the run finds
# stays in BUILD/corpus.
#
# usage: tools/fuzz.sh BUILD_FOLDER SECONDS
set -uo pipefail
cd "$(dirname "$0")/.."

build=$1 seconds=$2
wanted=${CUZK_FUZZ_COVERAGE:-85}
export UBSAN_OPTIONS=print_stacktrace=1
targets=("$build"/bin/*_fuzz)
each=$((seconds / ${#targets[@]}))
[ "$each" -gt 0 ] || each=1
status=0

# line_coverage BINARY PROFILE SOURCE: per cent of the lines of SOURCE, as an integer. Functions are counted once for each
# curve they are instantiated for; those that write files (write_...) see no bytes from outside and do not count.
line_coverage() {
  llvm-cov-19 report --show-functions --instr-profile="$2" "$1" "$3" 2>/dev/null | awk '
    $5 ~ /^[0-9]+$/ && $1 != "TOTAL" && $1 !~ /write_/ { lines += $5; missed += $6 }
    END { print lines ? int(100 * (lines - missed) / lines) : 0 }'
}

# source_of NAME: the parser that NAME_fuzz is for.
source_of() {
  local candidate
  for candidate in "src/formats/$1.cpp" "src/formats/$1_reader.cpp" src/*/"$1.cpp" src/*/*/"$1.cpp"; do
    [ -f "$candidate" ] && { echo "$candidate"; return 0; }
  done
  return 1
}

for target in "${targets[@]}"; do
  name=$(basename "$target" _fuzz)
  corpus=$build/corpus/$name artifacts=$build/artifacts/$name profile=$build/profile/$name
  mkdir -p "$corpus" "$artifacts" "$profile"
  seeds=()
  [ -d "fuzz/corpus/$name" ] && seeds+=("fuzz/corpus/$name")
  if [ -x fuzz/seeds.sh ]; then
    mkdir -p "$build/seeds/$name"
    fuzz/seeds.sh "$name" "$build/seeds/$name" && seeds+=("$build/seeds/$name")
  fi
  max_len=$(sed -n 's|^// max_len: ||p' "fuzz/${name}_fuzz.cpp")
  LLVM_PROFILE_FILE=/dev/null "$target" -max_total_time="$each" -timeout=10 -rss_limit_mb=2048 \
    -max_len="${max_len:-65536}" -print_final_stats=0 -verbosity=0 -artifact_prefix="$artifacts/" "$corpus" "${seeds[@]}" >"$artifacts/log" 2>&1 || {
    tail -40 "$artifacts/log"
    echo "$name: a crash, input in $artifacts"
    status=1
    continue
  }
  LLVM_PROFILE_FILE=$profile/run.profraw "$target" -runs=0 -verbosity=0 "$corpus" "${seeds[@]}" >"$artifacts/replay.log" 2>&1 || status=1
  llvm-profdata-19 merge -o "$profile/run.profdata" "$profile/run.profraw"
  source=$(source_of "$name") || {
    echo "$name: no parser of that name to measure"
    status=1
    continue
  }
  percent=$(line_coverage "$target" "$profile/run.profdata" "$source")
  printf '%-24s %4s s  %6s inputs  %3s %% of the lines of %s\n' "$name" "$each" "$(ls "$corpus" | wc -l)" "$percent" "$source"
  [ "$percent" -ge "$wanted" ] || { echo "$name: below $wanted %"; status=1; }
done
exit $status
