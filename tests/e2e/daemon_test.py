"""The daemon as its operator meets it: starting, its configuration, signals, ends."""
import base64
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import time
import unittest
import urllib.error
import urllib.request

import keys
import work
from daemon import DaemonTest
from foreign import CallError, ForeignClient
from program import TINY

TINY_KEY = f'[circom.keys]\ntiny = "{TINY}/circuit.zkey"\n'

# What users of the other daemon have: its example file, one of its first phase, the one of its user page.
FOREIGN_FILES = {
    "example": """
[daemon]
listen = "0.0.0.0:9820"
status_listen = "0.0.0.0:9821"
[memory]
total_budget = "auto"
safety_margin = "5GiB"
eviction_min_idle = "5m"
[srs]
param_cache = "/data/zk/params"
[synthesis]
threads = 0
[gpus]
gpu_workers_per_device = 2
gpu_threads = 32
[pipeline]
enabled = true
synthesis_lookahead = 1
synthesis_concurrency = 1
slot_size = 0
[logging]
level = "info"
""",
    "first phase": """
[daemon]
listen = "0.0.0.0:9820"
[memory]
pinned_budget = "50GiB"
working_memory_budget = "200GiB"
[srs]
param_cache = "/data/zk/params"
[gpus]
devices = []
[scheduler]
max_batch_size = 1
max_batch_wait_ms = 10000
sort_by_type = true
[logging]
level = "info"
""",
    "user page": """
[daemon]
listen = "0.0.0.0:9820"
status_listen = "0.0.0.0:9821"
[memory]
total_budget = "auto"
safety_margin = "5GiB"
[srs]
param_cache = "/data/zk/params"
preload = ["porep-32g"]
[synthesis]
partition_workers = 16
threads = 0
[gpus]
gpu_workers_per_device = 2
gpu_threads = 32
[pipeline]
enabled = true
[logging]
level = "info"
""",
}


def get(url):
    """(status, text)"""
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(("0.0.0.0", port))
            return True
        except OSError:
            return False


class StartTest(DaemonTest):
    def test_it_listens_becomes_ready_and_ends(self):
        daemon = self.daemon(TINY_KEY + '[srs]\npreload = ["tiny"]\n').wait_ready()
        self.assertEqual(daemon.address, f"unix://{daemon.folder}/cuzk.sock")
        self.assertEqual(get(daemon.http + "/readyz")[0], 200)
        self.assertEqual(get(daemon.http + "/healthz")[0], 200)
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual(daemon.lines()[-1], "stopped")
        self.assertFalse((daemon.folder / "cuzk.sock").exists())

    def test_health_and_reflection_answer_other_clients(self):
        daemon = self.daemon(TINY_KEY).wait_ready()
        with ForeignClient(daemon.address) as client:
            def raw(method, request):
                return base64.b64decode(client.call(method, raw=base64.b64encode(request).decode()))

            self.assertEqual(raw("/grpc.health.v1.Health/Check", b""), b"\x08\x01")
            services = raw("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", b"\x3a\x00")
            self.assertIn(b"cuzk.v1.ProvingEngine", services)
            with self.assertRaises(CallError) as raised:
                raw("/grpc.health.v1.Health/Check", b"\x0a\x01x")
            self.assertEqual(raised.exception.code, "NOT_FOUND")

    def test_without_a_subcommand_it_serves(self):
        daemon = self.daemon(start=False)
        daemon.command = ()
        daemon.start()
        daemon.wait_ready()
        self.assertEqual(daemon.stop(), 0)

    def test_the_command_line_goes_before_the_file(self):
        daemon = self.daemon(arguments=["--listen", "127.0.0.1:0", "-l", f"unix://{self.folder}/other", "--log-level", "warn"])
        end = time.monotonic() + 30
        while not (self.folder / "other").exists() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual([record for record in daemon.log if record["level"] not in ("warn", "error")], [])
        self.assertFalse((daemon.folder / "cuzk.sock").exists())

    def test_files_of_the_other_daemon_start_it(self):
        ports_are_free = is_free(9820) and is_free(9821)
        for name, text in FOREIGN_FILES.items():
            with self.subTest(name):
                daemon = self.daemon(start=False, name=name.replace(" ", "-"))
                daemon.config_file.write_text(text)
                checked = json.loads(self.cuzk("--json", "serve", "--check-config", "--config", daemon.config_file).stdout)
                self.assertIn('listen = "0.0.0.0:9820"', checked["toml"])
                self.assertTrue(any("0.0.0.0:9820 may use this service" in line for line in checked["warnings"]))
                if not ports_are_free:
                    continue
                daemon.env["CUZK_LOG"] = "info"
                daemon.start()
                daemon.wait_for("listening on 0.0.0.0:9820")
                self.assertEqual(daemon.stop(), 0, daemon.text())
        if not ports_are_free:
            self.skipTest("the files were checked, but ports 9820 and 9821 are in use here")

    def test_an_address_that_is_taken_ends_the_start(self):
        first = self.daemon().wait_ready()
        for table in (f'[daemon]\nlisten = "{first.address}"\n',
                      f'[daemon]\nstatus_listen = "{first.http.removeprefix("http://")}"\n'):
            second = self.daemon(table, name="second")
            self.assertEqual(second.wait(), 4)
            self.assertIn(table.split('"')[1].removeprefix("unix://"), second.lines()[-1])
        self.assertEqual(get(first.http + "/healthz")[0], 200)
        self.assertEqual(first.stop(), 0)

    def test_http_is_no_way_around_the_socket_s_mode(self):
        daemon = self.daemon().wait_ready()
        self.assertEqual(get(daemon.http + "/v1/jobs")[0], 403)
        self.assertEqual(daemon.stop(), 0)
        open_to_all = self.daemon('[daemon]\nsocket_mode = "0666"\n', name="open").wait_ready()
        self.assertEqual(get(open_to_all.http + "/v1/jobs")[0], 200)
        self.assertEqual(open_to_all.stop(), 0)

    def test_timing_records_are_lines_or_events(self):
        for form, is_event in (("text", False), ("json", True)):
            daemon = self.daemon(TINY_KEY + f'[logging]\nformat = "{form}"\n', name=form, env={"CUZK_TIMING": "1"})
            with ForeignClient(self.socket_of(daemon)) as client:
                answer = client.call("SubmitCircomProof", work.CircomWork(3, 5).request)
                client.call("AwaitProof", {"job_id": answer["job_id"]})
            self.assertEqual(daemon.stop(), 0)
            records = [record for record in daemon.log if record["message"].startswith("CUZK_TIMING: split_vectors_ms=")]
            self.assertEqual([("level" in record, "\n" in record["message"]) for record in records], [(is_event, is_event)])
            if is_event:
                self.assertEqual([(record["job"], record["partition"]) for record in records], [(answer["job_id"], 0)])

    def test_a_file_that_is_cut_beneath_it_is_no_end(self):
        """That SIGBUS is taken; what becomes of it: tests/support/mapped_file_test.cpp."""
        key = self.folder / "circuit.zkey"
        shutil.copy(work.MIMC / "circuit.zkey", key)
        daemon = self.daemon(f'[circom.keys]\nmimc = "{key}"').wait_ready()
        caught = re.search(r"SigCgt:\s*(\w+)", pathlib.Path(f"/proc/{daemon.process.pid}/status").read_text())[1]
        self.assertTrue(int(caught, 16) >> (signal.SIGBUS - 1) & 1)
        os.truncate(key, 5000)
        with ForeignClient(daemon.address) as client:
            wtns = (work.MIMC / "witness.wtns").read_bytes()
            job = client.call("SubmitCircomProof", {"key_id": "mimc", "wtns": wtns})["job_id"]
            answer = client.call("AwaitProof", {"job_id": job})
        self.assertEqual(answer["status"], "FAILED")
        self.assertIn("was cut short while it was in use", answer["error_message"])
        self.assertEqual(daemon.stop(), 0)

    @staticmethod
    def socket_of(daemon):
        """Once it is there, whatever the form of the log."""
        path = daemon.folder / "cuzk.sock"
        end = time.monotonic() + 30
        while not path.exists() and time.monotonic() < end:
            time.sleep(0.02)
        return f"unix://{path}"

    def test_a_wide_address_is_warned_of(self):
        daemon = self.daemon('[daemon]\nlisten = "0.0.0.0:0"\n').wait_ready()
        self.assertIn("anyone who reaches 0.0.0.0:0 may use this service", daemon.text())
        warnings = json.loads(get(daemon.http + "/status")[1])["warnings"]
        self.assertTrue(any("may use this service" in warning for warning in warnings), warnings)
        self.assertEqual(daemon.stop(), 0)


class CheckConfigTest(DaemonTest):
    def check(self, text, status=0, json_form=False):
        path = self.folder / "checked.toml"
        path.write_text(text)
        return self.cuzk(*(["--json"] if json_form else []), "serve", "--check-config", "--config", path, status=status)

    def test_all_faults_are_told_with_line_and_suggestion(self):
        done = self.check('[daemon]\nlistn = "x"\n[memory]\ntotal_budget = "12X"\n[memmory]\n', status=3)
        path = self.folder / "checked.toml"
        self.assertIn(f"{path}:2: error: unknown key daemon.listn; did you mean daemon.listen?", done.stderr)
        self.assertIn(f"{path}:4: error: memory.total_budget", done.stderr)
        self.assertIn(f"{path}:5: error: unknown table [memmory]; did you mean [memory]?", done.stderr)

    def test_what_is_understood_is_a_configuration(self):
        done = self.check(f'{TINY_KEY}[memory]\ntotal_budget = "1.5GiB"\npinned_budget = "1GiB"\n')
        self.assertIn('total_budget = "1536MiB"', done.stdout)
        self.assertIn("memory.pinned_budget is deprecated", done.stderr)
        again = self.check(done.stdout)
        self.assertEqual(again.stdout, done.stdout)
        result = json.loads(self.check(done.stdout, json_form=True).stdout)
        self.assertEqual(result["budget_bytes"], 3 << 29)

    def test_files_that_it_names_must_be_there(self):
        self.check(f'[daemon]\ntoken_file = "{self.folder}/none"\n', status=3)
        self.check(f'[circom.keys]\na = "{self.folder}/none.zkey"\n', status=3)
        self.check('[memory]\nsafety_margin = "1000TiB"\n', status=2)


class SignalTest(DaemonTest):
    def test_sighup_reloads_what_can_change(self):
        daemon = self.daemon().wait_ready()
        daemon.write_config(TINY_KEY + '[daemon]\nmax_calls = 5\n[logging]\nlevel = "info"\n')
        daemon.signal(signal.SIGHUP)
        self.assertIn("circom.keys.*, logging.level", daemon.wait_for("reloaded")["message"])
        self.assertIn("need a restart: daemon.max_calls", daemon.text())
        with ForeignClient(daemon.address) as client:
            job = work.CircomWork(3, 5)
            answer = client.call("SubmitCircomProof", job.request)
            job.verify(work.proof_bytes(client.call("AwaitProof", {"job_id": answer["job_id"]})), self.folder)
        self.assertFalse(any(record["level"] == "debug" and "job" in record for record in daemon.log))
        self.assertEqual(daemon.stop(), 0)

    def test_a_bad_file_leaves_all_as_it_was(self):
        daemon = self.daemon().wait_ready()
        daemon.config_file.write_text("[daemon]\nlistn = 1\n")
        daemon.signal(signal.SIGHUP)
        self.assertIn(":2: error: unknown key daemon.listn", daemon.wait_for("not reloaded")["message"])
        self.assertEqual(get(daemon.http + "/readyz")[0], 200)
        self.assertEqual(daemon.stop(), 0)

    def test_sigint_stops_too(self):
        daemon = self.daemon().wait_ready()
        daemon.signal(signal.SIGINT)
        self.assertEqual(daemon.wait(), 0)


class DrainTest(DaemonTest):
    """WinningPoSt proofs of 2 KiB sectors: each takes a good part of a second."""

    JOBS = 3

    def setUp(self):
        super().setUp()
        self.keys = keys.development_keys("winning-2k")

    def start_with_jobs(self, drain_timeout, **more):
        daemon = self.daemon(f'[srs]\nparam_cache = "{self.keys}"\n[daemon]\ndrain_timeout = "{drain_timeout}"\n', **more).wait_ready()
        self.works = [work.FilecoinWork("winning", seed, self.folder, self.keys) for seed in range(self.JOBS)]
        client = ForeignClient(daemon.address)
        self.addCleanup(client.close)
        self.ids = [client.call("SubmitProof", one.request)["job_id"] for one in self.works]
        return daemon, client

    def verify_all(self, client):
        for one, job in zip(self.works, self.ids):
            answer = client.call("AwaitProof", {"job_id": job})
            self.assertEqual(answer["status"], "COMPLETED", answer)
            one.verify(work.proof_bytes(answer), self.folder)

    def test_open_jobs_end_before_the_daemon(self):
        daemon, client = self.start_with_jobs("60s")
        waiting = [client.start("AwaitProof", {"job_id": job}) for job in self.ids]
        client.call("GetStatus")  # the calls before it are there
        daemon.signal(signal.SIGTERM)
        daemon.wait_for("draining")
        self.assertEqual(get(daemon.http + "/readyz")[0], 503)
        with self.assertRaises(CallError) as late:
            client.call("SubmitCircomProof", work.CircomWork(2, 3).request)
        self.assertEqual(late.exception.code, "UNAVAILABLE")
        for one, answer in zip(self.works, waiting):
            one.verify(work.proof_bytes(answer.result()), self.folder)
        self.assertEqual(daemon.wait(), 0)

    def test_what_is_open_when_patience_ends_stays_in_the_journal(self):
        daemon, _ = self.start_with_jobs("0s")
        self.assertEqual(daemon.stop(), 0)
        self.assertRegex(daemon.lines()[-1], r"stopped; \d+ open jobs stay in the journal")
        daemon.start().wait_ready()
        with ForeignClient(daemon.address) as client:
            self.verify_all(client)
        self.assertEqual(daemon.stop(), 0)

    def test_a_second_signal_stops_at_once(self):
        daemon, _ = self.start_with_jobs("10m")
        daemon.signal(signal.SIGTERM)
        daemon.wait_for("draining")
        daemon.signal(signal.SIGINT)
        self.assertEqual(daemon.wait(30), 0)
        self.assertRegex(daemon.lines()[-1], r"stopped; \d+ open jobs stay in the journal")

    def test_a_third_signal_ends_the_process(self):
        daemon, _ = self.start_with_jobs("10m")
        for line in ("draining", "stays in the journal", None):
            daemon.signal(signal.SIGTERM)
            if line is not None:
                daemon.wait_for(line)
        self.assertEqual(daemon.wait(30), 0)
        self.assertRegex(daemon.lines()[-1], r"stopped; \d+ open jobs stay in the journal")

    def test_without_a_journal_the_loss_is_told(self):
        daemon, client = self.start_with_jobs("0s", without=("journal",))
        waiting = client.start("AwaitProof", {"job_id": self.ids[-1]})
        client.call("GetStatus")
        self.assertEqual(daemon.stop(), 4)
        self.assertRegex(daemon.text(), r"stopped; \d+ open jobs are lost: there is no journal")
        with self.assertRaises(CallError) as lost:
            waiting.result()
        self.assertEqual(lost.exception.code, "UNAVAILABLE")


if __name__ == "__main__":
    unittest.main()
