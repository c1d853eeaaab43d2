"""The runs of bench/helpers: which there are, what each is made with, and which were made before."""

import concurrent.futures
import hashlib
import json
import os
import shutil
import sys
from collections import namedtuple

from sliced import PROGRAMS, covered_share, find_program, find_slices, find_strata, read_slices, run_strata
from spawn import BenchError

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONTEXTS = (2, 4, 8)
LOADS = 10   # so many delinquent loads are made perfect

# What is measured at each size, and the input that slices are found with: another one than is measured, but at test, which
# is the smallest.  At test all of a program is measured.  At small programs have 170 to 220 million instructions, and it is a
# part of the phase that they are there for, by the functions that miss: art scans, equake steps its wave (smvp), gzip
# compresses (matcher_longest), mcf prices arcs (pricing_find), health checks its patients, mst looks for the next node (hash_find).  At full they are in it, or
# in the next one of its kind, after a billion instructions.
Size = namedtuple("Size", "skip part train")
SIZES = {
    "test": Size({}, (), "test"),
    "small": Size({"art": "100M", "equake": "100M", "gzip": "90M", "mcf": "60M", "health": "100M", "mst": "120M"},
                  ("--warm", "10M", "--measure", "20M"), "test"),
    "full": Size({name: "1000M" for name in PROGRAMS}, ("--warm", "10M", "--measure", "20M"), "test"),
}

# What starting a slice costs: a cycle, and what configs/sp.ini says.
SPAWNS = {
    "ideal": ("slices.spawn_cycles=1", "slices.copy_cycles=0", "slices.flush_cycles=0"),
    "realistic": (),
}
STRIDE = ("--set", "prefetch.kind=stride")
# A quarter of what configs/dsp.ini has: how far ahead of itself the program is without slices.
WINDOW = ("core.reorder_buffer=128", "core.issue_queue=32", "core.load_store_queue=64")

# The forms of a program: as it is built, and with slices.
BUILT = (("plain", ""), ("prefetch", "-prefetch"))
SLICED = (("basic", ("--basic",)), ("chaining", ()))

# Which form of the program runs, on which processor, with which options; and the run whose delinquent loads are perfect here.
Run = namedtuple("Run", "form machine options loads_of", defaults=(None,))
# What slicing found: the share of the misses that slices are for, and the slices.
Found = namedtuple("Found", "covered slices")


def settings(*assignments):
    return tuple(word for one in assignments for word in ("--set", one))


def plan():
    """All runs of a program by name."""
    runs = {
        "base": Run("plain", "sp", ("--loads",)),
        "memory": Run("plain", "sp", ("--perfect-memory",)),
        "loads": Run("plain", "sp", (), "base"),
        "stride": Run("plain", "sp", STRIDE),
        "software": Run("prefetch", "sp", ()),
        "over_stride": Run("chaining", "sp", (*STRIDE, *settings(*SPAWNS["ideal"]))),
        "nothing": Run("chaining", "sp", settings("slices.loads=nothing", *SPAWNS["ideal"])),
        "dsp_base": Run("plain", "dsp", ()),
        "dsp_memory": Run("plain", "dsp", ("--perfect-memory",)),
        "dsp_simple": Run("plain", "dsp", ("--dsp", "simple")),
        "dsp_optimized": Run("plain", "dsp", ("--dsp", "optimized")),
        "window_base": Run("plain", "dsp", settings(*WINDOW)),
        "window_simple": Run("plain", "dsp", ("--dsp", "simple", *settings(*WINDOW))),
        "window_optimized": Run("plain", "dsp", ("--dsp", "optimized", *settings(*WINDOW))),
    }
    for kind, _ in SLICED:
        for spawn, assignments in SPAWNS.items():
            for contexts in CONTEXTS:
                runs[f"{kind}_{spawn}_{contexts}"] = Run(kind, "sp", settings(f"core.contexts={contexts}", *assignments))
    return runs


def read_file(path):
    """Nothing if it is not there."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def write_file(path, text):
    """There whole or not at all."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.rename(path + ".new", path)


class HelperRuns:
    """Makes the runs of some programs in a folder, where a later call finds them."""

    def __init__(self, build, size, jobs, folder):
        self.build, self.size, self.jobs, self.folder = os.path.join(TOP, build), size, jobs, os.path.abspath(folder)
        self.strata = find_strata(self.build)
        self.runs = plan()
        self.digest = hashlib.sha256()
        for path in (self.strata, *(os.path.join(TOP, "configs", machine + ".ini") for machine in ("sp", "dsp"))):
            with open(path, "rb") as file:
                self.digest.update(file.read())

    def path(self, name, form):
        """Each form of a program has its name, in a folder of its own: its words, and so its stack, are the same."""
        return os.path.join(self.folder, form, name)

    def key(self, name, form, *parts):
        """The same for the same strata, processors and program, and the same parts."""
        key = self.digest.copy()
        with open(self.path(name, form), "rb") as file:
            key.update(file.read() + json.dumps(parts).encode())
        return key.hexdigest()

    def prepare(self, name):
        """Makes the forms of a program; returns what slicing found, by form."""
        if name not in PROGRAMS:
            raise BenchError(f"there is no program {name}; there are {', '.join(PROGRAMS)}")
        for form, ending in BUILT:
            os.makedirs(os.path.join(self.folder, form), exist_ok=True)
            shutil.copyfile(find_program(self.build, name + ending), self.path(name, form))
            os.chmod(self.path(name, form), 0o755)
        return {form: self.slice(name, form, options) for form, options in SLICED}

    def slice(self, name, form, options):
        train, out = SIZES[self.size].train, self.path(name, form)
        key, note = self.key(name, "plain", train), out + ".txt"
        os.makedirs(os.path.join(self.folder, form), exist_ok=True)
        said = read_file(note)
        if not said.startswith(key) or not os.path.exists(out):
            said = f"{key}\n" + find_slices(self.strata, self.path(name, "plain"), train, out,
                                            (*options, "--machine", "sp"))
            write_file(note, said)
        return Found(covered_share(said), read_slices(self.strata, out))

    def part(self, name):
        """The options that say which part of a program is measured."""
        size = SIZES[self.size]
        return ("--skip", size.skip[name], *size.part) if size.part else ()

    def run(self, name, run, addresses):
        """The statistics of one run of a program, and what it printed.  `addresses`: of the loads that are perfect, or None."""
        options = ["--machine", run.machine, *run.options, *self.part(name)]
        key = self.key(name, run.form, name, self.size, run.form, options, addresses)
        stats = os.path.join(self.folder, "runs", f"{name}-{key[:16]}.json")
        output = stats[:-4] + "txt"
        if not os.path.exists(stats):
            if addresses is not None:
                write_file(stats + ".loads", "".join(address + "\n" for address in addresses))
                options += ["--perfect-loads", stats + ".loads"]
            text = run_strata(self.strata, ["sim", *options, "--stats", stats + ".new", "--", "./" + name, self.size],
                              os.path.join(self.folder, run.form))
            write_file(output, text)
            os.rename(stats + ".new", stats)
        return json.loads(read_file(stats)), read_file(output)

    def run_all(self, names):
        """By program: the statistics of all runs, and what slicing found.  What a program prints must never change."""
        os.makedirs(os.path.join(self.folder, "runs"), exist_ok=True)
        results, outputs = {name: {} for name in names}, {}

        def one(name, key):
            run = self.runs[key]
            addresses = None
            if run.loads_of is not None:
                addresses = [load["pc"] for load in results[name][run.loads_of]["pipeline"]["loads"][:LOADS]]
            statistics, output = self.run(name, run, addresses)
            if outputs.setdefault(name, output) != output:
                raise BenchError(f"{name} prints something else in the run {key}")
            return name, key, statistics

        pool = concurrent.futures.ThreadPoolExecutor(self.jobs)
        try:
            found = dict(zip(names, pool.map(self.prepare, names)))
            for later in (False, True):
                futures = [pool.submit(one, name, key) for name in names for key, run in self.runs.items()
                           if (run.loads_of is not None) == later]
                for done in concurrent.futures.as_completed(futures):
                    name, key, statistics = done.result()
                    results[name][key] = statistics
                    say(f"{sum(map(len, results.values()))} of {len(names) * len(self.runs)} runs")
        finally:
            pool.shutdown(cancel_futures=True)
            say("")
        return results, found


def say(text):
    """How far it is, where somebody looks."""
    if sys.stderr.isatty():
        print(f"\r{text:30}\r", end="", file=sys.stderr, flush=True)
