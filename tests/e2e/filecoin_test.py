"""Filecoin's proofs: vanilla proofs generated, keys made, proofs made and verified, each by a process of its own."""
import hashlib
import json
import os
import pathlib
import resource
import shutil
import struct
import unittest

from program import ProgramTest, vector_folder

LONG = 1500  # seconds: a key and a proof of millions of variables on a busy machine


class FilecoinTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.keys = self.folder / "keys"
        self.keys.mkdir()
        self.vanilla = self.folder / "vanilla.json"
        self.public = self.folder / "public.json"
        self.proof = self.folder / "proof.bin"

    def setup_key(self, circuit, *flags):
        done = self.cuzk("setup", "--json", "--circuit", circuit, "--out", self.keys, *flags, timeout=LONG)
        return json.loads(done.stdout)

    def generate(self, kind, *flags):
        self.cuzk("gen-vanilla", "--kind", kind, "--out", self.vanilla, "--public", self.public, *flags)

    def prove_arguments(self, kind, *flags):
        return ("prove", "--kind", kind, "--vanilla", self.vanilla, "--public", self.public, "--params", self.keys,
                "--out", self.proof, *flags)

    def verify_arguments(self, kind, *flags):
        return ("verify", "--kind", kind, "--public", self.public, "--proof", self.proof, "--params", self.keys, *flags)

    def round_trip(self, kind, circuit, *flags):
        """From nothing to a verified proof; returns what prove told."""
        self.generate(kind)
        self.setup_key(circuit)
        told = json.loads(self.cuzk(*self.prove_arguments(kind, *flags), "--json", timeout=LONG).stdout)
        self.assertEqual((told["proved"], told["circuit"]), (True, circuit))
        self.assertEqual(self.proof.stat().st_size, 192 * len(told["partitions"]))
        self.cuzk(*self.verify_arguments(kind))
        self.cuzk(*self.verify_arguments(kind)[:-2], environment={"FIL_PROOFS_PARAMETER_CACHE": str(self.keys)})
        self.refuses_changes(kind)
        return told

    def refuses_changes(self, kind):
        """Another sector's data, and a proof with a bit changed, do not verify."""
        good_public, good_proof = self.public.read_bytes(), self.proof.read_bytes()
        self.cuzk("gen-vanilla", "--kind", kind, "--seed", 7, "--out", self.vanilla, "--public", self.public)
        self.cuzk(*self.verify_arguments(kind), status=1)
        self.public.write_bytes(good_public)
        self.proof.write_bytes(good_proof[:-1] + bytes([good_proof[-1] ^ 1]))
        self.assertIn(self.cuzk(*self.verify_arguments(kind), status=None).returncode, (1, 3))
        self.proof.write_bytes(good_proof)


class FilecoinProofs(FilecoinTest):
    def test_window(self):
        told = self.round_trip("window", "wpost-2k")
        self.assertTrue(told["development_key"])
        for phase in ("decode", "circuit", "key", "witness", "prove", "write", "total"):
            self.assertIn(phase + "_seconds", told["phases"])

    def test_winning(self):
        self.round_trip("winning", "winning-2k")

    def test_seal(self):
        self.round_trip("porep", "porep-2k")

    def test_update(self):
        self.round_trip("snap", "snap-2k")

    def test_second_window_partition(self):
        self.setup_key("wpost-2k")
        self.generate("window", "--sectors", 3, "--partition", 1)
        self.cuzk(*self.prove_arguments("window"))
        self.cuzk(*self.verify_arguments("window"))

    def test_compiled_circuit_is_kept(self):
        self.generate("window")
        self.setup_key("wpost-2k", "--circuits", self.folder)
        kept = self.folder / "wpost-2k.circuit"
        before = kept.stat().st_mtime_ns
        self.cuzk(*self.prove_arguments("window", "--circuits", self.folder))
        self.assertEqual(kept.stat().st_mtime_ns, before)
        self.cuzk(*self.verify_arguments("window"))
        self.inspect_circuit(kept)
        shutil.copyfile(kept, self.folder / "winning-2k.circuit")
        self.error("setup", "--circuit", "winning-2k", "--out", self.keys, "--circuits", self.folder, kind="circuit_mismatch")
        kept.write_bytes(kept.read_bytes()[:-8])
        error = self.error(*self.prove_arguments("window", "--circuits", self.folder))
        self.assertIn("remove the file", error["message"])

    def inspect_circuit(self, path):
        facts = json.loads(self.cuzk("inspect", "--check", "--json", path).stdout)
        self.assertEqual((facts["kind"], facts["circuit"], facts["curve"]), ("circuit", "wpost-2k", "bls12-381"))
        data = bytearray(path.read_bytes())
        inputs, aux, rows = struct.unpack_from("<3Q", data, 112)
        self.assertEqual((facts["num_public"], facts["num_variables"], facts["num_constraints"]), (inputs - 1, inputs + aux, rows))
        self.assertEqual(facts["matrices_sha256"], data[232:264].hex())
        self.assertLess(facts["num_pieces"], facts["num_placements"])
        data[232] ^= 1
        data[264:296] = bytes(32)
        data[264:296] = hashlib.sha256(data).digest()
        damaged = self.folder / "damaged.circuit"
        damaged.write_bytes(data)
        self.cuzk("inspect", damaged)
        error = self.error("inspect", "--check", damaged, kind="digest_mismatch")
        self.assertEqual(error["found"], facts["matrices_sha256"])
        damaged.write_bytes(data[:100])
        self.error("inspect", damaged, kind="truncated")

    def test_reference_proofs(self):
        """Byte for byte, for the vectors' trapdoors and randomness."""
        for kind, circuit in (("window", "wpost-2k"), ("winning", "winning-2k")):
            folder = vector_folder(f"filecoin/{kind}-2KiB/seed-1")
            if folder is None:
                self.skipTest("no reference vectors of Filecoin here")
            self.setup_key(circuit, "--trapdoor", vector_folder("filecoin/keys") / f"{kind}-2KiB.trapdoor.json")
            self.cuzk("gen-vanilla", "--public-from", folder / "public.json", "--out", self.vanilla, "--public", self.public)
            partition = folder / "partition-0.json"
            self.cuzk(*self.prove_arguments(kind, "--partition", 0, "--blinding", partition))
            self.assertEqual(self.proof.read_bytes().hex(), json.loads(partition.read_text())["proof"])


class FilecoinRefusals(FilecoinTest):
    def test_no_key(self):
        self.generate("window")
        error = self.error(*self.prove_arguments("window"), code="not_found")
        self.assertIn("wpost-2k", error["message"])
        self.assertFalse(self.proof.exists())

    def test_key_of_another_circuit(self):
        self.generate("winning")
        window, winning = (self.setup_key(name)["key"] for name in ("wpost-2k", "winning-2k"))
        shutil.copyfile(window, winning)
        self.error(*self.prove_arguments("winning"), kind="circuit_mismatch")

    def test_vanilla_proof_of_other_public_data(self):
        self.generate("window", "--seed", 2)
        vanilla = self.vanilla.read_bytes()
        self.generate("window")
        self.vanilla.write_bytes(vanilla)
        self.error(*self.prove_arguments("window"), kind="comm_r_mismatch")
        self.generate("porep", "--seed", 2)
        vanilla = self.vanilla.read_bytes()
        self.generate("porep")
        self.vanilla.write_bytes(vanilla)
        self.error(*self.prove_arguments("porep"))
        self.generate("snap", "--seed", 2)
        vanilla = self.vanilla.read_bytes()
        self.generate("snap")
        self.vanilla.write_bytes(vanilla)
        self.error(*self.prove_arguments("snap"))

    def test_damaged_vanilla_proof(self):
        self.generate("window")
        self.vanilla.write_bytes(self.vanilla.read_bytes()[:-40])
        self.error(*self.prove_arguments("window"), code="malformed")

    def test_an_output_that_cannot_be_written_is_told_before_the_work(self):
        self.generate("window")
        self.proof = self.folder / "no/such/folder/proof.bin"
        error = self.error(*self.prove_arguments("window"), code="not_found")  # there is no key either
        self.assertEqual(error["file"], str(self.proof))

    def test_a_file_that_is_no_proof(self):
        self.setup_key("wpost-2k")
        self.generate("window")
        for text in ("not a proof", json.dumps({"proof": 192 * "00"}), 191 * "0g"):
            self.proof.write_text(text)
            error = self.error(*self.verify_arguments("window"), kind="bad_base64")
            self.assertIn("192 bytes for each partition, as they are, in hexadecimal or in base64", error["message"])
            self.assertEqual(error["file"], str(self.proof))

    def test_public_data_that_are_no_json(self):
        self.public.write_text('{"kind": "window", "sectors": [{"sector_number": 99999999999999999999}]}')
        self.proof.write_bytes(bytes(192))
        error = self.error(*self.verify_arguments("window"), kind="bad_number")
        self.assertEqual((error["section"], error["offset"]), ("sectors[0].sector_number", 49))
        error = self.error("gen-vanilla", "--public-from", self.public, "--out", self.vanilla, "--public",
                           self.folder / "again.json")
        self.assertEqual((error["section"], error["offset"]), ("sectors[0].sector_number", 49))

    def test_numbers_are_not_wrapped(self):
        self.generate("window")
        for number in ("-1", "18446744073709551616", "1e3", "0x10"):
            error = self.error("gen-vanilla", "--kind", "window", "--out", self.vanilla, "--public", self.public,
                               f"--seed={number}", status=2)
            self.assertIn("2^64 - 1", error["message"])
            self.error(*self.verify_arguments("window", f"--partition={number}"), status=2)
            self.error(*self.prove_arguments("window", f"--partition={number}"), status=2)

    def test_public_data_of_another_kind(self):
        self.generate("winning")
        self.error(*self.prove_arguments("window"), kind="wrong_proof_type")
        self.proof.write_bytes(bytes(192))
        error = self.error(*self.verify_arguments("window"), kind="wrong_proof_type")
        self.assertEqual((error["file"], error["section"]), (str(self.public), "kind"))

    def test_a_new_folder_is_named_with_a_slash(self):
        error = self.error("setup", "--circuit", "wpost-2k", "--out", self.folder / "new", status=2, code="invalid_argument")
        self.assertIn("ends in /", error["message"])
        self.cuzk("setup", "--circuit", "wpost-2k", "--out", f"{self.folder}/new/")
        self.assertEqual(len(list((self.folder / "new").glob("v28-*.params"))), 1)

    def test_a_full_disk_is_told_before_the_work(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        error = self.error("setup", "--circuit", "wpost-2k", "--out", self.keys, status=4, code="exhausted", preexec_fn=limit)
        self.assertEqual(error["found"], f"{1 << 20} bytes free")
        self.assertRegex(error["expected"], r"^\d+ bytes$")
        self.assertEqual(list(self.keys.iterdir()), [])
        key = pathlib.Path(self.setup_key("wpost-2k")["key"])
        self.assertEqual(error["file"], str(key))
        self.assertEqual(error["expected"], f"{key.stat().st_size} bytes")

    def test_trapdoor_of_zero(self):
        trapdoor = self.folder / "trapdoor.json"
        names = ("tau", "alpha", "beta", "gamma", "delta")
        trapdoor.write_text(json.dumps({name: ("00" if name == "beta" else "07") + 31 * "00" for name in names}))
        error = self.error("setup", "--circuit", "wpost-2k", "--out", self.keys, "--trapdoor", trapdoor, kind="bad_number")
        self.assertEqual((error["file"], error["section"]), (str(trapdoor), "beta"))
        self.assertEqual(list(self.keys.iterdir()), [])

    def test_key_with_exchanged_points(self):
        """Counts and points are right, only not in their places: nothing is written, and the key is blamed."""
        self.generate("window")
        key = pathlib.Path(self.setup_key("wpost-2k")["key"])
        data = bytearray(key.read_bytes())
        first = key.with_suffix(".vk").stat().st_size + 4  # of query h
        data[first:first + 192] = data[first + 96:first + 192] + data[first:first + 96]
        key.write_bytes(data)
        error = self.error(*self.prove_arguments("window"), status=1, kind="invalid_proof")
        self.assertEqual(error["file"], str(key))
        self.assertIn("--check-key", error["message"])
        self.assertFalse(self.proof.exists())

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_what_cannot_be_read_is_not_missing(self):
        self.generate("window")
        self.setup_key("wpost-2k", "--circuits", self.folder)
        for path in (*self.keys.iterdir(), self.folder / "wpost-2k.circuit"):
            path.chmod(0)
        self.proof.write_bytes(192 * b"\x80")
        self.assertIn("Permission denied", self.error(*self.verify_arguments("window"))["message"])
        self.assertIn("Permission denied", self.error(*self.prove_arguments("window"))["message"])
        told = json.loads(self.cuzk("keys", "check", "--json", "--params", self.keys, "--kind", "window", "--sector-size",
                                    "2KiB", status=3).stdout)
        self.assertEqual([file["state"] for file in told["files"]], ["wrong", "wrong"])
        self.assertIn("Permission denied", self.error("setup", "--circuit", "wpost-2k", "--out", self.folder / "a.params",
                                                      "--circuits", self.folder)["message"])

    def test_a_name_that_leads_in_a_circle_is_not_missing(self):
        self.generate("window")
        key = pathlib.Path(self.setup_key("wpost-2k")["key"])
        for path in (key, key.with_suffix(".vk")):
            path.unlink()
            path.symlink_to(path.name)
        self.assertIn("symbolic links", self.error(*self.prove_arguments("window"))["message"])
        told = json.loads(self.cuzk("keys", "check", "--json", "--params", self.keys, "--kind", "window", "--sector-size",
                                    "2KiB", status=3).stdout)
        self.assertEqual([file["state"] for file in told["files"]], ["wrong", "wrong"])

    def test_options(self):
        self.generate("window")
        self.cuzk("prove", "--kind", "window", "--vanilla", self.vanilla, "--params", self.keys, status=2)  # no public data
        self.cuzk("prove", "--kind", "deal", "--vanilla", self.vanilla, status=2)
        self.cuzk("prove", "--kind", "window", status=2)
        self.cuzk("prove", "--vanilla", self.vanilla, status=2)
        self.cuzk("prove", "a.zkey", "b.wtns", "c.json", "--kind", "window", "--vanilla", self.vanilla, status=2)
        self.cuzk("prove", "a.zkey", "b.wtns", "c.json", "--out", self.proof, status=2)
        self.cuzk(*self.prove_arguments("window", "--partition", 5), status=2)
        self.cuzk("setup", "--circuit", "porep-2k", status=2)
        self.cuzk("setup", "--out", self.keys, status=2)
        self.cuzk("setup", "a.r1cs", "b.zkey", "--circuit", "porep-2k", "--out", self.keys, status=2)
        self.cuzk("setup", "--circuit", "wpost-2k", "--out", self.folder / "key.zkey", status=2)
        self.error("setup", "--circuit", "porep-3k", "--out", self.keys, code="not_found")


class FilecoinKeys(FilecoinTest):
    def check(self, *flags, status=0):
        done = self.cuzk("keys", "check", "--json", "--params", self.keys, "--kind", "window", "--sector-size", "2KiB", *flags,
                         status=status)
        told = json.loads(done.stdout)
        self.assertEqual(told["sound"], status == 0)
        return [file["state"] for file in told["files"]], told["files"]

    def test_list(self):
        told = json.loads(self.cuzk("keys", "list", "--json", "--params", self.keys).stdout)
        self.assertEqual(len(told["files"]), 8)  # four kinds of 32 GiB
        seal = told["files"][0]
        self.assertEqual((seal["circuit"], seal["expected_bytes"], seal["expected_digest"]),
                         ("porep-32g", 47373928632, "6a388072a518cf46ebd661f5cc46900a"))
        self.assertTrue(pathlib.Path(seal["file"]).name.startswith("v28-stacked-proof-of-replication-"))
        text = self.cuzk("keys", "list", "--sector-size", "2KiB", "--kind", "window", "--params", self.keys).stdout
        self.assertIn("7610b9f82bfc88405b7a832b651ce2f6", text)
        self.cuzk("keys", "list", "--sector-size", "3KiB", status=2)
        self.cuzk("keys", status=2)

    def test_folder_of_the_environment(self):
        told = json.loads(self.cuzk("keys", "list", "--json", environment={"FIL_PROOFS_PARAMETER_CACHE": "/some/where"}).stdout)
        self.assertEqual(told["folder"], "/some/where")

    def test_a_kind_that_a_size_does_not_have(self):
        for flags in (("--kind", "snap", "--sector-size", "1GiB"), ("--kind", "snap", "--kind", "window", "--sector-size", "1GiB")):
            error = self.error("keys", "check", "--params", self.keys, *flags, status=2, code="invalid_argument")
            self.assertIn("1GiB", error["message"])
        told = json.loads(self.cuzk("keys", "list", "--json", "--params", self.keys, "--sector-size", "1GiB").stdout)
        self.assertEqual(len(told["files"]), 6)  # without a kind, what there is

    def test_missing(self):
        states, _ = self.check(status=3)
        self.assertEqual(states, ["missing", "missing"])

    def test_development_key(self):
        self.setup_key("wpost-2k")
        states, files = self.check(status=3)
        self.assertEqual(states, ["development", "development"])
        self.assertEqual(files[0]["bytes"], files[0]["expected_bytes"])
        self.check("--allow-development")
        self.check("--allow-development", "--points")

    def test_faults(self):
        key = pathlib.Path(self.setup_key("wpost-2k")["key"])
        good, vk = key.read_bytes(), key.with_suffix(".vk")
        key.with_suffix(".dev.json").unlink()
        self.error("setup", "--circuit", "wpost-2k", "--out", self.keys, status=4, code="conflict")  # taken for a ceremony's
        self.assertEqual(key.read_bytes(), good)

        def fault(index, *flags):
            states, files = self.check(*flags, status=3)
            self.assertEqual(states[index], "wrong")
            return files[index]["error"]["kind"]

        self.assertEqual(fault(0), "digest_mismatch")  # sound, but nobody published it
        self.check("--no-digests")
        key.write_bytes(good[:-96])
        self.assertEqual(fault(0), "bad_length")
        key.write_bytes(good[:96 * 2 + 192 * 2 + 96 + 192] + bytes([0, 0, 0, 24]) + good[868:])
        self.assertIn(fault(0, "--no-digests"), ("bad_count", "bad_flags", "not_on_curve", "truncated", "non_canonical"))
        key.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
        self.assertEqual(fault(0, "--no-digests", "--points"), "not_on_curve")
        key.write_bytes(good)
        key.unlink()
        other = pathlib.Path(self.setup_key("wpost-2k")["vkey"]).read_bytes()
        key.with_suffix(".dev.json").unlink()
        key.write_bytes(good)
        self.assertEqual(fault(0, "--no-digests"), "circuit_mismatch")
        vk.write_bytes(other[:-96])
        self.assertEqual(fault(1, "--no-digests"), "bad_length")


if __name__ == "__main__":
    unittest.main()
