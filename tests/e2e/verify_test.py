"""cuzk verify: snarkjs's order of arguments, every form of key and proof, and refusals."""
import base64
import json
import shutil
import unittest

from program import MALFORMED, TINY, TINY_BLS, VECTORS, ProgramTest, without_contribution

FILECOIN = VECTORS / "filecoin"


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


class VerifyFilecoin(ProgramTest):
    """Proofs of the reference, from their public data."""

    def arguments(self, kind, case, proof=None, key=None):
        folder = FILECOIN / case / "seed-1"
        key = key or FILECOIN / "keys" / f"{case}.vk"
        return ("verify", "--kind", kind, "--public", folder / "public.json", "--proof", proof or folder / "proof.bin",
                "--vk", key)

    def test_all_kinds(self):
        for kind, case in (("porep", "porep-2KiB"), ("seal", "porep-8MiB"), ("winning", "winning-2KiB"),
                           ("window", "window-2KiB"), ("snap", "update-2KiB"), ("update", "update-8MiB")):
            self.assertIn("valid proof", self.cuzk(*self.arguments(kind, case)).stdout)

    def test_json_result(self):
        told = json.loads(self.cuzk("--json", *self.arguments("snap", "update-8MiB")).stdout)
        self.assertEqual((told["valid"], told["circuit"], told["partitions"]), (True, "snap-8m", 4))

    def test_keys_in_a_folder(self):
        folder = self.folder / "keys"
        folder.mkdir()
        key = "v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-" \
              "0170db1f394b35d995252228ee359194b13199d259380541dc529fb0099096b0.vk"
        arguments = self.arguments("window", "window-2KiB")[:-2]
        error = self.error(*arguments, "--params", folder, code="not_found")
        self.assertTrue(error["file"].endswith(key))
        shutil.copyfile(FILECOIN / "keys/window-2KiB.vk", folder / key)
        self.cuzk(*arguments, "--params", folder)
        self.cuzk(*arguments, environment={"FIL_PROOFS_PARAMETER_CACHE": str(folder)})

    def test_text_of_a_proof(self):
        proof = (FILECOIN / "winning-2KiB/seed-1/proof.bin").read_bytes()
        path = self.folder / "proof.txt"
        for text in (proof.hex() + "\n", base64.b64encode(proof).decode()):
            path.write_text(text)
            self.cuzk(*self.arguments("winning", "winning-2KiB", proof=path))
        path.write_text(proof.hex()[:-2])
        self.cuzk(*self.arguments("winning", "winning-2KiB", proof=path), status=3)

    def test_one_partition(self):
        proofs = (FILECOIN / "porep-ni-2KiB/seed-1/proof.bin").read_bytes()
        path = self.folder / "proof.bin"
        arguments = self.arguments("porep", "porep-ni-2KiB", proof=path, key=FILECOIN / "keys/porep-2KiB.vk")
        for partition in range(3):
            path.write_bytes(proofs[192 * partition:192 * (partition + 1)])
            self.cuzk(*arguments, "--partition", partition)
            self.cuzk(*arguments, "--partition", partition + 1, status=1)
        self.error(*arguments, kind="bad_length")
        self.cuzk(*arguments, "--partition", 13, status=2)

    def test_another_sector_is_one(self):
        other = FILECOIN / "window-2KiB/seed-2/proof.bin"
        error = self.error(*self.arguments("window", "window-2KiB", proof=other), status=1, kind="invalid_proof",
                           code="unsatisfied")
        self.assertIn("partitions 0, 1 of 2", error["message"])

    def test_malformed_is_three(self):
        self.error(*self.arguments("winning", "winning-2KiB", key=FILECOIN / "keys/window-2KiB.vk"),
                   kind="circuit_mismatch")
        self.error(*self.arguments("winning", "window-2KiB"), kind="wrong_proof_type")
        public = json.loads((FILECOIN / "porep-2KiB/seed-1/public.json").read_text())
        path = self.folder / "public.json"
        for member, value, kind in (("comm_r", "0" * 64, "zero_commitment"), ("comm_d", "f" * 64, "non_canonical"),
                                    ("ticket", "00", "bad_length"), ("sector_size", 8 << 20, "wrong_sector_size")):
            path.write_text(json.dumps({**public, member: value}))
            arguments = list(self.arguments("porep", "porep-2KiB"))
            arguments[4] = path
            error = self.error(*arguments, kind=kind)
            self.assertEqual((error["file"], error["section"]), (str(path), member))

    def test_usage(self):
        arguments = self.arguments("winning", "winning-2KiB")
        self.cuzk(*arguments[:5], status=2)
        self.cuzk(*arguments, "--params", self.folder, status=2)
        self.cuzk("verify", "--kind", "other", *arguments[3:], status=2)
        self.cuzk("verify", *arguments[3:], status=2)
        self.cuzk(*arguments, TINY / "public.json", status=2)


if __name__ == "__main__":
    unittest.main()
