"""Packages of npm for tests: installed by the lock file of a folder of tests/ into the build folder."""
import shutil
import subprocess
import unittest

from program import BUILD, SOURCE


def require(name):
    """The folder with node_modules of what tests/NAME/package-lock.json names. A test that cannot get them is skipped."""
    if shutil.which("node") is None:
        raise unittest.SkipTest("Node.js is not installed (make deps installs it)")
    done = subprocess.run(["sh", SOURCE / "tests/oracle/install_packages.sh", SOURCE / "tests" / name, BUILD / name],
                          capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise unittest.SkipTest(done.stderr.strip().splitlines()[-1])
    return BUILD / name


def snarkjs_verify(vkey, public, proof):
    """Raises AssertionError unless snarkjs finds the proof good."""
    snarkjs = require("oracle") / "node_modules/snarkjs/build/cli.cjs"
    done = subprocess.run(["node", snarkjs, "groth16", "verify", vkey, public, proof], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0 or "OK!" not in done.stdout:
        raise AssertionError(f"snarkjs: {done.stdout}{done.stderr}")
