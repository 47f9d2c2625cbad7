#!/usr/bin/env python3
"""Gathers benchmark results into docs/benchmarks/cpu.json and writes docs/benchmarks.md from it.

  tools/bench_report.py [--gather build/bench]     (default: gather if the folder is there, then write the page)

cpu.json has flat keys with the unit in the name: machine_*, commit, kernel, and one key for each figure. Kernel benchmarks come
from Google Benchmark's JSON in the folder (CPU time of an iteration; the median where there are repetitions), whole proofs from
tools/bench_ladder.py, which writes into the same file. Of the page, the sections that this program knows are written anew (edit
the program, not them); others stay as they are: those of devices and of the service are written by hand."""
import argparse
import json
import os
import pathlib
import platform
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
FIGURES = ROOT / "docs/benchmarks/cpu.json"
CIRCUITS = ROOT / "docs/benchmarks/circuits.json"
LOCKING = ROOT / "docs/benchmarks/page_locking.json"
CRITICAL = ROOT / "docs/benchmarks/critical.json"
DEVICE_SERVE = ROOT / "docs/benchmarks/device_serve.json"
PAGE = ROOT / "docs/benchmarks.md"
NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


def load(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT).stdout.strip()


def machine():
    """What a figure is worth nothing without."""
    cpu = re.search(r"Model name:\s*(.*)", output("lscpu"))
    program = ROOT / "build/release/bin/cuzk"
    kernel = re.search(r"CPU path: (\w+)", output(str(program), "--version")) if program.exists() else None
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "machine_cpu": cpu.group(1) if cpu else platform.processor(),
        "machine_cores": os.cpu_count(),
        "machine_memory_bytes": memory,
        "machine_load_1min": round(os.getloadavg()[0], 2),
        "compiler": output("c++", "--version").splitlines()[0],
        "flags": "-O2 -DNDEBUG",
        "commit": output("git", "rev-parse", "--short=12", "HEAD"),
        "kernel": kernel.group(1) if kernel else "unknown",
    }


def key_of(name):
    """"msm_full<Bn254, false>/14" -> "msm_full_bn254_g1_14": the flag of these templates chooses G2."""
    name = name.replace(", false", ", g1").replace(", true", ", g2")
    return re.sub(r"_+", "_", re.sub(r"[^a-z0-9]+", "_", name.lower())).strip("_")


def gather(folder):
    figures = {}
    for path in sorted(folder.glob("*_bench.json")):
        runs = load(path)["benchmarks"]
        medians = [run for run in runs if run.get("aggregate_name") == "median"]
        for run in medians or [run for run in runs if run.get("run_type") == "iteration"]:
            name = run.get("run_name", run["name"])
            figures[f"{key_of(name)}_cpu_ns"] = round(run["cpu_time"] * NANOSECONDS[run["time_unit"]], 2)
            if "items_per_second" in run:
                figures[f"{key_of(name)}_ns_per_item"] = round(1e9 / run["items_per_second"], 3)
    return figures


def duration(nanoseconds):
    for unit in ("s", "ms", "us"):
        if nanoseconds >= NANOSECONDS[unit]:
            return f"{nanoseconds / NANOSECONDS[unit]:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def mebibytes(value):
    return f"{value / 2**20:.1f}"


def proofs_table(figures):
    """One row for each case and peer: ours beside theirs."""
    rows = []
    pattern = re.compile(r"prove_(.+)_cpu_ratio_to_(.+)_median$")
    for key in sorted(figures):
        match = pattern.match(key)
        if not match:
            continue
        case, peer = match.groups()
        value = lambda who, what: figures[f"prove_{case}_{who}_{what}"]
        spread = f"{figures[f'prove_{case}_cpu_ratio_to_{peer}_min']:.2f}-{figures[f'prove_{case}_cpu_ratio_to_{peer}_max']:.2f}"
        rows.append((case, f"| {case} | {peer} | {value('cuzk', 'cpu_s_median'):.2f} | {value(peer, 'cpu_s_median'):.2f} | "
                     f"**{figures[key]:.2f}** ({spread}) | {value('cuzk', 'wall_s_median'):.2f} | "
                     f"{value(peer, 'wall_s_median'):.2f} | {figures[f'prove_{case}_wall_ratio_to_{peer}_median']:.2f} | "
                     f"{mebibytes(value('cuzk', 'peak_bytes'))} | {mebibytes(value(peer, 'peak_bytes'))} | "
                     f"{figures[f'prove_{case}_pairs']} |"))
    if not rows:
        return []
    head = ["## Whole proofs", "",
            "Whole processes in alternation: start, read key and witness, prove (ours: and verify), write. CPU is user + system of all "
            "threads, in seconds; ratios are ours to theirs, pair by pair; memory is the peak resident size."
            + "".join(f" {key[len('peer_'):]}: {figures[key]}." for key in sorted(figures) if key.startswith("peer_")), "",
            "| circuit | peer | cuzk CPU s | peer CPU s | CPU ratio (range) | cuzk wall s | peer wall s | wall ratio | "
            "cuzk MiB | peer MiB | pairs |", "|---|---|---|---|---|---|---|---|---|---|---|"]
    return head + [row for _, row in sorted(rows)] + [""]


def large_key_lines(figures):
    if "large_zkey_bytes" not in figures:
        return []
    return ["## A key larger than the memory it may use", "",
            f"A .zkey of {figures['large_zkey_bytes'] / 2**30:.2f} GiB proved with anonymous memory limited to "
            f"{figures['large_zkey_anonymous_limit_bytes'] / 2**30:.2f} GiB: {figures['large_zkey_prove_cpu_s']:.0f} s of CPU, "
            f"{figures['large_zkey_prove_wall_s']:.0f} s, proof verified (commit {figures.get('large_zkey_commit', figures.get('commit'))}, "
            f"load {figures.get('large_zkey_load', figures.get('machine_load_1min'))}).", ""]


def kernels_table(figures):
    keys = [key for key in figures if key.endswith("_cpu_ns")]
    if not keys:
        return []
    lines = ["## Kernels", "",
             "CPU time of one call, and of one item where a call has many (a point of an MSM, a product; Google Benchmark, random data).", "",
             "| kernel | CPU time | an item |", "|---|---|---|"]
    natural = lambda key: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", key)]
    for key in sorted(keys, key=natural):
        kernel = key[:-len("_cpu_ns")]
        item = figures.get(f"{kernel}_ns_per_item")
        lines.append(f"| {kernel} | {duration(figures[key])} | {duration(item) if item is not None else ''} |")
    return lines + [""]


def circuits_lines(figures):
    """`recorded`: lines of record_circuit; `checked`: lines of check_circuit with one thread."""
    if not figures:
        return []
    lines = ["## Filecoin's circuits", "",
             "`tools/filecoin_counts.py` (recording, each circuit equal to the reference's in counts, densities and digest) and "
             "`check_circuit FILE 1` (a true statement of that size: direct witness, a b = c over every row of the re-opened file, "
             "then a and b alone, into memory that is mapped). Seconds of CPU time, one thread; memory is the recorder's peak. "
             f"{figures['machine_cpu']}, commit {figures['commit']}, load {figures['machine_load_1min']:.0f}.", "",
             "| circuit | constraints | terms | record s | MiB | file MB | open s | digest s | witness s | a b = c, s | a, b, s |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    checked = {entry["circuit"]: entry for entry in figures["checked"]}
    for entry in figures["recorded"]:
        check = checked.get(entry["circuit"])
        steps = [f"{check[step + '_cpu_seconds']:.2f}" if check else "" for step in ("witness", "satisfied", "evaluate")]
        lines.append(f"| {entry['circuit']} | {entry['num_constraints']:,} | {sum(entry['nonzeros'].values()):,} "
                     f"| {entry['record_cpu_seconds']:.2f} | {entry['record_peak_mib']:.0f} | {entry['file_bytes'] / 1e6:.1f} "
                     f"| {entry['open_cpu_seconds']:.3f} | {entry['save_cpu_seconds']:.2f} | {' | '.join(steps)} |")
    return lines + [""] + steps_lines(figures)


def steps_lines(figures):
    """`steps`: runs of filecoin_bench that operators ask about."""
    if "steps" not in figures:
        return []
    lines = ["## Filecoin's steps", "",
             f"`build/release/bin/filecoin_bench` on {figures['machine_cpu']}, commit {figures['steps_commit']}, "
             f"load {figures['steps_load_1min']:.0f}; memory mapped before. CPU time is of the calling thread, for a key of all threads.", "",
             "| step | real time | CPU time |", "|---|---|---|"]
    for step in figures["steps"]:
        lines.append(f"| {step['what']} | {duration(step['wall_seconds'] * 1e9)} | {duration(step['cpu_seconds'] * 1e9)} |")
    return lines + [""]


def locking_lines(figures):
    """Runs of bench/memory/pin_rate on a machine with a device."""
    if "runs" not in figures:
        return []
    lines = ["## Page-locked memory", "",
             f"`pin_rate` on {figures['machine']}, commit {figures['commit']} "
             "([benchmarks/page_locking.json](benchmarks/page_locking.json)); GB are 10^9 bytes, rates of single copies. "
             "The pool uses chunks of 64 MiB, and of 2 MiB for what is left.", "",
             "| memory | chunks | locking ms/GiB | to device, locked GB/s | to device, ordinary GB/s | from device, locked GB/s | from device, ordinary GB/s |",
             "|---|---|---|---|---|---|---|"]
    for run in figures["runs"]:
        for chunks in ("chunks_of_64_mib", "chunks_of_2_mib"):
            of = run[chunks]
            cells = [of["lock_ms_per_gib"], of["locked_to_device_gb_per_s"], of["ordinary_to_device_gb_per_s"],
                     of["locked_from_device_gb_per_s"], of["ordinary_from_device_gb_per_s"]]
            lines.append(f"| {run['bytes'] / 2**30:.0f} GiB | {chunks.split('_')[2]} MiB | " + " | ".join(f"{c:.1f}" for c in cells) + " |")
    last = figures["runs"][-1]["pool"]
    return lines + ["", f"A buffer of the pool that lies ready: {last['buffer_that_lies_ready_us']:.0f} us; one that must be made: "
                    f"{last['buffer_made_ms_per_gib']:.0f} ms a GiB.", ""]


def critical_lines(figures):
    """Of bench/engine/critical_bench: a small proof that comes while the CPU works on large ones."""
    if not figures:
        return []
    lines = ["## A critical proof beside others", "",
             f"`engine_bench --benchmark_filter=prove_small --benchmark_enable_random_interleaving=true` on {figures['machine']}; commit {figures['commit']} "
             "([benchmarks/critical.json](benchmarks/critical.json)). One proof of "
             f"{figures['small_rows']:,} random rows on BLS12-381, from submit to result; beside it the same CPU works on a job of "
             f"partitions of {figures['large_rows']:,} rows. Critical work has submitter, finisher and the right of way on the cores "
             "(`support/right_of_way.h`); before, its proof waited for the submitter and shared the cores, as that of high "
             "priority does. Median of four runs in alternation, and the range of their means.", "",
             "| the small proof | ms | range | to alone | proofs |", "|---|---|---|---|---|"]
    for name, key in (("alone", "idle"), ("critical, beside large ones", "critical_beside_large"),
                      ("high, beside large ones", "high_beside_large")):
        milliseconds = figures[f"{key}_ms"]
        span = f"{figures[f'{key}_ms_min']:,}-{figures[f'{key}_ms_max']:,}"
        lines.append(f"| {name} | {milliseconds:,} | {span} | {milliseconds / figures['idle_ms']:.1f} | {figures[f'{key}_proofs']} |")
    return lines + [""]


def device_serve_lines(figures):
    """Of tools/device_serve.py: Filecoin's circuits, each with its key; circom's with the key that lies beside the circuit."""
    if not figures:
        return []
    proofs = {(proof["circuit"], proof["round"]): proof for proof in figures["proofs"]}
    keys = {key["circuit"]: key for key in figures["keys"]}
    device = figures["devices"][0].split(", ")
    lines = ["## The service on a device", "",
             f"`tools/device-check serve` on one {device[0]}, driver {device[1]}, {figures['cores']} cores, {figures['memory_gib']} GiB, "
             f"commit {figures['commit']} ([benchmarks/device_serve.json](benchmarks/device_serve.json)): `cuzk serve` with the CUDA backend, jobs by "
             "gRPC from other processes, every proof verified by the service and by `cuzk verify`, none elsewhere or at a second try. Milliseconds "
             "of the service, from accepting the job to its verified proof, one job after the other, keys resident; `prove` is on the device and all "
             "partitions together, of which two at a time are there. "
             f"`at once`: the same job when {sum(proof['round'] == 'together' for proof in figures['proofs'])} came at the same time, all of which took "
             f"{figures['together_seconds'] * 1000:,.0f} ms with their clients. Keys are of the reference's trapdoors and have its bytes, as far as those are "
             f"known; all were resident {figures['ready_seconds']:.1f} s after the start.", "",
             "| circuit | rows | key | made in | partitions | decode, check | witness | prove | verify | total | at once |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    for proof in (proof for proof in figures["proofs"] if proof["round"] == "alone"):
        key, later = keys.get(proof["circuit"]), proofs.get((proof["circuit"], "together"))
        cells = [f"{key['constraints']:,}", f"{key['bytes'] / 1e6:,.0f} MB", f"{key['seconds']:.1f} s"] if key else ["", "", ""]
        cells += [str(proof["partitions"])] + [f"{proof[step + '_s'] * 1000:,.1f}" for step in ("decode", "witness", "prove", "verify")]
        cells += [f"**{proof['total_s'] * 1000:,.0f}**", f"{later['total_s'] * 1000:,.0f}" if later else ""]
        lines.append(f"| {proof['circuit']} | {' | '.join(cells)} |")
    return lines + [""]


def sections_of(text):
    """[(heading, text)]: the page's head has none."""
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    return [(part.splitlines()[0] if part.startswith("## ") else "", part.rstrip() + "\n") for part in parts if part.strip()]


def write_page(figures):
    lines = ["# Benchmarks", "",
             "Figures of CPUs: `tools/bench_report.py` from [benchmarks/cpu.json](benchmarks/cpu.json) and "
             "[benchmarks/circuits.json](benchmarks/circuits.json); how to run: "
             "[CONTRIBUTING.md](../CONTRIBUTING.md).", "",
             f"Machine: {figures.get('machine_cpu')}, {figures.get('machine_cores')} cores, "
             f"{figures.get('machine_memory_bytes', 0) / 2**30:.0f} GiB; {figures.get('compiler')}, {figures.get('flags')}; "
             f"CPU path {figures.get('kernel')}; commit {figures.get('commit')}; load at the time {figures.get('machine_load_1min')}. "
             "The machine is shared and its speed drifts: ratios of alternating runs are the figures to quote.", ""]
    lines += proofs_table(figures) + large_key_lines(figures) + circuits_lines(load(CIRCUITS))
    lines += locking_lines(load(LOCKING)) + device_serve_lines(load(DEVICE_SERVE)) + critical_lines(load(CRITICAL)) + kernels_table(figures)
    made = dict(sections_of("\n".join(lines)))
    there = sections_of(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else []
    names = {name for name, _ in there}
    page = [made.get(name, text) for name, text in there] + [text for name, text in made.items() if name not in names]
    PAGE.write_text("\n".join(page), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gather", type=pathlib.Path, default=ROOT / "build/bench")
    arguments = parser.parse_args()
    figures = load(FIGURES)
    if arguments.gather.is_dir():
        figures.update(gather(arguments.gather))
        figures.update(machine())
        FIGURES.parent.mkdir(parents=True, exist_ok=True)
        FIGURES.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    write_page(figures)


if __name__ == "__main__":
    main()
