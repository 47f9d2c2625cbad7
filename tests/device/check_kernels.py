"""Holds registers and spills of every kernel, as the compiler told them, against tests/device/kernels.limits.

    check_kernels.py LIMITS OBJECT...     beside each object its FILE.o.log (cmake/keep_ptxas_log)
"""
import fnmatch
import pathlib
import re
import subprocess
import sys


def readable(name):
    """`void cuzk::cuda::ntt::pass_over<cuzk::DeviceFp<cuzk::Bn254FrParams>, 9u, false>(...)` without what all have."""
    name = re.sub(r"^void |cuzk::cuda::|cuzk::|\(anonymous namespace\)::|Params\b|(?<=>) (?=>)", "", name)
    depth = 0
    for at, letter in enumerate(name):
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "(" and depth == 0:
            return name[:at]
    return name


def demangled(names):
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def kernels_of(log):
    """(mangled name, registers, bytes spilled) of each kernel."""
    kernel, about, spilled = None, None, 0
    for line in log.splitlines():
        if found := re.search(r"Compiling entry function '(\S+)'", line):
            kernel, spilled = found[1], 0
        elif found := re.search(r"Function properties for (\S+)", line):
            about = found[1]
        elif found := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
            if about == kernel:
                spilled = int(found[1]) + int(found[2])
        elif (found := re.search(r"Used (\d+) registers", line)) and kernel is not None:
            yield kernel, int(found[1]), spilled
            kernel = None


def read_limits(path):
    limits = []
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            pattern, registers, spilled = line.rsplit(maxsplit=2)
            limits.append((pattern, int(registers), int(spilled)))
    return limits


def faults_of(kernels, limits):
    used = set()
    for name, registers, spilled in kernels:
        limit = next((limit for limit in limits if fnmatch.fnmatchcase(name, limit[0])), None)
        if limit is None:
            yield f"{name}: {registers} registers, {spilled} bytes spilled: it has no limit yet"
            continue
        used.add(limit)
        for what, found, most in (("registers", registers, limit[1]), ("bytes spilled", spilled, limit[2])):
            if found > most:
                yield f"{name}: {found} {what}, the limit is {most} ({limit[0]})"
    for limit in limits:
        if limit not in used:
            yield f"{limit[0]}: no kernel has this name any more"


def main(limits, objects):
    found = []
    for log in objects:
        log = pathlib.Path(log + ".log")
        if log.name.endswith(".cu.o.log"):
            found += kernels_of(log.read_text(errors="replace"))
    names = map(readable, demangled([name for name, _, _ in found]))
    kernels = sorted({(name, registers, spilled) for name, (_, registers, spilled) in zip(names, found, strict=True)})
    faults = list(faults_of(kernels, read_limits(pathlib.Path(limits))))
    for fault in faults:
        print(fault)
    print(f"{len(kernels)} kernels, {len(faults)} faults")
    return 1 if faults or not kernels else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
