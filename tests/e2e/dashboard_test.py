"""The dashboard in headless Chromium (tests/web), served by a real daemon, during real jobs.

Screenshots are kept in build/results (CUZK_RESULTS).
"""
import os
import pathlib
import shutil
import subprocess
import threading
import unittest

import packages
from daemon import DaemonTest
from foreign import ForeignClient
from keys import development_keys
from program import SOURCE
from work import CircomWork, FilecoinWork, circom_config

FOLDER = SOURCE / "tests/web"
RESULTS = pathlib.Path(os.environ.get("CUZK_RESULTS", SOURCE / "build/results"))
OPEN_JOBS = 6  # at least, while the page is compared
MARKUP = "<img src=x onerror=alert(1)>"


def require(program):
    if shutil.which(program) is None:
        raise unittest.SkipTest(f"{program} is not installed (make deps installs it)")


class Load(threading.Thread):
    """Keeps jobs of Filecoin open, each with a label that wants to be markup."""

    def __init__(self, client, folder, keys):
        super().__init__(daemon=True)
        self.client, self.folder, self.keys = client, folder, keys
        self.ended = threading.Event()
        self.trouble = None

    def run(self):
        try:
            number = 0
            while not self.ended.is_set():
                if self._open_jobs() < OPEN_JOBS:
                    number += 1
                    self._submit(number)
                self.ended.wait(0.05)
        except Exception as error:  # told by stop()
            self.trouble = error

    def _open_jobs(self):
        status = self.client.call("GetStatus")
        return sum(queue["pending"] + queue["in_progress"] for queue in status["queues"])

    def _submit(self, number):
        self.submit(FilecoinWork(("winning", "window")[number % 2], number, self.folder, self.keys, f"{MARKUP} number {number}"))

    def submit(self, work):
        return self.client.call(work.submit, work.request)["job_id"]

    def stop(self):
        self.ended.set()
        self.join(120)
        if self.trouble is not None:
            raise self.trouble


class DashboardTest(DaemonTest):
    def setUp(self):
        super().setUp()
        require(os.environ.get("CUZK_CHROMIUM", "chromium"))
        RESULTS.mkdir(parents=True, exist_ok=True)
        self.environment = {**os.environ, "CUZK_WEB_PACKAGES": str(packages.require("web")), "CUZK_RESULTS": str(RESULTS)}

    def check(self, name, url, steps=None, seconds=300):
        """Runs a check of dashboard.mjs; steps: what to do when it has printed a line."""
        with subprocess.Popen(["node", FOLDER / "dashboard.mjs", name, url], env=self.environment, text=True, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            guard = threading.Timer(seconds, process.kill)
            guard.start()
            try:
                for line in process.stdout:
                    step = (steps or {}).get(line.strip())
                    if step is not None:
                        step()
                        process.stdin.write("done\n")
                        process.stdin.flush()
                    last = line.strip()
                told = process.stderr.read()
                process.wait()
            finally:
                guard.cancel()
                process.kill()
        self.assertEqual((process.returncode, last if process.returncode == 0 else told), (0, "passed"), told)

    def quiet_daemon(self):
        return self.daemon(circom_config()).wait_ready()

    def test_shows_what_status_says_while_jobs_run(self):
        keys = development_keys("winning-2k", "wpost-2k")
        daemon = self.daemon(f'{circom_config()}\n[srs]\nparam_cache = "{keys}"\n').wait_ready()
        with ForeignClient(daemon.address) as client:
            load = Load(client, self.folder, keys)
            for satisfied in (True, False):  # one that is completed, one that fails
                job = load.submit(CircomWork(3, 5, f"circom {MARKUP}", satisfied))
                client.call("AwaitProof", {"job_id": job})
            load.start()
            try:
                self.check("compare", daemon.http)
            finally:
                load.stop()

    def test_says_that_the_daemon_does_not_answer(self):
        daemon = self.quiet_daemon()
        port = daemon.http.rsplit(":", 1)[1]
        daemon.write_config(f'{circom_config()}\n[daemon]\nstatus_listen = "127.0.0.1:{port}"\n')
        self.check("silence", daemon.http, {"loaded": daemon.kill, "alarmed": daemon.start})

    def test_texts_stay_texts_and_everything_fits(self):
        self.check("made", self.quiet_daemon().http)

    def test_nothing_to_show(self):
        self.check("empty", self.quiet_daemon().http)

    def test_keyboard(self):
        self.check("keyboard", self.quiet_daemon().http)

    def test_an_answer_that_is_none(self):
        self.check("nonsense", self.quiet_daemon().http)

    def test_policy_of_the_page(self):
        self.check("policy", self.quiet_daemon().http)


class DashboardUnitsTest(unittest.TestCase):
    def test_numbers_and_history(self):
        require("node")
        done = subprocess.run(["node", FOLDER / "units.mjs"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
