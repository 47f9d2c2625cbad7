"""tools/device_serve.py, which shows the whole program on a machine with a device: the same on the CPU, and when it must fail."""
import json
import os
import shutil
import subprocess
import sys
import unittest

from program import PROGRAM, SOURCE, VECTORS, ProgramTest


class DeviceServe(ProgramTest):
    def serve(self, *arguments, status):
        """The lines that it wrote. No device, whatever the machine has."""
        command = [sys.executable, "-B", SOURCE / "tools/device_serve.py", "--cuzk", PROGRAM, "--work", self.folder, *arguments]
        done = subprocess.run(command, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""}, capture_output=True, text=True, timeout=600,
                              check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout.splitlines()

    def test_on_the_cpu(self):
        figures = self.folder / "figures.json"
        lines = self.serve("--cpu", "--sizes", "2k", "--kinds", "winning,window", "--out", figures, status=0)
        self.assertRegex(lines[-1], r"^\d+ passed, 0 failed$")
        record = json.loads(figures.read_text())
        self.assertEqual([key["circuit"] for key in record["keys"]], ["winning-2k", "wpost-2k"])
        proved = {(proof["circuit"], proof["round"]) for proof in record["proofs"]}
        for circuit in ("winning-2k", "wpost-2k"):
            self.assertLessEqual({(circuit, "alone"), (circuit, "together")}, proved)
        for circuit in ("tiny-bn254", "mimc8-bls12-381"):
            self.assertLessEqual({(circuit, "alone"), (f"{circuit}-own", "together")}, proved)
        self.assertEqual(self.files(), ["figures.json"])

    def test_without_a_device(self):
        lines = self.serve("--sizes", "2k", "--kinds", "window", status=1)
        self.assertIn("there is no device here", lines[-2])
        self.assertEqual(lines[-1], "0 passed, 1 failed")

    def test_a_key_of_other_bytes(self):
        keys = self.folder / "vectors/filecoin/keys"
        shutil.copytree(VECTORS / "filecoin/keys", keys)
        digests = json.loads((keys / "params-digests.json").read_text())
        digests["window-2KiB"]["params_sha256"] = "00" * 32
        (keys / "params-digests.json").write_text(json.dumps(digests))
        lines = self.serve("--cpu", "--sizes", "2k", "--kinds", "window", "--vectors", self.folder / "vectors", status=1)
        faults = [line for line in lines if line.startswith("  failed")]
        self.assertIn("key of wpost-2k", faults[0])
        self.assertIn("that of the reference's key is 0000", faults[0])
        self.assertRegex(lines[-1], r"^\d+ passed, 1 failed$")


if __name__ == "__main__":
    unittest.main()
