#!/usr/bin/env python3
"""Kills workers and coordinators of searches with checkpoints at random, and prints a table in Markdown.

In every run a board is proven by some workers on this machine. Meanwhile, at random times, a worker, the
coordinator or all of them are killed (SIGKILL), and started again a little later; the coordinator as
`sokohive resume`. Each answer must be the optimum, and nothing may be left in the workers' folders. Takes
the commands that `cargo build --release --workspace` has made.

    cargo build --release --workspace && tests/soak-kill.py --board p15 --runs 30
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
BINARIES = os.path.join(ROOT, "target", "release")
ENVIRONMENT = {**os.environ, "SOKOHIVE_LOG": "warn"}


class Worker:
    """A worker on a port of its own, which it keeps, as it keeps its folder."""

    def __init__(self, folder):
        self.folder, self.address, self.process = folder, "127.0.0.1:0", None
        self.start()

    def start(self):
        command = [os.path.join(BINARIES, "sokohive-worker"), "--threads", "1"]
        command += ["--listen", self.address, "--data-dir", self.folder]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=ENVIRONMENT
        )
        line = self.process.stdout.readline().strip()
        self.address = line.removeprefix("listening on ")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def segments(self):
        journal = os.path.join(self.folder, "journal")
        return len(os.listdir(journal)) if os.path.isdir(journal) else 0


class Coordinator:
    """A search of a board, started or gone on with from its checkpoint."""

    def __init__(self, board, workers, folder, every):
        self.folder, self.every = folder, every
        addresses = ",".join(worker.address for worker in workers)
        self.start("solve", board, "--workers", addresses, "--checkpoint", folder)

    def start(self, *words):
        command = [os.path.join(BINARIES, "sokohive"), *words, "--checkpoint-every", self.every]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
        )

    def is_kept(self):
        return os.path.exists(os.path.join(self.folder, "checkpoint"))

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def resume(self):
        self.start("resume", self.folder)


def value(text, name):
    return next((word.split("=")[1] for word in text.split() if word.startswith(name + "=")), "")


def run(args, dice, number):
    """One run: the cells of its row, and what is wrong with it."""
    scratch = tempfile.mkdtemp(prefix="sokohive-soak-")
    workers = [Worker(os.path.join(scratch, f"worker-{n}")) for n in range(args.workers)]
    begun, kills = time.monotonic(), []
    coordinator = Coordinator(args.board, workers, os.path.join(scratch, "kept"), args.every)
    try:
        for _ in range(dice.randint(1, args.kills)):
            pause = dice.uniform(0.2, args.span)
            try:
                coordinator.process.wait(pause)
                break
            except subprocess.TimeoutExpired:
                pass
            what = dice.choice(["worker", "worker", "coordinator", "all"])
            at = time.monotonic() - begun
            if what != "worker":
                coordinator.kill()
            victims = {"worker": [dice.choice(workers)], "coordinator": [], "all": workers}[what]
            for worker in victims:
                worker.kill()
            time.sleep(dice.uniform(0, args.away))
            for worker in victims:
                worker.start()
            if what != "worker":
                if coordinator.is_kept():
                    coordinator.resume()
                else:
                    # Killed before it had begun, or after it had told the proof.
                    addresses = ",".join(worker.address for worker in workers)
                    coordinator.start("solve", args.board, "--workers", addresses,
                                      "--checkpoint", coordinator.folder)
            kills.append(f"{what} {at:.1f} s")
        output, errors = coordinator.process.communicate(timeout=args.patience)
        seconds = time.monotonic() - begun
        notes = sum(line.startswith("note: ") for line in errors.splitlines())
        left = sum(worker.segments() for worker in workers)
        optimal = value(output, "optimal")
        problem = None
        if optimal != str(args.optimum):
            problem = f"run {number}: {output} {errors}"
        elif left:
            problem = f"run {number}: {left} segments left"
        cells = [number, ", ".join(kills) or "none", notes, optimal, f"{seconds:.1f}",
                 value(output, "expanded"), left]
        return cells, problem
    finally:
        if coordinator.process.poll() is None:
            coordinator.kill()
        for worker in workers:
            worker.kill()
        shutil.rmtree(scratch, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--board", default="p15")
    parser.add_argument("--optimum", type=int, default=184)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--every", default="1s", help="time between checkpoints")
    parser.add_argument("--kills", type=int, default=3, help="most kills in a run")
    parser.add_argument("--span", type=float, default=12, help="most seconds between kills")
    parser.add_argument("--away", type=float, default=3, help="most seconds that the killed are away")
    parser.add_argument("--patience", type=float, default=600, help="most seconds after the last kill")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    args = parser.parse_args()
    dice, problems = random.Random(args.seed), []
    print(f"{args.board}, {args.workers} workers, seed {args.seed}:\n")
    print("| run | killed | healed in the coordinator | optimum | seconds | expanded | segments left |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for number in range(1, args.runs + 1):
        cells, problem = run(args, dice, number)
        print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)
        problems += [problem] if problem else []
    print(f"\n{args.runs - len(problems)} of {args.runs} right")
    sys.exit("\n".join(problems) if problems else 0)


if __name__ == "__main__":
    main()
