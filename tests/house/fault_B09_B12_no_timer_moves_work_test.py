"""Nothing in engine and memory is moved by a clock: who waits is woken. Waits that end by themselves are few, and each has a
reason; another one is polling, or a pace, until it is found good and entered here."""

import re
import unittest
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src"
LAYERS = ("engine", "memory")

TIMED = re.compile(r"\b(\w*sleep\w*|wait_for|wait_until|stopped_within|sched_yield)\s*\(|this_thread::yield|Deadline::after\s*\(")
# File: how many.
KNOWN = {
    "engine/books.cpp": 1,  # a job's own deadline, from its record
    "engine/housekeeping.cpp": 3,  # expiry, leases, quarantine: no work waits for it
    "engine/intake.cpp": 1,  # a job that is ending, before another takes its place
    "engine/job_record.cpp": 1,  # a caller's deadline
    "engine/job_table.cpp": 1,  # the drain's
    "engine/resident_cache.cpp": 2,  # the request's; the patience of one who may load another key meanwhile
    "memory/time_source.cpp": 1,  # the budget's one wait, until woken, the deadline, or an idle key's age
}


def timed_waits(sources=SOURCES):
    found = {}
    for layer in LAYERS:
        for path in sorted((sources / layer).rglob("*.[ch]*")):
            lines = [line.split("//")[0] for line in path.read_text().split("\n")]
            waits = [line.strip() for line in lines if TIMED.search(line) and not line.startswith("#include")]
            if waits:
                found[str(path.relative_to(sources))] = waits
    return found


class Timers(unittest.TestCase):
    def test_the_pattern_sees_what_it_is_for(self):
        for line in ("std::this_thread::sleep_for(50ms);", "changed_.wait_for(lock, 1s);", "::usleep(1000);",
                     "if (stopped_within(kTick, stop)) return;"):
            self.assertRegex(line, TIMED)
        self.assertNotRegex("changed_.wait(lock, stop, ready);", TIMED)

    def test_fault_B09_B12_no_work_is_moved_by_a_timer(self):
        found = timed_waits()
        self.assertEqual({path: len(waits) for path, waits in found.items()}, KNOWN, found)


if __name__ == "__main__":
    unittest.main()
