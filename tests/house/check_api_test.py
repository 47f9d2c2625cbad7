"""tools/check_api.py finds what the page does not have of the file, and what it has besides."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import check_api

PROTO = """
service Engine {
  rpc Prove(Request) returns (Answer);
  // Additions.
  rpc Watch(Request) returns (stream State);
}
message Request {
  string label = 1;
  // Addition. Of a comment.
  uint64 deadline_ms = 41;  // = 7;
}
message Empty {}
message Answer {
  enum End {
    UNKNOWN = 0;
  }
  End end = 1;
}

// Additions.
message State {
  enum Code {
    WAITS = 0;
    RUNS = 1;
  }
  repeated Code codes = 2;
}
"""
ROWS = ["| `Request` | 41 uint64 `deadline_ms` |", "| `State.Code` | 0 `WAITS`, 1 `RUNS` |", "| `State` | 2 repeated Code `codes` |"]
PAGE = "\n".join(["Prove, Watch", check_api.HEADING, "| message | numbers |", "|---|---|", *ROWS, "", "## More", "| `Request` | no row |"])


class CheckApi(unittest.TestCase):
    def test_a_page_with_all_of_it_has_no_fault(self):
        self.assertEqual(check_api.faults(PROTO, PAGE), [])

    def test_what_is_missing_is_named(self):
        for row in ROWS:
            self.assertEqual(len(check_api.faults(PROTO, PAGE.replace(row, ""))), 1, row)
        self.assertEqual(len(check_api.faults(PROTO, PAGE.replace("Watch", ""))), 1)
        self.assertEqual(len(check_api.faults(PROTO, "Prove, Watch")), len(ROWS))

    def test_a_number_that_differs_is_lacking_and_too_much(self):
        self.assertEqual(len(check_api.faults(PROTO, PAGE.replace("41 uint64", "42 uint64"))), 2)

    def test_what_the_file_does_not_have_is_named(self):
        self.assertEqual(len(check_api.faults(PROTO, PAGE.replace(ROWS[2], ROWS[2] + "\n| `Gone` | 1 bool `x` |"))), 1)


if __name__ == "__main__":
    unittest.main()
