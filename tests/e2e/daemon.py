"""A daemon of its own for each test: started in a folder, waited for, stopped.

    class MyTest(DaemonTest):
        def test_something(self):
            daemon = self.daemon('[circom.keys]\\ntiny = "/path/circuit.zkey"')
            daemon.wait_ready()
            ... daemon.address ... daemon.http ...
            self.assertEqual(daemon.stop(), 0)
"""
import json
import os
import pathlib
import signal
import subprocess
import threading
import time

from program import PROGRAM, ProgramTest

SECONDS = 60  # for what takes much less


class Daemon:
    """`cuzk serve` with a configuration. What the text does not say is set so that daemons do not meet: socket in the
    folder, HTTP on a free port, journal in the folder, 1 GiB, log of JSON lines at level debug."""

    DEFAULTS = {
        "daemon": {"listen": '"unix://{folder}/cuzk.sock"', "status_listen": '"127.0.0.1:0"', "drain_timeout": '"20s"'},
        "memory": {"total_budget": '"1GiB"'},
        "journal": {"folder": '"{folder}/journal"'},
        "srs": {"param_cache": '"{folder}/params"'},
        "logging": {"level": '"debug"', "format": '"json"'},
    }

    command = ("serve",)

    def __init__(self, folder, config="", env=None, arguments=(), start=True, without=()):
        """without: tables of DEFAULTS that are not to be set."""
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.config_file = self.folder / "cuzk.toml"
        self.without = without
        self.write_config(config)
        self.env = {**os.environ, "CUZK_LOG": "", **(env or {})}
        self.arguments = arguments
        self.process = None
        if start:
            self.start()

    def write_config(self, config):
        """The text with the defaults of what it does not set."""
        self.config_file.write_text(with_defaults(config, self.folder, self.without), encoding="utf-8")

    def start(self):
        """Again after stop() or kill(): same folder, same configuration."""
        self.log = []  # of this process: objects, or {"message": line} where a line is none
        self.changed = threading.Condition()
        self.ended = False  # its log
        self.process = subprocess.Popen(
            [PROGRAM, *self.command, "--config", str(self.config_file), *map(str, self.arguments)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=self.env)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        return self

    def _read(self):
        for line in self.process.stderr:
            text = line.decode("utf-8", "replace").rstrip("\n")
            try:
                record = json.loads(text)
                record["message"]
            except (ValueError, KeyError, TypeError):
                record = {"message": text}
            self.heard(record)
            with self.changed:
                self.log.append(record)
                self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def heard(self, record):
        """Called with each record as it comes, by the thread that reads them."""

    # What it said.

    def lines(self):
        with self.changed:
            return [record["message"] for record in self.log]

    def text(self):
        return "\n".join(self.lines())

    def wait_for(self, matches, seconds=SECONDS, since=0):
        """The first record from the index `since` on for which matches(record) holds; a text: whose message holds it."""
        wanted = matches if callable(matches) else lambda record: matches in record["message"]
        end = time.monotonic() + seconds
        with self.changed:
            position = since
            while True:
                for position in range(position, len(self.log)):
                    if wanted(self.log[position]):
                        return self.log[position]
                position = len(self.log)
                left = end - time.monotonic()
                if self.ended or left <= 0:
                    why = "ended" if self.ended else f"did not say it in {seconds} s"
                    said = "\n".join(record["message"] for record in self.log)
                    raise AssertionError(f"waiting for {matches}: the daemon {why}; its log:\n{said}")
                self.changed.wait(left)

    def wait_listening(self):
        self.wait_for(lambda record: record["message"].startswith("listening on ") and (
            "http://" in record["message"] or not self._wants_http()))
        return self

    def wait_ready(self, seconds=SECONDS):
        self.wait_for(lambda record: record["message"] == "ready", seconds)
        return self

    def _wants_http(self):
        return 'status_listen = ""' not in self.config_file.read_text(encoding="utf-8")

    def addresses(self):
        self.wait_listening()
        return [line.removeprefix("listening on ") for line in self.lines() if line.startswith("listening on ")]

    @property
    def address(self):
        """Of gRPC: "unix:///..." or "host:port"."""
        return next(address for address in self.addresses() if not address.startswith("http://"))

    @property
    def http(self):
        """"http://host:port" """
        return next(address for address in self.addresses() if address.startswith("http://"))

    # Its end.

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self, seconds=SECONDS):
        """SIGTERM; the exit status."""
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        return self.wait(seconds)

    def wait(self, seconds=SECONDS):
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the daemon did not end in {seconds} s; its log:\n{self.text()}") from None
        self.reader.join(seconds)
        self.process.stderr.close()
        return status

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join(SECONDS)
        self.process.stderr.close()


def with_defaults(config, folder, without=()):
    tables = {}  # name -> lines; "" for what stands above the first table
    order = []
    name = ""
    for line in config.splitlines():
        stripped = line.strip()
        if stripped.startswith("[") and stripped.endswith("]") and "=" not in stripped:
            name = stripped.strip("[]")
        if name not in tables:
            tables[name] = []
            order.append(name)
        tables[name].append(line)
    for table, keys in Daemon.DEFAULTS.items():
        if table in without:
            continue
        if table not in tables:
            tables[table] = [f"[{table}]"]
            order.append(table)
        there = {line.split("=")[0].strip() for line in tables[table]}
        for key, value in keys.items():
            if key not in there:
                tables[table].append(f"{key} = {value.replace('{folder}', str(folder))}")
    return "\n".join(line for table in order for line in tables[table]) + "\n"


class DaemonTest(ProgramTest):
    """Daemons in folders of the test's own; those that run when it ends are killed."""

    def daemon(self, config="", name="daemon", **more):
        daemon = Daemon(self.folder / name, config, **more)
        self.addCleanup(lambda: daemon.process is not None and daemon.process.poll() is None and daemon.kill())
        return daemon
