"""What the runs of bench/helpers say: as charts with a number for each program, and beside what was published."""

import math
from collections import namedtuple

from helper_runs import CONTEXTS, LOADS, SPAWNS
from sliced import mean_by_misses

BEST = f"chaining_ideal_{CONTEXTS[-1]}"   # whose ledger is shown
MEMORY_BOUND = 1.2   # perfect memory makes such a program so many times as fast, at the least
PUBLISHED = {"chaining": "Chaining with realistic spawn: mean 1.76, best 2.69.",
             "basic": "Basic triggers: up to 1.30 with ideal spawn, much less with a realistic one."}

# `runs`: those that it is made from; `shown`: the one of them whose slices stand in a table on the page.
Chart = namedtuple("Chart", "name title published rows runs shown", defaults=(None,))
# `unit` is ratio, percent (a fraction here) or number; `values` are by program, None where there is none.
Row = namedtuple("Row", "name label unit values")
# A published figure as a conclusion; `holds` is None where it was not measured.
Check = namedtuple("Check", "name statement measured holds")


def only_ratios(chart):
    return all(row.unit == "ratio" for row in chart.rows)


def geometric_mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def show(value, unit):
    if value is None:
        return "-"
    if unit == "percent":
        return f"{100 * value:.1f} %"
    return f"{value:.2f}" if unit == "ratio" or value < 100 else f"{value:.0f}"


def total(statistics, key):
    """Over all slices of a run."""
    return sum(one[key] for one in statistics.get("slices", []))


def share(part, whole):
    return part / whole if whole else None


def cycles(statistics):
    """Of the whole program, by the cycles per instruction of the part that is measured: with software prefetching there are
    more instructions, and a part of as many does less."""
    pipeline = statistics["pipeline"]
    return pipeline["cycles"] / pipeline["instructions"] * statistics["machine"]["instructions"]


class Charts:
    """`results`: the statistics by program and run; `found`: what slicing found by program and form."""

    def __init__(self, results, found):
        self.results, self.found, self.programs = results, found, tuple(results)

    def row(self, name, label, unit, value):
        return Row(name, label, unit, {program: value(program) for program in self.programs})

    def speedup(self, run, label, base="base"):
        return self.row(run, label, "ratio",
                        lambda program: cycles(self.results[program][base]) / cycles(self.results[program][run]))

    def from_slices(self, name, label, unit, value):
        """Of what was found for chaining triggers."""
        return self.row(name, label, unit, lambda program: value(self.found[program]["chaining"]))

    def from_best(self, name, label, unit, value):
        return self.row(name, label, unit, lambda program: value(self.results[program][BEST]))

    def static_slices(self):
        bounds = [self.speedup("memory", "perfect memory"), self.speedup("loads", f"first {LOADS} loads perfect"),
                  self.speedup("stride", "stride prefetcher"), self.speedup("software", "software prefetching")]
        for kind in ("chaining", "basic"):
            for spawn in SPAWNS:
                yield Chart(f"{kind}_{spawn}", f"Slices with {kind} triggers, {spawn} spawn: speedup by contexts",
                            [PUBLISHED[kind]], [self.speedup(f"{kind}_{spawn}_{contexts}", f"{contexts} contexts")
                                                for contexts in CONTEXTS] + bounds,
                            ["base", *(f"{kind}_{spawn}_{contexts}" for contexts in CONTEXTS), *(row.name for row in bounds)])
        yield Chart("over_stride", "Slices where the processor has a stride prefetcher, too: speedup over it", [],
                    [self.speedup("over_stride", "8 contexts, chaining, ideal", "stride")], ["stride", "over_stride"])

    def dynamic_slices(self):
        return Chart("dsp", "Slices that the processor makes itself: speedup",
                     ["Simple slices: mean 1.14 of the memory-bound programs; optimized: 1.33."],
                     [self.speedup("dsp_simple", "simple", "dsp_base"),
                      self.speedup("dsp_optimized", "optimized", "dsp_base"),
                      self.speedup("dsp_memory", "perfect memory", "dsp_base")],
                     ["dsp_base", "dsp_simple", "dsp_optimized", "dsp_memory"])

    def small_window(self):
        return Chart("window", "Slices that the processor makes itself, with a quarter of its window: speedup", [],
                     [self.speedup("window_simple", "simple", "window_base"),
                      self.speedup("window_optimized", "optimized", "window_base")],
                     ["window_base", "window_simple", "window_optimized"])

    def shape(self):
        def mean(name, label, unit, value):
            return self.from_slices(name, label, unit, lambda found: mean_by_misses(found.slices, value))
        return Chart("shape", "What slices are like",
                     ["Length 5 to 15 instructions, 2 to 6 live-ins; 90 to 95 % of the trace is left out."],
                     [self.from_slices("slices", "slices", "number", lambda found: len(found.slices)),
                      mean("length", "length", "number", lambda one: one.length),
                      mean("live_ins", "live-ins", "number", lambda one: one.live_ins),
                      mean("removed", "left out", "percent", lambda one: one.removed),
                      self.from_slices("covered", "of all misses", "percent", lambda found: found.covered)], [])

    def chained(self):
        def value(program, contexts):
            statistics = self.results[program][f"chaining_ideal_{contexts}"]
            chained = total(statistics, "chained")
            return share(chained, total(statistics, "started") + chained)
        return Chart("chained", "Slices that another started, of all that were started, by contexts", [],
                     [self.row(f"chained_{contexts}", f"{contexts} contexts", "percent",
                               lambda program, contexts=contexts: value(program, contexts)) for contexts in CONTEXTS],
                     [f"chaining_ideal_{contexts}" for contexts in CONTEXTS])

    def ledger(self):
        def part(name, label, of="lines"):
            return self.from_best(name, label, "percent",
                                  lambda statistics: share(total(statistics, name), total(statistics, of)))
        return Chart("ledger", "What became of the lines that slices brought: chaining, ideal spawn, 8 contexts", [],
                     [self.from_best("lines", "lines", "number", lambda statistics: total(statistics, "lines")),
                      part("timely", "timely"), part("late", "late"), part("evicted", "evicted before use"),
                      part("unused", "useless"), part("redundant", "redundant loads", of="loads")], [BEST], BEST)

    def contention(self):
        def ipc(name, label, run):
            return self.row(name, label, "number", lambda program: self.results[program][run]["pipeline"]["ipc"])

        def taken(name, label, key):
            return self.from_best(name, label, "number",
                                  lambda statistics: statistics["pipeline"].get("helpers", {}).get(key))
        return Chart("contention", "What slices take from the program: chaining, ideal spawn, 8 contexts", [],
                     [ipc("ipc", "IPC alone", "base"), ipc("ipc_nothing", "with slices whose loads do nothing", "nothing"),
                      ipc("ipc_slices", "with slices", BEST),
                      taken("contexts", "contexts that run slices", "contexts_occupied"),
                      taken("queue", "issue queue entries", "issue_queue_occupied"),
                      taken("mshrs", "MSHRs", "mshrs_occupied")], ["base", "nothing", BEST])

    def all(self):
        return [*self.static_slices(), self.dynamic_slices(), self.small_window(), self.shape(), self.chained(), self.ledger(),
                self.contention()]


def check_speedup(name, values, bound, published):
    """That the mean of some programs is large enough.  `values`: of these programs."""
    statement = f"the mean is at least {bound:.2f} (published: {published:.2f})"
    if not values:
        return Check(name, statement, "no program waits for memory enough", None)
    mean = geometric_mean(values.values())
    return Check(name, statement, f"{mean:.2f}, of {', '.join(f'{key} {value:.2f}' for key, value in values.items())}",
                 mean >= bound)


def check_losers(name, values):
    losers = [f"{program} {value:.2f}" for program, value in values.items() if value < 1]
    return Check(name + "_loses", "no program loses", ", ".join(losers) or "none does", not losers)


def check_shape(row, low, high):
    known = [value for value in row.values.values() if value is not None]
    bounds = f"{show(low, row.unit)} to {show(high, row.unit)}"
    return Check(row.name, f"{row.name.replace('_', '-')}: {bounds}, in every program",
                 f"{show(min(known), row.unit)} to {show(max(known), row.unit)}" if known else "no slices",
                 bool(known) and min(known) >= low and max(known) <= high)


def make_checks(charts):
    """The published figures as conclusions, by chart."""
    rows = {row.name: row for chart in charts for row in chart.rows}
    checks = {}
    for chart, name, bound, published in (("chaining_ideal", "chaining_ideal_8", 1.4, 1.76),
                                          ("chaining_realistic", "chaining_realistic_8", 1.4, 1.76),
                                          ("dsp", "dsp_simple", 1.10, 1.14), ("dsp", "dsp_optimized", 1.25, 1.33)):
        values = rows[name].values
        counted = {program: value for program, value in values.items()
                   if chart != "dsp" or rows["dsp_memory"].values[program] >= MEMORY_BOUND}
        checks.setdefault(chart, []).extend([check_speedup(name, counted, bound, published),
                                             check_losers(name, values)])
    checks["shape"] = [check_shape(rows[name], low, high)
                       for name, low, high in (("length", 5, 15), ("live_ins", 2, 6), ("removed", 0.9, 0.95))]
    return checks
