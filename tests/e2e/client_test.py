"""The commands that speak to a service, each as a process of its own, against a daemon."""
import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

from daemon import DaemonTest
from keys import development_keys
from program import PROGRAM, TINY
from work import PRIME_BN254, circom_config, tiny_witness

SECONDS = 60


class ClientTest(DaemonTest):
    """A daemon with the keys of two circom circuits, and commands that know its address."""

    config = circom_config()

    def setUp(self):
        super().setUp()
        self.service = self.daemon(self.config).wait_ready()
        self.environment = {"CUZK_ADDRESS": self.service.address}

    def client(self, *arguments, status=0, **more):
        return self.cuzk(*arguments, status=status, environment={**self.environment, **more.pop("environment", {})}, **more)

    def told(self, *arguments, status=0, **more):
        """What a command says with --json."""
        return json.loads(self.client("--json", *arguments, status=status, **more).stdout)

    def started(self, *arguments):
        """A command that is not waited for."""
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], env={**os.environ, **self.environment},
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def end_of(self, process, status=0):
        """What it has written; on standard error where it has failed."""
        said, complained = process.communicate(timeout=SECONDS)
        self.assertEqual(process.returncode, status, complained)
        return said if status == 0 else complained

    def witness(self, a=3, b=11, c=None, name="witness.wtns"):
        path = self.folder / name
        path.write_bytes(tiny_witness((1, a * b % PRIME_BN254 if c is None else c, a, b)))
        return path


class CircomClient(ClientTest):
    def test_prove_remote_writes_what_prove_writes(self):
        told = self.told("prove", "--remote", self.service.address, "tiny", self.witness(), self.proof, self.public)
        self.assertEqual((told["proved"], told["circuit"], told["partitions"], told["kind"]), (True, "tiny", [0], "circom"))
        self.assertEqual((told["proof"], told["public"]), (str(self.proof), str(self.public)))
        self.assertIn("total_seconds", told["phases"])
        self.cuzk("verify", TINY / "verification_key.json", self.public, self.proof)
        local = self.folder / "local.json", self.folder / "local-public.json"
        self.cuzk("prove", TINY / "circuit.zkey", self.witness(), *local)
        self.assertEqual(self.public.read_bytes(), local[1].read_bytes())
        form = lambda path: [line.lstrip(" ")[:1] for line in path.read_text().splitlines()]
        self.assertEqual(form(self.proof), form(local[0]))
        text = self.client("prove", "--remote", self.service.address, "tiny", self.witness(), "/dev/stdout").stdout
        self.assertIn("pi_a", json.loads(text))

    def test_submit_await_jobs(self):
        job = self.client("submit", "--key", "tiny", self.witness(), "--label", "mine", "--priority", "low").stdout.strip()
        told = self.told("await", job, "--out", self.proof, "--public", self.public, "--timeout", "60s")
        self.assertEqual((told["job_id"], told["proved"]), (job, True))
        self.cuzk("verify", TINY / "verification_key.json", self.public, self.proof)
        listed = {found["job_id"]: found for found in self.told("jobs", "--partitions")["jobs"]}[job]
        self.assertEqual((listed["label"], listed["state"], listed["priority"]), ("mine", "completed", "low"))
        self.assertEqual([partition["stage"] for partition in listed["progress"]], ["done"])
        self.assertEqual(self.told("jobs", "--state", "running,accepted")["jobs"], [])
        self.assertEqual(self.told("jobs", "--kind", "porep-c2")["jobs"], [])
        self.assertIn(job, self.client("jobs").stdout)
        self.assertEqual(self.told("cancel", job), {"job_id": job, "was_running": False})
        again = self.told("submit", "--key", "tiny", self.witness())
        self.assertEqual(again["job_id"], job)  # the same content

    def test_whose_fault_a_failed_proof_is(self):
        remote = ("prove", "--remote", self.service.address, "tiny")
        error = self.error(*remote, self.witness(c=34), self.proof, status=1, code="unsatisfied")
        self.assertIn("caller", error["message"])
        other = self.folder / "other.wtns"
        other.write_bytes(self.witness().read_bytes()[:-1])
        self.error(*remote, other, self.proof, status=3, code="malformed")
        error = self.error("prove", "--remote", self.service.address, "nokey", self.witness(), self.proof, status=None)
        self.assertIn("nokey", error["message"])
        window = self.folder / "window.json"
        window_public = self.folder / "window-public.json"
        self.cuzk("gen-vanilla", "--kind", "window", "--out", window, "--public", window_public)
        error = self.error("prove", "--remote", self.service.address, "--kind", "window", "--vanilla", window, "--public",
                           window_public, status=4, code="not_found")  # its key is missing: the service can get it
        self.assertIn("transient", error["message"])
        self.assertFalse(self.proof.exists())

    def test_an_output_that_cannot_be_written_is_told_before_the_work(self):
        self.proof = self.folder / "no/such/folder/proof.json"
        error = self.error("prove", "--remote", self.service.address, "tiny", self.witness(), self.proof, code="not_found")
        self.assertEqual(error["file"], str(self.proof))
        self.assertEqual(self.told("jobs")["jobs"], [])

    def test_unknown_jobs_and_circuits(self):
        for command in (("await", "nobody"), ("cancel", "nobody"), ("preload", "porep-3k")):
            done = self.client("--json", *command, status=7)
            self.assertEqual(json.loads(done.stdout)["code"], "not_found")

    def test_preload_and_evict(self):
        self.assertEqual(self.told("preload", "tiny")["already_loaded"], False)
        self.assertEqual(self.told("preload", "-c", "tiny")["already_loaded"], True)
        keys = {key["circuit_id"]: key for key in self.told("status")["keys"]}
        self.assertEqual(keys["tiny"]["tier"], "hot")
        freed = self.told("evict", "tiny")
        self.assertTrue(freed["was_loaded"] and freed["freed_bytes"] == keys["tiny"]["size_bytes"])
        for circuit in ("tiny", "porep-3k"):
            self.assertEqual(self.told("evict", circuit), {"circuit": circuit, "was_loaded": False, "freed_bytes": 0})

    def test_status_devices_metrics_top_agree(self):
        self.client("prove", "--remote", self.service.address, "tiny", self.witness(), self.proof)
        status = self.told("status")
        self.assertEqual((status["completed"], status["failed"], status["accepting"]), (1, 0, True))
        self.assertEqual(status["memory"]["total_bytes"], 1 << 30)
        self.assertEqual({queue["proof_kind"] for queue in status["queues"]},
                         {"circom", "porep-c2", "snap-update", "window-post", "winning-post"})
        devices = self.told("devices")["devices"]
        self.assertEqual((devices[0]["is_cpu"], devices[0]["in_service"], devices[0]["proofs"]), (True, True, 1))
        self.assertIn("cuzk_proofs_completed_total 1\n", self.client("metrics").stdout)
        self.assertIn("cuzk_proofs_completed_total 1\n", self.told("metrics")["prometheus_text"])
        top = self.told("top")
        self.assertEqual(top["status"]["completed"], 1)
        self.assertEqual([job["state"] for job in top["jobs"]], ["completed"])
        for text in (self.client("status").stdout, self.client("top", "--once").stdout):
            self.assertIn("cpu", text)
            self.assertIn("1 completed" if "jobs    " in text else "1 jobs completed", text)

    def test_with_retry_a_service_that_is_started_again_is_waited_for(self):
        self.service.stop()
        submit = ("submit", "--key", "tiny", self.witness())
        self.error(*submit, status=6, code="unavailable", environment=self.environment)
        retrying = self.started("--json", *submit, "--retry", "10m")
        self.service.start().wait_ready()
        job = json.loads(self.end_of(retrying))["job_id"]
        self.client("await", job, "--out", self.proof, "--public", self.public, "--retry", "10m")
        self.cuzk("verify", TINY / "verification_key.json", self.public, self.proof)

    def test_names_steer_no_terminal(self):
        self.client("submit", "--key", "tiny", self.witness(), "--label", "\033[2Jevil\x07")
        for command in (("jobs",), ("top", "--once")):
            self.assertNotIn("\033", self.client(*command).stdout)

    def test_tokens(self):
        token = self.folder / "token"
        token.write_text("secret\n")
        service = self.daemon(f'[daemon]\nlisten = "127.0.0.1:0"\ntoken_file = "{token}"', name="other").wait_ready()
        self.cuzk("status", "-a", service.address, "--token-file", token)
        self.cuzk("status", "--address", f"http://{service.address}", "--token-file", token)
        self.assertIn("Bearer", self.error("status", "-a", service.address, status=2)["message"])


class NoService(DaemonTest):
    def test_nobody_answers(self):
        address = f"unix://{self.folder}/none.sock"
        for command in (("status",), ("await", "job"), ("cancel", "job"), ("jobs",), ("devices",), ("metrics",),
                        ("preload", "porep-2k"), ("evict", "porep-2k"), ("top", "--once"),
                        ("submit", "--key", "tiny", TINY / "witness.wtns"),
                        ("bench", "single", "--key", "tiny", "--wtns", TINY / "witness.wtns")):
            error = self.error(*command, "--address", address, status=6, code="unavailable")
            for text in ("none.sock", "No such file", "cuzk serve", "CUZK_ADDRESS"):
                self.assertIn(text, error["message"])
        self.error("prove", "--remote", address, "tiny", TINY / "witness.wtns", self.proof, status=6)
        self.assertFalse(self.proof.exists())
        self.error("status", "-a", "127.0.0.1:1", status=6)
        self.assertIn("Connection refused", self.error("status", "-a", "127.0.0.1:1", status=6)["message"])

    def test_what_is_no_address(self):
        self.assertIn("no port", self.error("status", "-a", "localhost", status=2, code="invalid_argument")["message"])
        self.error("status", environment={"CUZK_ADDRESS": "unix://relative"}, status=2)
        self.error("status", "-a", "localhost:1", "--token-file", self.folder / "none", status=3, code="not_found")


class FilecoinClient(ClientTest):
    def setUp(self):
        self.keys = development_keys("winning-2k")
        self.config = f'{circom_config()}[srs]\nparam_cache = "{self.keys}"'
        super().setUp()
        self.vanilla = self.folder / "winning.json"
        self.cuzk("gen-vanilla", "--kind", "winning", "--out", self.vanilla, "--public", self.public)

    def submit(self, miner, *more):
        """Another content for each miner, and the same proof."""
        return self.told("submit", "--kind", "winning", "--vanilla", self.vanilla, "--public", self.public, "--miner-id",
                         miner, *more)["job_id"]

    def test_prove_remote(self):
        told = self.told("prove", "--remote", self.service.address, "--kind", "winning", "--vanilla", self.vanilla, "--public",
                         self.public, "--out", self.proof)
        self.assertEqual((told["circuit"], told["kind"], told["proof_bytes"]), ("winning-2k", "winning-post", 192))
        self.cuzk("verify", "--kind", "winning", "--public", self.public, "--proof", self.proof, "--params", self.keys)
        public = json.loads(self.public.read_text())
        told = self.told("submit", "-t", "winning-post", "--vanilla", self.vanilla, "--registered-proof",
                         public["registered_proof_number"], "--randomness", public["randomness"], "--miner-id", 1000)
        self.client("await", told["job_id"], "--out", self.proof)
        self.cuzk("verify", "--kind", "winning", "--public", self.public, "--proof", self.proof, "--params", self.keys)
        error = self.error("await", told["job_id"], "--out", self.proof, "--public", self.folder / "x.json", status=2,
                           environment=self.environment)
        self.assertIn("no file of public inputs", error["message"])

    def test_timeout_cancel_and_interruption(self):
        jobs = [self.submit(miner) for miner in range(1, 7)]
        error = self.error("await", jobs[-1], "--timeout", "10ms", status=8, code="deadline", environment=self.environment)
        self.assertIn("goes on", error["message"])
        waiting = self.started("await", jobs[-1])
        self.service.wait_for(lambda record: record.get("job") == jobs[0] and record["message"] == "witness")
        time.sleep(0.2)
        waiting.send_signal(signal.SIGINT)
        self.assertIn(f"cuzk await {jobs[-1]}", self.end_of(waiting, 4))
        for job in reversed(jobs):
            self.client("cancel", job)
        self.assertIn("was cancelled", self.error("await", jobs[-1], status=4, code="cancelled",
                                                  environment=self.environment)["message"])

    def test_with_retry_a_killed_service_is_waited_for(self):
        self.submit(1)
        remote = ("prove", "--remote", self.service.address, "--kind", "winning", "--vanilla", self.vanilla, "--public", self.public,
                  "--label", "mine")
        proving = self.started(*remote, "--retry", "10m", "--out", self.proof)
        self.service.wait_for(lambda record: record.get("job") == "mine")
        self.service.kill()
        self.service.start().wait_ready()
        self.end_of(proving)
        self.cuzk("verify", "--kind", "winning", "--public", self.public, "--proof", self.proof, "--params", self.keys)

    def test_a_job_is_followed_across_a_restart(self):
        jobs = [self.submit(miner) for miner in range(1, 11)]
        screen = Screen(["await", jobs[-1], "--retry", "10m"], self.environment)
        self.addCleanup(screen.close)
        screen.read_until(b"winning-2k: ")
        self.service.kill()
        self.service.start().wait_ready()
        screen.read_until(b"winning-2k: ", since=len(screen.output))
        for job in reversed(jobs):
            self.client("cancel", job)
        self.assertEqual(screen.end(), 4)

    def test_deadlines(self):
        for miner in range(1, 5):
            self.submit(miner)
        without, late, hasty = self.submit(5), self.submit(6, "--deadline", "1h"), self.submit(7, "--deadline", "1ms")
        failed = self.error("await", hasty, status=4, environment=self.environment)
        self.assertIn("its deadline has passed", failed["message"])
        for job in (without, late):
            self.client("await", job)
        ends = [record["job"] for record in self.service.log if record["message"].startswith("completed")]
        self.assertLess(ends.index(late), ends.index(without))

    def test_bench(self):
        single = self.told("bench", "single", "-t", "winning", "--vanilla", self.vanilla, "--public", self.public)
        self.assertEqual((single["mode"], single["completed"], single["asked"]), ("single", 1, 1))
        flags = ("--key", "tiny", "--wtns", TINY / "witness.wtns")
        batch = self.told("bench", "-a", self.service.address, "--log-level", "info", "batch", *flags, "-c", 5, "-j", 2)
        self.assertEqual((batch["completed"], batch["concurrency"]), (5, 2))
        self.assertEqual(self.told("status")["completed"], 6)  # each was proved
        measured = batch["latency_seconds"]
        self.assertTrue(0 < measured["min"] <= measured["p50"] <= measured["p90"] <= measured["p99"] <= measured["max"])
        self.assertGreater(batch["proofs_per_minute"], 0)
        same = self.told("bench", "batch", "--same", *flags, "-c", 3)
        self.assertEqual((same["completed"], self.told("status")["completed"]), (3, 7))
        self.assertIn("P99", self.client("bench", "single", *flags).stdout)

    def test_bench_stress(self):
        self.witness()
        load = self.folder / "load.toml"
        load.write_text('[winning]\nkind = "winning"\nvanilla = "winning.json"\npublic = "public.json"\n'
                        '[tiny]\nkey = "tiny"\nwtns = "witness.wtns"\nweight = 9\n')
        told = self.told("bench", "stress", "--workload", load, "-c", 20, "-j", 8, "--seed", 5)
        self.assertEqual((told["completed"], told["failed"]), (20, {"caller": 0, "transient": 0, "defect": 0}))
        counts = {proof["name"]: proof["latency_seconds"]["count"] for proof in told["proofs"]}
        self.assertEqual(sum(counts.values()), 20)
        self.assertTrue(0 < counts["winning"] < counts["tiny"], counts)
        self.witness(c=34)
        told = self.told("bench", "stress", "--key", "tiny", "--wtns", self.folder / "witness.wtns", "-c", 4, "-j", 2, status=3)
        self.assertEqual((told["completed"], told["failed"]["caller"], len(told["errors"])), (0, 4, 1))


class Screen:
    """A program on a terminal of its own."""

    def __init__(self, arguments, environment, columns=100, rows=30):
        self.master, self.slave = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen([PROGRAM, *arguments], stdin=self.slave, stdout=self.slave, stderr=self.slave,
                                        env={**os.environ, **environment}, process_group=0)
        self.output = b""

    def resize(self, columns, rows):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read_until(self, text, since=0):
        end = time.monotonic() + SECONDS
        while text not in self.output[since:]:
            self._read(0.1)
            if time.monotonic() > end:
                raise AssertionError(f"{text!r} is not in {self.output!r}")
        return len(self.output)

    def _read(self, patience):
        ready, _, _ = select.select([self.master], [], [], patience)
        if ready:
            self.output += os.read(self.master, 65536)

    def press(self, key):
        os.write(self.master, key)

    def end(self):
        """The exit status; everything that it wrote is in `output`."""
        deadline = time.monotonic() + SECONDS
        while self.process.poll() is None and time.monotonic() < deadline:
            self._read(0.05)
        for _ in range(3):
            self._read(0.05)
        return self.process.wait(1)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)


class Top(ClientTest):
    def screen(self, *arguments, **more):
        screen = Screen(["top", "--interval", "100ms", *arguments], self.environment, **more)
        self.addCleanup(screen.close)
        return screen

    def assert_restored(self, screen):
        self.assertGreater(screen.output.rfind(b"\033[?1049l"), screen.output.rfind(b"\033[?1049h"))
        self.assertGreater(screen.output.rfind(b"\033[?25h"), screen.output.rfind(b"\033[?25l"))
        self.assertEqual(termios.tcgetattr(screen.slave), screen.before)

    def test_shows_jobs_follows_the_size_and_ends(self):
        screen = self.screen()
        screen.read_until(b"0 completed")
        raw = termios.tcgetattr(screen.slave)
        self.assertEqual(raw[3] & (termios.ICANON | termios.ECHO), 0)
        job = self.client("submit", "--key", "tiny", self.witness()).stdout.strip()
        seen = screen.read_until(job.encode())
        screen.resize(30, 5)
        os.killpg(screen.process.pid, signal.SIGWINCH)
        end = screen.read_until(b"\033[H", seen)
        end = screen.read_until(b"\033[J", end)
        screen.read_until(b"\033[J", end)
        last = screen.output.split(b"\033[H")[-2]
        self.assertLessEqual(last.count(b"\r\n"), 4)
        screen.press(b"q")
        self.assertEqual(screen.end(), 0)
        self.assert_restored(screen)

    def test_signals_leave_the_terminal_as_it_was(self):
        for number, status in ((signal.SIGINT, 0), (signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGQUIT, -signal.SIGQUIT),
                               (signal.SIGABRT, -signal.SIGABRT)):
            screen = self.screen()
            screen.read_until(b"0 completed")
            screen.process.send_signal(number)
            self.assertEqual(screen.end(), status, number)
            self.assert_restored(screen)

    def test_suspended_and_continued(self):
        screen = self.screen()
        screen.read_until(b"0 completed")
        screen.process.send_signal(signal.SIGTSTP)
        seen = screen.read_until(b"\033[?1049l")
        pid, state = os.waitpid(screen.process.pid, os.WUNTRACED)
        self.assertTrue(os.WIFSTOPPED(state), pid)
        self.assertEqual(termios.tcgetattr(screen.slave), screen.before)
        screen.process.send_signal(signal.SIGCONT)
        screen.read_until(b"\033[?1049h", seen)
        screen.press(b"q")
        self.assertEqual(screen.end(), 0)
        self.assert_restored(screen)

    def test_a_service_that_goes_and_comes_again(self):
        screen = self.screen()
        screen.read_until(b"0 completed")
        self.service.kill()
        seen = screen.read_until(b"no service answers")
        self.service.start().wait_ready()
        end = screen.read_until(b"\033[7mcuzk", seen)
        deadline = time.monotonic() + SECONDS
        while b"no service answers" in screen.output[end:] and time.monotonic() < deadline:
            end = screen.read_until(b"\033[J", len(screen.output))
        screen.press(b"q")
        self.assertEqual(screen.end(), 0)

    def test_without_a_terminal(self):
        self.assertIn("no terminal", self.client("top", status=3).stderr)


if __name__ == "__main__":
    unittest.main()
