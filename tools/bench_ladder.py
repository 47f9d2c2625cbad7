#!/usr/bin/env python3
"""Whole proofs, ours and a peer's, as whole processes: start, read key and witness, prove, write.

  tools/bench_ladder.py --case poseidon_2p16=KEY.zkey,WITNESS.wtns [--case ...]
      [--peer rapidsnark='prover {zkey} {wtns} {proof} {public}'] [--pairs 5] [--cuzk build/release/bin/cuzk]
      [--verify '{proof}...'] [--out docs/benchmarks/cpu.json]

Runs alternate (ours, peer, ours, peer, ...), after one warm-up of each, so that a machine whose speed drifts is fair to both.
User and system time, wall time and peak resident memory are those of the finished process as the kernel accounts them. The
last proof of each case is verified with `cuzk verify` against the key. Results are merged into the JSON file under flat keys:
prove_<case>_<who>_{cpu,wall}_s_{median,min,max}, ..._peak_bytes, prove_<case>_{cpu,wall}_ratio_{median,min,max}."""
import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time


def run(command):
    """(cpu seconds, wall seconds, peak bytes) of one finished process."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{shlex.join(command)}: exit status {process.returncode}: {message.decode(errors='replace')}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - begin, usage.ru_maxrss * 1024


def spread(prefix, values, results):
    results[f"{prefix}_median"] = round(statistics.median(values), 6)
    results[f"{prefix}_min"] = round(min(values), 6)
    results[f"{prefix}_max"] = round(max(values), 6)


def measure(case, zkey, wtns, programs, pairs, results):
    runs = {who: [] for who in programs}
    with tempfile.TemporaryDirectory() as folder:
        for i in range(pairs + 1):
            for who, template in programs.items():
                files = {"zkey": zkey, "wtns": wtns, "proof": f"{folder}/{who}.proof.json",
                         "public": f"{folder}/{who}.public.json"}
                figures = run([part.format(**files) for part in shlex.split(template)])
                if i > 0:  # the first round warms the page cache
                    runs[who].append(figures)
        ours = shlex.split(programs["cuzk"])[0]
        for who in programs:
            subprocess.run([ours, "verify", zkey, f"{folder}/{who}.public.json", f"{folder}/{who}.proof.json"],
                           check=True, stdout=subprocess.DEVNULL)
    for who, figures in runs.items():
        cpu, wall, peak = zip(*figures)
        spread(f"prove_{case}_{who}_cpu_s", cpu, results)
        spread(f"prove_{case}_{who}_wall_s", wall, results)
        results[f"prove_{case}_{who}_peak_bytes"] = int(statistics.median(peak))
    for peer in programs:
        if peer == "cuzk":
            continue
        for index, unit in ((0, "cpu"), (1, "wall")):
            ratios = [mine[index] / theirs[index] for mine, theirs in zip(runs["cuzk"], runs[peer])]
            spread(f"prove_{case}_{unit}_ratio_to_{peer}", ratios, results)
            print(f"{case}: {unit} ratio to {peer}: median {statistics.median(ratios):.3f} "
                  f"({min(ratios):.3f}-{max(ratios):.3f}), {pairs} pairs", flush=True)
    results[f"prove_{case}_pairs"] = pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", action="append", required=True, help="NAME=ZKEY,WTNS")
    parser.add_argument("--peer", action="append", default=[], help="NAME=COMMAND with {zkey} {wtns} {proof} {public}")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--cuzk", default="build/release/bin/cuzk")
    parser.add_argument("--out", help="JSON file to merge the results into")
    arguments = parser.parse_args()

    programs = {"cuzk": f"{arguments.cuzk} prove --quiet {{zkey}} {{wtns}} {{proof}} {{public}}"}
    programs.update(peer.split("=", 1) for peer in arguments.peer)
    results = {}
    for case in arguments.case:
        name, files = case.split("=", 1)
        zkey, wtns = files.split(",")
        measure(name, zkey, wtns, programs, arguments.pairs, results)
    if arguments.out is None:
        print(json.dumps(results, indent=1))
        return
    merged = {}
    if os.path.exists(arguments.out):
        with open(arguments.out, encoding="utf-8") as file:
            merged = json.load(file)
    merged.update(results)
    with open(arguments.out, "w", encoding="utf-8") as file:
        json.dump(merged, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
