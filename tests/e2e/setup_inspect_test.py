"""cuzk setup, inspect, --help and --version."""
import hashlib
import json
import resource
import unittest

from program import CUBIC, MALFORMED, TINY, TINY_BLS, VECTORS, ProgramTest


class Setup(ProgramTest):
    def round_trip(self, case, key_name, vkey_name, proof_name, *flags):
        key, vkey, proof = self.folder / key_name, self.folder / vkey_name, self.folder / proof_name
        self.cuzk("setup", case / "circuit.r1cs", key, vkey)
        done = self.cuzk("prove", key, case / "witness.wtns", proof, self.public, *flags)
        self.assertIn("development key", done.stderr)
        self.cuzk("verify", vkey, self.public, proof)
        self.cuzk("inspect", "--check", key)
        return key

    def test_zkey_on_both_curves(self):
        for case in (TINY, TINY_BLS, VECTORS / "circom/elim-bn254", VECTORS / "circom/nopub-bn254"):
            self.round_trip(case, "circuit.zkey", "vkey.json", "proof.json")

    def test_params(self):
        key = self.round_trip(CUBIC, "circuit.params", "circuit.vk", "proof.bin", "--r1cs", CUBIC / "circuit.r1cs")
        self.assertTrue(key.with_suffix(".dev.json").exists())

    def test_given_trapdoor_gives_the_reference_key(self):
        for case in sorted(CUBIC.parent.iterdir()):
            if not (case / "trapdoor.json").exists():
                continue
            key, vkey = self.folder / "k.params", self.folder / "k.vk"
            self.cuzk("setup", case / "circuit.r1cs", key, vkey, "--trapdoor", case / "trapdoor.json")
            self.assertEqual(key.read_bytes(), (case / "params.params").read_bytes(), case.name)
            self.assertEqual(vkey.read_bytes(), (case / "verifying.vk").read_bytes(), case.name)

    def test_names_that_do_not_fit(self):
        self.cuzk("setup", TINY / "circuit.r1cs", self.folder / "key.params", status=2)
        self.cuzk("setup", TINY / "circuit.r1cs", self.folder / "key.txt", status=2)
        self.cuzk("setup", TINY / "circuit.r1cs", self.folder / "key.zkey", self.folder / "key.vk", status=2)
        self.assertEqual(self.files(), [])

    def test_a_full_disk_is_told_before_the_work(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        for case, name in ((TINY, "key.zkey"), (CUBIC, "key.params")):
            error = self.error("setup", case / "circuit.r1cs", self.folder / name, status=4, code="exhausted", preexec_fn=limit)
            self.assertEqual(error["found"], "100 bytes free")
            self.assertEqual(self.files(), [])
        self.cuzk("setup", CUBIC / "circuit.r1cs", self.folder / name)
        self.assertEqual(error["expected"], f"{(self.folder / name).stat().st_size} bytes")

    def test_refusals(self):
        self.error("setup", MALFORMED / "r-prime.r1cs", self.folder / "key.zkey", kind="unknown_curve")
        self.error("setup", self.folder / "none.r1cs", self.folder / "key.zkey", code="not_found")
        self.cuzk("setup", status=2)
        self.cuzk("setup", TINY / "circuit.r1cs", self.folder / "none/key.zkey", status=3)
        self.cuzk("setup", TINY / "circuit.r1cs", self.folder / "key.zkey", "--trapdoor", TINY / "public.json", status=3)
        self.assertEqual(self.files(), [])


class Inspect(ProgramTest):
    def inspect(self, path, *flags):
        return json.loads(self.cuzk("inspect", "--json", *flags, path).stdout)

    def test_every_kind_of_file(self):
        for path, kind in ((TINY / "circuit.zkey", "zkey"), (TINY / "circuit.r1cs", "r1cs"), (TINY / "witness.wtns", "wtns"),
                           (TINY / "verification_key.json", "verification_key_json"), (TINY / "proof.json", "proof_json"),
                           (TINY / "public.json", "public_json"), (CUBIC / "params.params", "bellperson_params"),
                           (CUBIC / "verifying.vk", "bellperson_vk"), (CUBIC / "proof.bin", "bellperson_proof")):
            for flags in ((), ("--check",)):
                facts = self.inspect(path, *flags)
                self.assertEqual(facts["kind"], kind)
                self.assertEqual(facts["bytes"], path.stat().st_size)
                self.assertEqual(facts["sha256"], hashlib.sha256(path.read_bytes()).hexdigest())

    def test_counts(self):
        facts = self.inspect(TINY / "circuit.zkey")
        self.assertEqual((facts["curve"], facts["num_variables"], facts["num_public"], facts["domain_size"]),
                         ("bn254", 4, 1, 4))

    def test_key_digest_is_the_same_in_every_form(self):
        self.assertEqual(self.inspect(TINY / "circuit.zkey")["vk_sha256"],
                         self.inspect(TINY / "verification_key.json")["vk_sha256"])
        self.assertEqual(self.inspect(CUBIC / "params.params")["vk_sha256"],
                         self.inspect(CUBIC / "verifying.vk")["vk_sha256"])

    def test_matrices_digest(self):
        expected = json.loads((CUBIC / "case.json").read_text())["matrices_sha256"]
        self.assertEqual(self.inspect(CUBIC / "circuit.r1cs")["matrices_sha256"], expected)

    def test_check_finds_bad_points(self):
        for name, kind in (("z-point-off.zkey", "not_on_curve"), ("z-bls-g1-subgroup.zkey", "not_in_subgroup"),
                           ("z-bn-g2-subgroup.zkey", "not_in_subgroup"), ("p-bg2-subgroup.params", "not_in_subgroup")):
            self.inspect(MALFORMED / name)
            self.error("inspect", "--check", MALFORMED / name, kind=kind)

    def test_text_form(self):
        done = self.cuzk("inspect", TINY / "circuit.zkey")
        self.assertIn("num_variables", done.stdout)
        self.assertIn("bn254", done.stdout)

    def test_refusals(self):
        self.cuzk("inspect", status=2)
        self.error("inspect", self.folder / "none", code="not_found")
        unknown = self.folder / "unknown"
        unknown.write_bytes(b"neither this nor that")
        self.error("inspect", unknown, code="unsupported")
        self.error("inspect", self.folder)

    def test_raw_witness_bytes_are_not_guessed(self):
        raw = self.folder / "raw.wtns"
        raw.write_bytes(bytes(32 * 4))
        error = self.error("inspect", raw, kind="bad_magic")
        self.assertIn("wtns", error["expected"])


class Program(ProgramTest):
    def test_version(self):
        self.assertRegex(self.cuzk("--version").stdout, r"^cuzk \d+\.\d+\.\d+ ")

    def test_help_documents_exit_statuses(self):
        text = self.cuzk("--help").stdout
        for word in ("prove", "verify", "setup", "inspect", "Exit status", "--threads", "--json"):
            self.assertIn(word, text)
        self.cuzk("prove", "--help")

    def test_no_command_is_bad_usage(self):
        self.cuzk(status=2)
        self.cuzk("fly", status=2)


if __name__ == "__main__":
    unittest.main()
