#!/usr/bin/env python3
"""Proves every reference vector of Filecoin's circuits again, byte for byte: keys from the given trapdoors, written by one
process of cuzk, read by another that proves with the given r and s, and verified by a third from public data.

    tools/filecoin_vectors.py [--only porep-2KiB] [--vectors FOLDER] [--work build/filecoin] [--keep-keys]

Keys are made one circuit at a time and removed afterwards: the largest (update-8MiB) takes 4.3 GB of disk, the largest
proof 9 GB of memory. Everything takes about half an hour on two cores; the cases of 2 KiB, five minutes.
"""
import argparse
import gzip
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
# The vectors' kind, the program's, the circuit's prefix, the kind of the key.
KINDS = {"porep": ("porep", "porep", "porep"), "porep-ni": ("porep", "porep", "porep"), "winning": ("winning", "winning", "winning"),
         "window": ("window", "wpost", "window"), "update": ("snap", "snap", "update")}


class Case:
    """One folder with public.json and partition-*.json."""

    def __init__(self, folder):
        self.folder = folder
        self.vector_kind, self.size = folder.parent.name.rsplit("-", 1)
        self.kind, prefix, key_kind = KINDS[self.vector_kind]
        self.circuit = f"{prefix}-{self.size.removesuffix('iB').lower()}"
        self.key = f"{key_kind}-{self.size}"
        self.partitions = sorted(folder.glob("partition-*.json"), key=lambda path: int(path.stem.split("-")[1]))

    def name(self):
        return f"{self.folder.parent.name}/{self.folder.name}"

    def vanilla(self, number):
        names = {"porep": "c1.json", "snap": "vanilla.json"}
        return self.folder / names.get(self.kind, f"vanilla-{number}.json")


class Runner:
    def __init__(self, program, vectors, work):
        self.program, self.vectors, self.work = program, vectors, work
        self.failed = self.passed = 0
        digests = vectors / "keys/params-digests.json"
        self.digests = json.loads(digests.read_text()) if digests.exists() else {}

    def cuzk(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments), "--json"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"cuzk {arguments[0]}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def check(self, name, ok, detail=""):
        self.passed, self.failed = self.passed + ok, self.failed + (not ok)
        print(f"{'ok    ' if ok else 'FAILED'} {name}{'  ' + detail if detail else ''}", flush=True)

    def make_key(self, circuit, key):
        trapdoor = self.vectors / f"keys/{key}.trapdoor.json"
        facts = self.cuzk("setup", "--circuit", circuit, "--out", self.work, "--trapdoor", trapdoor, "--circuits", self.work)
        params = pathlib.Path(facts["key"])
        same_vk = pathlib.Path(facts["vkey"]).read_bytes() == (self.vectors / f"keys/{key}.vk").read_bytes()
        self.check(f"{key} .vk", same_vk, f"{facts['total_seconds']:.1f} s, {facts['peak_resident_bytes'] >> 20} MiB")
        if key in self.digests:
            same = self.digests[key]["params_bytes"] == params.stat().st_size
            with params.open("rb") as file:
                same = same and hashlib.file_digest(file, "sha256").hexdigest() == self.digests[key]["params_sha256"]
            self.check(f"{key} .params", same)
        return [params, pathlib.Path(facts["vkey"]), params.with_suffix(".dev.json")]

    def write_vanilla(self, case, number, target):
        """The vector's own request, or one made again from its public data."""
        stored = case.vanilla(number)
        packed = stored.with_name(stored.name + ".gz")
        if stored.exists():
            target.write_bytes(stored.read_bytes())
        elif packed.exists():
            target.write_bytes(gzip.decompress(packed.read_bytes()))
        else:
            partition = ("--partition", number) if case.kind == "window" else ()
            self.cuzk("gen-vanilla", "--public-from", case.folder / "public.json", *partition, "--out", target,
                      "--public", self.work / "public.json")

    def prove(self, case, partition):
        number = int(partition.stem.split("-")[1])
        vanilla, proof = self.work / "vanilla.json", self.work / "proof.bin"
        self.write_vanilla(case, number, vanilla)
        public = case.folder / "public.json"
        common = ("--kind", case.kind, "--public", public, "--params", self.work, "--partition", number)
        facts = self.cuzk("prove", *common, "--vanilla", vanilla, "--circuits", self.work, "--blinding", partition, "--out", proof)
        expected = bytes.fromhex(json.loads(partition.read_text())["proof"])
        detail = f"{facts['phases']['total_seconds']:.1f} s, {facts['peak_resident_bytes'] >> 20} MiB"
        self.check(f"{case.name()} partition {number}", proof.read_bytes() == expected, detail)
        self.cuzk("verify", *common, "--proof", proof)

    def run_circuit(self, circuit, key, cases):
        files = []
        try:
            files = self.make_key(circuit, key)
            for case in cases:
                for partition in case.partitions:
                    self.prove(case, partition)
        except (RuntimeError, OSError) as error:
            self.check(key, False, str(error))
        return files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("CUZK_VECTORS", str(SOURCE.parent / "shared/vectors")).split(":")[-1]
    parser.add_argument("--vectors", type=pathlib.Path, default=pathlib.Path(default) / "filecoin")
    parser.add_argument("--program", default=str(SOURCE / "build/release/bin/cuzk"))
    parser.add_argument("--work", type=pathlib.Path, default=SOURCE / "build/filecoin")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--keep-keys", action="store_true")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)

    folders = sorted({path.parent for path in options.vectors.glob("*/*/partition-*.json")})
    cases = [case for case in map(Case, folders) if options.only in case.name()]
    runner, begin = Runner(options.program, options.vectors, options.work), time.monotonic()
    for key in sorted({case.key for case in cases}):
        mine = [case for case in cases if case.key == key]
        files = runner.run_circuit(mine[0].circuit, key, mine)
        if not options.keep_keys:
            for file in files:
                file.unlink(missing_ok=True)
    print(f"{runner.passed} passed, {runner.failed} failed, {time.monotonic() - begin:.0f} s")
    return 1 if runner.failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
