"""What counters must count: a model of fragments and counters over the trace of a program alone.

It knows nothing of the translator's code, only its rules: where fragments end, which exits get a
counter at their target, and when such an exit is taken while its target is in the cache.
"""

import array
import os
import re
import subprocess
import sys
import tempfile
import threading

FLUSH = ("x12,5", "x17,x0,226")  # flushes.S: what stands before a call that makes all code go
SLOTS = 4096                    # of the paper's counters: paper_slot.h
FRAGMENT_INSTRUCTIONS = 128     # fragment.h

BRANCHES = {"beq", "bne", "blt", "bge", "bltu", "bgeu", "c.beqz", "c.bnez"}
ENDS = BRANCHES | {"jal", "c.j", "jalr", "c.jr", "c.jalr", "ecall", "fence.i"}


class Trace:
    """What the program executes when it runs alone: all addresses, and where it can leave a fragment."""

    def __init__(self, strata, program):
        self.pcs = array.array("Q")
        self.ends = []          # (index, kind, paired): `paired` with the auipc just before it
        self.pairs = set()      # indices of an auipc that is translated with what follows it
        self.whole = {}         # index of a branch from between lr and sc to there -> index of the lr
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "trace")
            os.mkfifo(pipe)
            reader = threading.Thread(target=self.read, args=(pipe,))
            reader.start()
            subprocess.run([strata, "sim", "--trace", pipe, *program], check=True,
                           stdout=subprocess.PIPE)
            reader.join()

    def read(self, pipe):
        upper = None            # the register of an auipc, if that was the last instruction
        last = before = None    # the operands of that, and of the one before it
        reserved = None         # index of an lr, and how many ends were before it
        with open(pipe, encoding="ascii") as file:
            for index, line in enumerate(file):
                fields = line.split("\t", 4)
                name = fields[2].rstrip("\n")
                self.pcs.append(int(fields[0][:-1], 16))
                if upper is not None:
                    operands = re.split(r"[,()\s]+", fields[3])
                    paired = self.joins(name, operands, upper)
                    if paired:
                        self.pairs.add(index - 1)
                else:
                    paired = False
                if name.startswith("lr."):
                    reserved = (index, len(self.ends))
                elif name.startswith("sc.") and reserved is not None:
                    for end, kind, _ in self.ends[reserved[1]:]:
                        if kind in ("branch", "jump") and \
                                self.pcs[end] < self.pcs[end + 1] <= self.pcs[index]:
                            self.whole[end] = reserved[0]
                    reserved = None
                if name in ENDS:
                    flushes = name == "ecall" and (before, last) == FLUSH
                    kind = "flush" if flushes else self.kind(name, fields)
                    self.ends.append((index, kind, paired))
                before, last = last, fields[3].split()[0] if len(fields) > 3 else None
                upper = fields[3].split(",")[0] if name == "auipc" else None

    @staticmethod
    def joins(name, operands, upper):
        if upper in ("x0", "x4"):
            return False
        if name == "addi":
            return operands[0] == upper and operands[1] == upper
        return name == "jalr" and upper in operands[1:]

    @staticmethod
    def kind(name, fields):
        if name in BRANCHES:
            return "branch"
        if name in ("ecall", "fence.i"):
            return name
        direct = name in ("jal", "c.j")
        links = name == "c.jalr" or (name in ("jal", "jalr") and
                                     not fields[3].startswith("x0,"))
        return ("call" if links else "jump") if direct else ("icall" if links else "ijump")


class Slots:
    """The paper's table in memory: each slot has one head at a time, and forgets it for another."""

    def __init__(self, threshold):
        self.threshold = threshold
        self.slots = {}         # slot -> [head, count]
        self.collisions = 0
        self.hot = set()
        self.shared = set()     # slots that changed hands

    def count(self, head):
        slot = self.slots.setdefault(head // 2 % SLOTS, [None, 0])
        if slot[0] != head:
            if slot[0] is not None:
                self.collisions += 1
                self.shared.add(head // 2 % SLOTS)
            slot[:] = [head, 0]
        slot[1] += 1
        if slot[1] == self.threshold:
            self.hot.add(head)

    def expected(self):
        counts = {head: count for head, count in self.slots.values()}
        return counts, {head: head in self.hot for head in counts}


class Model:
    """Fragments and counters over a trace."""

    def __init__(self, trace, placement, threshold=100, follow=True):
        self.placement, self.threshold, self.follow = placement, threshold, follow
        self.synced = False     # there was a fence.i
        self.built = {}         # start -> when
        self.live = set()       # heads with a counter now
        self.created = 0
        self.counts = {}        # head -> executions
        self.slots = {"sw-paper": Slots(threshold), "sw-paper-taken": Slots(threshold)}
        self.walk(trace)

    def walk(self, trace):
        pcs = trace.pcs
        self.enter(pcs[0])
        self.start = pcs[0]
        first = 0               # of the fragment, as an index
        for index, kind, paired in trace.ends:
            while index - first >= FRAGMENT_INSTRUCTIONS:
                first += FRAGMENT_INSTRUCTIONS
                first += first - 1 in trace.pairs
                if first > index:
                    break
                self.leave("on", pcs[first - 1], pcs[first])
            if index + 1 == len(pcs):
                break
            if trace.whole.get(index, -1) >= first:
                continue        # such a branch ends no fragment
            way = self.way(kind, paired and first < index, pcs[index], pcs[index + 1])
            if way is not None:
                self.leave(way, pcs[index], pcs[index + 1])
                first = index + 1

    def way(self, kind, paired, pc, target):
        """How this instruction leaves its fragment, or None."""
        if kind == "branch":
            return "on" if target in (pc + 2, pc + 4) else "branch"
        if paired:
            kind = {"icall": "call", "ijump": "jump"}[kind]
        if kind == "jump":
            return "jump" if target <= pc or not self.follow else None
        if kind == "call":
            return "call" if self.placement == "function" or not self.follow else None
        return {"ecall": "on"}.get(kind, kind)

    def counts_exit(self, way, pc, target):
        if self.placement == "backward":
            return way in ("branch", "jump") and target <= pc
        if self.placement in ("paper", "paper-strict"):
            last = self.built[self.start] - (self.placement == "paper-strict")
            return way == "branch" and target <= pc and \
                self.built.get(target, sys.maxsize) <= last
        return self.placement == "function" and way in ("call", "icall")

    def leave(self, way, pc, target):
        if way == "flush" or (way == "fence.i" and not self.synced):
            # All fragments go, and their counters; the first time that code is said to change, too.
            self.synced |= way == "fence.i"
            self.built.clear()
            self.live.clear()
        elif target in self.built and self.counts_exit(way, pc, target):
            self.make(target)
            self.slots["sw-paper-taken"].count(target)
        self.enter(target)
        self.start = target

    def make(self, head):
        if head not in self.live:
            self.live.add(head)
            self.created += 1
            self.counts.setdefault(head, 0)

    def enter(self, start):
        if start not in self.built:
            self.built[start] = len(self.built)
            if self.placement == "head":
                self.make(start)
        if start in self.live:
            self.counts[start] += 1
            self.slots["sw-paper"].count(start)

    def incomplete(self, kind):
        """The heads that a kind of counter may have counted too seldom."""
        counts, hot = self.expected(kind)
        if kind in self.slots:
            return {head for head in counts if head // 2 % SLOTS in self.slots[kind].shared}
        return {head for head in counts if kind == "sw" and hot[head]}

    def expected(self, kind):
        """Executions and callbacks of each head, as a kind of counter sees them."""
        if kind in self.slots:
            return self.slots[kind].expected()
        hot = {head: 0 < self.threshold <= count for head, count in self.counts.items()}
        if kind == "sw" and self.threshold:
            return {head: min(count, self.threshold) for head, count in self.counts.items()}, hot
        return self.counts, hot
