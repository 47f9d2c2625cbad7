"""Accepted jobs when something else has changed: the key, what is registered, the process again and again."""
import shutil
import signal
import unittest

import keys
import work
from daemon import DaemonTest
from foreign import CallError, ForeignClient
from program import TINY


class FormerJobsTest(DaemonTest):
    def tiny_key(self, path):
        return f'[circom.keys]\ntiny = "{path}"\n'

    def prove(self, client, job):
        """(job id, answer)"""
        job_id = client.call(job.submit, job.request)["job_id"]
        return job_id, client.call("AwaitProof", {"job_id": job_id})

    def test_a_new_key_gets_proofs_of_its_own(self):
        key, vkey = self.folder / "tiny.zkey", self.folder / "new.json"
        shutil.copy(TINY / "circuit.zkey", key)
        daemon = self.daemon(self.tiny_key(key)).wait_ready()
        with ForeignClient(daemon.address) as client:
            job = work.CircomWork(3, 5, label="one")
            self.assertEqual(self.prove(client, job)[0], "one")
        self.assertEqual(daemon.stop(), 0)
        key.unlink()
        self.cuzk("setup", TINY / "circuit.r1cs", key, vkey)
        daemon.start().wait_ready()
        with ForeignClient(daemon.address) as client:
            job_id, answer = self.prove(client, job)
            self.assertEqual(job_id, "one#2")
            job.vkey = vkey
            job.verify(work.proof_bytes(answer), self.folder)
        self.assertEqual(daemon.stop(), 0)

    def test_a_new_key_of_filecoin_gets_proofs_of_its_own(self):
        params = self.folder / "params"
        shutil.copytree(keys.development_keys("winning-2k"), params)
        daemon = self.daemon(f'[srs]\nparam_cache = "{params}"\n').wait_ready()
        job = work.FilecoinWork("winning", 1, self.folder, params, label="one")
        with ForeignClient(daemon.address) as client:
            job_id, answer = self.prove(client, job)
            job.verify(work.proof_bytes(answer), self.folder)
        self.assertEqual(daemon.stop(), 0)
        self.cuzk("setup", "--circuit", "winning-2k", "--out", f"{params}/")
        daemon.start().wait_ready()
        with ForeignClient(daemon.address) as client:
            again, answer = self.prove(client, job)
            self.assertNotEqual(again, job_id)
            job.verify(work.proof_bytes(answer), self.folder)
        self.assertEqual(daemon.stop(), 0)

    def test_a_key_that_is_dropped_serves_its_open_jobs(self):
        daemon = self.daemon(self.tiny_key(TINY / "circuit.zkey")).wait_ready()
        jobs = [work.CircomWork(number, 7, label=f"job-{number}") for number in range(2, 62)]
        with ForeignClient(daemon.address) as client:
            submits = [client.start(job.submit, job.request) for job in jobs]
            ids = [call.result()["job_id"] for call in submits]
            daemon.write_config("")
            daemon.signal(signal.SIGHUP)
            daemon.wait_for("reloaded")
            for job, job_id in zip(jobs, ids):
                answer = client.call("AwaitProof", {"job_id": job_id})
                self.assertEqual(answer["status"], "COMPLETED", answer)
            job.verify(work.proof_bytes(answer), self.folder)
            late = work.CircomWork(2, 3)
            with self.assertRaisesRegex(CallError, "NOT_FOUND.*no registered key tiny"):
                client.call(late.submit, late.request)
        self.assertEqual(daemon.stop(), 0)

    def test_a_job_that_processes_die_of_goes_on(self):
        params = keys.development_keys("winning-2k")
        daemon = self.daemon(f'[srs]\nparam_cache = "{params}"\n').wait_ready()
        job = work.FilecoinWork("winning", 1, self.folder, params, label="unlucky")
        with ForeignClient(daemon.address) as client:
            client.call(job.submit, job.request)
        for end in (signal.SIGKILL, signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT):
            daemon.wait_for(lambda record: record["message"] == "witness")
            daemon.signal(end)
            self.assertEqual(daemon.wait(), -end)
            daemon.start()
        daemon.wait_ready()
        words = [path.read_text() for path in self.folder.rglob("*.owner.*")]
        self.assertEqual(sorted(filter(None, words)), ["06", "11"])
        with ForeignClient(daemon.address) as client:
            answer = client.call("AwaitProof", {"job_id": "unlucky"})
            self.assertEqual(answer["status"], "COMPLETED", answer)
            job.verify(work.proof_bytes(answer), self.folder)
        self.assertEqual(daemon.stop(), 0)


if __name__ == "__main__":
    unittest.main()
