"""The program and the shared library need only the libraries listed here, and the library shows only its C interface.

usage: check_products.py PROGRAM LIBRARY
"""

import re
import subprocess
import sys

# Neither logging, nor RPC, nor HTTP in the library: whoever only proves pays for none of them. The program may also
# need what its server and journal stand on.
LIBRARY = re.compile(r"^(lib(tbb|simdjson|crypto|stdc\+\+|m|gcc_s|c)\.so|ld-linux)")
SERVER = r"^lib(grpc(\+\+)?|gpr|protobuf|absl_\w+|tomlplusplus|sqlite3|cpp-httplib|systemd)\.so"
PROGRAM = re.compile(f"{LIBRARY.pattern}|{SERVER}")
SHOWN = re.compile(r"^(cuzk|groth16)_[a-z0-9_]+$")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    program, library = sys.argv[1:]
    faults = []
    for product, allowed in ((program, PROGRAM), (library, LIBRARY)):
        for name in re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "--dynamic", "--wide", product)):
            if not allowed.match(name):
                faults.append(f"{product} needs {name}")
    for line in output("nm", "--dynamic", "--defined-only", library).splitlines():
        symbol = line.split()[-1]
        if not SHOWN.match(symbol):
            faults.append(f"{library} shows {symbol}")
    print("\n".join(faults) if faults else "products: as promised")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
