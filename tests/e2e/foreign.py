"""A client that shares no code with cuzk, as an object: tests/foreign/client.mjs (Node.js, @grpc/grpc-js, a .proto by hand).

    with ForeignClient(address) as client:
        client.call("GetStatus")                         # the response, or CallError
        pending = client.start("Prove", {...}, channel=3)
        pending.result(timeout=60)
"""
import base64
import itertools
import json
import pathlib
import subprocess
import threading

import packages
from program import SOURCE

FOLDER = SOURCE / "tests/foreign"


class CallError(Exception):
    """A call that ended with a status other than OK."""

    def __init__(self, code, details):
        super().__init__(f"{code}: {details}")
        self.code, self.details = code, details


class Pending:
    """A call on its way."""

    def __init__(self, client, number):
        self._client, self._number = client, number
        self._done = threading.Event()
        self._answer = None

    def settle(self, answer):
        self._answer = answer
        self._done.set()

    def done(self):
        return self._done.is_set()

    def cancel(self):
        self._client.send({"cancel": self._number})

    def result(self, timeout=120):
        """The response (a stream's: the list of them). CallError; TimeoutError when the call has not ended by then."""
        if not self._done.wait(timeout):
            raise TimeoutError(f"call {self._number} has not ended within {timeout} s")
        if "error" in self._answer:
            raise CallError(**self._answer["error"])
        return self._answer.get("response", self._answer.get("responses"))


class ForeignClient:
    """One process of the client. Thread-safety: all methods concurrently."""

    def __init__(self, address, *tls_files):
        target = address.removeprefix("http://")
        command = ["node", FOLDER / "client.mjs", packages.require("foreign"), target, *map(str, tls_files)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._numbers = itertools.count(1)
        self._pending = {}
        self._mutex = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        self._process.stdout.close()

    def start(self, method, request=None, channel=0, **more):
        """`more`: deadline_ms, metadata, patient (waits for a connection), raw (the bytes of the request)."""
        number = next(self._numbers)
        pending = Pending(self, number)
        with self._mutex:
            self._pending[number] = pending
        self.send({"id": number, "channel": channel, "method": method, "request": request or {}, **more})
        return pending

    def call(self, method, request=None, timeout=120, **more):
        return self.start(method, request, **more).result(timeout)

    def send(self, command):
        text = json.dumps(command, default=_encode) + "\n"
        with self._mutex:
            self._process.stdin.write(text)
            self._process.stdin.flush()

    def _read(self):
        for line in self._process.stdout:
            answer = json.loads(line)
            with self._mutex:
                pending = self._pending.pop(answer.pop("id"))
            pending.settle(answer)
        with self._mutex:
            rest, self._pending = self._pending, {}
        for pending in rest.values():
            pending.settle({"error": {"code": "CLIENT_GONE", "details": "the client's process has ended"}})


def _encode(value):
    """Bytes as base64, files by their names."""
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if isinstance(value, pathlib.Path):
        return {"file": str(value)}
    raise TypeError(type(value))
