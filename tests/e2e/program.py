"""The program under test, the vectors, and files made wrong on purpose: what the test scripts of this folder share."""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("CUZK_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("CUZK_PROGRAM", str(SOURCE / "build/release/bin/cuzk"))
BUILD = pathlib.Path(PROGRAM).resolve().parents[1]  # of the program: what tests make once and keep lies there
VECTORS = SOURCE / "tests/vectors"
TINY = VECTORS / "circom/tiny-bn254"
TINY_BLS = VECTORS / "circom/tiny-bls12-381"
CUBIC = VECTORS / "groth16/cubic"
MALFORMED = VECTORS / "circom/malformed"


def vector_folder(name):
    """The first root of the vectors that has this folder, joined with it; None without any."""
    roots = os.environ.get("CUZK_VECTORS", f"{VECTORS}:{SOURCE.parent / 'shared/vectors'}").split(":")
    return next((pathlib.Path(root) / name for root in roots if (pathlib.Path(root) / name).is_dir()), None)


ERROR_MEMBERS = {"code", "kind", "message", "file", "section", "offset", "expected", "found"}


class ProgramTest(unittest.TestCase):
    """Each test has an empty folder; it must hold nothing but what the test names when it ends."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cuzk-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.proof = self.folder / "proof.json"
        self.public = self.folder / "public.json"

    def cuzk(self, *arguments, status=0, environment=None, stdin=subprocess.DEVNULL, preexec_fn=None, timeout=120):
        """Runs the program; the exit status must be the expected one (None: any). Returns the finished process."""
        done = subprocess.run([PROGRAM, *map(str, arguments)], stdin=stdin, capture_output=True, text=True,
                              timeout=timeout, preexec_fn=preexec_fn, check=False,
                              env={**os.environ, **(environment or {})})
        self.assertEqual(done.returncode, done.returncode if status is None else status, f"cuzk {arguments}: {done.stdout}{done.stderr}")
        return done

    def error(self, *arguments, status=3, kind=None, code=None, **more):
        """The error object of a failing call with --json."""
        done = self.cuzk("--json", *arguments, status=status, **more)
        error = json.loads(done.stdout)
        self.assertEqual(set(error), ERROR_MEMBERS)
        if kind is not None:
            self.assertEqual(error["kind"], kind)
        if code is not None:
            self.assertEqual(error["code"], code)
        return error

    def prove(self, case=TINY, **more):
        return self.cuzk("prove", case / "circuit.zkey", case / "witness.wtns", self.proof, self.public, **more)

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    def copy(self, source, name=None):
        target = self.folder / (name or source.name)
        shutil.copyfile(source, target)
        return target


def zkey_sections(data):
    """{type: (offset, length)} of an iden3 container."""
    sections = {}
    count = struct.unpack_from("<I", data, 8)[0]
    position = 12
    for _ in range(count):
        kind, length = struct.unpack_from("<IQ", data, position)
        sections[kind] = (position + 12, length)
        position += 12 + length
    return sections


def without_contribution(zkey):
    """A BN254 .zkey whose delta_g2 is its gamma_g2: what a set-up without phase 2 leaves."""
    data = bytearray(zkey)
    start, length = zkey_sections(data)[2]
    gamma = start + length - (128 + 64 + 128)  # ... gamma_g2, delta_g1, delta_g2
    data[start + length - 128:start + length] = data[gamma:gamma + 128]
    return bytes(data)


def with_small_order_point(zkey):
    """A BLS12-381 .zkey whose last A point is (0, 2): on the curve, of order 3. The witness value there is not 0 mod 3."""
    q = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab
    data = bytearray(zkey)
    start, length = zkey_sections(data)[5]
    data[start + length - 96:start + length] = bytes(48) + (2 * 2**384 % q).to_bytes(48, "little")
    return bytes(data)
