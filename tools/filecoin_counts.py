#!/usr/bin/env python3
"""Records Filecoin's circuits and compares what the files hold with the reference's counts of blank circuits.

  tools/filecoin_counts.py --counts COUNTS.json [--build build/release] [--folder FOLDER] [CIRCUIT-ID ...]

COUNTS.json: counts.json of the reference vectors. Without ids all its circuits, small ones first. Each is recorded into
FOLDER (default: a temporary one) by the build's record_circuit; counts, non-zeros, densities with their bitmaps, and the
digest of the matrices must agree. Prints what record_circuit says, a line a circuit. Exit status 1 when one differs.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

KINDS = {"porep": "porep", "winning": "winning", "window": "wpost", "update": "snap"}
UNITS = {"KiB": "k", "MiB": "m", "GiB": "g"}


def circuit_id(entry):
    size = entry["sector_size"]
    return f"{KINDS[entry['kind']]}-{size[:-3]}{UNITS[size[-3:]]}"


def differences(entry, found):
    density = entry["density"]
    pairs = {
        "num_inputs": entry["num_inputs_with_one"],
        "num_aux": entry["num_aux"],
        "num_constraints": entry["num_constraints"],
        "nonzeros": {side: entry["nonzeros"][side] for side in "abc"},
        "dense_a_aux": density["a_aux"],
        "dense_b_inputs": density["b_input"],
        "dense_b_aux": density["b_aux"],
        "density_bitmaps_sha256": entry["density_bitmaps_sha256"],
        "matrices_sha256": entry["matrices_sha256"],
    }
    return [f"{name}: {found[name]}, the reference has {value}" for name, value in pairs.items() if found[name] != value]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", required=True, type=pathlib.Path)
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("ids", nargs="*")
    options = parser.parse_args()

    entries = {circuit_id(entry): entry for entry in json.loads(options.counts.read_text())}
    ids = options.ids or sorted(entries, key=lambda name: entries[name]["num_constraints"])
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or pathlib.Path(temporary)
        for name in ids:
            command = [options.build / "bin" / "record_circuit", name, folder / f"{name}.circuit"]
            text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            print(text, end="", flush=True)
            for line in differences(entries[name], json.loads(text)):
                print(f"{name}: {line}", file=sys.stderr)
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
