#!/usr/bin/env python3
"""Refuses marks of unfinished work and paths of somebody's machine in the files that git knows.

usage: check_text.py [ROOT]
"""

import re
import subprocess
import sys
from pathlib import Path

# Written so that this file does not find itself.
FORBIDDEN = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b|(?<![\w.$}])/(root|ho" r"me|work)/")
SUFFIXES = {".h", ".c", ".cpp", ".py", ".sh", ".cmake", ".md", ".json", ".txt", ".mjs", ".js", ".yml", ""}
SKIPPED = ("tests/vectors/", "LICENSE")
LONGEST_BYTES = 1 << 20


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    known = subprocess.run(["git", "ls-files"], cwd=root, check=False, capture_output=True, text=True).stdout
    faults = []
    for name in known.splitlines():
        path = root / name
        if name.startswith(SKIPPED) or path.suffix not in SUFFIXES or not path.is_file():
            continue
        if path.stat().st_size > LONGEST_BYTES or path.name == "package-lock.json":
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            found = FORBIDDEN.search(line)
            if found:
                faults.append(f"{name}:{number}: {found.group(0)}")
    print("\n".join(faults) if faults else "text: nothing unfinished, nothing of one machine")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
