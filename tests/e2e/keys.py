"""Development keys of Filecoin's small circuits, made once a build folder and shared by all tests: build/<preset>/keys.

    python3 keys.py winning-2k wpost-2k snap-2k porep-2k

A key belongs to a circuit: when the sources that make circuits have changed, all keys are made again.
"""
import fcntl
import hashlib
import subprocess
import sys
import time

from program import BUILD, PROGRAM, SOURCE

FOLDER = BUILD / "keys"
SMALL = ("winning-2k", "wpost-2k")
ALL = (*SMALL, "snap-2k", "porep-2k")


def circuits_digest():
    """Of the sources on which the circuits' rows depend."""
    digest = hashlib.sha256()
    for folder in ("filecoin/circuits", "gadgets", "hash", "r1cs"):
        for path in sorted((SOURCE / "src" / folder).iterdir()):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _forget_old_keys():
    stamp, digest = FOLDER / "circuits.sha256", circuits_digest()
    if not stamp.exists() or stamp.read_text() != digest:
        for path in FOLDER.iterdir():
            if path.name != "lock":
                path.unlink()
        stamp.write_text(digest)


def development_keys(*circuits):
    """The folder with the keys of these circuits; makes those that are not there. One process at a time."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _forget_old_keys()
        for circuit in circuits:
            made = FOLDER / f"{circuit}.made"
            if not made.exists():
                done = subprocess.run([PROGRAM, "setup", "--circuit", circuit, "--out", f"{FOLDER}/"], capture_output=True,
                                      text=True, timeout=1200, check=False)
                if done.returncode != 0:
                    raise RuntimeError(f"cuzk setup --circuit {circuit}: {done.stdout}{done.stderr}")
                made.touch()
    return FOLDER


if __name__ == "__main__":
    for name in sys.argv[1:] or ALL:
        begin = time.monotonic()
        development_keys(name)
        print(f"{name}: {time.monotonic() - begin:.1f} s", flush=True)
