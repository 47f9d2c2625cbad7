"""cuzk verify: snarkjs's order of arguments, every form of key and proof, and refusals."""
import json
import unittest

from program import MALFORMED, TINY, TINY_BLS, VECTORS, ProgramTest, without_contribution


class Verify(ProgramTest):
    def test_snarkjs_order(self):
        for case in (TINY, TINY_BLS):
            done = self.cuzk("verify", case / "verification_key.json", case / "public.json", case / "proof.json")
            self.assertIn("valid proof", done.stdout)

    def test_json_result(self):
        done = self.cuzk("verify", "--json", TINY / "verification_key.json", TINY / "public.json", TINY / "proof.json")
        self.assertIs(json.loads(done.stdout)["valid"], True)

    def test_unknown_members_of_a_key_are_ignored(self):
        vkey = json.loads((TINY / "verification_key.json").read_text())
        path = self.folder / "vkey.json"
        path.write_text(json.dumps({**vkey, "comment": ["made", "by", "us"]}))
        self.cuzk("verify", path, TINY / "public.json", TINY / "proof.json")

    def test_public_values_without_end_are_not_parsed(self):
        path = self.folder / "public.json"
        path.write_text("[" + ",".join(["\"0\""] * 1_000_000) + "]")
        self.cuzk("verify", TINY / "verification_key.json", path, TINY / "proof.json", status=3)

    def test_key_of_a_zkey(self):
        self.cuzk("verify", TINY / "circuit.zkey", TINY / "public.json", TINY / "proof.json")

    def test_bellperson_files(self):
        base = MALFORMED / "base"
        self.cuzk("verify", base / "mimc8.vk", base / "mimc8.public.json", base / "mimc8.proof")
        self.cuzk("verify", base / "mimc8.params", base / "mimc8.public.json", base / "mimc8.proof")

    def test_invalid_is_one(self):
        error = self.error("verify", TINY / "verification_key.json", MALFORMED / "j-wrong.public.json", TINY / "proof.json",
                           status=1, kind="invalid_proof", code="unsatisfied")
        self.assertIn("proof", error["message"])

    def test_proof_of_another_key(self):
        self.cuzk("verify", VECTORS / "circom/elim-bn254/verification_key.json", VECTORS / "circom/elim-bn254/public.json",
                  TINY / "proof.json", status=1)

    def test_malformed_is_three(self):
        self.error("verify", TINY / "verification_key.json", MALFORMED / "j-geq-r.public.json", TINY / "proof.json",
                   kind="non_canonical")
        self.error("verify", TINY / "verification_key.json", MALFORMED / "j-two.public.json", TINY / "proof.json",
                   kind="public_count_mismatch")

    def test_wrong_order_of_arguments(self):
        self.cuzk("verify", TINY / "public.json", TINY / "verification_key.json", TINY / "proof.json", status=3)

    def test_missing_file(self):
        self.error("verify", TINY / "verification_key.json", self.folder / "none.json", TINY / "proof.json", code="not_found")

    def test_usage(self):
        self.cuzk("verify", TINY / "verification_key.json", status=2)

    def test_insecure_zkey_is_refused(self):
        key = self.folder / "insecure.zkey"
        key.write_bytes(without_contribution((TINY / "circuit.zkey").read_bytes()))
        self.error("verify", key, TINY / "public.json", TINY / "proof.json", kind="insecure_key")

    def test_insecure_json_key_is_refused(self):
        vkey = json.loads((TINY / "verification_key.json").read_text())
        vkey["vk_delta_2"] = vkey["vk_gamma_2"]
        path = self.folder / "vkey.json"
        path.write_text(json.dumps(vkey))
        self.error("verify", path, TINY / "public.json", TINY / "proof.json", kind="insecure_key")

    def test_forgery_under_an_insecure_key_is_refused(self):
        # With delta = gamma, A = alpha, B = beta, C = -vk_x satisfies the equation for any public input.
        vkey = json.loads((TINY / "verification_key.json").read_text())
        vkey["vk_delta_2"] = vkey["vk_gamma_2"]
        x, y, _ = vkey["IC"][0]
        q = 21888242871839275222246405745257275088696311157297823662689037894645226208583
        forged = {"pi_a": vkey["vk_alpha_1"], "pi_b": vkey["vk_beta_2"], "pi_c": [x, str(q - int(y)), "1"],
                  "protocol": "groth16", "curve": "bn128"}
        for name, content in (("vkey.json", vkey), ("proof.json", forged), ("public.json", ["0"])):
            (self.folder / name).write_text(json.dumps(content))
        self.error("verify", self.folder / "vkey.json", self.folder / "public.json", self.folder / "proof.json",
                   kind="insecure_key")

    def test_huge_proof_is_refused_at_once(self):
        path = self.folder / "proof.json"
        with open(path, "wb") as file:
            file.truncate(200 << 20)
        self.cuzk("verify", TINY / "verification_key.json", TINY / "public.json", path, status=3, timeout=20)


if __name__ == "__main__":
    unittest.main()
