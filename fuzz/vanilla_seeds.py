"""Seeds for the fuzzers of vanilla proofs, out of the requests of the reference vectors of 2 KiB sectors.

usage: vanilla_seeds.py FORM FOLDER REQUEST...
FORM: c1_json (the texts), c1_bincode (their bincode), bincode (the elements of lists), vanilla_list (the lists)."""
import base64
import gzip
import hashlib
import json
import pathlib
import struct
import sys


def text_of(path):
    packed = pathlib.Path(path).read_bytes()
    return gzip.decompress(packed) if path.endswith(".gz") else packed


def u32(value):
    return struct.pack("<I", value)


def u64(value):
    return struct.pack("<Q", value)


def vector(values, of):
    return u64(len(values)) + b"".join(map(of, values))


def inclusion_path(value):
    return vector(value["path"], lambda level: vector(level["hashes"], bytes) + u64(level["index"]))


def merkle_proof(value):
    (name, body), = value["data"].items()
    parts = {"Single": ("root", "leaf", "path"), "Sub": ("base_proof", "sub_proof", "root", "leaf"),
             "Top": ("base_proof", "sub_proof", "top_proof", "root", "leaf")}
    out = u32(list(parts).index(name))
    for part in parts[name]:
        out += bytes(body[part]) if part in ("root", "leaf") else inclusion_path(body[part])
    return out


def column_proof(value):
    column = value["column"]
    return u32(column["index"]) + vector(column["rows"], bytes) + merkle_proof(value["inclusion_proof"])


def labeling(value):
    return vector(value["parents"], bytes) + u32(value["layer_index"]) + u64(value["node"])


def stacked(value):
    columns = value["replica_column_proofs"]
    return (merkle_proof(value["comm_d_proofs"]) + merkle_proof(value["comm_r_last_proof"]) +
            column_proof(columns["c_x"]) + vector(columns["drg_parents"], column_proof) +
            vector(columns["exp_parents"], column_proof) + vector(value["labeling_proofs"], labeling) +
            labeling(value["encoding_proof"]))


def binary_c1(wrapper):
    """filecoin-proofs' form, and the API's (StackedDrg2KiBV1_1)."""
    inner = json.loads(base64.b64decode(json.loads(wrapper)["Phase1Out"]))
    (partitions,) = inner["vanilla_proofs"].values()
    plain = vector(partitions, lambda partition: vector(partition, stacked))
    plain += b"".join(bytes(inner[name]) for name in ("comm_r", "comm_d", "replica_id", "seed", "ticket"))
    return [plain, u32(5) + u32(0) + plain]


def inner_and_wrapper(wrapper):
    return [wrapper, base64.b64decode(json.loads(wrapper)["Phase1Out"])]


FORMS = {
    "c1_json": inner_and_wrapper,
    "c1_bincode": binary_c1,
    "bincode": lambda text: [base64.b64decode(element) for element in json.loads(text)],
    "vanilla_list": lambda text: [text],
}


def main(form, folder, *requests):
    for request in requests:
        for seed in FORMS[form](text_of(request)):
            (pathlib.Path(folder) / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)


main(*sys.argv[1:])
