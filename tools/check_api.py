#!/usr/bin/env python3
"""Compares docs/api.md with proto/cuzk/v1/proving.proto: every call is named in the page, and the table "Numbers of the additions" has
every field and value that existing clients do not know, with its number and type, and nothing else.

An addition is what stands below the line "// Additions." of the file, and in a message above it what follows a comment
that begins with "Addition".

usage: check_api.py [--print] [ROOT]          --print: the rows as they ought to be
"""

import re
import sys
from pathlib import Path

PROTO = "proto/cuzk/v1/proving.proto"
PAGE = "docs/api.md"
HEADING = "## Numbers of the additions"

SCOPE = re.compile(r"(message|enum|service)\s+(\w+)\s*\{(\})?")
CALL = re.compile(r"rpc\s+(\w+)")
FIELD = re.compile(r"((?:repeated\s+)?[\w.]+)\s+(\w+)\s*=\s*(\d+)\s*;")
VALUE = re.compile(r"(\w+)\s*=\s*(\d+)\s*;")


def read_proto(text):
    """The calls, and the rows of the additions: {scope: ["1 uint64 `total_bytes`", ...]}."""
    calls, rows, scopes, added = [], {}, [], [False]
    for line in map(str.strip, text.splitlines()):
        if line.startswith("//"):
            added[-1] |= line.startswith("// Addition")
            continue
        line = line.split("//")[0].strip()
        if begun := SCOPE.match(line):
            if not begun[3]:
                scopes.append((begun[1], begun[2]))
                added.append(added[-1])
            continue
        if line == "}":
            scopes.pop()
            added.pop()
            continue
        if not scopes:
            continue
        if scopes[-1][0] == "service":
            if call := CALL.match(line):
                calls.append(call[1])
            continue
        found = FIELD.match(line) if scopes[-1][0] == "message" else VALUE.match(line)
        if found and added[-1]:
            entry = f"{found[3]} {found[1]} `{found[2]}`" if scopes[-1][0] == "message" else f"{found[2]} `{found[1]}`"
            rows.setdefault(".".join(name for _, name in scopes), []).append(entry)
    return calls, rows


def rendered(rows):
    return [f"| `{scope}` | {', '.join(entries)} |" for scope, entries in rows.items()]


def section(page):
    """The rows of the page's table, without its head."""
    if HEADING not in page:
        return []
    text = page.split(HEADING, 1)[1].split("\n## ", 1)[0]
    return [line for line in text.splitlines() if line.startswith("| `")]


def faults(proto, page):
    calls, rows = read_proto(proto)
    wanted, there = rendered(rows), section(page)
    found = [f"{PAGE}: no word of {call}" for call in calls if not re.search(rf"\b{call}\b", page)]
    found += [f"{PAGE} lacks: {row}" for row in wanted if row not in there]
    return found + [f"{PAGE} has, {PROTO} has not: {row}" for row in there if row not in wanted]


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--print"]
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent)
    proto = (root / PROTO).read_text()
    if "--print" in sys.argv:
        print("\n".join(rendered(read_proto(proto)[1])))
        return 0
    found = faults(proto, (root / PAGE).read_text())
    print("\n".join(found) if found else "api: the page has what the file has")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
