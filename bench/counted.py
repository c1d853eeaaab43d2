"""Runs strata and keeps what it counted: what measurements of bench/ share that are in counts, the same in each run."""

import concurrent.futures
import json
import os
import subprocess
from collections import namedtuple

from spawn import BenchError

SIZES = ("test", "small", "full")
FULL_INSTRUCTIONS = 10**9
# The kernel's argument at each of SIZES: 5 to 150 million instructions alone, about 200 million as the study's programs
# have at `small`, and FULL_INSTRUCTIONS at least.
KERNELS = {"sort": (1, 3, 15), "compress": (3, 5, 26), "float": (10, 19, 93), "chase": (2, 34, 172),
           "interp": (1, 2, 10), "calls": (2, 9, 43), "virtual": (40, 216, 1080)}
# The same where they are compiled without optimizing.
KERNELS_O0 = {"sort": (1, 1, 5), "compress": (1, 2, 10), "float": (3, 5, 26), "chase": (2, 12, 60),
              "interp": (1, 1, 6), "calls": (2, 6, 31), "virtual": (10, 27, 135)}

Result = namedtuple("Result", "output instructions statistics")


class Runs:
    """Each run once, whoever asks for it, and as many at a time as there are workers."""

    def __init__(self, strata, jobs, folder):
        self.strata, self.folder = strata, folder
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.runs = {}

    def start(self, command, *words, place=None):
        """The future of a Result; `place` is the folder that it runs in."""
        run = (command, words, place)
        if run not in self.runs:
            stats = os.path.join(self.folder, f"{len(self.runs)}.json")
            self.runs[run] = self.pool.submit(self.run, command, words, place, stats)
        return self.runs[run]

    def run(self, command, words, place, stats):
        # Programs see their environment: without one, their counts are the same everywhere.
        done = subprocess.run([self.strata, command, "--stats", stats, *words], stdin=subprocess.DEVNULL,
                              capture_output=True, check=False, env={}, cwd=place)
        if done.returncode != 0:
            message = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
            raise BenchError(f"{command} {' '.join(words)}: status {done.returncode}: {message[0]}")
        with open(stats, encoding="utf-8") as file:
            statistics = json.load(file)
        os.unlink(stats)
        return Result(done.stdout, statistics["machine"]["instructions"], statistics)

    def close(self):
        self.pool.shutdown(wait=True, cancel_futures=True)
