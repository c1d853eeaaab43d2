"""Finds the slices of a program of the helper suite and reads what strata says of them: for bench/slices and bench/helpers.  bench/prefetch has the same programs."""

import os
import re
import subprocess
from collections import namedtuple

from spawn import BenchError

PROGRAMS = ("art", "equake", "gzip", "mcf", "health", "mst")

# A slice as --show prints it: `removed` is the share of the trace that it leaves out, `misses` are those that it is for.
Slice = namedtuple("Slice", "kind length prologue unroll live_ins removed misses")
SHOWN = re.compile(r"^slice \d+: (\w+).*?length (\d+), prologue (\d+), (\d+) iterations ahead; (\d+) live-ins.*?"
                   r"of which ([\d.]+) % are left out.*?^  (\d+) misses", re.M | re.S)


def find_strata(build):
    path = os.path.join(build, "strata")
    if not os.access(path, os.X_OK):
        raise BenchError(f"{path} not built (make)")
    return path


def find_program(build, name):
    path = os.path.join(build, "bench", "programs", name)
    if not os.access(path, os.X_OK):
        raise BenchError(f"{path} not built (make programs)")
    return path


def run_strata(strata, words, folder):
    """What strata prints.  The environment is on the program's stack, and would move it."""
    done = subprocess.run([strata, *words], cwd=folder, env={}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise BenchError(f"strata {' '.join(words)}: status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def find_slices(strata, program, size, out, options):
    """Writes the program with its slices to `out`; returns what strata says of its delinquent loads."""
    folder, name = os.path.split(os.path.abspath(program))
    return run_strata(strata, ["slice", *options, "-o", os.path.abspath(out), "--", "./" + name, size], folder)


def covered_share(said):
    """Of all misses, those that slices are for; 0 if there are none."""
    covered = re.search(r"with ([\d.]+) % of", said)
    return float(covered.group(1)) / 100 if covered else 0


def read_slices(strata, out):
    shown = run_strata(strata, ["slice", "--show", os.path.abspath(out)], os.path.dirname(os.path.abspath(out)))
    return [Slice(kind, *map(int, numbers), float(removed) / 100, int(misses))
            for kind, *numbers, removed, misses in SHOWN.findall(shown)]


def mean_by_misses(slices, value):
    """The mean of a number of each slice: those that do much count for much.  None if there are no slices."""
    misses = sum(one.misses for one in slices)
    return sum(value(one) * one.misses for one in slices) / misses if misses else None
