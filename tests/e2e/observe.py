"""What is seen of a daemon from outside: its memory, its metrics, its status, the numbers on the wire."""
import json
import math
import pathlib
import re
import threading
import urllib.request

TOLERANCE = 256 << 20  # bytes of resident memory over the budget: code, stacks, the allocator's waste


class MemorySampler:
    """Resident memory of a process, sampled until stop(). Page-locked memory of ours is resident, so it is in."""

    def __init__(self, pid, interval=0.02):
        self.most = 0
        self.samples = 0
        self._status = pathlib.Path(f"/proc/{pid}/status")
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._sample, args=(interval,), daemon=True)
        self._thread.start()

    def _sample(self, interval):
        while not self._stopped.wait(interval):
            now = resident_bytes(self._status)
            if now is None:
                return
            self.most = max(self.most, now)
            self.samples += 1

    def stop(self):
        """The largest sample, in bytes."""
        self._stopped.set()
        self._thread.join()
        return self.most


def resident_bytes(status):
    """Of a /proc/<pid>/status; None when the process is gone."""
    try:
        text = pathlib.Path(status).read_text(encoding="ascii")
    except OSError:
        return None
    found = re.search(r"^VmRSS:\s+(\d+) kB$", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else None


def get_json(daemon, path="/status"):
    with urllib.request.urlopen(daemon.http + path, timeout=30) as answer:
        return json.load(answer)


# Prometheus' text format, version 0.0.4, as strictly as a server that scrapes it.

_SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)')
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)')


def parse_metrics(text):
    """{name: type}, {(name, ((label, value), ...)): number}. AssertionError names a line that is not of the format."""
    types, samples = {}, {}
    assert text.endswith("\n"), "the last line has no end"
    family = None
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            family, kind = line.split(" ")[2:]
            assert family not in types, f"twice: {line}"
            assert kind in ("counter", "gauge", "histogram", "summary"), line
            types[family] = kind
        elif not line.startswith("#") and line:
            name, labels, number = _parse_sample(line)
            assert family and name.startswith(family), f"outside its family: {line}"
            assert (name, labels) not in samples, f"twice: {line}"
            samples[name, labels] = number
    return types, samples


def _parse_sample(line):
    found = _SAMPLE.fullmatch(line)
    assert found, f"no sample: {line}"
    labels, text, position = [], found[2] or "", 0
    while position < len(text):
        label = _LABEL.match(text, position)
        assert label, f"bad labels: {line}"
        labels.append((label[1], label[2]))
        position = label.end()
    number = math.inf if found[3] == "+Inf" else float(found[3])
    return found[1], tuple(sorted(labels)), number


def assert_monotonic(types, before, after):
    """Counters, and the counts of histograms and summaries, never fall and never vanish."""
    for (name, labels), number in before.items():
        family = re.sub(r"_(bucket|count|sum)$", "", name)
        if types.get(name) == "counter" or types.get(family) in ("histogram", "summary"):
            assert after.get((name, labels), -1) >= number, f"{name}{dict(labels)}: {number}, then {after.get((name, labels))}"


# The wire format of protocol buffers.

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def wire_fields(data):
    """[(number, wire type, value)] of a message, in the order in which they stand."""
    fields, position = [], 0

    def varint():
        nonlocal position
        value = shift = 0
        while True:
            byte = data[position]
            position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while position < len(data):
        key = varint()
        kind = key & 7
        if kind == VARINT:
            value = varint()
        else:
            length = {FIXED64: 8, FIXED32: 4}.get(kind) or varint()
            value = data[position:position + length]
            assert len(value) == length, "the message ends inside a field"
            position += length
        fields.append((key >> 3, kind, value))
    return fields
