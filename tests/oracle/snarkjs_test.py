"""snarkjs and cuzk judge each other's proofs and keys, on every circom case of the vectors.

usage: snarkjs_test.py --list | CHECK.CASE
Environment: CUZK_PROGRAM, CUZK_ORACLE_PACKAGES (folder with node_modules), CUZK_SOURCE_DIR, CUZK_VECTORS (folders, by ':';
default: tests/vectors, and shared/vectors beside the repository).
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

CHECKS = {}


def check(needs):
    """Registers a check for each case that has these files."""
    def register(function):
        CHECKS[function.__name__] = (function, needs)
        return function
    return register


def vector_roots():
    named = os.environ.get("CUZK_VECTORS")
    if named:
        return [pathlib.Path(root) for root in named.split(":") if root]
    source = pathlib.Path(os.environ["CUZK_SOURCE_DIR"])
    return [root for root in (source / "tests/vectors", source.parent / "shared/vectors") if root.is_dir()]


def circom_cases():
    """{name: folder}; of two with one name, that of the earlier root."""
    cases = {}
    for root in vector_roots():
        for document in sorted(root.glob("circom/*/case.json")):
            cases.setdefault(document.parent.name, document.parent)
    return cases


def run(command, status):
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != status:
        raise AssertionError(f"{' '.join(map(str, command))}: status {done.returncode}, expected {status}\n"
                             f"{done.stdout}{done.stderr}")
    return done.stdout


def cuzk(*arguments, status=0):
    return run([os.environ["CUZK_PROGRAM"], *arguments], status)


def snarkjs(*arguments, status=0):
    folder = pathlib.Path(os.environ["CUZK_ORACLE_PACKAGES"])
    return run(["node", folder / "node_modules/snarkjs/build/cli.cjs", *arguments], status)


def accepted_by_both(vkey, public, proof):
    verdict = snarkjs("groth16", "verify", vkey, public, proof)
    assert "OK!" in verdict, verdict
    cuzk("verify", vkey, public, proof)


def changed_statement(public, folder):
    """The same public values but one."""
    values = json.loads(public.read_text())
    values[-1] = "7" if values[-1] != "7" else "8"
    changed = folder / "changed.json"
    changed.write_text(json.dumps(values))
    return changed


def refused_by_both(vkey, public, proof, folder):
    if json.loads(public.read_text()):
        changed = changed_statement(public, folder)
        snarkjs("groth16", "verify", vkey, changed, proof, status=1)
        cuzk("verify", vkey, changed, proof, status=1)


@check(["circuit.zkey", "witness.wtns", "verification_key.json", "public.json"])
def snarkjs_accepts_our_proof(case, folder):
    proof, public = folder / "proof.json", folder / "public.json"
    cuzk("prove", case / "circuit.zkey", case / "witness.wtns", proof, public)
    assert json.loads(public.read_text()) == json.loads((case / "public.json").read_text())
    accepted_by_both(case / "verification_key.json", public, proof)
    refused_by_both(case / "verification_key.json", public, proof, folder)


@check(["circuit.zkey", "witness.wtns", "verification_key.json"])
def we_accept_a_proof_of_snarkjs(case, folder):
    proof, public = folder / "proof.json", folder / "public.json"
    snarkjs("groth16", "prove", case / "circuit.zkey", case / "witness.wtns", proof, public)
    cuzk("verify", case / "verification_key.json", public, proof)
    cuzk("verify", case / "circuit.zkey", public, proof)


def set_up(case, folder):
    zkey, vkey = folder / "circuit.zkey", folder / "verification_key.json"
    cuzk("setup", case / "circuit.r1cs", zkey, vkey)
    return zkey, vkey


@check(["circuit.r1cs", "witness.wtns"])
def snarkjs_proves_with_our_key(case, folder):
    zkey, vkey = set_up(case, folder)
    proof, public = folder / "proof.json", folder / "public.json"
    snarkjs("groth16", "prove", zkey, case / "witness.wtns", proof, public)
    accepted_by_both(vkey, public, proof)


@check(["circuit.r1cs"])
def snarkjs_exports_our_verification_key(case, folder):
    zkey, vkey = set_up(case, folder)
    exported = folder / "exported.json"
    snarkjs("zkey", "export", "verificationkey", zkey, exported)
    assert json.loads(exported.read_text()) == json.loads(vkey.read_text()), f"{exported.read_text()}\n{vkey.read_text()}"


@check(["circuit.r1cs", "witness.wtns"])
def snarkjs_accepts_our_proof_with_our_key(case, folder):
    zkey, vkey = set_up(case, folder)
    proof, public = folder / "proof.json", folder / "public.json"
    cuzk("prove", zkey, case / "witness.wtns", proof, public)
    accepted_by_both(vkey, public, proof)


def main():
    cases = circom_cases()
    tests = {f"{name}.{case}": (function, folder) for name, (function, needs) in CHECKS.items()
             for case, folder in cases.items() if all((folder / file).is_file() for file in needs)}
    if sys.argv[1:] == ["--list"]:
        print("\n".join(tests))
        return
    function, case = tests[sys.argv[1]]
    with tempfile.TemporaryDirectory(prefix="cuzk-oracle-") as folder:
        function(case, pathlib.Path(folder))


if __name__ == "__main__":
    main()
