"""Owns the translator's configurations: reads their table and makes commands of them."""

import os
import random
import re

import diffsuite

TABLE = os.path.join(diffsuite.TESTS, "translator", "configurations.list")
PASSES = os.path.join(diffsuite.ROOT, "src", "translator", "passes", "passes.def")
AMOUNTS = ("all", "few", "flushes", "visible")


class Configuration:
    """One row."""

    def __init__(self, amount, name, options, hardware=()):
        self.amount, self.name, self.options, self.hardware = amount, name, options, list(hardware)
        self.left_out = f"without-{name}.list"
        # Only the machine has the hardware.
        self.only_machine = "hw" in options or bool(hardware)

    def tiny(self):
        """The same with a cache that is emptied again and again; None if it cannot be, or has one."""
        if self.amount == "visible" or "--cache" in self.options:
            return None
        return Configuration("few", self.name + "-64K", [*self.options, "--cache", "64K"], self.hardware)

    def commands(self, more=()):
        """On the machine and, if it has all that is asked for, on qemu-riscv64."""
        build = os.path.dirname(os.path.dirname(diffsuite.build_folder()))
        tail = [f"{build}/strata-rv64", *self.options, *more, "--"]
        hosts = [[f"{build}/strata", "sim", *self.hardware]] + ([] if self.only_machine else [[diffsuite.QEMU]])
        return [host + tail for host in hosts]


class Processor(Configuration):
    """One of configs/ instead: as configured by default, in cycles."""

    def __init__(self, name):
        super().__init__("few", name, [])
        self.left_out = "without-cycles.list"

    def tiny(self):
        return None

    def commands(self, more=()):
        build = os.path.dirname(os.path.dirname(diffsuite.build_folder()))
        machine = os.path.join(diffsuite.ROOT, "configs", self.name + ".ini")
        return [[f"{build}/strata", "run", "--machine", machine, *more]]


def read():
    rows = []
    with open(TABLE, encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if len(words) < 2 or words[0] not in AMOUNTS or words[1] in (row.name for row in rows):
                raise diffsuite.SuiteError(f"configurations.list:{number}: a bad or repeated row")
            parts = words.index("/") if "/" in words else 1
            rows.append(Configuration(words[0], words[1], words[max(parts + 1, 2):], words[2:parts]))
    return rows


def passes():
    """The names of all passes."""
    with open(PASSES, encoding="utf-8") as table:
        return re.findall(r'^PASS\(\w+, *"(\w+)"', table.read(), re.M)


def some_passes(seed):
    """Options for a random subset of the passes, over all loops."""
    rng = random.Random(f"passes {seed}")
    names = [name for name in passes() if rng.random() < 0.5] or ["traces"]
    more = ["--prefetch", "all"] if "prefetch" in names else []  # which asks no processor
    return ["--opt", ",".join(names), *more, "--max-loss", "100%", "--threshold", "2"]


def machine():
    """The program alone."""
    build = os.path.dirname(os.path.dirname(diffsuite.build_folder()))
    return [[f"{build}/strata", "sim"]]

