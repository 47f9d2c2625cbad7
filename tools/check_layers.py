#!/usr/bin/env python3
"""Checks what the compiler cannot: who may include what.

The table of layers is read from CMakeLists.txt (the cuzk_layer calls). For every source below src/:
  - no quoted include climbs with "../", and each is written "layer/file.h" and names a file that exists;
  - it names its own layer or one that the table lets it reach;
  - a <...> include is the C++ standard library, the system, or a third-party prefix that THIRD_PARTY allows there;
    *_impl.h are parts of sources.
Headers start with #pragma once and do not pull in what HEAVY lists. Files below a folder that APART names reach none of
the headers named there, not even through others.

usage: check_layers.py [ROOT]
"""

import re
import sys
from pathlib import Path

# Prefix of the include -> {layer: True if its headers may include it too}. Nothing else may appear in src/.
THIRD_PARTY = {
    "tl/": {"support": True},
    "cuda_runtime_api.h": {"backend": True},
    "cub/": {"backend": False},
    "nvtx3/": {"backend": False},
    "tbb/": {"support": False},
    "oneapi/": {"support": False},
    "openssl/": {"support": False, "hash": False},
    "simdjson.h": {"formats": False, "filecoin": False},
    "sqlite3.h": {"store": False},
    "CLI/": {"cli": False},
    "grpc/": {"server": False, "client": False},
    "grpcpp/": {"server": False, "client": False},
    "cuzk/v1/": {"server": False, "client": False},  # generated from proto/
    "google/rpc/": {"server": False, "client": False},  # likewise
    "google/protobuf/": {"server": False},
    "httplib.h": {"server": False},
    "web/files.h": {"server": False},  # generated from web/
    "systemd/": {"server": False},
    "toml++/": {"server": False},
}

# Standard headers that cost every client too much, or that older compilers cannot digest.
HEAVY = {"iostream", "regex", "ranges", "format", "print", "source_location", "filesystem"}

# Folder below src/ -> headers that it must not reach. Direct witness generators know no constraint system: that is what
# makes them a second opinion on the circuits.
APART = {"filecoin/witness": re.compile(r"^gadgets/|_system\.h$")}

SYSTEM = re.compile(
    r"^(sys|linux|arpa|netinet)/|^(asm|x86|imm|emm|cpuid|fcntl|grp|unistd|sched|signal|poll|pthread|dirent|termios|dlfcn|"
    r"spawn|errno|netdb|string|strings|stdlib|stdio|stdint|stddef|stdbool|time|limits|malloc|sanitizer)[a-z0-9_/]*\.h$"
)
STANDARD = re.compile(r"^[a-z_0-9]+$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def read_table(cmake_lists):
    """{layer: set of the layers it links directly} from the cuzk_layer calls, in order."""
    keywords = {"ARITHMETIC", "DEPS", "LIBS", "PRIVATE_LIBS", "DEFINES", "SUBDIRS", "EXCLUDE"}
    table = {}
    for call in re.findall(r"^cuzk_layer\(([^)]*)\)", cmake_lists.read_text(), re.M):
        name, *words = call.split()
        deps, section = set(), None
        for word in words:
            if word in keywords:
                section = word
            elif section == "DEPS":
                deps.add(word)
        unknown = deps - table.keys()
        if unknown:
            raise SystemExit(f"CMakeLists.txt: layer {name} links {sorted(unknown)}, declared after it or not at all")
        table[name] = deps
    return table


def reachable(table):
    """{layer: every layer it may include, itself included}."""
    closed = {}
    for name, deps in table.items():  # a layer comes after those it links
        closed[name] = {name}.union(*(closed[d] for d in deps)) if deps else {name}
    return closed


def check_quoted(root, layer, target, reach):
    if target.startswith("../") or "/../" in target:
        return f'"{target}" climbs: write "layer/file.h"'
    top = target.split("/")[0]
    if top == "cuzk":  # the public C headers
        return None if layer in ("capi", "cli") else f'"{target}" is for capi alone'
    if top not in reach:
        return f'"{target}" is not of the form "layer/file.h"'
    if top not in reach[layer]:
        return f'"{target}": no edge from {layer} to {top}'
    if not (root / "src" / target).is_file():
        return f'"{target}" does not exist'
    return None


def check_angled(layer, is_header, target):
    for prefix, layers in THIRD_PARTY.items():
        if target.startswith(prefix):
            if layer not in layers:
                return f"<{target}> may not appear in {layer}"
            if is_header and not layers[layer]:
                return f"<{target}> may not appear in a header"
            return None
    if is_header and target in HEAVY:
        return f"<{target}> is too heavy for a header"
    if target.startswith("cuzk/"):
        return None if layer == "capi" else f"<{target}> is for capi alone"
    if STANDARD.match(target) or SYSTEM.match(target):
        return None
    return f"<{target}> is neither standard nor in the table of third-party includes"


def check_file(root, path, reach):
    relative = path.relative_to(root / "src")
    layer = relative.parts[0]
    if layer not in reach:
        yield 1, f"folder {layer} is not a layer of CMakeLists.txt"
        return
    is_header = path.suffix == ".h" and not path.stem.endswith("_impl")
    text = path.read_text()
    if path.suffix == ".h" and "#pragma once" not in text:
        yield 1, "no #pragma once"
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            kind, target = match.groups()
            fault = (
                check_quoted(root, layer, target, reach) if kind == '"' else check_angled(layer, is_header, target)
            )
            if fault:
                yield number, fault


def quoted_includes(path):
    """(line number, target) of each quoted include."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match and match.group(1) == '"':
            yield number, match.group(2)


def forbidden_way(root, target, forbidden, seen):
    """The chain of includes from `target` to a forbidden header, or None."""
    if forbidden.search(target):
        return [target]
    path = root / "src" / target
    if target in seen or not path.is_file():
        return None
    seen.add(target)
    for _, further in quoted_includes(path):
        way = forbidden_way(root, further, forbidden, seen)
        if way:
            return [target, *way]
    return None


def check_apart(root):
    for folder, forbidden in APART.items():
        for path in sorted((root / "src" / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".cu"):
                continue
            for number, target in quoted_includes(path):
                way = forbidden_way(root, target, forbidden, set())
                if way:
                    yield path, number, f"{folder} must not reach {way[-1]}: " + " > ".join(way)


def check_no_climbing(root):
    for folder in ("tests", "bench", "fuzz", "include", "examples"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".c", ".cpp") and "node_modules" not in path.parts:
                for number, line in enumerate(path.read_text().splitlines(), 1):
                    match = INCLUDE.match(line)
                    if match and match.group(2).startswith("../"):
                        yield path, number, f'"{match.group(2)}" climbs'


def check_tree(root):
    """All faults of the tree, as lines "file:line: what"."""
    reach = reachable(read_table(root / "CMakeLists.txt"))
    faults = []
    for path in sorted((root / "src").rglob("*")):
        if path.suffix in (".h", ".cpp", ".cu"):
            faults += [f"{path.relative_to(root)}:{n}: {what}" for n, what in check_file(root, path, reach)]
    for path, n, what in (*check_apart(root), *check_no_climbing(root)):
        faults.append(f"{path.relative_to(root)}:{n}: {what}")
    return faults


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    faults = check_tree(root)
    print("\n".join(faults) if faults else "layers: every include follows the table")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
