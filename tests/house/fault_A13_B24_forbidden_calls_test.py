"""What a prover's threads must not do, whatever it is good for: write the environment that others read, or start processes."""

import re
import unittest
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src"

ENVIRONMENT = re.compile(r"\b(setenv|putenv|unsetenv|clearenv)\s*\(|\bsd_notifyf?\s*\(\s*[^0\s]")
PROCESSES = re.compile(r'\b(popen|fork|vfork|posix_spawnp?|exec[lv]p?e?)\s*\(|::system\s*\(|\bsystem\s*\(\s*"')


def places(pattern):
    found = []
    for path in sorted(SOURCES.rglob("*.[ch]*")):
        for number, line in enumerate(path.read_text().split("\n"), 1):
            if pattern.search(line.split("//")[0]):
                found.append(f"{path.relative_to(SOURCES)}:{number}: {line.strip()}")
    return found


class ForbiddenCalls(unittest.TestCase):
    def test_the_patterns_see_what_they_are_for(self):
        for line in ('setenv("A", "b", 1);', "::putenv (text);", 'sd_notify(1, "READY=1")'):
            self.assertRegex(line, ENVIRONMENT)
        self.assertNotRegex('sd_notify(0, "READY=1")', ENVIRONMENT)
        for line in ('popen("nvidia-smi", "r")', "if (fork() == 0)", "execvp(name, list)", 'system("nvidia-smi");'):
            self.assertRegex(line, PROCESSES)
        self.assertNotRegex("equations.system()", PROCESSES)

    def test_fault_A13_nobody_writes_the_environment(self):
        """But the first line of main: there is no other thread yet, and CUDA takes its settings from nowhere else."""
        first = (SOURCES / "cli" / "main.cpp").read_text().split("int main")[1].split("return")[0]
        self.assertEqual(len(ENVIRONMENT.findall(first)), 1)
        self.assertEqual([place for place in places(ENVIRONMENT) if not place.startswith("cli/main.cpp:")], [])
        self.assertEqual(len(places(ENVIRONMENT)), 1)

    def test_fault_B24_nobody_starts_a_process(self):
        self.assertEqual(places(PROCESSES), [])


if __name__ == "__main__":
    unittest.main()
