#!/usr/bin/env python3
"""Puts known faults back into a copy of the tree, one at a time, and sees that the test that stands for each turns red.

Each tests/mutation/*.patch is one fault: a line "test: PROGRAM FILTER" (a program of GoogleTest and its filter, or
a script below tests/), then a diff of src/. A patch that does not apply, does not compile, or whose test stays green is
a failure; so is a test that is red without it. The copy is build/mutation/tree, built as the preset `release`.

usage: mutation.py [--random N] [--seed S] [--junit FILE] [--check] [NAME...]
"""

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.sax.saxutils import quoteattr

ROOT = Path(__file__).resolve().parent.parent
PATCHES = ROOT / "tests" / "mutation"
TREE = ROOT / "build" / "mutation" / "tree"
BUILD = TREE / "build" / "release"
TEST_SECONDS = 60
ATTEMPTS = 3  # of a test that stays green: two threads may miss each other now and then
PATIENCE_SECONDS = 10  # how long a test waits for what its fault keeps from coming (tests/support/eventually.h)
RAN = re.compile(r"^\[  PASSED  \] [1-9]", re.M)


class Mutant:
    """One patch file."""

    def __init__(self, path):
        self.path = path
        self.name = path.stem
        self.files, self.test = [], ""
        for line in path.read_text().splitlines():
            if line.startswith("test: "):
                self.test = line.removeprefix("test: ").strip()
            elif line.startswith("+++ b/"):
                self.files.append(line.removeprefix("+++ b/").strip())
        if not self.test or not self.files:
            raise ValueError(f"{path.name}: no test or no diff")

    @property
    def program(self):
        """What is to be built; None for a script."""
        first = self.test.split()[0]
        return None if first.endswith(".py") else first

    def command(self):
        if self.program is None:
            return [sys.executable, "-B", str(TREE / "tests" / self.test)]
        program, test_filter = self.test.split()
        return [str(BUILD / "bin" / program), f"--gtest_filter={test_filter}", "--gtest_brief=1"]


def mutants():
    return [Mutant(path) for path in sorted(PATCHES.glob("*.patch"))]


def git_apply(tree, mutant, *flags):
    """None, or what git says. The tree is no repository of its own, and must not be taken for a part of this one."""
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tree.parent)}
    done = subprocess.run(["git", "apply", *flags, str(mutant.path)], cwd=tree, env=environment, capture_output=True, text=True,
                          check=False)
    return None if done.returncode == 0 else done.stderr.strip()


def known_files():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=True)
    return {name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()}


def same_content(one, other):
    return other.is_file() and one.stat().st_size == other.stat().st_size and one.read_bytes() == other.read_bytes()


def mirror(names):
    """Makes the copy equal; files that did not change keep their time, so that little is built again."""
    for name in names:
        if same_content(ROOT / name, TREE / name):
            continue
        (TREE / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, TREE / name)
        shutil.copymode(ROOT / name, TREE / name)
    for path in sorted(TREE.rglob("*")):
        inside = path.relative_to(TREE)
        if inside.parts[0] != "build" and path.is_file() and str(inside) not in names:
            path.unlink()


def run(command, cwd=None, timeout=None, **variables):
    """As subprocess.run; when the time is over, children of the process end with it (death tests fork)."""
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               env={**os.environ, **variables}, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=timeout)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    return subprocess.CompletedProcess(command, process.returncode, output)


def build(programs):
    """None, or the end of the compiler's output."""
    if not programs:
        return None
    jobs = os.environ.get("CUZK_JOBS") or str(os.cpu_count())
    done = run(["cmake", "--build", str(BUILD), "-j", jobs, "--target", *sorted(programs)])
    return None if done.returncode == 0 else done.stdout[-3000:]


def test(mutant, **variables):
    """(is red, in which way, output)."""
    try:
        done = run(mutant.command(), cwd=TREE, timeout=TEST_SECONDS, **variables)
    except subprocess.TimeoutExpired:
        return True, f"did not end within {TEST_SECONDS} s", ""
    if done.returncode == 0:
        if mutant.program and not RAN.search(done.stdout):
            return True, "without a test", done.stdout
        return False, "green", done.stdout
    return True, "red" if done.returncode > 0 else f"red by signal {-done.returncode}", done.stdout


def prepare(chosen):
    """Copies, configures, builds, and sees that all tests are green: None, or what is wrong."""
    mirror(known_files())
    configured = run(["cmake", "--preset", "release", "-DCUZK_BUILD_BENCH=OFF"], cwd=TREE)
    if configured.returncode != 0:
        return configured.stdout[-3000:]
    broken = build({mutant.program for mutant in chosen if mutant.program})
    if broken:
        return "the tree does not build:\n" + broken
    for command in {mutant.test: mutant for mutant in chosen}.values():
        red, how, output = test(command)
        if red:
            return f"{command.test} is {how} without any fault:\n{output[-3000:]}"
    return None


def try_mutant(mutant):
    """None when its test has turned red, else the failure; and in which way it ended."""
    wrong = git_apply(TREE, mutant)
    if wrong:
        return "does not apply: " + wrong, "not applied"
    try:
        wrong = build({mutant.program} - {None})
        if wrong:
            return "does not compile:\n" + wrong, "not compiled"
        for _ in range(ATTEMPTS):
            red, how, output = test(mutant, CUZK_TEST_PATIENCE=str(PATIENCE_SECONDS))
            if red:
                break
        return (None if red else f"{mutant.test} stays green:\n{output[-1000:]}"), how
    finally:
        for name in mutant.files:
            shutil.copyfile(ROOT / name, TREE / name)


def write_junit(path, results):
    lines = [f'<testsuite name="mutation" tests="{len(results)}">']
    for name, seconds, failure in results:
        status = "fail" if failure else "run"
        inner = f"<failure message={quoteattr(failure)}/>" if failure else ""
        lines.append(f'<testcase name="mutation.{name}" time="{seconds:.1f}" status="{status}">{inner}</testcase>')
    Path(path).write_text("\n".join([*lines, "</testsuite>", ""]))


def choose(arguments):
    everything = mutants()
    if arguments.names:
        unknown = set(arguments.names) - {m.name for m in everything} - {m.name.split("_")[0] for m in everything}
        if unknown:
            sys.exit(f"no such patch: {', '.join(sorted(unknown))}")
        everything = [m for m in everything if m.name in arguments.names or m.name.split("_")[0] in arguments.names]
    if arguments.random is None:
        return everything
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed} (repeat with --seed {seed})", flush=True)
    return random.Random(seed).sample(everything, min(arguments.random, len(everything)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--random", type=int, metavar="N", help="so many, drawn")
    parser.add_argument("--seed", type=int, help="of the drawing")
    parser.add_argument("--junit", metavar="FILE", help="where the results go as test cases")
    parser.add_argument("--check", action="store_true", help="only whether the patches apply")
    parser.add_argument("names", nargs="*", metavar="NAME", help="of patches, or numbers of faults: A01")
    arguments = parser.parse_args()

    results = []  # name, seconds, failure or None
    for mutant in mutants():  # all of them, also those that are not drawn
        wrong = git_apply(ROOT, mutant, "--check")
        if wrong:
            print(f"{mutant.name}: does not apply: {wrong}", flush=True)
            results.append((mutant.name, 0.0, "does not apply: " + wrong))
    stale = {name for name, _, _ in results}
    if arguments.check:
        print(f"{len(mutants()) - len(stale)} patches apply, {len(stale)} do not")
        return 1 if stale else 0
    chosen = [mutant for mutant in choose(arguments) if mutant.name not in stale]
    wrong = prepare(chosen) if chosen else None
    if wrong:
        print(wrong, flush=True)
        results.append(("preparation", 0.0, wrong))
        chosen = []
    for mutant in chosen:
        begin = time.monotonic()
        failure, how = try_mutant(mutant)
        seconds = time.monotonic() - begin
        print(f"{mutant.name}: {how}, {seconds:.0f} s" + (f"\n{failure}" if failure else ""), flush=True)
        results.append((mutant.name, seconds, failure))
    if arguments.junit:
        write_junit(arguments.junit, results)
    failed = [name for name, _, failure in results if failure]
    print(f"mutation: {len(results) - len(failed)} faults found by their tests, {len(failed)} failed" +
          (": " + ", ".join(failed) if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
