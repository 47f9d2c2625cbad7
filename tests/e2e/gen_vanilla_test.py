"""cuzk gen-vanilla: requests and public data that prove and verify take, equal to the reference's."""
import gzip
import json
import unittest

from program import VECTORS, ProgramTest

FILECOIN = VECTORS / "filecoin"


def reference(case, name):
    with gzip.open(FILECOIN / case / (name + ".gz")) as file:
        return file.read()


class GenVanillaTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.request = self.folder / "request.json"

    def gen(self, *arguments, **more):
        return self.cuzk("gen-vanilla", *arguments, "--out", self.request, "--public", self.public, **more)

    def facts(self):
        return json.loads(self.public.read_text())

    def test_each_kind_with_one_command(self):
        for kind, case, name in (("porep", "porep-2KiB", "c1.json"), ("winning", "winning-2KiB", "vanilla-0.json"),
                                 ("window", "window-2KiB", "vanilla-0.json"), ("snap", "update-2KiB", "vanilla.json")):
            self.gen("--kind", kind)
            self.assertEqual(self.request.read_bytes(), reference(case + "/seed-1", name), kind)
            self.assertEqual(self.facts()["kind"], kind)
        self.assertEqual(self.files(), ["public.json", "request.json"])

    def test_other_numbers_make_other_sectors(self):
        self.gen("--kind", "porep", "--seed", 2, "--miner", 2097155, "--sector", 4294967311)
        self.assertEqual(self.request.read_bytes(), reference("porep-2KiB/seed-2", "c1.json"))

    def test_registered_proof_chooses_the_seal(self):
        self.gen("--kind", "porep", "--registered-proof", 15)
        self.assertEqual(self.request.read_bytes(), reference("porep-ni-2KiB/seed-1", "c1.json"))

    def test_partition_of_a_window_proof(self):
        self.gen("--kind", "window", "--sectors", 3, "--partition", 1)
        self.assertEqual(self.request.read_bytes(), reference("window-2KiB/seed-1", "vanilla-1.json"))
        self.assertEqual(self.facts()["partition_index"], 1)

    def test_public_data_make_their_request_again(self):
        reference_data = FILECOIN / "window-2KiB/seed-2/public.json"
        self.gen("--public-from", reference_data, "--partition", 1)
        request = self.request.read_bytes()
        self.assertEqual(request, reference("window-2KiB/seed-2", "vanilla-1.json"))
        own = self.copy(self.public, "own.json")
        self.gen("--public-from", own)
        self.assertEqual(self.request.read_bytes(), request)
        self.assertEqual(self.public.read_bytes(), own.read_bytes())

    def test_synthetic_proofs_of_large_sectors(self):
        for kind, sectors in (("porep", 1), ("winning", 1), ("window", 20), ("snap", 1)):
            done = self.gen("--kind", kind, "--sector-size", "32g", "--synthetic", "--json",
                            *(["--sectors", sectors] if kind == "window" else []))
            result = json.loads(done.stdout)
            self.assertEqual(result["num_sectors"], sectors)
            self.assertEqual(result["vanilla_bytes"], self.request.stat().st_size)
            self.assertEqual(self.facts()["sector_size"], 32 << 30)

    def test_refusals(self):
        outputs = ("--out", self.request, "--public", self.public)
        for arguments, status, code in (
                (("--kind", "porep", "--sector-size", "32g"), 3, "unsupported"),
                (("--kind", "porep", "--sector-size", "3k"), 2, "invalid_argument"),
                (("--kind", "porep", "--registered-proof", 6), 2, "invalid_argument"),
                (("--kind", "winning", "--registered-proof", 10), 2, "invalid_argument"),
                (("--kind", "winning", "--sectors", 2), 2, "invalid_argument"),
                (("--kind", "porep", "--registered-proof", 10, "--synthetic"), 3, "unsupported"),
                (("--kind", "window", "--sectors", 2, "--partition", 1), 2, "invalid_argument"),
                ((), 2, "invalid_argument"),
                (("--kind", "snap", "--public-from", FILECOIN / "window-2KiB/seed-1/public.json"), 2,
                 "invalid_argument")):
            self.error("gen-vanilla", *arguments, *outputs, status=status, code=code)
        self.assertEqual(self.files(), [])

    def test_public_data_without_content_are_refused(self):
        facts = json.loads((FILECOIN / "porep-2KiB/seed-1/public.json").read_text())
        del facts["data"]
        source = self.folder / "source.json"
        source.write_text(json.dumps(facts))
        self.error("gen-vanilla", "--public-from", source, "--out", self.request, "--public", self.public, kind="missing_field")
        source.write_text("{}")
        error = self.error("gen-vanilla", "--public-from", source, "--out", self.request, "--public", self.public,
                           kind="missing_field")
        self.assertEqual(error["section"], "kind")
        self.assertEqual(error["file"], str(source))
        self.assertEqual(self.files(), ["source.json"])


if __name__ == "__main__":
    unittest.main()
