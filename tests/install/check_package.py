"""The Debian package: made by cpack, taken apart, looked at; lintian has its say where it is installed.

usage: check_package.py CPACK BUILD_FOLDER
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WANTED = {
    "etc/cuzk/cuzk.toml",
    "usr/bin/cuzk",
    "usr/lib/systemd/system/cuzk.service",
    "usr/share/doc/cuzk/changelog.gz",
    "usr/share/doc/cuzk/configuration.md",
    "usr/share/doc/cuzk/copyright",
    "usr/share/doc/cuzk/cuzk.example.toml",
    "usr/share/doc/cuzk/operations.md",
    "usr/share/man/man1/cuzk.1.gz",
}


def output(*command, **more):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **more).stdout


def faults_of_content(root):
    files = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    for name in WANTED - files:
        yield f"{name} is missing"
    for name in files - WANTED:
        if not name.startswith("usr/share/doc/cuzk/"):
            yield f"{name} is too much"


def faults_of_program(root):
    program = root / "usr/bin/cuzk"
    unit = (root / "usr/lib/systemd/system/cuzk.service").read_text()
    command = re.search(r"^ExecStart=/usr/bin/cuzk (.*)$", unit, re.M)[1].split()
    config = root / command[-1].lstrip("/")
    checked = subprocess.run([program, *command[:-1], config, "--check-config"], capture_output=True, text=True, check=False)
    if checked.returncode != 0:
        yield f"the service would not start: {checked.stderr}"
    page = output("sh", "-c", f"gzip -dc {root}/usr/share/man/man1/cuzk.1.gz").replace("\\-", "-")
    for name in re.findall(r"^  ([a-z][a-z-]+)  ", output(program, "--help"), re.M):
        if not re.search(rf"\b{name}\b", page):
            yield f"the man page does not know the command {name}"
    if "not stripped" in output("file", "-b", program):
        yield "the program is not stripped"


def faults_of_package(package):
    conffiles = output("dpkg-deb", "-I", package, "conffiles")
    if conffiles != "/etc/cuzk/cuzk.toml\n":
        yield f"conffiles: {conffiles}"
    for script in ("postinst", "prerm", "postrm"):
        subprocess.run(["sh", "-n"], input=output("dpkg-deb", "-I", package, script), text=True, check=True)
    if shutil.which("lintian"):
        told = subprocess.run(["lintian", "--allow-root", package], capture_output=True, text=True, check=False).stdout
        yield from told.splitlines()


def main():
    cpack, build = sys.argv[1:]
    missing = [tool for tool in ("dpkg-deb", "dpkg-shlibdeps", "file") if shutil.which(tool) is None]
    if missing:
        print(f"SKIP: not installed: {', '.join(missing)}")
        return 77
    with tempfile.TemporaryDirectory(prefix="cuzk-package-") as folder:
        output(cpack, "-B", folder, cwd=build)
        package = next(pathlib.Path(folder).glob("cuzk_*.deb"))
        root = pathlib.Path(folder) / "root"
        output("dpkg-deb", "-x", package, root)
        faults = [*faults_of_content(root), *faults_of_program(root), *faults_of_package(package)]
        print("\n".join(faults) if faults else f"{package.name}: as promised")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
