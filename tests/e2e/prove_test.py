"""cuzk prove: outputs, refusals, exit statuses, and what is left behind."""
import json
import os
import resource
import signal
import subprocess
import time
import unittest
from pathlib import Path

from program import (CUBIC, MALFORMED, PROGRAM, TINY, TINY_BLS, ProgramTest, with_small_order_point,
                     without_contribution)


class Prove(ProgramTest):
    def verify(self, case=TINY):
        return self.cuzk("verify", case / "verification_key.json", self.public, self.proof)

    def test_rapidsnark_style_call(self):
        self.prove()
        self.verify()
        self.assertEqual(self.files(), ["proof.json", "public.json"])

    def test_bls12_381(self):
        self.prove(TINY_BLS)
        self.verify(TINY_BLS)

    def test_outputs_are_exact_snarkjs_json(self):
        self.prove()
        self.assertEqual(self.public.read_bytes(), (TINY / "public.json").read_bytes().rstrip(b"\n"))
        proof = json.loads(self.proof.read_text())
        self.assertEqual(list(proof), ["pi_a", "pi_b", "pi_c", "protocol", "curve"])
        self.assertEqual((proof["protocol"], proof["curve"]), ("groth16", "bn128"))
        self.assertNotIn(b"\0", self.proof.read_bytes())

    def test_proofs_differ_and_both_verify(self):
        self.prove()
        first = self.proof.read_bytes()
        self.prove()
        self.assertNotEqual(first, self.proof.read_bytes())
        self.verify()

    def test_public_file_is_optional(self):
        self.cuzk("prove", TINY / "circuit.zkey", TINY / "witness.wtns", self.proof)
        self.assertEqual(self.files(), ["proof.json"])

    def test_json_result(self):
        done = self.cuzk("prove", "--json", TINY / "circuit.zkey", TINY / "witness.wtns", self.proof, self.public)
        result = json.loads(done.stdout)
        self.assertIs(result["proved"], True)
        self.assertEqual((result["curve"], result["num_public"], result["domain_size"]), ("bn254", 1, 4))
        self.assertGreater(result["phases"]["total_seconds"], 0)

    def test_thread_counts(self):
        for threads in (1, 2, 5):
            self.prove_with("--threads", threads)
            self.verify()

    def prove_with(self, *flags, **more):
        return self.cuzk("prove", *flags, TINY / "circuit.zkey", TINY / "witness.wtns", self.proof, self.public, **more)

    def test_cpu_paths(self):
        self.prove(environment={"CUZK_CPU": "portable"})
        self.verify()
        self.prove(environment={"CUZK_CPU": "auto"})
        self.verify()
        if {"bmi2", "adx"} <= set(Path("/proc/cpuinfo").read_text().split()):  # auto may be more
            self.prove(environment={"CUZK_CPU": "adx"})
            self.verify()

    def test_unknown_cpu_path_is_bad_usage(self):
        done = self.prove(environment={"CUZK_CPU": "nonsense"}, status=2)
        self.assertIn("nonsense", done.stderr)
        self.assertEqual(self.files(), [])

    def test_existing_outputs_are_replaced(self):
        self.proof.write_text("old")
        self.public.write_text("old")
        self.prove()
        self.verify()

    def test_closed_standard_input(self):
        self.prove(preexec_fn=lambda: os.close(0))
        self.verify()

    def test_standard_input_is_not_read(self):
        read, write = os.pipe()
        os.write(write, b"yes\n")
        self.prove(stdin=read)
        self.assertEqual(os.read(read, 4), b"yes\n")
        os.close(read)
        os.close(write)

    def test_missing_files(self):
        for key, witness in ((self.folder / "none.zkey", TINY / "witness.wtns"),
                             (TINY / "circuit.zkey", self.folder / "none.wtns")):
            error = self.error("prove", key, witness, self.proof, self.public, code="not_found")
            self.assertIn("none", error["message"] + str(error["file"]))
        self.assertEqual(self.files(), [])

    def test_an_output_that_cannot_be_written_is_told_before_the_work(self):
        orphan = self.folder / "no/such/folder/out.json"
        for proof, public in ((orphan, self.public), (self.proof, orphan)):
            error = self.error("prove", TINY / "circuit.zkey", MALFORMED / "w-unsatisfied.wtns", proof, public, code="not_found")
            self.assertEqual(error["file"], str(orphan))
        self.assertEqual(self.files(), [])

    def test_folder_instead_of_a_file(self):
        self.error("prove", self.folder, TINY / "witness.wtns", self.proof, self.public)
        self.assertEqual(self.files(), [])

    def test_usage(self):
        self.cuzk("prove", status=2)
        self.cuzk("prove", "only-one", status=2)
        self.cuzk("prove", TINY / "circuit.zkey", TINY / "witness.wtns", self.proof, "--no-such-flag", status=2)
        self.cuzk("prove", TINY / "circuit.zkey", TINY / "witness.wtns", self.proof, "--threads", "0", status=2)
        self.cuzk("prove", TINY / "circuit.zkey", TINY / "witness.wtns", self.proof, "--threads", "many", status=2)
        self.error("prove", status=2, code="invalid_argument")

    def test_witness_that_does_not_satisfy(self):
        error = self.error("prove", TINY / "circuit.zkey", MALFORMED / "w-unsatisfied.wtns", self.proof, self.public,
                           status=1, kind="invalid_proof", code="unsatisfied")
        self.assertIn("do not match", error["message"])
        self.assertEqual(self.files(), [])

    def test_unsatisfied_constraint_is_named(self):
        error = self.error("prove", TINY / "circuit.zkey", MALFORMED / "w-unsatisfied.wtns", self.proof, self.public,
                           "--r1cs", TINY / "circuit.r1cs", status=1, kind="unsatisfied_constraint")
        self.assertIn("constraint 0", error["message"])
        self.assertEqual(self.files(), [])

    def test_witness_of_another_length(self):
        error = self.error("prove", TINY / "circuit.zkey", MALFORMED / "w-other-length.wtns", self.proof, self.public,
                           kind="witness_length_mismatch")
        self.assertIn("5", error["message"])
        self.assertIn("4", error["message"])

    def test_witness_of_another_curve(self):
        self.error("prove", TINY / "circuit.zkey", TINY_BLS / "witness.wtns", self.proof, self.public, kind="curve_mismatch")

    def test_errors_name_the_file(self):
        error = self.error("prove", TINY / "circuit.zkey", MALFORMED / "w-cut.wtns", self.proof, self.public, kind="truncated")
        self.assertTrue(error["file"].endswith("w-cut.wtns"))
        self.assertEqual(error["section"], 2)
        done = self.cuzk("prove", TINY / "circuit.zkey", MALFORMED / "w-cut.wtns", self.proof, self.public, status=3)
        self.assertIn("w-cut.wtns:2@", done.stderr)

    def test_unwritable_folder(self):
        self.cuzk("prove", TINY / "circuit.zkey", TINY / "witness.wtns", self.folder / "none/proof.json", status=3)
        self.assertEqual(self.files(), [])

    def test_full_disk(self):
        done = self.cuzk("prove", TINY / "circuit.zkey", TINY / "witness.wtns", "/dev/full", self.public, status=4)
        self.assertIn("/dev/full", done.stderr)
        self.assertEqual(self.files(), [])

    def test_full_disk_for_the_second_output(self):
        self.cuzk("prove", TINY / "circuit.zkey", TINY / "witness.wtns", self.proof, "/dev/full", status=4)
        self.assertEqual(self.files(), [])

    def test_key_larger_than_the_address_space(self):
        key = self.folder / "large.zkey"
        with open(key, "wb") as file:
            file.truncate(4 << 30)  # sparse
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
        error = self.error("prove", key, TINY / "witness.wtns", self.proof, self.public, status=4, code="exhausted",
                           preexec_fn=limit)
        self.assertIn("RLIMIT_AS", error["message"])
        self.assertEqual(self.files(), ["large.zkey"])

    def test_killed_leaves_nothing_under_the_name(self):
        for delay in (0.0, 0.005, 0.02):
            process = subprocess.Popen([PROGRAM, "prove", TINY / "circuit.zkey", TINY / "witness.wtns", self.proof, self.public],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
            process.wait()
            for path in (self.proof, self.public):
                if path.exists():  # it was quicker: then the file is whole
                    json.loads(path.read_text())
                    path.unlink()

    def test_insecure_key(self):
        key = self.folder / "insecure.zkey"
        key.write_bytes(without_contribution((TINY / "circuit.zkey").read_bytes()))
        error = self.error("prove", key, TINY / "witness.wtns", self.proof, self.public, kind="insecure_key")
        self.assertEqual(error["code"], "malformed")
        self.assertEqual(self.files(), ["insecure.zkey"])

    def test_check_key(self):
        self.prove_with("--check-key")
        self.error("prove", "--check-key", MALFORMED / "z-point-off.zkey", TINY / "witness.wtns", self.proof, self.public,
                   kind="not_on_curve")

    def test_point_of_small_order_never_yields_a_proof(self):
        # The pairing equation does not see it, but the proof would tell the witness modulo 3.
        key = self.folder / "torsion.zkey"
        key.write_bytes(with_small_order_point((TINY_BLS / "circuit.zkey").read_bytes()))
        error = self.error("prove", key, TINY_BLS / "witness.wtns", self.proof, self.public, kind="not_in_subgroup")
        self.assertTrue(error["file"].endswith("torsion.zkey"))
        self.assertEqual(self.files(), ["torsion.zkey"])
        self.error("inspect", "--check", key, kind="not_in_subgroup")

    def test_outputs_never_replace_inputs_or_each_other(self):
        key, witness = self.copy(TINY / "circuit.zkey"), self.copy(TINY / "witness.wtns")
        self.cuzk("prove", key, witness, key, status=2)
        self.cuzk("prove", key, witness, self.proof, witness, status=2)
        self.cuzk("prove", key, witness, self.proof, self.proof, status=2)
        self.assertEqual(key.read_bytes(), (TINY / "circuit.zkey").read_bytes())
        self.assertEqual(witness.read_bytes(), (TINY / "witness.wtns").read_bytes())
        self.assertEqual(self.files(), ["circuit.zkey", "witness.wtns"])

    def test_symbolic_links_are_followed(self):
        self.proof.symlink_to(self.folder / "elsewhere.json")
        self.prove()
        self.assertTrue(self.proof.is_symlink())
        self.verify()
        self.assertEqual(self.files(), ["elsewhere.json", "proof.json", "public.json"])

    def test_limit_of_file_size(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        self.cuzk("prove", TINY / "circuit.zkey", TINY / "witness.wtns", self.proof, self.public, status=4, preexec_fn=limit)
        self.assertEqual(self.files(), [])

    def test_damaged_point_never_yields_a_proof(self):
        self.cuzk("prove", MALFORMED / "z-point-off.zkey", TINY / "witness.wtns", self.proof, self.public, status=1)
        self.assertFalse(self.proof.exists() or self.public.exists())


class ProveWithParams(ProgramTest):
    def setUp(self):
        super().setUp()
        self.binary = self.folder / "proof.bin"

    def prove_cubic(self, *flags, **more):
        return self.cuzk("prove", CUBIC / "params.params", CUBIC / "witness.wtns", self.binary, self.public, *flags, **more)

    def test_proves_and_verifies(self):
        self.prove_cubic("--r1cs", CUBIC / "circuit.r1cs")
        self.assertEqual(self.binary.stat().st_size, 192)
        self.cuzk("verify", CUBIC / "verifying.vk", self.public, self.binary)
        self.cuzk("verify", CUBIC / "params.params", self.public, self.binary)

    def test_as_json(self):
        self.cuzk("prove", CUBIC / "params.params", CUBIC / "witness.wtns", self.proof, self.public, "--r1cs",
                  CUBIC / "circuit.r1cs")
        self.cuzk("verify", CUBIC / "verifying.vk", self.public, self.proof)

    def test_needs_the_circuit(self):
        self.assertIn("--r1cs", self.prove_cubic(status=2).stderr)

    def test_circuit_of_another_key(self):
        self.prove_cubic("--r1cs", CUBIC.parent / "sparse/circuit.r1cs", status=3)
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    unittest.main()
