#!/usr/bin/env python3
"""The whole program on a machine with a CUDA device: known proofs, keys and sectors made there, and a service that proves all of
Filecoin's kinds and circom's circuits. Jobs come by gRPC; other processes verify what comes back, and refuse it for another
statement; every partition must have been proved by a device at the first try.

    tools/device_serve.py [--cpu] [--sizes 2k,8m] [--kinds porep,winning,window,snap] [--out FILE]

tools/device-check takes it to such a machine. With --cpu no device is used: to try this program, or the service, elsewhere.
"""
import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

import demo_watch

HERE = pathlib.Path(__file__).resolve().parent
PACKED = (HERE / "vectors").is_dir()  # by tools/device-check: program, libraries and vectors lie beside this file
ROOT = HERE if PACKED else HERE.parent
KINDS = {"porep": ("porep", "porep"), "winning": ("winning", "winning"), "window": ("wpost", "window"), "snap": ("snap", "update")}
# By the program's names. KINDS: prefix of the circuit, name of the reference's key; SIZES: that in the reference's, whether it is sealed.
SIZES = {"2k": ("2KiB", True), "8m": ("8MiB", True), "512m": ("512MiB", False), "32g": ("32GiB", False)}
SEEDS = {"alone": 1, "together": 2}  # of the sectors; proofs of one statement are not made twice
STEP = 300  # seconds, for what takes much less
FAULTS = ("cuzk_cpu_fallbacks_total", "cuzk_reduced_proofs_total", "cuzk_partitions_retried_total", "cuzk_proofs_rejected_total",
          "cuzk_proofs_failed_total", "cuzk_device_errors_total", "cuzk_device_quarantines_total")


class Failure(Exception):
    pass


def require(holds, text):
    if not holds:
        raise Failure(text)


class Steps:
    """One line for each, as it ends."""

    def __init__(self):
        self.passed = self.failed = 0

    def run(self, text, work, *arguments):
        """What the work returns; None when it failed."""
        begin = time.monotonic()
        try:
            result = work(*arguments)
        except Exception as fault:  # whatever it is, the step has failed
            self.failed += 1
            print(f"  failed      {text}: {fault if isinstance(fault, Failure) else repr(fault)}", flush=True)
            return None
        self.passed += 1
        note = f" ({result})" if isinstance(result, str) else ""
        print(f"  {time.monotonic() - begin:8.2f} s  {text}{note}", flush=True)
        return result if result is not None else True


class Program:
    def __init__(self, path, cpu):
        self.path = str(path)
        self.environment = {**os.environ, "NO_COLOR": "1", "no_proxy": "*"}
        if PACKED:  # for this program alone: Python has libraries of its own
            self.environment["LD_LIBRARY_PATH"] = str(HERE / "lib")
        if cpu:
            self.environment["CUDA_VISIBLE_DEVICES"] = ""

    def __call__(self, *arguments, status=0):
        """The object that it writes."""
        arguments = [str(argument) for argument in arguments]
        done = subprocess.run([self.path, *arguments, "--json"], env=self.environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=STEP, check=False)
        require(done.returncode == status, f"cuzk {' '.join(arguments)}: status {done.returncode}: {done.stdout}{done.stderr}".strip())
        return json.loads(done.stdout)


class Service:
    CONFIG = """[daemon]
listen = "unix://{folder}/cuzk.sock"
status_listen = "127.0.0.1:0"
[gpus]
cpu_fallback = "never"
[srs]
param_cache = "{folder}/keys"
circuit_cache = "{folder}/circuits"
preload = {preload}
[circom.keys]
{circom}
[journal]
folder = "{folder}/journal"
[logging]
timing = true
"""

    def __init__(self, program, folder, circuits, circom):
        self.program, self.log, self.process = program, folder / "log", None
        self.address = f"unix://{folder}/cuzk.sock"
        keys = "\n".join(f'{name} = "{key}"' for name, key in circom.items())
        self.config = folder / "cuzk.toml"
        self.config.write_text(self.CONFIG.format(folder=folder, preload=json.dumps(circuits), circom=keys), encoding="utf-8")

    def start(self):
        with self.log.open("w", encoding="utf-8") as log:
            self.process = subprocess.Popen([self.program.path, "serve", "--config", str(self.config)], stderr=log,
                                            stdin=subprocess.DEVNULL, env=self.program.environment)
        end = time.monotonic() + STEP
        while not re.search(r" ready$", self.said(), re.MULTILINE):
            require(self.process.poll() is None, f"the service ended: {self.said()}")
            require(time.monotonic() < end, f"the service did not become ready: {self.said()}")
            time.sleep(0.02)

    def said(self):
        return self.log.read_text(encoding="utf-8")

    def warnings(self):
        """But those of keys that were made for this."""
        told = re.findall(r"^\S+ ((?:warn|error) .*)", self.said(), re.MULTILINE)
        return sorted({line for line in told if " is a development key: " not in line})

    def page(self, path):
        http = re.search(r"listening on (http://\S+)", self.said()).group(1)
        with urllib.request.urlopen(http + path, timeout=30) as answer:
            return answer.read().decode()

    def job(self, job_id):
        jobs = json.loads(self.page("/status"))["jobs"]
        return next(job for job in jobs if job["job_id"] == job_id)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(STEP)
        require(status == 0, f"status {status}: {self.said()}")
        require(re.search(r" stopped$", self.said(), re.MULTILINE), f"did not say that it stopped: {self.said()}")

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Statement:
    """What is to be proved: arguments of `cuzk submit`, `await` and `prove`, and how the proof is verified."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        folder.mkdir(parents=True)


class Sector(Statement):
    def __init__(self, kind, size, which, folder, keys):
        super().__init__(f"{KINDS[kind][0]}-{size}", folder / f"{kind}-{size}-{which}")
        self.kind, self.size, self.seed, self.keys = kind, size, SEEDS[which], keys
        self.vanilla, self.public, self.proof = (self.folder / name for name in ("vanilla.json", "public.json", "proof.bin"))
        self.submit = ("--kind", kind, "--vanilla", self.vanilla, "--public", self.public)
        self.result = ("--out", self.proof)
        self.prove = self.submit + self.result
        self.other = None  # of the same circuit

    def make(self, cuzk):
        made_up = () if SIZES[self.size][1] else ("--synthetic",)
        cuzk("gen-vanilla", "--kind", self.kind, "--sector-size", self.size, "--seed", self.seed, "--out", self.vanilla, "--public",
             self.public, *made_up)

    def verify(self, cuzk):
        self._verify(cuzk, self.public, 0)

    def states(self):
        return True

    def refuse(self, cuzk):
        self._verify(cuzk, self.other.public, 1)

    def _verify(self, cuzk, public, status):
        cuzk("verify", "--kind", self.kind, "--public", public, "--proof", self.proof, "--params", self.keys, status=status)


class Circom(Statement):
    """A folder of tests/vectors/circom: with the key that lies there, or one made from its circuit.r1cs."""

    def __init__(self, case, which, folder):
        super().__init__(case.name if which == "alone" else f"{case.name}-own", folder / f"{case.name}-{which}")
        self.case, self.own = case, which == "together"
        source = self.folder if self.own else case
        self.key, self.vkey = source / "circuit.zkey", source / "verification_key.json"
        self.proof, self.public = self.folder / "proof.json", self.folder / "public.json"
        self.submit = ("--key", self.name, case / "witness.wtns")
        self.result = ("--out", self.proof, "--public", self.public)
        self.prove = (self.name, case / "witness.wtns", self.proof, self.public)

    def make_key(self, cuzk, device):
        told = cuzk("setup", self.case / "circuit.r1cs", self.key, self.vkey, "--device", device)
        require((told["device"] == "cpu") == (device == "cpu"), f"points by {told['device']}")

    def verify(self, cuzk):
        cuzk("verify", self.vkey, self.public, self.proof)
        require(json.loads(self.public.read_text()) == json.loads((self.case / "public.json").read_text()), "other public inputs")

    def states(self):
        return len(json.loads(self.public.read_text())) > 0

    def refuse(self, cuzk):
        inputs = json.loads(self.public.read_text())
        other = self.folder / "other.json"
        other.write_text(json.dumps(["1" if inputs[0] != "1" else "2", *inputs[1:]]))
        cuzk("verify", self.vkey, other, self.proof, status=1)


class Run:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.cuzk, self.steps = Program(options.cuzk, options.cpu), Steps()
        self.device = "cpu" if options.cpu else "0"
        self.keys, self.circuits = folder / "keys", folder / "circuits"
        self.keys.mkdir()
        self.circuits.mkdir()
        self.sectors = {which: [Sector(kind, size, which, folder, self.keys) for size in options.sizes for kind in options.kinds]
                        for which in SEEDS}
        for alone, together in zip(*self.sectors.values()):
            alone.other, together.other = together, alone
        cases = sorted(path.parent for root in options.vectors for path in (root / "circom").glob("*/witness.wtns"))
        cases = list({case.name: case for case in cases}.values())
        self.circom = {"alone": [Circom(case, "alone", folder) for case in cases if (case / "circuit.zkey").exists()],
                       "together": [Circom(case, "together", folder) for case in cases if (case / "circuit.r1cs").exists()]}
        self.record = {"sizes": options.sizes, "keys": [], "proofs": []}
        self.on = {}  # name of each of the service's devices -> whether it is the CPU

    # Before the service: it takes a device's memory whole.

    def selftest(self):
        devices = self.cuzk("selftest", *(("--device", "cpu") if self.options.cpu else ()))["devices"]
        require(all(device["ok"] for device in devices), devices)
        require(self.options.cpu or any(device["device"] != "cpu" for device in devices), "there is no device here")
        self.record["selftest"] = [{"device": re.sub(r" \(GPU-.*", "", device["device"]), "seconds": round(device["seconds"], 3)}
                                   for device in devices]
        return ", ".join(f"{device['device']} {device['seconds']:.2f} s" for device in self.record["selftest"])

    def reference(self):
        return next(root / "filecoin/keys" for root in self.options.vectors if (root / "filecoin/keys").is_dir())

    def key(self, sector):
        name = f"{KINDS[sector.kind][1]}-{SIZES[sector.size][0]}"
        trapdoor = self.reference() / f"{name}.trapdoor.json"
        told = self.cuzk("setup", "--circuit", sector.name, "--out", f"{self.keys}/", "--circuits", self.circuits, "--device",
                         self.device, *(("--trapdoor", trapdoor) if trapdoor.exists() else ()))
        require((told["device"] == "cpu") == self.options.cpu, f"points by {told['device']}")
        self.record["keys"].append({"circuit": sector.name, "constraints": told["num_constraints"], "domain": told["domain_size"],
                                    "bytes": told["key_bytes"], "seconds": round(told["total_seconds"], 2)})
        compared = self.compare(name, told) if trapdoor.exists() else "a random trapdoor"
        return f"{told['key_bytes'] / 1e6:,.0f} MB in {told['total_seconds']:.2f} s; {compared}"

    def compare(self, name, told):
        """With the reference's keys: of all there is the verifying one, of some the SHA-256 of the other."""
        expected = (self.reference() / f"{name}.vk").read_bytes()
        require(pathlib.Path(told["vkey"]).read_bytes() == expected, "another verifying key than the reference's")
        known = json.loads((self.reference() / "params-digests.json").read_text()).get(name)
        if known is None:
            return "the reference's verifying key"
        with open(told["key"], "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        require(digest == known["params_sha256"], f"SHA-256 {digest}, that of the reference's key is {known['params_sha256']}")
        return "the reference's bytes"

    def make_sectors(self):
        sectors = [sector for some in self.sectors.values() for sector in some]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda sector: sector.make(self.cuzk), sectors))

    # The service.

    def start(self, service):
        begin = time.monotonic()
        service.start()
        self.record["ready_seconds"] = round(time.monotonic() - begin, 2)

    def devices(self, service):
        devices = self.cuzk("devices", "--address", service.address)["devices"]
        self.on = {device["name"]: device["is_cpu"] for device in devices}
        require(all(device["in_service"] for device in devices), devices)
        require(self.options.cpu in self.on.values(), f"none to prove on: {devices}")
        return ", ".join(f"{device['name']} {device['budget_bytes'] / 2**30:.1f} GiB" for device in devices)

    def alone(self, service, statement):
        told = self.cuzk("prove", "--remote", service.address, *statement.prove)
        return self.proved(service.job(told["job_id"]), "alone", statement)

    def submit(self, service, statements):
        give = lambda statement: self.cuzk("submit", "--address", service.address, *statement.submit)["job_id"]
        with concurrent.futures.ThreadPoolExecutor(len(statements)) as pool:
            return list(pool.map(give, statements))

    def awaited(self, service, statement, job_id):
        self.cuzk("await", job_id, "--address", service.address, *statement.result)
        return self.proved(service.job(job_id), "together", statement)

    def proved(self, job, which, statement):
        """Each partition by a device, at the first try, verified."""
        require(job["state"] == "completed", job)
        for partition in job["partitions"]:
            require(self.on.get(partition["device"]) is self.options.cpu, f"proved by {partition['device']}: {partition}")
            require((partition["attempts"], partition["failed"], partition["instead"]) == (1, [], None), partition)
            require(self.options.cpu or partition["on_device_ms"], f"nothing by the device's clock: {partition}")
            require(any(phase["name"] == "verify" and phase["end_ms"] is not None for phase in partition["phases"]), partition)
        seconds = {f"{name.replace(' ', '_')}_s": round(value, 4) for name, value in demo_watch.seconds(job).items()}
        on_device = {}
        for partition in job["partitions"]:
            for name, value in (partition["on_device_ms"] or {}).items():
                on_device[name] = round(on_device.get(name, 0) + value, 3)
        self.record["proofs"].append({"circuit": statement.name, "kind": job["proof_kind"], "round": which,
                                      "partitions": len(job["partitions"]), "path": job["partitions"][0]["path"], **seconds,
                                      "total_s": round(job["duration_secs"], 4), "on_device_ms": on_device})
        by = {re.sub(r" \(GPU-.*", "", partition["device"]) for partition in job["partitions"]}
        return f"{len(job['partitions'])} by {', '.join(sorted(by))} in {job['duration_secs']:.3f} s"

    def verify(self, statement):
        begin = time.monotonic()
        statement.verify(self.cuzk)
        proof = next(proof for proof in reversed(self.record["proofs"]) if proof["circuit"] == statement.name)
        proof["verify_process_s"] = round(time.monotonic() - begin, 3)

    def metrics(self, service):
        text = service.page("/metrics")
        lines = re.findall(r"^(\w+)(\{[^\n]*\})? (\S+)$", text, re.MULTILINE)
        values = [(name, labels, float(value)) for name, labels, value in lines]
        for fault in FAULTS:
            found = [entry for entry in values if entry[0] == fault]
            require(found, f"{fault} is not there")
            require(all(value == 0 for _, _, value in found), found)
        partitions = sum(proof["partitions"] for proof in self.record["proofs"])
        proofs = sum(value for name, _, value in values if name == "cuzk_device_proofs_total")
        require(proofs == partitions, f"{proofs:.0f} proofs by devices, of {partitions} partitions")
        ordinals = re.findall(r"^CUZK_TIMING:.* num_circuits=.* gpu=(-?\d+)$", service.said(), re.MULTILINE)
        require(len(ordinals) == partitions, f"{len(ordinals)} timing records of {partitions} partitions")
        require(all((ordinal == "-1") == self.options.cpu for ordinal in ordinals), f"proved by {sorted(set(ordinals))}")
        return f"{partitions} partitions, none elsewhere, no try in vain"

    # All of it.

    def prove_alone(self, service):
        for statement in self.sectors["alone"] + self.circom["alone"]:
            if self.steps.run(f"prove {statement.name}", self.alone, service, statement):
                self.judge(statement)

    def prove_together(self, service):
        begin = time.monotonic()
        statements = self.sectors["together"] + self.circom["together"]
        jobs = self.steps.run(f"submit {len(statements)} jobs", self.submit, service, statements)
        proved = [job and self.steps.run(f"await {statement.name}", self.awaited, service, statement, job)
                  for statement, job in zip(statements, jobs or [])]
        self.record["together_seconds"] = round(time.monotonic() - begin, 2)
        for statement in (statement for statement, done in zip(statements, proved) if done):
            self.judge(statement)

    def judge(self, statement):
        self.steps.run(f"verify {statement.name}", self.verify, statement)
        if statement.states():
            self.steps.run("refuse it for another statement", statement.refuse, self.cuzk)

    def serve(self):
        circuits = [sector.name for sector in self.sectors["alone"]]
        circom = {statement.name: statement.key for some in self.circom.values() for statement in some}
        service = Service(self.cuzk, self.folder, circuits, circom)
        try:
            if not self.steps.run("serve: all keys resident", self.start, service):
                return
            self.steps.run("devices", self.devices, service)
            print("One after the other", flush=True)
            self.prove_alone(service)
            print("All at once", flush=True)
            self.prove_together(service)
            self.steps.run("metrics and timing records", self.metrics, service)
            self.steps.run("SIGTERM", service.stop)
            for line in service.warnings():
                print(f"  {line}", flush=True)
        finally:
            service.kill()

    def all(self):
        if not self.steps.run("selftest", self.selftest):
            return
        for sector in self.sectors["alone"]:
            self.steps.run(f"key of {sector.name}", self.key, sector)
        for statement in self.circom["together"]:
            self.steps.run(f"key of {statement.name}", statement.make_key, self.cuzk, self.device)
        self.steps.run("make the sectors", self.make_sectors)
        self.serve()


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def machine(cpu):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    commit = (HERE / "commit").read_text().strip() if PACKED else output("git", "rev-parse", "--short", "HEAD")
    facts = {"date": datetime.date.today().isoformat(), "commit": commit, "cores": os.cpu_count(), "memory_gib": round(memory)}
    if not cpu:
        asked = output("nvidia-smi", "--query-gpu=name,driver_version,memory.total,clocks.max.sm", "--format=csv,noheader")
        facts["devices"] = asked.splitlines()
    return facts


def some_of(known):
    def parse(text):
        names = text.split(",")
        if not set(names) <= set(known):
            raise argparse.ArgumentTypeError(f"{text}: not all of {', '.join(known)}")
        return names

    return parse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cpu", action="store_true", help="without a device")
    parser.add_argument("--sizes", type=some_of(SIZES), default=["2k", "8m"], help="also 512m, 32g: sectors made up; random trapdoors")
    parser.add_argument("--kinds", type=some_of(KINDS), default=list(KINDS))
    parser.add_argument("--cuzk", type=pathlib.Path, default=ROOT / ("cuzk" if PACKED else "build/release/bin/cuzk"))
    parser.add_argument("--vectors", type=pathlib.Path, action="append", help="folders as tests/vectors (may be repeated)")
    parser.add_argument("--out", type=pathlib.Path, help="figures to write: JSON")
    parser.add_argument("--work", type=pathlib.Path, help="where to make a folder for all files, which is removed: 9 GB of keys by default")
    options = parser.parse_args()
    options.vectors = options.vectors or [HERE / "vectors" if PACKED else ROOT / "tests/vectors"]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that service and folder are removed
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cuzk-serve-", dir=options.work))
    try:
        run = Run(options, folder)
        facts = machine(options.cpu)
        run.record = {**facts, **run.record}
        print(json.dumps(facts), flush=True)
        run.all()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if options.out and not run.steps.failed:
        options.out.write_text(json.dumps(run.record, indent=1) + "\n", encoding="utf-8")
    print(f"{run.steps.passed} passed, {run.steps.failed} failed")
    return 1 if run.steps.failed else 0


if __name__ == "__main__":
    sys.exit(main())
