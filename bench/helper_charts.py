"""What the runs of bench/helpers say: as charts with a number for each program, and beside what was published."""

import math
from collections import namedtuple

from helper_runs import CONTEXTS, LOADS, SPAWNS
from sliced import mean_by_misses

BEST = f"chaining_ideal_{CONTEXTS[-1]}"   # whose ledger is shown
MEMORY_BOUND = 1.2   # perfect memory makes such a program so many times as fast, at the least
PUBLISHED = {"chaining": "Chaining with realistic spawn: mean 1.76, best 2.69.",
             "basic": "Basic triggers: up to 1.30 with ideal spawn, much less with a realistic one."}
SP, DSP, SLIDES = "ISCA 2001", "MICRO 2001", "the slides"   # who has published what
TOO_SMALL = ("Size test is too small to judge by: the programs' data fit into the caches, and there is little to wait for.  "
             "--size small and full are for that.")

# `published`: what `source` says in words; `runs`: those that it is made from; `axis`: what its numbers are of; `shown`: the one
# of the runs whose slices stand in a table on the page.
Chart = namedtuple("Chart", "name title published rows runs axis source shown", defaults=(None, None, None))
# `unit` is ratio, percent (a fraction here) or number; `values` are by program, None where there is none.
Row = namedtuple("Row", "name label unit values")
# A statement that was published (`stated`), or a question of this project's own; `holds` is None where it was not measured.
Check = namedtuple("Check", "name statement measured holds stated")
# A published figure beside what was measured, which is None if there is nothing to measure.
Figure = namedtuple("Figure", "name what published measured")


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
                            ["base", *(f"{kind}_{spawn}_{contexts}" for contexts in CONTEXTS), *(row.name for row in bounds)],
                            "times as fast", SP)
        yield Chart("over_stride", "Slices where the processor has a stride prefetcher, too: speedup over it", [],
                    [self.speedup("over_stride", "8 contexts, chaining, ideal", "stride")], ["stride", "over_stride"],
                    "times as fast")

    def dynamic_slices(self):
        return Chart("dsp", "Slices that the processor makes itself: speedup",
                     ["Simple slices: mean 1.14 of the memory-bound programs; optimized: 1.33."],
                     [self.speedup("dsp_simple", "simple", "dsp_base"),
                      self.speedup("dsp_optimized", "optimized", "dsp_base"),
                      self.speedup("dsp_memory", "perfect memory", "dsp_base")],
                     ["dsp_base", "dsp_simple", "dsp_optimized", "dsp_memory"], "times as fast", DSP)

    def small_window(self):
        return Chart("window", "Slices that the processor makes itself, with a quarter of its window: speedup", [],
                     [self.speedup("window_simple", "simple", "window_base"),
                      self.speedup("window_optimized", "optimized", "window_base")],
                     ["window_base", "window_simple", "window_optimized"], "times as fast")

    def shape(self):
        def mean(name, label, unit, value):
            return self.from_slices(name, label, unit, lambda found: mean_by_misses(found.slices, value))
        return Chart("shape", "What slices are like",
                     ["Length 5 to 15 instructions, 2 to 6 live-ins; 90 to 95 % of the trace is left out."],
                     [self.from_slices("slices", "slices", "number", lambda found: len(found.slices)),
                      mean("length", "length", "number", lambda one: one.length),
                      mean("live_ins", "live-ins", "number", lambda one: one.live_ins),
                      mean("removed", "left out", "percent", lambda one: one.removed),
                      self.from_slices("covered", "of all misses", "percent", lambda found: found.covered)], [],
                     "share", SLIDES)

    def chained(self):
        def value(program, contexts):
            statistics = self.results[program][f"chaining_ideal_{contexts}"]
            chained = total(statistics, "chained")
            return share(chained, total(statistics, "started") + chained)
        return Chart("chained", "Slices that another started, of all that were started, by contexts", [],
                     [self.row(f"chained_{contexts}", f"{contexts} contexts", "percent",
                               lambda program, contexts=contexts: value(program, contexts)) for contexts in CONTEXTS],
                     [f"chaining_ideal_{contexts}" for contexts in CONTEXTS], "share of the slices that were started")

    def ledger(self):
        def part(name, label, of="lines"):
            return self.from_best(name, label, "percent",
                                  lambda statistics: share(total(statistics, name), total(statistics, of)))
        return Chart("ledger", "What became of the lines that slices brought: chaining, ideal spawn, 8 contexts", [],
                     [self.from_best("lines", "lines", "number", lambda statistics: total(statistics, "lines")),
                      part("timely", "timely"), part("late", "late"), part("evicted", "evicted before use"),
                      part("unused", "useless"), part("redundant", "redundant loads", of="loads")], [BEST], "share of the lines; of redundant loads, of all loads",
                     shown=BEST)

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
                      taken("mshrs", "MSHRs", "mshrs_occupied")], ["base", "nothing", BEST],
                     "instructions per cycle; contexts and entries in the mean")

    def all(self):
        return [*self.static_slices(), self.dynamic_slices(), self.small_window(), self.shape(), self.chained(), self.ledger(),
                self.contention()]


def check_losers(name, words, values):
    """`words`: with what no program loses."""
    losers = [f"{program} {value:.4f}" for program, value in values.items() if value < 1]
    return Check(name + "_loses", f"no program loses with {words}", ", ".join(losers) or "none does", not losers, False)


def check_shape(row, low, high, words):
    """`words`: what of a slice is between the bounds."""
    known = [value for value in row.values.values() if value is not None]
    return Check(row.name, f"{words}, in every program",
                 f"{show(min(known), row.unit)} to {show(max(known), row.unit)}" if known else "no slices",
                 min(known) >= low and max(known) <= high if known else None, True)


def check_spawn(ideal, realistic):
    """That what basic triggers gain depends on what starting a slice costs."""
    gains = [geometric_mean(row.values.values()) - 1 for row in (ideal, realistic)]
    return Check("basic_spawn", "basic triggers gain much less with a realistic spawn: half as much at most",
                 f"{show(gains[1], 'percent')} instead of {show(gains[0], 'percent')}", 2 * gains[1] <= gains[0], True)


def make_checks(charts):
    """What was published as statements, and what else is asked, by chart."""
    rows = {row.name: row for chart in charts for row in chart.rows}
    checks = {chart: [check_losers(name, words, rows[name].values) for name, words in asked] for chart, asked in (
        ("chaining_ideal", [("chaining_ideal_8", "chaining triggers, ideal spawn, 8 contexts")]),
        ("chaining_realistic", [("chaining_realistic_8", "chaining triggers, realistic spawn, 8 contexts")]),
        ("dsp", [("dsp_simple", "simple slices of the processor"), ("dsp_optimized", "its optimized slices")]))}
    checks["basic_realistic"] = [check_spawn(rows["basic_ideal_8"], rows["basic_realistic_8"])]
    checks["shape"] = [check_shape(rows[name], low, high, words) for name, low, high, words in (
        ("length", 5, 15, "a slice has 5 to 15 instructions"), ("live_ins", 2, 6, "a slice has 2 to 6 live-ins"),
        ("removed", 0.9, 0.95, "90 to 95 % of the trace is left out of a slice"))]
    return checks


def memory_bound(rows, name):
    """The speedups of the programs that wait for memory on the processor that makes slices."""
    return [value for program, value in rows[name].values.items() if rows["dsp_memory"].values[program] >= MEMORY_BOUND]


def make_figures(charts):
    """Published numbers beside what was measured, by chart."""
    rows = {row.name: row for chart in charts for row in chart.rows}
    chaining, basic = (list(rows[name].values.values()) for name in ("chaining_realistic_8", "basic_ideal_8"))
    figures = {"chaining_realistic": [Figure("chaining_mean", "chaining, realistic spawn, 8 contexts: the mean", 1.76,
                                             geometric_mean(chaining)),
                                      Figure("chaining_best", "the same: the best program", 2.69, max(chaining))],
               "basic_ideal": [Figure("basic_best", "basic triggers, ideal spawn, 8 contexts: the best program", 1.30, max(basic))],
               "dsp": []}
    for name, what, published in (("dsp_simple", "simple slices", 1.14), ("dsp_optimized", "optimized slices", 1.33)):
        values = memory_bound(rows, name)
        figures["dsp"].append(Figure(name, f"{what}: the mean of the memory-bound programs", published,
                                     geometric_mean(values) if values else None))
    return figures


def learn(charts, figures, size):
    """What was learned, in a sentence; None where the programs are too small to learn from."""
    if size == "test":
        return None
    rows = {row.name: row for chart in charts for row in chart.rows}
    speedups = rows["chaining_realistic_8"].values
    least, most = min(speedups, key=speedups.get), max(speedups, key=speedups.get)
    mean, simple, optimized = figures["chaining_realistic"][0], *figures["dsp"]
    return (f"Chained slices on eight contexts make these programs {show(mean.measured, 'ratio')} times as fast in the mean "
            f"({show(mean.published, 'ratio')} was published), from {least} {speedups[least]:.2f} to {most} {speedups[most]:.2f}; "
            f"slices that the processor makes itself, on a wide out-of-order one, {show(optimized.measured, 'ratio')} in the mean "
            f"of those that wait for memory ({show(optimized.published, 'ratio')}).")
