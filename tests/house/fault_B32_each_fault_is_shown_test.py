"""docs/faults.md names every fault, and nothing in it that is not there: tests, benchmarks, patches."""

import fnmatch
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
NUMBERS = [f"A{n:02}" for n in range(1, 38)] + [f"B{n:02}" for n in range(1, 33)]
ROW = re.compile(r"^\| ([AB]\d\d) \|.*\| (.*) \|$", re.M)
TEST = re.compile(r"^\s*(?:TYPED_)?TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.M)


def tests():
    """{"Suite.name": file}; scripts of tests/house are "house.<stem>", as ctest calls them."""
    found = {f"house.{path.stem}": path for path in (ROOT / "tests/house").glob("*_test.py")}
    for path in (ROOT / "tests").rglob("*.cpp"):
        found.update({f"{suite}.{name}": path for suite, name in TEST.findall(path.read_text())})
    return found


def shown():
    """{number: [what stands in backticks in the row's last column]}"""
    return {number: re.findall(r"`([^`]+)`", by) for number, by in ROW.findall((ROOT / "docs/faults.md").read_text())}


class EachFault(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tests, cls.shown = tests(), shown()

    def exists(self, reference):
        if reference.startswith("make "):
            return re.search(rf"^{reference[5:]}:", (ROOT / "Makefile").read_text(), re.M) is not None
        if "/" in reference:
            return (ROOT / reference).exists()
        return any(fnmatch.fnmatchcase(name, reference) for name in self.tests)

    def test_fault_B32_each_has_a_row(self):
        self.assertEqual(sorted(self.shown), NUMBERS)

    def test_fault_B32_what_shows_it_is_there(self):
        for number, references in self.shown.items():
            self.assertTrue(references, number)
            for reference in references:
                self.assertTrue(self.exists(reference), f"{number}: {reference}")

    def test_fault_B32_each_of_A_has_a_test_of_its_number_and_a_patch_that_runs_one(self):
        for number in NUMBERS[:37]:
            named = {name for name in self.tests if re.search(rf"[._]{number}_", name)}
            self.assertTrue(named, number)
            patches = list((ROOT / "tests/mutation").glob(f"{number}_*.patch"))
            self.assertEqual(len(patches), 1, number)
            test = re.search(r"^test: .*(fault_\w+)", patches[0].read_text(), re.M)
            self.assertTrue(test and any(f".{test[1]}" in name for name in named), (number, test))


if __name__ == "__main__":
    unittest.main()
