"""No ten lines of code stand in two places of src/: what two kinds of proofs share is written once."""

import collections
import re
import unittest
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src"
LINES = 10

# Nothing that says anything: brackets, includes, the frame of a file, explicit instantiations.
EMPTY = re.compile(r"[{}();,]*|#.*|(namespace|using|template) .*")


def lines_of(text):
    """(number, line) of those that count, without comments and indentation."""
    for number, line in enumerate(text.split("\n"), 1):
        line = " ".join(line.split("//")[0].split())
        if not EMPTY.fullmatch(line):
            yield number, line


def repetitions(files, window=LINES):
    """Places of equal runs of lines: each a list of (file, line)."""
    places = collections.defaultdict(list)
    for name, text in files:
        lines = list(lines_of(text))
        for i in range(len(lines) - window + 1):
            places["\n".join(line for _, line in lines[i : i + window])].append((name, lines[i][0]))
    return [found for found in places.values() if len(found) > 1]


class NoCodeTwice(unittest.TestCase):
    def test_a_copy_is_seen_whatever_its_comments_and_indentation(self):
        text = "\n".join(f"step({i});" for i in range(LINES))
        copy = "\n".join(f"    step({i});  // again\n" for i in range(LINES))
        self.assertEqual(repetitions([("a", text), ("b", copy)]), [[("a", 1), ("b", 1)]])
        self.assertEqual(repetitions([("a", text), ("b", copy.replace("step(4)", "other()"))]), [])

    def test_fault_B05_no_code_stands_twice(self):
        files = [(str(p.relative_to(SOURCES)), p.read_text()) for p in sorted(SOURCES.rglob("*.[ch]*"))]
        self.assertEqual(repetitions(files), [])


if __name__ == "__main__":
    unittest.main()
