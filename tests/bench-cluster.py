#!/usr/bin/env python3
"""Compares a cluster on this machine with one process, and prints a table in Markdown.

In every round, one after the other: one process with T threads, then W workers with T/W threads each.
Shown is the median of the rounds. Takes the commands that `cargo build --release --workspace` has made.

    cargo build --release --workspace && tests/bench-cluster.py --board p15 --rounds 3
"""

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
BINARIES = os.path.join(ROOT, "target", "release")


def solve(*args):
    """One run of `sokohive solve`: its JSON object."""
    command = [os.path.join(BINARIES, "sokohive"), "solve", "--format", "json", "--quiet", *args]
    run = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    answer = json.loads(run.stdout)
    if answer["ending"] != "optimal":
        sys.exit(f"{' '.join(command)}: {answer}")
    return answer


class Workers:
    """Workers on free ports of this machine, for as long as the block lasts."""

    def __init__(self, count, threads):
        self.count, self.threads = count, threads

    def __enter__(self):
        command = [os.path.join(BINARIES, "sokohive-worker")]
        command += ["--listen", "127.0.0.1:0", "--threads", str(self.threads)]
        environment = {**os.environ, "SOKOHIVE_LOG": "warn"}
        self.processes = [
            subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
            for _ in range(self.count)
        ]
        lines = [process.stdout.readline() for process in self.processes]
        return ",".join(line.strip().removeprefix("listening on ") for line in lines)

    def __exit__(self, *_):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--board", default="p15")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="*", default=[2])
    parser.add_argument("--threads", type=int, default=2, help="of one process, and of all workers")
    args = parser.parse_args()
    alone, clusters = [], {count: [] for count in args.workers}
    for _ in range(args.rounds):
        alone.append(solve(args.board, "--any-tie", "--threads", str(args.threads)))
        for count, runs in clusters.items():
            with Workers(count, max(1, args.threads // count)) as workers:
                runs.append(solve(args.board, "--workers", workers))
    optimum = {run["optimal"] for run in alone + sum(clusters.values(), [])}
    if len(optimum) != 1:
        sys.exit(f"different optima: {optimum}")

    def median(runs, of):
        return statistics.median(of(run) for run in runs)

    def seconds(run):
        return run["seconds"]

    def expanded(run):
        return run["statistics"]["expanded"]

    base = median(alone, seconds)
    today = datetime.date.today().isoformat()
    print(f"{args.board}, {today}, {platform.machine()}, {os.cpu_count()} cores, ", end="")
    print(f"median of {args.rounds} rounds:\n")
    print("| | seconds | to one process | expansions to one process | bytes a transferred state "
          "| transferred to generated | filtered | fullest share to mean |")
    print("|---|---|---|---|---|---|---|---|")
    print(f"| one process, {args.threads} threads | {base:.2f} | 1 | 1 | | | | |")
    for count, runs in clusters.items():
        time = median(runs, seconds)
        threads = max(1, args.threads // count)
        cells = [
            f"{count} workers × {threads} thread{'s' if threads > 1 else ''}",
            f"{time:.2f}",
            f"{time / base:.2f}",
            f"{median(runs, expanded) / median(alone, expanded):.3f}",
            f"{median(runs, lambda run: run['cluster']['bytes_per_state']):.2f}",
            f"{median(runs, lambda run: run['cluster']['transferred_per_generated']):.3f}",
            f"{median(runs, lambda run: run['cluster']['filtered']):.0f}",
            f"{median(runs, lambda run: run['cluster']['max_over_mean']):.3f}",
        ]
        print("| " + " | ".join(cells) + " |")
    print(f"\nseconds of all rounds: one process {[round(seconds(run), 2) for run in alone]}", end="")
    for count, runs in clusters.items():
        print(f", {count} workers {[round(seconds(run), 2) for run in runs]}", end="")
    print()


if __name__ == "__main__":
    main()
