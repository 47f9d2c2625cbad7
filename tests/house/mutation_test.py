"""Each fault of the list has a patch that puts it back, and each patch names a test that there is."""

import fnmatch
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import mutation

CASE = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+), (\w+)\)", re.M)


def test_names(program):
    """Suite.case of the sources of a test program; of typed suites as GoogleTest calls their first instance."""
    folder, kind = re.fullmatch(r"(\w+?)(_slow|_vectors)?_test", program).groups()
    for path in (ROOT / "tests" / folder).glob(f"*{kind or ''}_test.cpp"):
        text = path.read_text()
        for suite, case in CASE.findall(text):
            yield f"{suite}{'/0' if f'TYPED_TEST_SUITE({suite},' in text else ''}.{case}"


class Mutation(unittest.TestCase):
    def test_every_fault_has_a_patch(self):
        numbers = {mutant.name.split("_")[0] for mutant in mutation.mutants()}
        self.assertEqual(numbers, {f"A{number:02}" for number in range(1, 38)})

    def test_every_patch_names_its_fault_and_a_test_of_that_number(self):
        for mutant in mutation.mutants():
            number = mutant.name.split("_")[0]
            self.assertTrue(mutant.path.read_text().startswith(f"{number}: "), mutant.name)
            self.assertIn(f"fault_{number}", mutant.test, mutant.name)
            self.assertTrue(all(name.startswith("src/") for name in mutant.files), mutant.name)
            if mutant.program is None:
                self.assertTrue((ROOT / "tests" / mutant.test).is_file(), mutant.test)
            else:
                program, pattern = mutant.test.split()
                self.assertTrue(any(fnmatch.fnmatchcase(name, pattern) for name in test_names(program)), mutant.test)

    def test_a_file_that_is_no_patch_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "A99_nothing.patch"
            path.write_text("A99: nothing\n\n--- a/src/a.cpp\n+++ b/src/a.cpp\n")
            with self.assertRaises(ValueError):
                mutation.Mutant(path)
            path.write_text("A99: nothing\ntest: engine_test Faults.*\n\n--- a/src/a.cpp\n+++ b/src/a.cpp\n")
            self.assertEqual(mutation.Mutant(path).files, ["src/a.cpp"])


if __name__ == "__main__":
    unittest.main()
