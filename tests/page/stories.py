"""What the first screen says of runs that are not the usual ones: stopped, replaced, without names, in part, beside others."""

import os
import subprocess

from checks import ROWS, TOP, close, differs, make_page, read_json, strata, table_of, verdict, write

HOT = """
long hot(long turns)
{
    long sum = 0;
    for (long i = 0; i < turns; i++) {
        sum += i ^ sum << 1;
    }
    return sum;
}
"""
ENDS = """
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

long hot(long turns);

static long __attribute__((noipa)) warm(long turns)
{
    long sum = 1;
    for (long i = 1; i < turns; i++) {
        sum = sum * 3 ^ i;
    }
    return sum;
}

int main(int argc, char **argv)
{
    printf("%ld %ld\\n", hot(300000), warm(90000));
    fflush(stdout);
    if (argc == 2) {
        raise(SIGSEGV);
    }
    if (argc > 2) {
        execv(argv[2], argv + 2);
    }
    return 0;
}
"""
LEAD = "document.querySelector('#story .lead').textContent"
TILES = """Object.fromEntries([...document.querySelectorAll("#story .tile")].map((tile) =>
    [tile.querySelector("dt").textContent, [...tile.querySelectorAll("dd")].map((part) => part.textContent)]))"""
# Of a chart by its title: labels, the height of each bar, and what the legend names.
STACK = """(() => {
    const chart = charts.find((one) => one.canvas.getAttribute("aria-label") === "Cycles per instruction by cause").drawn;
    const height = (label, k) => chart.data.datasets.reduce((sum, part) => sum + part.data[k], 0);
    return [chart.data.labels, chart.data.labels.map(height),
        chart.legend.legendItems.map((item) => item.text)];
})()"""


def lacks(name, text, *words):
    return [f"{name}: {word!r} is not in {text!r}" for word in words if word not in text]


class Ends:
    """A program whose hottest loop has its source elsewhere, and its runs."""

    def __init__(self, folder):
        place, other = (os.path.join(folder, name) for name in ("ends", "ends-elsewhere"))
        os.mkdir(place)
        os.mkdir(other)
        self.folder, self.program, self.stripped = folder, os.path.join(place, "ends"), os.path.join(place, "bare")
        subprocess.run(["riscv64-linux-gnu-gcc", "-O2", "-g", "-static", write(place, "ends.c", ENDS), write(other, "hot.c", HOT),
                        "-o", self.program], check=True)
        subprocess.run(["riscv64-linux-gnu-strip", "-o", self.stripped, self.program], check=True)

    def run(self, name, status, *arguments):
        """A page of `strata ARGUMENTS`, and the statistics."""
        stats = os.path.join(self.folder, f"ends-{name}.json")
        done = strata(arguments[0], "--stats", stats, *arguments[1:])
        verdict(f"strata, {name}", differs("status", done.returncode, status))
        return make_page(self.folder, f"ends-{name}.html", stats), read_json(stats)


def test_ends(browser, ends):
    for name, status, arguments, words in (
            ("killed", 128 + 11, ["run", ends.program, "k"], "killed by signal 11 (SIGSEGV)"),
            ("limited", 124, ["run", "--max-instructions", "1200000", ends.program], "stopped by --max-instructions")):
        page, _ = ends.run(name, status, *arguments)
        browser.open(page)
        lead, under = browser.evaluate(LEAD), browser.evaluate("document.querySelector('.subtitle').textContent")
        verdict(f"how it ended, {name}", *lacks("subtitle", under, words), *lacks("lead", lead, words.split()[-1],
                                                                                "all counts are up to there"))
    page, stats = ends.run("replaced", 0, "run", ends.program, "x", ends.program)
    before = stats["earlier"][0]
    browser.open(page)
    rows = table_of(browser, "#earlier")
    verdict("a program before it", differs("rows", [(row["program"], row["arguments"], int(row["instructions"]), int(
        row["the program's own"]), row["hottest function"]) for row in rows], [(
            ends.program, f"x {ends.program}", before["machine"]["instructions"], before["profile"]["instructions"], "hot")]),
            *lacks("note", browser.evaluate("document.querySelector('#story').textContent"),
                   "Before it ends ran in the same process"))
    browser.open(ends.run("usual", 0, "run", ends.program)[0])
    verdict("nothing ran before", differs("section", browser.evaluate("document.querySelector('#earlier')"), None))


def test_own(browser, ends):
    """What is said to be the program's own is what the functions below add up to."""
    page, stats = ends.run("own", 0, "run", ends.program)
    browser.open(page)
    own, every = stats["profile"]["instructions"], stats["machine"]["instructions"]
    listed = sum(int(row["instructions"]) for row in table_of(browser, "#functions"))
    verdict("the program's own instructions", differs("sum of the functions", listed, own), own >= every and "they are all",
            differs("tile", browser.evaluate(TILES).get("the program's own"), [f"{own:,}"]),
            *lacks("lead", browser.evaluate(LEAD), f"{every:,} instructions, {100 * own / every:.1f} % of them the program's own",
                   "is hot, "))
    opened = browser.evaluate("""[...document.querySelectorAll("#code details.listing[open]")].map((part) =>
        [part.querySelector("summary").textContent.split(",")[0], part.querySelector("pre.source") !== null])""")
    first = browser.evaluate("document.querySelector('#code details.listing summary').textContent")
    verdict("the first listing whose source is shown", differs("open", opened, [["warm", True]]),
            not first.startswith("hot, hot.c") and f"the first is {first}")
    page, stats = ends.run("bare", 0, "run", ends.stripped)
    browser.open(page)
    lead, first = browser.evaluate(LEAD), stats["profile"]["functions"][0]
    verdict("a program without symbols", not first["function"].startswith("bare+0x") and first["function"],
            *lacks("lead", lead, f"is {first['function']}, {100 * first['share']:.1f} %"))
    unnamed = {**stats, "profile": {**stats["profile"], "functions": [
        {**first, "function": "[bare]", "address": None, "share": 0.9}, *stats["profile"]["functions"]]}}
    browser.open(make_page(ends.folder, "ends-unnamed.html", write(ends.folder, "ends-unnamed.json", unnamed)))
    verdict("code that is in no function", differs("lead", browser.evaluate(LEAD), lead))


def test_parts(browser, ends):
    machine = ["--machine", os.path.join(TOP, "configs", "simplescalar.ini")]
    page, stats = ends.run("part", 0, "sim", *machine, "--skip", "10K", "--warm", "10K", "--measure", "50K", ends.program)
    browser.open(page)
    measured, every = stats["pipeline"]["instructions"], stats["machine"]["instructions"]
    tiles = browser.evaluate(TILES)
    verdict("a part in cycles", differs("cycles", tiles.get("cycles measured"), [f"{stats['pipeline']['cycles']:,}"]),
            differs("measured", tiles.get("instructions measured"), [f"{measured:,}"]),
            differs("instructions", tiles.get("instructions"), [f"{every:,}"]),
            *lacks("lead", browser.evaluate(LEAD), f"in the {measured:,} of {every:,} instructions that were measured"),
            *lacks("title", browser.evaluate("document.querySelector('#story .top h3').textContent"),
                   "by cycles that were measured"))
    page, stats = ends.run("samples", 0, "sim", *machine, "--sample", "10K", ends.program)
    browser.open(page)
    samples = stats["pipeline"]["sampling"]["samples"]
    verdict("samples", *lacks("lead", browser.evaluate(LEAD), f"estimated from {samples} samples"),
            *lacks("tile", browser.evaluate(TILES)["cycles"][0], f"{stats['machine']['cycles']:,}", "estimated"))


def test_beside(browser, folder, runs):
    """Programs together: all are named, what they gain is said first, and one that has ended costs nothing more."""
    pipeline = read_json(runs.together)["pipeline"]
    browser.open(make_page(folder, "beside.html", runs.together))
    lead, tiles, (labels, heights, _) = (browser.evaluate(one) for one in (LEAD, TILES, STACK))
    weighted = f"{pipeline['together']['weighted_speedup']:.3f}"
    verdict("programs together, first", differs("title", browser.evaluate("document.querySelector('h1').textContent"),
                                                "chases beside chases-pie"),
            differs("tile", tiles.get("weighted speedup"), [weighted]),
            *lacks("lead", lead, f"Together chases and chases-pie get {weighted} times",
                   *(f"{program['speedup']:.3f}" for program in pipeline["programs"])),
            differs("bars", labels, [["together.json: chases", "context 0"], ["together.json: chases-pie", "context 1"]]),
            *(close("height", height, (sum(one["cycles"].values()) - one["cycles"]["idle"]) / one["instructions"])
              for height, one in zip(heights, pipeline["contexts"])))


def test_two(browser, folder, runs):
    pair = [read_json(path) for path in (runs.cycles, runs.other_cycles)]
    browser.open(make_page(folder, "pair.html", runs.cycles, runs.other_cycles))
    contexts = [one["pipeline"]["contexts"][0] for one in pair]
    stacks = [{key: cycles / one["instructions"] for key, cycles in one["cycles"].items()} for one in contexts]
    cause = max(stacks[0], key=lambda key: abs(stacks[1][key] - stacks[0][key]))
    name = browser.evaluate(f"CAUSES.find(([key]) => key === {cause!r})[1]")
    verdict("what makes the difference of two runs", *lacks(
        "lead", browser.evaluate(LEAD),
        f"What changes most: {name}, {stacks[1][cause]:.3f} cycles per instruction instead of {stacks[0][cause]:.3f}."))
    _, heights, named = browser.evaluate(STACK)
    seen = [key for key in stacks[0] if max(one[key] for one in stacks) >= 0.001 * max(heights)]
    verdict("what the legend names", differs("causes", set(named), set(browser.evaluate(
        f"CAUSES.filter(([key]) => {seen}.includes(key)).map(([, label]) => label)"))),
            len(seen) == len(stacks[0]) and "all are seen")
    for width, form in ((1200, False), (400, True)):
        browser.open(make_page(folder, "pair.html", runs.cycles, runs.other_cycles), width=width)
        verdict(f"loads of two runs, {width} wide", differs("rows as blocks", browser.evaluate(
            "document.getElementById('delinquent-loads').classList.contains('stacked')"), form))
    few, many = (read_json(path) for path in (runs.evicted, runs.translated))
    browser.open(make_page(folder, "pair.html", runs.translated, runs.evicted))
    tiles = browser.evaluate(TILES)
    a, b = many["machine"]["instructions"], few["machine"]["instructions"]
    evicted = few["hotspots"]["evicted"]
    verdict("two translated runs", differs("evicted", tiles.get("counters evicted"), ["A 0", f"B {evicted:,}"]),
            *lacks("lead", browser.evaluate(LEAD), f"{'more' if b > a else 'fewer'} instructions than A"),
            any(row[-1].strip().startswith("/") for row in browser.evaluate(ROWS % "#hot-loops")) and "flags without words")


def test_least(browser, folder, runs):
    """In the code, too, a count that is not complete is the least that is certain."""
    loops = {loop["head"]: loop for loop in read_json(runs.evicted)["hotspots"]["loops"]}
    browser.open(make_page(folder, "least.html", runs.evicted))
    shown = browser.evaluate("""[...document.querySelectorAll("#code details.listing[open] .disassembly .row")].map((row) =>
        [row.querySelector(".count").textContent.trim(), row.querySelector(".position").textContent.split(" ")[0]])""")
    counted = [(count, loops[address]) for count, address in shown if count]
    verdict("counts in the code", not any(not loop["complete"] for _, loop in counted) and f"none is incomplete: {shown}",
            *(differs(loop["head"], count, ("" if loop["complete"] else "\u2265 ") + f"{loop['executions']:,}")
              for count, loop in counted))


def test_formats(browser, folder, runs):
    browser.open(make_page(folder, "formats.html", runs.plain))
    verdict("small shares", differs("shown", browser.evaluate("[0, 1e-6, 1e-5, -1e-6, 0.5].map(formatPercent)"),
                                    ["0 %", "< 0.001 %", "0.001 %", "> -0.001 %", "50.0 %"]))


def value_of(name, unit, data, expression=None):
    return {"name": name, "label": name, "unit": unit, "data": data, "expression": expression}


def test_points(browser, folder):
    """Bars at the points of an axis: one unit in a chart, nothing drawn where there is nothing, and yes or no in words."""
    study = {"schema": "strata.study/1", "experiments": [{
        "name": "points", "title": "Points", "source": "the slides", "programs": ["a", "b"],
        "axis": {"name": "size", "values": [1, 2, 3]},
        "values": [value_of("few", "percent", {"a": [0.1, 0, 0.2], "b": [0, 0, 0]}),
                   value_of("more", "percent", {"a": [0.4, 0, 0], "b": [0, 0, 0]}),
                   value_of("counted", "number", {"a": [5, 6, 7], "b": [0, 1, 2]}),
                   value_of("fits", "number", {"a": [0, 1, 1], "b": [0, 0, 1]}, "counted <= 6")],
        "charts": [{"kind": "bars", "values": ["few", "more", "counted"], "log": False, "axis_title": None}],
        "checks": [{"name": "all", "at": None, "statement": "all fit", "stated": True, "condition": "min(fits at 2) = 1",
                    "measured": "min(fits at 2): 0", "holds": False, "why": None},
                   {"name": "each", "at": 3, "statement": "all fit (size 3)", "stated": False, "condition": "min(fits) = 1",
                    "measured": "min(fits): 1", "holds": True, "why": None}]}]}
    browser.open(make_page(folder, "points.html", write(folder, "points.json", study)))
    drawn = browser.evaluate("""charts.map(({canvas, drawn}) => [canvas.getAttribute("aria-label"), drawn.data.datasets.length,
        drawn.options.plugins.subtitle.text.join(" "), drawn.scales.y.max])""")
    words = browser.evaluate("document.querySelector('main').textContent")
    verdict("bars at points", differs("charts", [one[:2] for one in drawn], [["size 1", 2], ["size 3", 2], ["counted", 3]]),
            differs("axes", [one[2] for one in drawn], ["\u2191 few; more"] * 2 + ["\u2191 counted"]),
            differs("scale", drawn[0][3], drawn[1][3]),
            *lacks("page", words, "Not drawn, since nothing there is above 0: size 2."))
    verdict("yes and no in words", *lacks("page", words, "fits, size 2: in 1 of 2 programs", "fits: in 2 of 2 programs",
                                          "What the slides state"), "slides states" in words and "slides states")


def test_stories(browser, folder, runs):
    ends = Ends(folder)
    test_ends(browser, ends)
    test_own(browser, ends)
    test_parts(browser, ends)
    test_beside(browser, folder, runs)
    test_two(browser, folder, runs)
    test_least(browser, folder, runs)
    test_formats(browser, folder, runs)
    test_points(browser, folder)
