"""Pages of runs in cycles: the CPI stack, the processor's figures, programs together, the delinquent loads."""

import os
import re

from checks import (OPENED, ROWS, TOP, close, differs, look, make_page, read_json, table_of, verdict,
                    write)

# A program whose misses are known: a chain through more lines than the first level has.
CHASES = """
#include <stdio.h>

enum { NODES = 4096, STEPS = 20000 };

static struct node {
    struct node *next;
    long value[7];
} nodes[NODES];

static long __attribute__((noipa)) chase(const struct node *at, long steps)
{
    long sum = 0;
    while (steps-- > 0) {
        sum += at->value[6];
        at = at->next; /* the load that misses */
    }
    return sum;
}

int main(void)
{
    for (long i = 0; i < NODES; i++) {
        nodes[i].next = &nodes[(i * 5 + 3) % NODES];
    }
    return printf("%ld\\n", chase(nodes, STEPS)) < 0;
}
"""


def test_cycles(browser, page, runs):
    """The CPI stack: parts in the order of the pipeline's table that sum to the cycles, and what it shows."""
    pipeline = read_json(runs.cycles)["pipeline"]
    stack = pipeline["contexts"][0]["cycles"]
    browser.open(page)
    with open(os.path.join(TOP, "src", "machine", "pipeline", "stack.def"), encoding="utf-8") as file:
        causes = re.findall(r"^CAUSE\((\w+),", file.read(), re.M)
    colours = browser.evaluate("['light', 'dark'].map((theme) => { document.documentElement.dataset.theme = theme; "
                               "return new Set(themeColours().causes).size; })")
    verdict("causes of waiting", differs("causes", browser.evaluate("CAUSES.map(([key]) => key)"), causes),
            differs("colours", colours, [len(causes)] * 2))
    rows = table_of(browser, "#cycles")
    parts = {row["key"]: float(row["cycles"]) for row in rows}
    total = parts.pop("all")
    verdict("the CPI stack", differs("parts", parts, {key: stack[key] for key in causes if stack[key] > 0}),
            differs("contexts", {row["context"] for row in rows}, {"0"}),
            close("sum", sum(parts.values()), pipeline["cycles"]), close("all", total, pipeline["cycles"]),
            close("shares", sum(float(row["share"]) for row in rows), 2),
            close("per instruction", float(rows[-1]["per instruction"]),
                  pipeline["cycles"] / pipeline["instructions"]),
            differs("shown", browser.evaluate(ROWS % "#cycles")[-1][2:4], [f"{pipeline['cycles']:,}", "100.0 %"]))
    drawn = browser.evaluate("""["Cycles by cause", "Cycles per instruction by cause"].map((title) => {
        const chart = charts.find((one) => one.canvas.getAttribute("aria-label") === title).drawn;
        return chart.data.datasets.reduce((sum, part) => sum + part.data[0], 0);
    })""")
    verdict("the chart of the CPI stack", close("cycles", drawn[0], pipeline["cycles"]),
            close("per instruction", drawn[1], pipeline["cycles"] / pipeline["instructions"]))
    figures = {row["figure"]: float(row["value"]) for row in table_of(browser, "#processor")}
    branches = pipeline["branches"]
    kinds = ("conditional", "indirect", "returns")
    expected = {"IPC, instructions per cycle": pipeline["ipc"],
                "misses per 1,000 instructions, L1 data": pipeline["l1d"]["misses_per_1000"],
                "misses per 1,000 instructions, L3": pipeline["l3"]["misses_per_1000"],
                "predicted right, all branches": 1 - sum(branches[kind + "_mispredicted"] for kind in kinds) /
                sum(branches[kind] for kind in kinds),
                "entries in use, issue queue": pipeline["issue_queue_occupied"],
                "MSHRs in use, L1 data": pipeline["l1d"]["mshrs_occupied"]}
    verdict("figures of the processor", *(close(name, figures.get(name, -1), value)
                                          for name, value in expected.items()))


def number(text):
    return None if text == "" else float(text)


def test_loads(browser, page, runs):
    """The table of delinquent loads, its CSV, and the code behind it."""
    pipeline = read_json(runs.cycles)["pipeline"]
    loads, top = pipeline["loads"], pipeline["loads_top"]
    first = loads[0]
    browser.open(page)
    shares = table_of(browser, "#loads")
    rows = browser.evaluate(ROWS % "#delinquent-loads")
    verdict("delinquent loads", differs("function", first["function"], "chase"),
            differs("rows", len(rows), min(25, len(loads))),
            differs("first", rows[0][:5], ["1", "chase", first["source"], first["pc"], f"{first['executions']:,}"]),
            differs("the first 1, 5 and 10", [(row["loads"], float(row["share of misses"])) for row in shares],
                    [(str(count), top[f"top_{count}"]) for count in (1, 5, 10)]))
    table = table_of(browser, "#loads >")
    verdict("the CSV of loads", differs("rows", [
        (row["load"], row["instruction"], number(row["L1 miss rate"]), number(row["L2 capacity share"]),
         number(row["mean latency"]), number(row["share of misses"]), number(row["share of stall cycles"]))
        for row in table], [
            (load["pc"], load["instruction"], load["l1"]["miss_rate"], load["l2"]["capacity_share"],
             load["mean_latency"], load["share"], load["stall_share"]) for load in loads]))
    browser.evaluate("document.querySelectorAll('details.listing[open]').forEach((part) => { part.open = false; })")
    browser.evaluate("document.querySelector('#delinquent-loads a').click()")
    browser.wait_until("document.querySelector('details.listing[open] .marked') !== null")
    opened, hidden, marked = browser.evaluate(OPENED)
    on_line = sum(load["l1"]["misses"] for load in loads if load["source"] == first["source"])
    verdict("code of a load", differs("open", (opened, hidden), (["load-a-" + first["pc"]], 0)),
            differs("marked", [row[:2] for row in marked], [[f"{on_line:,}", first["source"].split(":")[1]],
                                                           [f"{first['l1']['misses']:,}", first["pc"]]]),
            differs("console", browser.complaints(), []))


def test_two_cycles(browser, page, runs):
    """Two processors on one scale; a load of both runs stands in one row, unless one is of translated code."""
    stats = [read_json(path)["pipeline"] for path in (runs.cycles, runs.other_cycles)]
    browser.open(page)
    rows = table_of(browser, "#cycles")
    verdict("two CPI stacks", *(close(f"sum {run}", sum(float(row[f"cycles {run}"]) for row in rows[:-1]),
                                      one["cycles"]) for run, one in zip("AB", stats)),
            differs("bars", browser.evaluate("charts.find((one) => one.canvas.getAttribute('aria-label') === "
                                             "'Cycles by cause').drawn.data.labels"),
                    ["A: cycles.json", "B: other_cycles.json"]))
    places = [{load["pc"]: str(i + 1) for i, load in enumerate(one["loads"])} for one in stats]
    shown = browser.evaluate(ROWS % "#delinquent-loads")
    verdict("loads of two runs", differs("ranks", [row[0] for row in shown], [
        "".join(f"{run} {ranks.get(row[3], '-')}" for run, ranks in zip("AB", places)) for row in shown]),
            differs("most misses", shown[0][1], "chase"))


def test_together(browser, one, two, runs):
    """Programs on one processor: each beside the others and alone, and all of them; a run without others has none."""
    stats = [read_json(path)["pipeline"] for path in (runs.together, runs.other_together)]
    keys = {"instructions": "instructions", "cycles": "cycles", "IPC": "ipc", "IPC alone": "ipc_alone",
            "speedup": "speedup"}
    browser.open(one)
    programs = stats[0]["programs"]
    rows = table_of(browser, "#together >")
    verdict("programs together", differs("programs", [(row["context"], row["program"], row["ended"]) for row in rows],
                                         [("0", runs.chases, "status 0"), ("1", runs.chases_pie, "status 0")]),
            *(differs(label, [number(row[label]) for row in rows], [program[key] for program in programs])
              for label, key in keys.items()),
            differs("shown", [row[4:7] for row in browser.evaluate(ROWS % "#programs-together")],
                    [[f"{program[key]:.3f}" for key in ("ipc", "ipc_alone", "speedup")] for program in programs]))
    figures = {row["figure"]: number(row["value"]) for row in table_of(browser, "#together details")}
    together = stats[0]["together"]
    verdict("what programs get done together", differs("figures", figures, {
        "cycles": together["cycles"], "weighted speedup": together["weighted_speedup"],
        "harmonic mean": together["harmonic_speedup"], "fairness": together["fairness"]}),
            close("sum of speedups", together["weighted_speedup"], sum(program["speedup"] for program in programs)))
    bars = """(() => {
        const data = charts.find((one) => one.canvas.getAttribute("aria-label") === "Instructions per cycle").drawn.data;
        return [data.labels, data.datasets.map((one) => [one.label, one.data])];
    })()"""
    verdict("the chart of programs", differs("bars", browser.evaluate(bars), [
        ["0: chases", "1: chases-pie"], [["beside the others", [program["ipc"] for program in programs]],
                                         ["alone", [program["ipc_alone"] for program in programs]]]]))
    browser.open(two)
    rows = table_of(browser, "#together >")
    found = [[number(row[f"IPC {run}"]) for row in rows] for run in "AB"]
    verdict("programs of two runs", differs("IPC", found, [
        [program["ipc"] for program in programs] + [None], [program["ipc"] for program in stats[1]["programs"]]]))


def test_slices(browser, one, two, runs):
    """The ledger: every slice with what became of its lines; of two runs each has its own columns."""
    slices = read_json(runs.slices)["slices"]
    browser.open(one)
    rows = table_of(browser, "#slices")
    counts = ("length", "started", "chained", "lines", "redundant", "faulted")
    fates = {"timely": "timely", "late": "late", "evicted": "evicted", "useless": "unused"}
    verdict("slices", differs("some", len(slices) > 0 and slices[0]["lines"] > 0, True),
            differs("loads", [row["load"] for row in rows], [slice["load"]["pc"] for slice in slices]),
            differs("functions", {row["function"] for row in rows}, {"chase"}),
            *(differs(key, [number(row[key]) for row in rows], [slice[key] for slice in slices]) for key in counts),
            *(close(f"{label} of {row['load']}", number(row[label]), slice[key] / slice["lines"])
              for row, slice in zip(rows, slices) if slice["lines"] > 0 for label, key in fates.items()))
    browser.open(two)
    others = read_json(runs.hardware_slices)["slices"]
    rows = table_of(browser, "#slices")
    verdict("slices of two runs", differs("lines", [
        sum(number(row[f"lines {run}"]) or 0 for row in rows) for run in "AB"],
        [sum(slice["lines"] for slice in run) for run in (slices, others)]))
    browser.open(runs.without_slices)
    verdict("no slices", differs("section", browser.evaluate("document.querySelector('#slices') === null"), True))


def several_contexts(stats):
    """The same with a second context that does what the first does."""
    contexts = stats["pipeline"]["contexts"]
    return {**stats, "pipeline": {**stats["pipeline"], "contexts": [contexts[0], *contexts[:-1]]}}


def test_pages_of_cycles(browser, folder, runs):
    one = make_page(folder, "cycles.html", runs.cycles)
    two = make_page(folder, "two_cycles.html", runs.cycles, runs.other_cycles)
    for scheme in ("light", "dark"):
        look(browser, "one run in cycles", one, scheme, 4)
        look(browser, "two runs in cycles", two, scheme, 5)
    test_cycles(browser, one, runs)
    test_loads(browser, one, runs)
    test_two_cycles(browser, two, runs)
    together = make_page(folder, "together.html", runs.together)
    two_together = make_page(folder, "two_together.html", runs.together, runs.other_together)
    look(browser, "programs together", together, "light", 5)
    look(browser, "programs together, twice", two_together, "dark", 6)
    test_together(browser, together, two_together, runs)
    slices = make_page(folder, "slices.html", runs.slices)
    two_slices = make_page(folder, "two_slices.html", runs.slices, runs.hardware_slices)
    look(browser, "slices", slices, "light", 4)
    look(browser, "slices, twice", two_slices, "dark", 5)
    runs.without_slices = one
    test_slices(browser, slices, two_slices, runs)
    mixed = make_page(folder, "mixed.html", runs.cycles, runs.plain)
    look(browser, "a run in cycles and one without", mixed, "light", 6)
    verdict("without cycles", differs("bars", browser.evaluate("charts[1].drawn.data.labels"), ["A: cycles.json"]))
    mixed = make_page(folder, "translated_cycles.html", runs.cycles, runs.translated_cycles)
    look(browser, "a translated run in cycles", mixed, "light", 6)
    ranks = [row[0] for row in browser.evaluate(ROWS % "#delinquent-loads")]
    verdict("loads of translated code", differs("ranks of the first load", ranks[0], "A 1B 1"))
    path = write(folder, "contexts.json", several_contexts(read_json(runs.cycles)))
    look(browser, "several contexts", make_page(folder, "contexts.html", path), "light", 4)
    cycles = read_json(runs.cycles)["pipeline"]["cycles"]
    rows = table_of(browser, "#cycles")
    verdict("the CPI stack of several contexts", *(close(f"context {k}", sum(
        float(row["cycles"]) for row in rows if row["context"] == k and row["key"] != "all"), cycles) for k in "01"),
            differs("bars", browser.evaluate("charts[1].drawn.data.labels"),
                    [["contexts.json", "context 0"], ["contexts.json", "context 1"]]))
