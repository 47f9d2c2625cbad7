#!/usr/bin/env python3
"""Adds up the JUnit files of several ctest runs and prints "N passed, N failed" as the last line.

A test case is one ctest entry; a stage that ended badly without a test case to show for it (--stage-failed) counts as
one failure. The exit status is 1 when anything failed, or nothing ran.

usage: ci_summary.py [--stage-failed NAME]... JUNIT.xml...
"""

import argparse
import sys
import xml.etree.ElementTree as ElementTree

# ctest marks as "notrun" both what a test skipped by itself and what could not be started; only the first is a skip.
SKIPPED_BY_TEST = "SKIP_"


def read_cases(path):
    """Yields (name, "passed" | "failed" | "skipped") for each entry of one ctest run."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        status = case.get("status")
        skipped = case.find("skipped")
        reason = "" if skipped is None else skipped.get("message", "")
        if status == "run":
            outcome = "passed"
        elif status == "disabled" or reason.startswith(SKIPPED_BY_TEST):
            outcome = "skipped"
        else:
            outcome = "failed"
        yield case.get("name"), outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stage-failed", action="append", default=[], metavar="NAME")
    parser.add_argument("files", nargs="*", metavar="JUNIT.xml")
    arguments = parser.parse_args()

    names = {"passed": [], "failed": [f"stage {stage}" for stage in arguments.stage_failed], "skipped": []}
    for path in arguments.files:
        for name, outcome in read_cases(path):
            names[outcome].append(f"{path}: {name}")
    for outcome in ("skipped", "failed"):
        for name in names[outcome]:
            print(f"{outcome}: {name}")
    passed, failed = len(names["passed"]), len(names["failed"])
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
