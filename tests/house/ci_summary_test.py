"""tools/ci_summary.py counts ctest entries as CI must: what could not be started is a failure, what skipped itself is not."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SUMMARY = Path(__file__).parents[2] / "tools" / "ci_summary.py"
PASSED = '<testcase name="a" status="run"/>'
FAILED = '<testcase name="b" status="fail"><failure message="Failed"/></testcase>'
SKIPPED = '<testcase name="c" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>'
NOT_BUILT = '<testcase name="d" status="notrun"><skipped message="Unable to find executable"/></testcase>'


class CiSummary(unittest.TestCase):
    def summarise(self, *runs, flags=()):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for number, cases in enumerate(runs):
                files.append(Path(folder) / f"{number}.xml")
                files[-1].write_text(f"<testsuite>{''.join(cases)}</testsuite>")
            done = subprocess.run(
                [sys.executable, SUMMARY, *flags, *files], check=False, capture_output=True, text=True
            )
        return done.stdout.splitlines()[-1], done.returncode

    def test_adds_up_several_runs(self):
        self.assertEqual(self.summarise([PASSED, PASSED], [PASSED]), ("3 passed, 0 failed", 0))

    def test_a_failure_is_a_bad_exit(self):
        self.assertEqual(self.summarise([PASSED, FAILED]), ("1 passed, 1 failed", 1))

    def test_what_skipped_itself_is_neither(self):
        self.assertEqual(self.summarise([PASSED, SKIPPED]), ("1 passed, 0 failed", 0))

    def test_what_could_not_start_failed(self):
        self.assertEqual(self.summarise([PASSED, NOT_BUILT]), ("1 passed, 1 failed", 1))

    def test_a_failed_stage_counts(self):
        self.assertEqual(self.summarise([PASSED], flags=["--stage-failed", "build"]), ("1 passed, 1 failed", 1))

    def test_nothing_at_all_is_bad(self):
        self.assertEqual(self.summarise(), ("0 passed, 0 failed", 1))


if __name__ == "__main__":
    unittest.main()
