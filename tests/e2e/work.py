"""Jobs for a daemon, of every kind and with as many contents as wanted, and the judgement of their proofs by another process.

A Work is a request as clients send it, with what is needed to verify the proof: nothing that the daemon says about a proof is
believed.
"""
import base64
import json
import subprocess

from program import PROGRAM, TINY, VECTORS

PRIME_BN254 = 21888242871839275222246405745257275088548364400416034343698204186575808495617
MIMC = VECTORS / "circom/mimc8-bls12-381"
CIRCOM_KEYS = {"tiny": TINY / "circuit.zkey", "mimc": MIMC / "circuit.zkey"}

# What differs between the kinds: name on the wire, circuit of 2 KiB, bytes of the proof.
WIRE = {"porep": "POREP_SEAL_COMMIT", "snap": "SNAP_DEALS_UPDATE", "window": "WINDOW_POST_PARTITION", "winning": "WINNING_POST"}
CIRCUITS = {"porep": "porep-2k", "snap": "snap-2k", "window": "wpost-2k", "winning": "winning-2k"}


def circom_config():
    """The table of the configuration that registers CIRCOM_KEYS."""
    return "[circom.keys]\n" + "".join(f'{name} = "{path}"\n' for name, path in CIRCOM_KEYS.items())


class Work:
    """`submit` is the RPC that takes `request`; Prove takes it too, where it is one of Filecoin's."""

    def __init__(self, kind, submit, request):
        self.kind, self.submit, self.request = kind, submit, request

    def verify(self, proof, folder):
        """Raises AssertionError unless another process of cuzk finds the proof good."""
        raise NotImplementedError


class FilecoinWork(Work):
    def __init__(self, kind, seed, folder, keys, label=None, **fields):
        self.keys = keys
        self.vanilla, self.public = folder / f"{kind}-{seed}.json", folder / f"{kind}-{seed}-public.json"
        if not self.public.exists():
            run("gen-vanilla", "--kind", kind, "--seed", seed, "--out", self.vanilla, "--public", self.public)
        super().__init__(kind, "SubmitProof", {**self._request(kind, label or f"{kind}-1000-{seed}"), **fields})

    def _request(self, kind, label):
        public = json.loads(self.public.read_text())
        request = {"request_id": label, "proof_kind": WIRE[kind], "sector_size": public["sector_size"], "miner_id": 1000,
                   "registered_proof": public["registered_proof_number"], "sector_number": public.get("sector_number", 0)}
        if kind == "porep":
            return {**request, "vanilla_proof": self.vanilla}
        request["vanilla_proofs"] = json.loads(self.vanilla.read_text())  # base64 already
        names = ("comm_r_old", "comm_r_new", "comm_d_new") if kind == "snap" else ("randomness",)
        return {**request, **{name: bytes.fromhex(public[name]) for name in names}}

    def verify(self, proof, folder):
        path = folder / f"{self.vanilla.stem}.proof"
        path.write_bytes(proof)
        run("verify", "--kind", self.kind, "--public", self.public, "--proof", path, "--params", self.keys)


class CircomWork(Work):
    """The circuit c = a * b with its public c; a witness that says otherwise is not satisfied."""

    def __init__(self, a, b, label="", satisfied=True):
        self.expected = [str(a * b % PRIME_BN254)]
        self.vkey = TINY / "verification_key.json"
        values = (1, a * b + (0 if satisfied else 1), a, b)
        super().__init__("circom", "SubmitCircomProof", {"request_id": label, "key_id": "tiny", "wtns": tiny_witness(values)})

    def verify(self, proof, folder, judge=None):
        document = json.loads(proof)
        if document["public"] != self.expected:
            raise AssertionError(f"public inputs {document['public']}, expected {self.expected}")
        paths = [folder / "circom-proof.json", folder / "circom-public.json"]
        for path, name in zip(paths, ("proof", "public")):
            path.write_text(json.dumps(document[name]))
        run("verify", self.vkey, paths[1], paths[0])
        if judge is not None:
            judge(self.vkey, paths[1], paths[0])


def tiny_witness(values):
    """A .wtns of the circuit tests/vectors/circom/tiny-bn254: one, c, a, b."""
    data = (TINY / "witness.wtns").read_bytes()
    start = len(data) - 32 * len(values)
    return data[:start] + b"".join((value % PRIME_BN254).to_bytes(32, "little") for value in values)


def run(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise AssertionError(f"cuzk {arguments[0]}: {done.stdout}{done.stderr}")


def proof_bytes(response):
    return base64.b64decode(response["proof"])
