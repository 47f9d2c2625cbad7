"""Proving over HTTP as a web developer does it, and what pollers read, at a daemon that proves for real."""
import http.client
import json
import unittest
import urllib.parse

from daemon import DaemonTest
from program import TINY
from work import CIRCOM_KEYS, circom_config

WTNS = (TINY / "witness.wtns").read_bytes()


class HttpTest(DaemonTest):
    def setUp(self):
        super().setUp()
        self.service = self.daemon("[daemon]\nhttp_proving = true\n" + circom_config()).wait_ready()
        self.addCleanup(lambda: self.assertEqual(self.service.stop(), 0))

    def ask(self, method, target, body=None, **headers):
        """(status, headers, body: an object where it is JSON)"""
        address = urllib.parse.urlsplit(self.service.http).netloc
        connection = http.client.HTTPConnection(address, timeout=60)
        self.addCleanup(connection.close)
        connection.request(method, target, body, {name.replace("_", "-"): value for name, value in headers.items()})
        reply = connection.getresponse()
        content = reply.read()
        if reply.headers.get_content_type() == "application/json":
            content = json.loads(content)
        return reply.status, reply.headers, content

    def prove(self, query, body=WTNS, **headers):
        status, _, content = self.ask("POST", "/v1/prove?" + query, body, Content_Type="application/octet-stream", **headers)
        return status, content

    def check(self, answer, case):
        self.proof.write_text(json.dumps(answer["proof"]))
        self.public.write_text(json.dumps(answer["public"]))
        self.cuzk("verify", case / "verification_key.json", self.public, self.proof)

    def test_a_witness_becomes_a_proof_that_verifies(self):
        status, answer = self.prove("key=tiny&label=mine")
        self.assertEqual((status, answer["job_id"]), (200, "mine"))
        self.check(answer, TINY)
        other = CIRCOM_KEYS["mimc"].parent
        status, answer = self.prove("key=mimc", (other / "witness.wtns").read_bytes())
        self.assertEqual(status, 200)
        self.check(answer, other)

    def test_a_job_can_be_asked_for_later(self):
        status, answer = self.prove("key=tiny&wait=0&label=a%2Fb%20c&priority=high")
        self.assertEqual((status, answer), (202, {"job_id": "a/b c"}))
        status = 202
        while status == 202:
            status, _, answer = self.ask("GET", "/v1/jobs/a%2Fb%20c/result")
        self.assertEqual(status, 200)
        self.check(answer, TINY)
        _, _, job = self.ask("GET", "/v1/jobs/a%2Fb%20c")
        self.assertEqual((job["state"], job["priority"], job["partitions_done"]), ("completed", "high", 1))
        _, _, listed = self.ask("GET", "/v1/jobs")
        self.assertEqual([entry["job_id"] for entry in listed["jobs"]], ["a/b c"])
        self.assertEqual(self.ask("DELETE", "/v1/jobs/a%2Fb%20c")[2]["was_open"], False)

    def test_the_same_witness_is_proven_once(self):
        first, second = self.prove("key=tiny&label=one"), self.prove("key=tiny&label=two")
        self.assertEqual(first, second)
        kinds = {kind["proof_kind"]: kind for kind in self.ask("GET", "/status")[2]["kinds"]}
        self.assertEqual((kinds["circom"]["completed"], kinds["circom"]["joined"]), (1, 1))

    def test_what_is_wrong_is_told_with_its_kind_of_status(self):
        damaged = bytearray(WTNS)
        damaged[-40] ^= 1  # of the last value
        for query, body, status, code in (("key=none", WTNS, 404, "not_found"), ("key=tiny", b"nothing", 422, "malformed"),
                                          ("key=tiny", bytes(damaged), 422, "unsatisfied"), ("", WTNS, 400, "invalid_argument"),
                                          ("key=mimc", WTNS, 422, "malformed")):
            with self.subTest(query=query):
                got, answer = self.prove(query, body)
                self.assertEqual((got, answer["code"]), (status, code), answer)
        self.assertEqual(self.prove("key=tiny")[0], 200)

    def test_pages_of_others_may_only_read_the_status(self):
        self.assertEqual(self.prove("key=tiny", Origin="http://evil.example")[0], 403)
        self.assertEqual(self.prove("key=tiny", Host="evil.example")[0], 403)
        status, headers, _ = self.ask("GET", "/status", Origin="http://evil.example")
        self.assertEqual((status, headers["Access-Control-Allow-Origin"]), (200, "*"))
        self.assertIsNone(self.ask("GET", "/metrics")[1]["Access-Control-Allow-Origin"])

    def test_status_metrics_and_trace_tell_of_the_same_proof(self):
        self.prove("key=tiny&label=traced")
        _, _, status = self.ask("GET", "/status")
        self.assertEqual(status["counters"]["completed_by_kind"]["circom"], 1)
        _, _, metrics = self.ask("GET", "/metrics")
        self.assertIn(b'\ncuzk_proofs_completed{proof_kind="circom"} 1\n', metrics)
        self.assertIn(b'\ncuzk_proof_duration_seconds_count{proof_kind="circom"} 1\n', metrics)
        _, _, trace = self.ask("GET", "/timeline?job=traced")
        slices = {event["name"]: event for event in trace["traceEvents"] if event["ph"] == "X" and event["tid"] == 1}
        phases = {phase["name"]: phase for phase in status["jobs"][0]["partitions"][0]["phases"]}
        self.assertEqual(set(slices), set(phases))
        self.assertLessEqual({"witness", "start", "finish", "verify"}, set(phases))
        for name, phase in phases.items():
            self.assertAlmostEqual(slices[name]["ts"] / 1000, phase["begin_ms"], delta=0.01)
            self.assertAlmostEqual(slices[name]["dur"] / 1000, phase["end_ms"] - phase["begin_ms"], delta=0.01)


if __name__ == "__main__":
    unittest.main()
