"""What a client in another language may send, well-formed or not, and what comes back: the calls of cuzk.v1 on the wire."""
import base64
import json
import random
import shutil
import socket
import subprocess
import unittest

import keys
from daemon import DaemonTest
from foreign import CallError, ForeignClient
from observe import BYTES, TOLERANCE, VARINT, MemorySampler, get_json, parse_metrics, wire_fields
from program import TINY
from work import CircomWork, FilecoinWork, circom_config, proof_bytes

MIB = 1 << 20


def config(folder, listen=None):
    text = f'[srs]\nparam_cache = "{folder}"\n' + circom_config()
    return text if listen is None else f"[daemon]\nlisten = {json.dumps(listen)}\n" + text


class RequestTest(DaemonTest):
    """One daemon with the small keys, and a client."""

    listen = None
    budget = 1024 * MIB

    def setUp(self):
        super().setUp()
        self.keys = keys.development_keys(*keys.SMALL)
        self.served = self.daemon(config(self.keys, self.listen) + f"[memory]\ntotal_budget = {self.budget}\n")
        self.served.wait_ready()
        self.client = self.connect(self.served.address)

    def connect(self, address):
        client = ForeignClient(address)
        self.addCleanup(client.close)
        return client

    def work(self, kind, seed, **fields):
        return FilecoinWork(kind, seed, self.folder, self.keys, **fields)

    def assert_refused(self, code, method, request=None, details="", **more):
        with self.assertRaises(CallError) as raised:
            self.client.call(method, request, **more)
        self.assertEqual(raised.exception.code, code, raised.exception)
        self.assertIn(details, raised.exception.details)

    def prove(self, work, client=None, **fields):
        """Proves and judges; the result."""
        result = (client or self.client).call("Prove", {"submit": {**work.request, **fields}})["result"]
        self.assertEqual(result["status"], "COMPLETED", result)
        work.verify(proof_bytes(result), self.folder)
        return result

    def assert_still_proves(self, seed):
        work = CircomWork(seed, 7)
        job = self.client.call(work.submit, work.request)["job_id"]
        result = self.client.call("AwaitProof", {"job_id": job})
        self.assertEqual(result["status"], "COMPLETED", result)
        work.verify(proof_bytes(result), self.folder)


# Type on the wire of each field of the answers: the tables of the contract.
ANSWERS = {
    "SubmitProof": {1: BYTES, 2: VARINT, 3: BYTES},
    "AwaitProof": {1: BYTES, 2: VARINT, 3: BYTES, 4: BYTES, 10: VARINT, 11: VARINT, 12: VARINT, 13: VARINT, 14: VARINT},
    "Prove": {1: BYTES},
    "CancelProof": {1: VARINT},
    "GetStatus": {1: BYTES, 2: BYTES, 3: BYTES, 4: VARINT, 5: VARINT, 6: VARINT, 7: VARINT, 8: VARINT},
    "GetMetrics": {1: BYTES},
    "PreloadSRS": {1: VARINT, 2: VARINT},
    "EvictSRS": {1: VARINT, 2: VARINT},
}
PARTS = {1: {1: VARINT, 2: BYTES, 3: VARINT, 4: VARINT, 5: BYTES, 6: BYTES},  # of GetStatus
         2: {1: BYTES, 2: VARINT, 3: VARINT, 4: VARINT},
         3: {1: BYTES, 2: VARINT, 3: VARINT}}


class Contract(RequestTest):
    """The calls that existing clients make."""

    def setUp(self):
        self.listen = ["127.0.0.1:0", "unix://{folder}/cuzk.sock"]
        super().setUp()

    def daemon(self, text="", name="daemon", **more):
        return super().daemon(text.replace("{folder}", str(self.folder)), name, **more)

    def test_proves_over_tcp_and_unix_socket(self):
        seed = 1
        for address in self.served.addresses():
            if address.startswith("http://"):
                continue
            client = self.connect(address)
            for kind in ("winning", "window"):
                self.assertEqual(len(proof_bytes(self.prove(self.work(kind, seed), client))), 192)
                seed += 1
            status = client.call("GetStatus")
            self.assertLessEqual({"porep-c2", "snap-update", "window-post", "winning-post"},
                                 {queue["proof_kind"] for queue in status["queues"]})

    def raw(self, method, request=b""):
        return base64.b64decode(self.client.call(method, raw=base64.b64encode(request).decode()))

    def assert_fields(self, data, allowed, name):
        fields = wire_fields(data)
        for number, kind, _ in fields:
            if number in allowed or number < 20:  # others are additions, which clients skip
                self.assertEqual(allowed.get(number), kind, f"{name}: field {number}")
        return fields

    def test_fields_of_the_answers_on_the_wire(self):
        self.assert_fields(self.raw("PreloadSRS", b"\x0a\x08wpost-2k"), ANSWERS["PreloadSRS"], "PreloadSRS")
        submit = self.window_message()
        fields = self.assert_fields(self.raw("SubmitProof", submit), ANSWERS["SubmitProof"], "SubmitProof")
        job = next(value for number, _, value in fields if number == 1)
        self.assertEqual(job, b"by hand")
        name = bytes([0x0A, len(job)]) + job
        fields = dict((number, value) for number, _, value in
                      self.assert_fields(self.raw("AwaitProof", name), ANSWERS["AwaitProof"], "AwaitProof"))
        self.assertEqual((fields[1], fields[2], len(fields[3])), (job, 1, 192))
        self.assertNotIn(4, fields)
        fields = self.assert_fields(self.raw("Prove", b"\x0a" + varint(len(submit)) + submit), ANSWERS["Prove"], "Prove")
        self.assertEqual(len(fields), 1)
        self.assert_fields(fields[0][2], ANSWERS["AwaitProof"], "Prove.result")
        self.assert_fields(self.raw("CancelProof", name), ANSWERS["CancelProof"], "CancelProof")
        for number, kind, value in self.assert_fields(self.raw("GetStatus"), ANSWERS["GetStatus"], "GetStatus"):
            if number in PARTS:
                self.assert_fields(value, PARTS[number], f"GetStatus field {number}")
        metrics = self.assert_fields(self.raw("GetMetrics"), ANSWERS["GetMetrics"], "GetMetrics")
        parse_metrics(metrics[0][2].decode())
        self.assert_fields(self.raw("EvictSRS", b"\x0a\x08wpost-2k"), ANSWERS["EvictSRS"], "EvictSRS")

    def window_message(self):
        """A SubmitProofRequest, byte by byte."""
        request = self.work("window", 50).request
        message = b"\x0a\x07by hand" + b"\x10\x03" + b"\x18" + varint(2048) + b"\x20\x0a"
        for proof in request["vanilla_proofs"]:
            data = base64.b64decode(proof)
            message += b"\x5a" + varint(len(data)) + data
        message += bytes([0xA8, 0x01]) + varint(1000)                 # miner_id
        message += bytes([0xB2, 0x01, 32]) + request["randomness"]
        return message

    def test_request_ids(self):
        """Any text up to a KiB is a label: it names the job, and tells nothing of its content."""
        deadline = "wdpost-1000-0-[1 2 3 4 5 6 7 8]"
        labels = ["", "a" * 1024, deadline, "\u00fcber/\U0001f680 \"quoted\" <b>", deadline]
        for seed, label in enumerate(labels, start=10):
            work = self.work("window", seed, request_id=label)
            job = self.client.call("SubmitProof", work.request)["job_id"]
            self.assertTrue(job.startswith(label) and job, job)
            result = self.client.call("AwaitProof", {"job_id": job})
            self.assertEqual(result["status"], "COMPLETED", result)
            work.verify(proof_bytes(result), self.folder)
        self.assert_refused("INVALID_ARGUMENT", "SubmitProof", {**work.request, "request_id": "a" * 1025}, "1024")

    def test_one_label_for_many_contents_at_once(self):
        """As all partitions of a deadline come: each caller gets its own proof."""
        label = "wdpost-1000-0-[9 9 9 9 9 9 9 9]"
        works = [self.work("window", seed, request_id=label) for seed in range(20, 28)]
        calls = [self.client.start("Prove", {"submit": work.request}, channel=number) for number, work in enumerate(works)]
        results = [call.result()["result"] for call in calls]
        for work, result in zip(works, results):
            work.verify(proof_bytes(result), self.folder)
        self.assertEqual(len({result["job_id"] for result in results}), len(works))

    def test_one_content_at_once_is_proved_once(self):
        work = self.work("winning", 30)
        calls = [self.client.start("Prove", {"submit": work.request}, channel=number) for number in range(6)]
        answers = [call.result()["result"] for call in calls]
        self.assertEqual(len({answer["proof"] for answer in answers}), 1)
        again = self.client.call("Prove", {"submit": {**work.request, "request_id": "another name"}})["result"]
        self.assertEqual(again["proof"], answers[0]["proof"])
        self.assertEqual(self.client.call("GetStatus")["total_proofs_completed"], "1")

    def test_large_payloads(self):
        """68 and 130 MB in one message: PoRep requests whose JSON has much space in it, read and refused for what they are."""
        for address in self.served.addresses():
            if address.startswith("http://"):
                continue
            client = self.connect(address)
            for size in (68_000_000, 130_000_000):
                path = self.folder / "large.json"
                path.write_bytes(b'{"SectorNum": 1,' + b" " * size + b'"Phase1Out": "e30=", "SectorSize": 2048}')
                request = {"request_id": f"large-{size}-{address[-4:]}", "proof_kind": "POREP_SEAL_COMMIT", "vanilla_proof": path,
                           "registered_proof": 5, "miner_id": 1000, "sector_number": 1}
                result = client.call("Prove", {"submit": request})["result"]
                self.assertEqual(result["status"], "FAILED")
                self.assertNotEqual(result["error_message"], "")

    def test_timeout_of_await_is_an_answer(self):
        job = self.client.call("SubmitProof", self.work("winning", 40).request)["job_id"]
        self.assertEqual(self.client.call("AwaitProof", {"job_id": job, "timeout_ms": 1})["status"], "TIMEOUT")
        self.assertEqual(self.client.call("AwaitProof", {"job_id": job})["status"], "COMPLETED")

    def test_a_callers_deadline_ends_its_call_and_the_retry_joins(self):
        work = self.work("winning", 41)
        self.assert_refused("DEADLINE_EXCEEDED", "Prove", {"submit": work.request}, deadline_ms=100)
        self.prove(work)
        self.assertEqual(self.client.call("GetStatus")["total_proofs_completed"], "1")

    def test_keys_are_loaded_and_dropped(self):
        first = self.client.call("PreloadSRS", {"circuit_id": "winning-2k"})
        second = self.client.call("PreloadSRS", {"circuit_id": "winning-2k"})
        self.assertEqual((first["already_loaded"], second["already_loaded"]), (False, True))
        loaded = self.client.call("GetStatus")["loaded_srs"]
        self.assertEqual([(key["circuit_id"], key["tier"]) for key in loaded], [("winning-2k", "HOT")])
        self.assertGreater(int(loaded[0]["size_bytes"]), 40 * MIB)
        evicted = self.client.call("EvictSRS", {"circuit_id": "winning-2k"})
        self.assertTrue(evicted["was_loaded"])
        self.assertGreaterEqual(int(evicted["freed_bytes"]), int(loaded[0]["size_bytes"]))
        self.assertEqual(self.client.call("GetStatus")["loaded_srs"], [])
        self.assertFalse(self.client.call("EvictSRS", {"circuit_id": "winning-2k"})["was_loaded"])
        self.assert_refused("NOT_FOUND", "PreloadSRS", {"circuit_id": "porep-3k"})


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


class Malformed(RequestTest):
    def fails(self, work, **fields):
        """A proof that cannot be made is no error of Prove; the message says why."""
        result = self.client.call("Prove", {"submit": {**work.request, **fields}})["result"]
        self.assertEqual((result["status"], result["proof"]), ("FAILED", ""), result)
        self.assertNotEqual(result["error_message"], "")
        return result["error_message"]

    def test_what_is_no_request(self):
        self.assert_refused("INVALID_ARGUMENT", "Prove", {})
        for kind in (0, 5, 77):
            self.assert_refused("INVALID_ARGUMENT", "SubmitProof", {"proof_kind": kind}, "proof_kind")
        self.assert_refused("INVALID_ARGUMENT", "SubmitProof", {"proof_kind": 4, "request_id": "a\0b"}, "NUL")
        self.assert_refused("INVALID_ARGUMENT", "SubmitCircomProof", {"wtns": b"x"}, "key_id")
        unknown = {"key_id": "nobody", "wtns": TINY / "witness.wtns"}
        self.assert_refused("NOT_FOUND", "SubmitCircomProof", unknown, "no registered key nobody; there are ")
        self.assert_refused("NOT_FOUND", "AwaitProof", {"job_id": "nobody"})
        self.assertFalse(self.client.call("CancelProof", {"job_id": "nobody"})["was_running"])
        self.assert_refused("UNIMPLEMENTED", "ProveEverything", raw="")
        self.assert_still_proves(1)

    def test_bytes_that_are_no_message(self):
        for data in (b"\xff", b"\x0a\xff\xff\xff\xff\x0f", b"\x0a\x05ab", b"\x0a\x02\xff\xfe", bytes(40), random.randbytes(3000)):
            for method in ("SubmitProof", "Prove", "SubmitCircomProof", "AwaitProof"):
                with self.assertRaises(CallError) as raised:
                    self.client.call(method, raw=base64.b64encode(data).decode())
                # UNIMPLEMENTED is what gRPC's C++ library says of bytes that it cannot parse.
                codes = ("INTERNAL", "INVALID_ARGUMENT", "NOT_FOUND", "UNIMPLEMENTED")
                self.assertIn(raised.exception.code, codes, (method, data[:8]))
        self.assert_still_proves(2)

    def test_fields_that_contradict(self):
        work = self.work("window", 1)
        self.assertIn("sector_size", self.fails(work, sector_size=34359738368).replace("sector size", "sector_size"))
        self.fails(work, registered_proof=0)    # winning's number
        self.fails(work, registered_proof=9999999)
        self.fails(work, randomness=bytes(31))
        self.fails(work, randomness=b"\xff" * 32)
        self.fails(work, vanilla_proofs=[])
        self.fails(work, vanilla_proofs=work.request["vanilla_proofs"] * 2)
        self.fails(work, vanilla_proofs=[b"", b""])
        self.fails(work, miner_id=1 << 63, randomness=b"")
        self.fails(self.work("winning", 1), vanilla_proofs=[])
        self.prove(work, sector_size=0)         # 0: not stated
        self.prove(self.work("window", 2), partition_index=7)  # a label

    def test_damaged_payloads(self):
        """Each is refused or proved, never delivered wrong, and the daemon lives."""
        seed = random.SystemRandom().randrange(1 << 32)
        print(f"seed {seed}")
        chance = random.Random(seed)
        for number in range(40):
            kind = chance.choice(("winning", "window"))
            work = self.work(kind, 3)
            proofs = [bytearray(base64.b64decode(proof)) for proof in work.request["vanilla_proofs"]]
            victim = chance.choice(proofs)
            position = chance.randrange(len(victim))
            match chance.randrange(4):
                case 0: victim[position] ^= 1 << chance.randrange(8)
                case 1: del victim[position:]
                case 2: victim[position:position] = chance.randbytes(chance.randrange(1, 64))
                case 3: victim[position:position + 8] = b"\xff" * 8
            request = {**work.request, "vanilla_proofs": proofs, "request_id": f"damaged {number}"}
            result = self.client.call("Prove", {"submit": request})["result"]
            if result["status"] == "COMPLETED":
                work.verify(proof_bytes(result), self.folder)
            else:
                self.assertEqual((result["status"], result["proof"]), ("FAILED", ""))
        for data in (b"", b"wtns", bytes(500), b"null", b"[]", b"{", b'{"Phase1Out": "not base64"}', b'{"Phase1Out": 7}'):
            request = {"proof_kind": "POREP_SEAL_COMMIT", "vanilla_proof": data, "registered_proof": 5, "miner_id": 1000}
            self.assertEqual(self.client.call("Prove", {"submit": request})["result"]["status"], "FAILED")
        self.assert_still_proves(3)

    def test_damaged_witnesses(self):
        good = (TINY / "witness.wtns").read_bytes()
        for data in (b"", good[:-1], good + b"\0", good[:40] + b"\xff" * 8 + good[48:], bytes(len(good))):
            job = self.client.call("SubmitCircomProof", {"key_id": "tiny", "wtns": data})["job_id"]
            result = self.client.call("AwaitProof", {"job_id": job})
            self.assertEqual((result["status"], result["proof"]), ("FAILED", ""), data[:50])
        self.assert_still_proves(4)


class MalformedConnections(RequestTest):
    listen = "127.0.0.1:0"

    def test_bytes_that_are_no_http2(self):
        host, port = self.served.address.rsplit(":", 1)
        preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        settings = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
        for data in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", random.randbytes(5000), preface + random.randbytes(5000),
                     preface + settings + b"\xff\xff\xff" + bytes(2000), preface[:10], b""):
            with socket.create_connection((host, int(port)), timeout=20) as connection:
                try:
                    connection.sendall(data)
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(65536):
                        pass
                except OSError:
                    pass  # cut off by the other side
        self.assert_still_proves(5)


class Guarded(DaemonTest):
    """TLS and a token, as grpc-js does them."""

    @unittest.skipIf(shutil.which("openssl") is None, "the program openssl is not installed")
    def test_tls_and_token(self):
        certificate, key, token = (self.folder / name for name in ("certificate.pem", "key.pem", "token"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
                       check=True, capture_output=True)
        token.write_text("open sesame\n")
        token.chmod(0o600)
        served = self.daemon('[daemon]\nlisten = "localhost:0"\n'
                             f'tls_certificate = "{certificate}"\ntls_key = "{key}"\ntoken_file = "{token}"\n').wait_ready()
        address = "localhost:" + served.address.rsplit(":", 1)[1]
        with ForeignClient(address, certificate) as client:
            for metadata in ({}, {"authorization": "Bearer open"}, {"authorization": "open sesame"}):
                with self.assertRaises(CallError) as raised:
                    client.call("GetStatus", metadata=metadata)
                self.assertEqual(raised.exception.code, "UNAUTHENTICATED")
            status = client.call("GetStatus", metadata={"authorization": "Bearer open sesame"})
            self.assertEqual(status["total_proofs_completed"], "0")
        with ForeignClient(address) as client, self.assertRaises(CallError) as raised:  # without TLS
            client.call("GetStatus", deadline_ms=5000)
        self.assertIn(raised.exception.code, ("UNAVAILABLE", "DEADLINE_EXCEEDED"))


class Oversized(RequestTest):
    """Limits hold before memory is taken: what is too large costs its sender, not the daemon."""

    budget = 2048 * MIB  # an eighth is for payloads

    def test_limits(self):
        sampler = MemorySampler(self.served.process.pid)
        c1 = {"proof_kind": "POREP_SEAL_COMMIT", "registered_proof": 5, "request_id": "large"}
        self.assert_refused("RESOURCE_EXHAUSTED", "SubmitProof", {**c1, "vanilla_proof": {"zeros": 257 * MIB}})
        self.assert_refused("RESOURCE_EXHAUSTED", "SubmitProof", {**c1, "vanilla_proof": {"zeros": 161 * MIB}}, "vanilla_proof")
        window, winning = self.work("window", 1).request, self.work("winning", 1).request
        self.assert_refused("RESOURCE_EXHAUSTED", "SubmitProof", {**window, "vanilla_proofs": [{"zeros": 256 * 1024 + 1}]},
                            "vanilla_proofs[0]")
        self.assert_refused("RESOURCE_EXHAUSTED", "SubmitProof", {**winning, "vanilla_proofs": [{"zeros": MIB + 1}]},
                            "vanilla_proofs[0]")
        result = self.client.call("Prove", {"submit": {**window, "vanilla_proofs": [b"x"] * 2350}})["result"]
        self.assertEqual(result["status"], "FAILED")
        self.assertLess(sampler.stop(), self.budget + TOLERANCE)
        self.assert_still_proves(6)


class OversizedTogether(RequestTest):
    def test_many_large_messages_at_once_stay_within_the_budget(self):
        """Twelve times 120 MiB against a budget of 1 GiB: some are refused for now, none brings the daemon down."""
        sampler = MemorySampler(self.served.process.pid)
        request = {"proof_kind": "POREP_SEAL_COMMIT", "registered_proof": 5, "vanilla_proof": {"zeros": 120 * MIB}}
        calls = [self.client.start("Prove", {"submit": {**request, "sector_number": number}}, channel=number)
                 for number in range(12)]
        ends = []
        for call in calls:
            try:
                ends.append(call.result()["result"]["status"])
            except CallError as error:
                ends.append(error.code)
        self.assertLessEqual(set(ends), {"FAILED", "RESOURCE_EXHAUSTED"}, ends)
        self.assertLess(sampler.stop(), self.budget + TOLERANCE, ends)
        self.assert_still_proves(7)
        memory = get_json(self.served)["memory"]
        self.assertLessEqual(memory["used_bytes"] - memory["by_tag"]["payload"], 64 * MIB, memory)


if __name__ == "__main__":
    unittest.main()
