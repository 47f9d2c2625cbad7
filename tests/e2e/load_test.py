"""A daemon under many clients: mixed kinds at once, little memory, cancellations, thousands of small jobs."""
import json
import os
import random
import threading
import time
import unittest

import keys
import packages
from daemon import DaemonTest
from foreign import CallError, ForeignClient
from observe import TOLERANCE, MemorySampler, assert_monotonic, get_json, parse_metrics, resident_bytes
from work import CircomWork, FilecoinWork, circom_config, proof_bytes

MIB = 1 << 20


def seeded():
    seed = int(os.environ.get("CUZK_SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"seed {seed}", flush=True)
    return random.Random(seed)


class LoadTest(DaemonTest):
    def serve(self, circuits, budget, more="", max_payloads=64 * MIB, **memory):
        self.keys = keys.development_keys(*circuits)
        table = "".join(f"{name} = {json.dumps(value)}\n" for name, value in
                        {"total_budget": budget, "max_payloads": max_payloads, **memory}.items())
        text = f'[memory]\n{table}[srs]\nparam_cache = "{self.keys}"\n' + circom_config() + more
        served = self.daemon(text).wait_ready()
        self.client = ForeignClient(served.address)
        self.addCleanup(self.client.close)
        return served

    def work(self, kind, seed, **fields):
        return FilecoinWork(kind, seed, self.folder, self.keys, **fields)

    def submit(self, work, channel=0):
        return self.client.call(work.submit, work.request, channel=channel)["job_id"]

    def proof_of(self, job, channel=0, timeout=600):
        result = self.client.call("AwaitProof", {"job_id": job}, channel=channel, timeout=timeout)
        self.assertEqual(result["status"], "COMPLETED", result)
        return proof_bytes(result)

    def assert_at_rest(self, served):
        """Nothing is open and nothing is held but what is resident."""
        deadline = time.monotonic() + 30
        while True:
            status = get_json(served)
            held = sum(entry["bytes"] for kind in ("srs", "pce") for entry in status["allocations"][kind])
            held += status["memory"]["by_tag"]["payload"]  # set aside from start to end
            idle = status["memory"]["used_bytes"] - held
            busy = [queue for queue in status["queues"] if queue["length"]]
            busy += [device for device in status["devices"] if device["in_flight"]]
            if not busy:
                pool = status["pool"]
                if idle <= (pool["free_bytes"] if pool else 0) or time.monotonic() > deadline:
                    break
            self.assertLess(time.monotonic(), deadline, status)
            time.sleep(0.1)
        self.assertLessEqual(idle, status["pool"]["free_bytes"] if status["pool"] else 0, status["memory"])
        if status["pool"]:
            self.assertEqual(status["pool"]["in_use_bytes"], 0)


class MixedLoad(LoadTest):
    CLIENTS = 16
    SECONDS = 20
    BUDGET = 2560 * MIB  # little: keys and circuits must make room for each other

    def test_sixteen_clients_with_all_kinds(self):
        """All proofs are judged by other processes; resident memory stays within the budget."""
        served = self.serve(keys.ALL, self.BUDGET, eviction_min_idle="1s")
        sampler = MemorySampler(served.process.pid)
        chance = seeded()
        self.proofs, self.faults, self.mutex = [], [], threading.Lock()
        clients = [threading.Thread(target=self.run_client, args=(number, random.Random(chance.random())))
                   for number in range(self.CLIENTS)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        most = sampler.stop()
        self.assertEqual(self.faults, [])
        self.judge()
        status = get_json(served)
        print(f"{len(self.proofs)} answers; resident at most {most // MIB} MiB in {sampler.samples} samples, budget "
              f"{self.BUDGET // MIB} MiB, accounted at most {status['memory']['peak_bytes'] // MIB} MiB")
        self.assertLessEqual(most, self.BUDGET + TOLERANCE)
        self.assertLessEqual(status["memory"]["peak_bytes"], self.BUDGET)
        self.assert_at_rest(served)
        self.assertEqual(served.stop(), 0)

    def run_client(self, number, chance):
        try:
            first = dict(enumerate(("porep", "snap", "winning", "window", "circom"))).get(number)
            end = time.monotonic() + self.SECONDS
            while first or time.monotonic() < end:
                self.one_job(number, first or chance.choice(("winning", "window", "window", "circom", "circom")), chance)
                first = None
        except BaseException as error:  # pylint: disable=broad-exception-caught
            with self.mutex:
                self.faults.append(f"client {number}: {error!r}")

    def one_job(self, number, kind, chance):
        """Contents are few, so that clients meet: by Prove, or submitted and awaited with short patience."""
        content = chance.randrange(1, 40)
        work = CircomWork(content, 99) if kind == "circom" else self.made(kind, content if kind != "snap" else 1)
        if kind != "circom" and chance.random() < 0.5:
            result = self.client.call("Prove", {"submit": work.request}, channel=number, timeout=600)["result"]
        else:
            job = self.submit(work, number)
            result = {"status": "TIMEOUT"}
            while result["status"] == "TIMEOUT":
                request = {"job_id": job, "timeout_ms": chance.randrange(50, 3000)}
                result = self.client.call("AwaitProof", request, channel=number)
        if result["status"] != "COMPLETED":
            raise AssertionError(result)
        with self.mutex:
            self.proofs.append((work, proof_bytes(result)))

    def made(self, kind, content):
        with self.mutex:
            return self.work(kind, content)

    def judge(self):
        """One content has one proof; every proof is good."""
        by_content = {}
        for work, proof in self.proofs:
            name = (work.kind, json.dumps(work.request, default=str))
            self.assertEqual(by_content.setdefault(name, (work, proof))[1], proof, name)
        snarkjs_left = 3
        for work, proof in by_content.values():
            if work.kind == "circom" and snarkjs_left > 0:
                snarkjs_left -= 1
                work.verify(proof, self.folder, judge=packages.snarkjs_verify)
            else:
                work.verify(proof, self.folder)
        self.assertLessEqual({"porep", "snap", "winning", "window", "circom"}, {work.kind for work, _ in self.proofs})


class LittleMemory(LoadTest):
    JOBS = 12

    def test_a_quarter_of_what_all_jobs_need_is_enough(self):
        """What one job needs is measured; then the queue of all meets a quarter of the sum."""
        served = self.serve(("wpost-2k",), 4096 * MIB, max_payloads=4 * MIB)
        self.proof_of(self.submit(self.work("window", 1)))
        status = get_json(served)
        resident = sum(entry["bytes"] for kind in ("srs", "pce") for entry in status["allocations"][kind])
        resident += status["memory"]["by_tag"]["payload"]
        one = status["memory"]["peak_bytes"] - resident
        self.assertEqual(served.stop(), 0)
        self.client.close()

        quarter = (resident + self.JOBS * one) // 4
        budget = max(quarter, resident + one)
        print(f"resident {resident // MIB} MiB, a partition {one // MIB} MiB, budget {budget // MIB} MiB")
        self.assertEqual(budget, quarter)  # else the test would show nothing
        served = self.serve(("wpost-2k",), budget, max_payloads=4 * MIB)
        sampler = MemorySampler(served.process.pid)
        works = [self.work("window", 100 + number) for number in range(self.JOBS)]
        jobs = [self.submit(work, channel=number % 4) for number, work in enumerate(works)]
        for work, job in zip(works, jobs):
            work.verify(self.proof_of(job), self.folder)
        self.assertLessEqual(get_json(served)["memory"]["peak_bytes"], budget)
        self.assertLessEqual(sampler.stop(), budget + TOLERANCE)


class Cancellations(LoadTest):
    JOBS = 48

    def test_storm(self):
        """Jobs are cancelled at any moment, by id and by callers that leave: the others are proved, all memory comes back."""
        served = self.serve(keys.SMALL, 1024 * MIB, '[daemon]\norphan_grace = "200ms"\n')
        chance = seeded()
        kept, cancelled, left = [], [], []
        for number in range(self.JOBS):
            work = self.work(chance.choice(("winning", "window", "window")), 200 + number)
            match chance.randrange(3):
                case 0:
                    kept.append((work, self.submit(work)))
                case 1:
                    patience = chance.random() * 3 if cancelled else 0  # the first one is not proved so fast
                    cancelled.append((work, self.submit(work), time.monotonic() + patience))
                case 2:
                    call = self.client.start("Prove", {"submit": work.request}, channel=1)
                    left.append((call, time.monotonic() + chance.random() * 3))
            self.end_due(cancelled, left)
        while any(end[-1] is not None for end in cancelled + left):
            self.end_due(cancelled, left)
            time.sleep(0.01)
        for work, job in kept:
            work.verify(self.proof_of(job), self.folder)
        ends = [self.client.call("AwaitProof", {"job_id": job})["status"] for _, job, _ in cancelled]
        self.assertLessEqual(set(ends), {"CANCELLED", "COMPLETED"})
        for call, _ in left:
            try:
                call.result(30)
            except CallError as error:
                self.assertEqual(error.code, "CANCELLED")
        print(f"{len(kept)} kept, {ends.count('CANCELLED')} of {len(cancelled)} cancelled, {len(left)} callers left")
        self.assertIn("CANCELLED", ends)
        self.assert_at_rest(served)
        kinds = get_json(served)["kinds"]
        for kind in kinds:
            self.assertEqual((kind["waiting"], kind["running"]), (0, 0), kind)
        self.assertEqual(sum(kind["completed"] + kind["cancelled"] for kind in kinds), self.JOBS, kinds)
        self.assertEqual(served.stop(), 0)

    def end_due(self, cancelled, left):
        """Ends those whose time has come; each end's time becomes None."""
        now = time.monotonic()
        for index, (work, job, due) in enumerate(cancelled):
            if due is not None and due <= now:
                cancelled[index] = (work, job, None)
                calls = [self.client.start("CancelProof", {"job_id": job}, channel=channel) for channel in range(3)]
                self.assertLessEqual(sum(call.result()["was_running"] for call in calls), 1)
                self.assertFalse(self.client.call("CancelProof", {"job_id": job})["was_running"])
        for index, (call, due) in enumerate(left):
            if due is not None and due <= now:
                left[index] = (call, None)
                call.cancel()


class ThousandJobs(LoadTest):
    """Small ones, every second of which fails."""

    JOBS = 1000
    BATCH = 100

    def test_memory_is_flat_and_counters_grow(self):
        served = self.serve((), 512 * MIB, '[journal]\nmax_results = 100\n')
        samples, metrics = [], [self.metrics()]
        for start in range(0, self.JOBS, self.BATCH):
            self.batch(start)
            samples.append(resident_bytes(f"/proc/{served.process.pid}/status"))
            metrics.append(self.metrics())
            assert_monotonic(metrics[-1][0], metrics[-2][1], metrics[-1][1])
        print("resident MiB:", *(f"{sample / MIB:.1f}" for sample in samples))
        settled = samples[2]  # allocator and caches have their sizes by then
        self.assertLess(samples[-1] - settled, 8 * MIB, samples)
        kind = next(kind for kind in get_json(served)["kinds"] if kind["proof_kind"] == "circom")
        self.assertEqual((kind["accepted"], kind["completed"], kind["failed"]["caller"]),
                         (self.JOBS, self.JOBS // 2, self.JOBS // 2), kind)
        self.assert_at_rest(served)
        self.assertEqual(served.stop(), 0)

    def metrics(self):
        return parse_metrics(self.client.call("GetMetrics")["prometheus_text"])

    def batch(self, start):
        works = [CircomWork(number + 2, 3, label=f"small {number}", satisfied=number % 2 == 0)
                 for number in range(start, start + self.BATCH)]
        jobs = [self.client.start(work.submit, work.request, channel=number % 4) for number, work in enumerate(works)]
        calls = [self.client.start("AwaitProof", {"job_id": job.result()["job_id"]}) for job in jobs]
        results = [call.result() for call in calls]
        self.assertEqual([result["status"] for result in results], ["COMPLETED", "FAILED"] * (self.BATCH // 2))
        works[0].verify(proof_bytes(results[0]), self.folder)


if __name__ == "__main__":
    unittest.main()
