"""The pool, the budgets, the journal and the spool are not handed from call to call: few know them by name.

Whoever makes one, the options that carry it, and the one or two that use it name it; all others have tasks, buffers and
reservations that own what they need. A name that turns up in one more unit is a resource on its way through calls.
"""

import re
import unittest
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src"
OWNERS = ("memory", "store")  # the layers that the resources come from
RESOURCES = ("PinnedPool", "MemoryBudget", "DeviceBudget", "Journal", "Spool")
MOST_UNITS = 5


def units_that_name(resource, sources=SOURCES):
    """Header and source of one name count as one."""
    pattern = re.compile(rf"\b{resource}\b(?!::)")
    found = set()
    for path in sources.rglob("*.[ch]*"):
        unit = path.relative_to(sources).with_suffix("")
        code = (line.split("//")[0] for line in path.read_text().split("\n") if not line.startswith("#include"))
        if unit.parts[0] not in OWNERS and any(pattern.search(line) for line in code):
            found.add(str(unit))
    return sorted(found)


class Resources(unittest.TestCase):
    def test_the_count_sees_what_it_is_for(self):
        self.assertIn("engine/residents", units_that_name("MemoryBudget"))

    def test_fault_B04_few_units_know_a_resource(self):
        for resource in RESOURCES:
            with self.subTest(resource):
                units = units_that_name(resource)
                self.assertLessEqual(len(units), MOST_UNITS, units)


if __name__ == "__main__":
    unittest.main()
