#!/usr/bin/env python3
"""Shows how a daemon's jobs come on until all have ended, then what each step took; the exit status tells whether all were proved.

    tools/demo_watch.py http://127.0.0.1:9821 JOB...
"""
import json
import sys
import time
import urllib.request

PATIENCE = 900  # seconds
COLUMNS = ("decode", "queue", "key", "witness", "device queue", "prove", "verify")
PHASES = {  # of the status -> column
    "decode": "decode", "check": "decode", "queue": "queue", "memory": "queue", "key": "key", "witness": "witness",
    "evaluate": "witness", "device_queue": "device queue", "start": "prove", "finish": "prove", "verify": "verify",
}


def jobs_of(http, wanted):
    with urllib.request.urlopen(http + "/status", timeout=30) as answer:
        jobs = json.load(answer)["jobs"]
    return [job for job in jobs if job["job_id"] in wanted]


def open_phase(job):
    for partition in job["partitions"]:
        for phase in partition["phases"]:
            if phase["end_ms"] is None:
                return phase["name"].replace("_", " ")
    return job["state"]


def progress(jobs):
    ended = [job for job in jobs if job["finished_secs_ago"] is not None]
    others = [f"{job['circuit']}: {open_phase(job)}" for job in jobs if job["finished_secs_ago"] is None]
    return f"{len(ended)} of {len(jobs)} proved" + ("; " + ", ".join(others) if others else "")


def watch(http, wanted):
    """The jobs, all ended. A terminal's line is written over; elsewhere a line comes when something has changed."""
    begin, last = time.monotonic(), ""
    while time.monotonic() - begin < PATIENCE:
        jobs = jobs_of(http, wanted)
        text = progress(jobs)
        if sys.stdout.isatty():
            print(f"\r\033[K  {time.monotonic() - begin:8.2f} s  {text}", end="", flush=True)
        elif text != last:
            print(f"  {time.monotonic() - begin:8.2f} s  {text}", flush=True)
        last = text
        if all(job["finished_secs_ago"] is not None for job in jobs):
            if sys.stdout.isatty():
                print()
            return jobs
        time.sleep(0.25)
    raise SystemExit(f"not all jobs have ended after {PATIENCE} s")


def seconds(job):
    """{column: seconds, all partitions together}."""
    sums = dict.fromkeys(COLUMNS, 0.0)
    sums["queue"] = min((phase["begin_ms"] for phase in job["phases"]), default=0.0) / 1000  # before it was read
    for phases in (job["phases"], *(partition["phases"] for partition in job["partitions"])):
        for phase in phases:
            column = PHASES.get(phase["name"])
            if column is not None and phase["end_ms"] is not None:
                sums[column] += (phase["end_ms"] - phase["begin_ms"]) / 1000
    return sums


def table(jobs):
    print(f"\n  {'seconds':<14} {'circuit':<14}" + "".join(f"{name:>13}" for name in (*COLUMNS, "total")))
    for job in jobs:
        sums = seconds(job)
        print(f"  {job['proof_kind']:<14} {job['circuit']:<14}" + "".join(f"{sums[name]:13.3f}" for name in COLUMNS) +
              f"{job['duration_secs']:13.3f}")
    print()


def main():
    http, wanted = sys.argv[1], sys.argv[2:]
    jobs = watch(http, wanted)
    table(jobs)
    failed = [job for job in jobs if job["state"] != "completed"]
    for job in failed:
        print(f"  {job['circuit']}: {job['state']}: {job['error']}")
    return 1 if failed or len(jobs) != len(wanted) else 0


if __name__ == "__main__":
    sys.exit(main())
