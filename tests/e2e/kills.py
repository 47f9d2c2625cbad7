"""Kills a daemon again and again at drawn moments, and judges what it had accepted.

    python3 kills.py [--kills 200] [--seed N] [--report FILE]

A life: the daemon starts on the journal of the last one, clients keep enough jobs open, and when the log tells the drawn
state the process gets SIGKILL. After the last life one more ends everything in peace. Then:

  nothing lost      every job that was accepted, in whichever life, has its result
  nothing twice     all results ever seen of one content are the same bytes, and no job was completed in two lives
  all proofs good   another process of cuzk verifies each; snarkjs some

The state in which a life ended is read from the whole log after the death, so what counts is where the kill really hit."""
import argparse
import collections
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import threading
import time

import keys
import packages
from daemon import Daemon
from foreign import CallError, ForeignClient
from work import CircomWork, FilecoinWork, circom_config, proof_bytes

STATES = ("accepted", "witness", "queued", "on device", "finishing", "delivering")
LEAST_HITS = 2  # of each state
OPEN_JOBS = 8
WITHIN = 90  # seconds, for the drawn state to come

CONFIG = """
[daemon]
status_listen = ""
[srs]
param_cache = "{keys}"
"""


def state_of(message):
    """The state that a line of the log tells; None: the job has ended, or it tells none."""
    if message.startswith("on device"):
        return "on device"
    return {"accepted": "accepted", "taken over": "accepted", "decoding": "accepted", "witness": "witness",
            "queued": "queued", "finishing": "finishing", "verifying": "finishing", "partition proved": "finishing",
            "delivering": "delivering"}.get(message)


def has_ended(message):
    return message.startswith(("completed", "failed", "cancelled"))


class DoomedDaemon(Daemon):
    """Gets SIGKILL when the log tells a state for the n-th time: in the thread that reads the log, so without delay."""

    def __init__(self, folder, config, state=None, skip=0):
        self.state, self.left = state, skip
        self.open = set()
        self.fired = threading.Event()
        super().__init__(folder, config)

    def wait_listening_or_dead(self):
        """What a former life left goes on before the daemon listens, and so may its end."""
        with self.changed:
            self.changed.wait_for(lambda: self.ended or any(r["message"].startswith("listening on") for r in self.log), WITHIN)

    def heard(self, record):
        job, message = record.get("job"), record["message"]
        if has_ended(message):
            self.open.discard(job)
        elif state_of(message):
            self.open.add(job)
        if self.state is None or self.fired.is_set() or state_of(message) != self.state:
            return
        if self.left <= 0:
            self.signal(signal.SIGKILL)
            self.fired.set()
        self.left -= 1


class Entry:
    """A content, and all that the lives told of it."""

    def __init__(self, work):
        self.work = work
        self.job_id = None  # of an accepted one
        self.results = []   # (life, proof)

    def accept(self, job_id):
        assert self.job_id in (None, job_id), f"one content, two jobs: {self.job_id} and {job_id}"
        self.job_id = job_id


class Killing:
    def __init__(self, folder, seed, say=print):
        self.folder, self.say = folder, say
        self.random = random.Random(seed)
        self.keys = keys.development_keys("winning-2k", "wpost-2k")
        self.config = CONFIG.format(folder=folder, keys=self.keys) + circom_config()
        self.entries = []
        self.lives = 0
        self.hits = collections.Counter()
        self.completed = collections.Counter()  # job id -> lives that told its end
        self.pending = []  # (entry, call of AwaitProof)
        self.daemon = None  # that lives
        self.client = ForeignClient(f"unix://{folder}/daemon/cuzk.sock")

    def close(self):
        self.client.close()
        if self.daemon is not None and self.daemon.process.poll() is None:
            self.daemon.kill()

    def new_work(self):
        number = len(self.entries) + 1
        kind = self.random.choice(("winning", "window", "window", "circom"))
        if kind == "circom":
            return CircomWork(number, 1000003, label=f"circom-{number}")
        return FilecoinWork(kind, number, self.folder, self.keys)

    def submit(self, entry):
        """True when the daemon said that it is accepted; False when it was gone."""
        try:
            answer = self.client.call(entry.work.submit, entry.work.request, timeout=60)
        except CallError as error:
            if error.code not in ("UNAVAILABLE", "CANCELLED"):
                raise
            return False
        entry.accept(answer["job_id"])
        self.await_proof(entry)
        return True

    def await_proof(self, entry):
        """As its client would."""
        self.pending.append((entry, self.client.start("AwaitProof", {"job_id": entry.job_id})))

    def collect(self, timeout):
        """Results that came; those of a dead daemon are errors."""
        pending, self.pending = self.pending, []
        for entry, call in pending:
            try:
                response = call.result(timeout)
            except CallError as error:
                assert error.code in ("UNAVAILABLE", "CANCELLED"), f"{entry.job_id}: {error}"
                continue
            assert response["status"] == "COMPLETED", f"{entry.job_id}: {response}"
            entry.results.append((self.lives, proof_bytes(response)))

    def start(self, state=None):
        self.lives += 1
        # "accepted" is told for each open job, the others for as many as the machine has room for.
        skip = self.random.randrange(OPEN_JOBS if state == "accepted" else 3)
        daemon = self.daemon = DoomedDaemon(self.folder / "daemon", self.config, state, skip)
        daemon.wait_listening_or_dead()
        try:
            self.client.call("GetStatus", patient=True, deadline_ms=2000)  # the connection is there again
        except CallError as error:
            assert daemon.fired.is_set(), f"{error}; the log:\n{daemon.text()}"
        for entry in self.entries:
            if entry.job_id and not entry.results:
                self.await_proof(entry)
        return daemon

    def fill(self, daemon):
        """Submits again what a dead daemon never answered, then new work, until enough jobs are open."""
        for entry in self.entries:
            if entry.job_id is None and not self.submit(entry):
                return
        while len(daemon.open) < OPEN_JOBS and not daemon.fired.is_set():
            self.entries.append(Entry(self.new_work()))
            if not self.submit(self.entries[-1]):
                return

    def life(self, state):
        """One life, to its end while the log tells this state."""
        daemon = self.start(state)
        end = time.monotonic() + WITHIN
        while not daemon.fired.wait(0.05) and time.monotonic() < end:
            assert not daemon.ended or daemon.fired.is_set(), f"the daemon ended by itself:\n{daemon.text()}"
            self.fill(daemon)
        daemon.kill()
        self.collect(timeout=30)
        self.judge_life(daemon, state)

    def judge_life(self, daemon, state):
        last = {}
        for record in daemon.log:
            job, message = record.get("job"), record["message"]
            if job is None:
                continue
            if has_ended(message):
                self.completed[job] += message.startswith("completed")
                last.pop(job, None)
            elif state_of(message):
                last[job] = state_of(message)
        at_death = collections.Counter(last.values())
        hit = daemon.fired.is_set() and at_death[state] > 0
        self.hits[state] += hit
        told = ", ".join(f"{count} {name}" for name, count in at_death.items()) or "none open"
        self.say(f"kill {self.lives}: {state}{'' if hit else ' (missed)'}; jobs at the death: {told}")

    def run(self, kills):
        drawn = list(STATES) * LEAST_HITS
        drawn += self.random.choices(STATES, k=max(0, kills - len(drawn)))
        self.random.shuffle(drawn)
        for state in drawn:
            self.life(state)
        for _ in range(5 * len(STATES)):  # what was missed
            missed = [state for state in STATES if self.hits[state] < LEAST_HITS]
            if not missed:
                break
            self.life(missed[0])
        self.say("hits: " + ", ".join(f"{state} {self.hits[state]}" for state in STATES))
        for state in STATES:
            assert self.hits[state] >= LEAST_HITS, f"{state} was hit {self.hits[state]} times"

    def settle(self):
        """The last life, without a kill: everything ends, and is asked for a second time."""
        daemon = self.start()
        for entry in self.entries:
            if entry.job_id is None:
                self.submit(entry)
        self.collect(timeout=300)
        for entry in self.entries:
            assert entry.job_id and entry.results, f"lost: {entry.work.request['request_id']}"
        for entry in self.entries:
            self.submit(entry)  # the same job, or accept() complains
        self.collect(timeout=300)
        assert daemon.stop() == 0
        self.judge_results()

    def judge_results(self):
        snarkjs_left = 3
        for entry in self.entries:
            proofs = {proof for _, proof in entry.results}
            assert len(proofs) == 1, f"{entry.job_id}: {len(proofs)} results: {entry.results}"
            assert self.completed[entry.job_id] <= 1, f"{entry.job_id} was completed {self.completed[entry.job_id]} times"
            if entry.work.kind == "circom":
                entry.work.verify(proofs.pop(), self.folder, judge=packages.snarkjs_verify if snarkjs_left > 0 else None)
                snarkjs_left -= 1
            else:
                entry.work.verify(proofs.pop(), self.folder)
        self.say(f"{self.lives - 1} kills, {len(self.entries)} jobs, none lost, none twice, all proofs verified")


def kill_and_judge(kills, seed, say=print):
    begin = time.monotonic()
    say(f"seed {seed}")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cuzk-kill-"))
    killing = Killing(folder, seed, say)
    try:
        killing.run(kills)
        killing.settle()
    finally:
        killing.close()
        shutil.rmtree(folder, ignore_errors=True)
    say(f"{time.monotonic() - begin:.1f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--report", type=pathlib.Path, default=pathlib.Path(os.devnull), help="a file for what is printed")
    options = parser.parse_args()
    with options.report.open("w", encoding="utf-8") as report:
        def say(text):
            print(text, flush=True)
            print(text, file=report, flush=True)
        kill_and_judge(options.kills, options.seed, say)
    return 0


if __name__ == "__main__":
    sys.exit(main())
