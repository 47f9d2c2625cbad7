#!/usr/bin/env python3
"""Writes files as C++ data: <out>/web/files.h and <out>/files.cpp.

usage: embed_web.py OUT FILE...

Each file comes with its content type and a tag that changes with its content.
"""

import hashlib
import sys
from pathlib import Path

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}

HEADER = """#pragma once
#include <span>
#include <string_view>
namespace cuzk::web {
struct File {
  std::string_view name;  // "index.html"
  std::string_view type;  // of its content
  std::string_view tag;   // of this content, for ETag, without quotes
  std::string_view content;
};
std::span<const File> files() noexcept;
}  // namespace cuzk::web
"""


def literal(data):
    """The bytes as string literals; short ones, since compilers limit their length."""
    lines = (data[i:i + 64] for i in range(0, len(data), 64))
    return "\n".join('"' + "".join(f"\\{byte:03o}" for byte in line) + '"' for line in lines) or '""'


def main():
    out, *names = sys.argv[1:]
    entries, constants = [], []
    for index, path in enumerate(sorted(map(Path, names))):
        if path.suffix not in TYPES:
            continue
        data = path.read_bytes()
        constants.append(f"constexpr char kFile{index}[] =\n{literal(data)};\n")
        tag = hashlib.sha256(data).hexdigest()[:32]
        entries.append(f'{{"{path.name}", "{TYPES[path.suffix]}", "{tag}", {{kFile{index}, {len(data)}}}}},')
    body = "\n".join(entries)
    Path(out, "web/files.h").write_text(HEADER)
    Path(out, "files.cpp").write_text(
        '#include "web/files.h"\nnamespace cuzk::web {\nnamespace {\n' + "".join(constants) +
        f"constexpr File kFiles[] = {{\n{body}\n}};\n}}\nstd::span<const File> files() noexcept {{ return kFiles; }}\n}}\n")


if __name__ == "__main__":
    main()
