#!/usr/bin/env python3
"""Runs many jobs one after the other on one cluster, and prints how much memory its processes hold.

A coordinator and some workers are started on this machine, and small boards are submitted in turn. Resident
memory is read after the tenth job and after the last; the script fails if it has grown by more than a
tenth, or if an answer is not the known optimum. Takes the commands that `cargo build --release --workspace`
has made.

    cargo build --release --workspace && tests/soak-jobs.py --jobs 200
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
BINARIES = os.path.join(ROOT, "target", "release")
# As in the container image: every job has threads of its own, and without a bound the C library keeps
# an arena for each of many threads.
ENVIRONMENT = {"MALLOC_ARENA_MAX": "2", **os.environ, "SOKOHIVE_LOG": "warn"}
# Boards of the program and their optima: `sokohive boards`.
BOARDS = ["p1", "p5", "p9", "p10", "p12", "p13", "p14"]


def start(*words):
    """A process that says where it listens; the process and the address."""
    process = subprocess.Popen(
        [os.path.join(BINARIES, words[0]), *words[1:]],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=ENVIRONMENT,
    )
    return process, process.stdout.readline().strip().removeprefix("listening on ")


def resident(process):
    """Resident memory in bytes."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        line = next(line for line in status if line.startswith("VmRSS:"))
    return int(line.split()[1]) << 10


def optima():
    """The fewest moves known of every built-in board."""
    command = [os.path.join(BINARIES, "sokohive"), "boards"]
    lines = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    # Columns: id, rule, size, boxes, goals, moves.
    return {words[0]: words[5] for words in map(str.split, lines[1:]) if words}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    if args.jobs <= 10:
        parser.error("--jobs must be more than 10")
    known = optima()
    missing = [board for board in BOARDS if board not in known]
    if missing:
        sys.exit(f"no optimum known of {missing}")
    scratch = tempfile.mkdtemp(prefix="sokohive-soak-")
    processes = {}
    try:
        state = os.path.join(scratch, "state")
        command = ["sokohive", "serve", "--listen", "127.0.0.1:0", "--state-dir", state]
        processes["coordinator"], coordinator = start(*command, "--min-workers", str(args.workers))
        for number in range(1, args.workers + 1):
            data = os.path.join(scratch, f"worker-{number}")
            command = ["sokohive-worker", "--listen", "127.0.0.1:0", "--threads", "1", "--memory", "1G"]
            command += ["--data-dir", data, "--coordinator", coordinator]
            processes[f"worker {number}"], _ = start(*command)
        early = {}
        for job in range(1, args.jobs + 1):
            board = BOARDS[job % len(BOARDS)]
            command = [os.path.join(BINARIES, "sokohive"), "submit", board, "--watch", "--quiet"]
            command += ["--coordinator", coordinator]
            answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout
            if f"optimal={known[board]} " not in answer:
                sys.exit(f"job {job}: {answer}")
            if job == 10:
                early = {name: resident(process) for name, process in processes.items()}
        late = {name: resident(process) for name, process in processes.items()}
    finally:
        for process in processes.values():
            process.terminate()
            process.wait()
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"| process | MB after 10 jobs | MB after {args.jobs} jobs | ratio |\n|---|---|---|---|")
    grown = []
    for name in processes:
        ratio = late[name] / early[name]
        print(f"| {name} | {early[name] / 1e6:.1f} | {late[name] / 1e6:.1f} | {ratio:.3f} |")
        if ratio > 1.1:
            grown.append(name)
    if grown:
        sys.exit(f"grown by more than a tenth: {', '.join(grown)}")


if __name__ == "__main__":
    main()
