"""What a page shows at once, at three widths: the story of the run, no table that is cut off, no empty bar."""

from checks import ROWS, by_share, close, differs, make_page, read_json, table_of, verdict

WIDTHS = 400, 1000, 1900
HEIGHT = 1000
# Everything that can be opened is, and charts and tables have had time to find their size.
OPEN_ALL = """(() => {
    document.querySelectorAll("main details").forEach((part) => { part.open = true; });
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true), 50))));
})()"""
# Tables whose box is narrower than they are, cells that leave the page, and whether the page itself scrolls sideways.
CUT_OFF = """(() => {
    const boxes = [...document.querySelectorAll("main .wide")].filter((box) => box.clientWidth > 0);
    const cells = [...document.querySelectorAll("main td, main th")].filter((cell) => cell.getClientRects().length > 0);
    return {
        boxes: boxes.filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.firstElementChild.id || box.textContent.slice(0, 60)),
        cells: cells.filter((cell) => cell.getBoundingClientRect().right > innerWidth + 1).length,
        page: document.documentElement.scrollWidth - innerWidth, shown: boxes.length, of: cells.length,
    };
})()"""
TILES = """Object.fromEntries([...document.querySelectorAll("#story .tile")].map((tile) =>
    [tile.querySelector("dt").textContent, [...tile.querySelectorAll("dd")].map((part) => part.textContent)]))"""
BARS = """charts.filter((one) => one.canvas.getAttribute("aria-label").startsWith("%s"))
    .map((one) => one.drawn.data.labels.map((label, k) => [label,
        one.drawn.data.datasets.reduce((sum, part) => sum + (part.data[k] || 0), 0)]))"""
SCALES = """charts.filter((one) => one.canvas.getAttribute("aria-label").startsWith("Executions of each loop"))
    .map((one) => [one.drawn.scales.x.min, one.drawn.scales.x.max, one.drawn.scales.y.min, one.drawn.scales.y.max])"""


def test_widths(browser, name, page):
    for width in WIDTHS:
        browser.open(page, "light", width, HEIGHT)
        first = browser.evaluate("""["h1", "#story .lead", "#story .tiles"].map((one) =>
            document.querySelector(one).getBoundingClientRect().bottom)""")
        browser.evaluate(OPEN_ALL)
        browser.wait_until("true")
        cut = browser.evaluate(CUT_OFF)
        used = browser.evaluate("document.querySelector('main').getBoundingClientRect().width")
        hidden = browser.evaluate("document.getElementById('contents').scrollWidth - document.getElementById('contents').clientWidth")
        verdict(f"{name}, {width} wide", differs("tables cut off", cut["boxes"], []),
                differs("cells outside", cut["cells"], 0), cut["page"] > 0 and f"the page is {cut['page']} too wide",
                (cut["shown"] < 3 or cut["of"] < 20) and f"only {cut['shown']} tables",
                max(first) > HEIGHT and f"the story ends at {first}",
                used < 0.9 * width and f"only {used} of {width} are used",
                width >= 1000 and hidden > 0 and f"{hidden} of the contents are hidden",
                differs("console", browser.complaints(), []))


def test_first_listing(browser, name, page):
    browser.open(page)
    found = browser.evaluate("""(() => {
        const all = [...document.querySelectorAll("#code details.listing")];
        return [all.map((part) => part.open), all[0].querySelectorAll(".marked").length, all[0].querySelector("pre.source") !== null];
    })()""")
    verdict(f"the first listing, {name}", differs("open", found[0], [True] + [False] * (len(found[0]) - 1)),
            found[1] < 1 and "nothing is marked", not found[2] and "no source")


def test_story(browser, one, two, runs):
    stats = [read_json(path) for path in (runs.cycles, runs.other_cycles)]
    cycles = [run["machine"]["cycles"] for run in stats]
    browser.open(one)
    tiles = browser.evaluate(TILES)
    verdict("the story of a run", differs("cycles", tiles.get("cycles"), [f"{cycles[0]:,}"]),
            differs("IPC", tiles.get("instructions per cycle"), [f"{stats[0]['pipeline']['ipc']:.3f}"]),
            differs("speedup", "speedup, B over A" in tiles, False))
    drawn = browser.evaluate(BARS % "Cycles per instruction by cause")
    verdict("the CPI stack on the first screen", differs("charts", len(drawn), 1),
            close("height", drawn[0][0][1], cycles[0] / stats[0]["pipeline"]["instructions"]),
            browser.evaluate("document.querySelector('#story canvas') === null") and "it is elsewhere")
    browser.open(two)
    tiles = browser.evaluate(TILES)
    lead = browser.evaluate("document.querySelector('#story .lead').textContent")
    verdict("the story of two runs", differs("speedup", tiles.get("speedup, B over A"), [f"{cycles[0] / cycles[1]:.3f}"]),
            differs("cycles", tiles.get("cycles"), [f"A {cycles[0]:,}", f"B {cycles[1]:,}"]),
            differs("lead", lead.split(" What ")[0], f"B is {cycles[0] / cycles[1]:.3f} times as fast as A." if cycles[0] > cycles[1]
                    else f"B takes {cycles[1] / cycles[0]:.3f} times as many cycles as A."))


def test_functions(browser, page, path):
    stats = read_json(path)
    listed = sorted((one for one in stats["profile"]["functions"] if one["instructions"] > 0),
                    key=lambda one: -one["share"])
    browser.open(page)
    rows = table_of(browser, "#functions")
    verdict("hot functions", differs("instructions", [int(row["instructions"]) for row in rows],
                                     [one["instructions"] for one in listed]),
            differs("first", browser.evaluate(ROWS % "#hot-functions")[0][0], listed[0]["function"]),
            differs("in the story", browser.evaluate("document.querySelector('#story .top td.code').textContent"),
                    listed[0]["function"]))


def test_incomplete(browser, page, runs):
    stats = read_json(runs.evicted)
    spots, loops = stats["hotspots"], by_share(stats)
    browser.open(page)
    said = browser.evaluate("document.querySelector('#story .warning').textContent")
    shown = browser.evaluate(ROWS % "#hot-loops")
    expected = [("" if loop["complete"] else "\u2265 ") + f"{loop['executions']:,}" for loop in loops]
    table = table_of(browser, "#loops")
    marked = browser.evaluate("[...document.querySelectorAll('#code details[open] .disassembly .marked .count')].map((one) => one.textContent.trim())")
    verdict("a count that is not complete, beside the code", differs("said", marked[:1], expected[:1]),
            not expected[0].startswith("\u2265") and "it is complete")
    verdict("counts that are not complete", (spots["incomplete"] == 0) and "all are",
            differs("rows", [row[3] for row in shown], expected[:len(shown)]),
            differs("shares", [row[4] == "-" for row in shown],
                    [loop["share"] is None for loop in loops[:len(shown)]]),
            differs("CSV", [(row["executions"], row["complete"]) for row in table],
                    [(str(loop["executions"]), str(loop["complete"]).lower()) for loop in loops]),
            *(f"{word!r} is not in {said!r}" for word in (f"{spots['incomplete']} of {len(spots['loops'])} loops",
                                                          f"a table of 4 evicted {spots['evicted']} counters", "these have no share")
              if word not in said))


def test_sampled(browser, page, path):
    stats = read_json(path)
    pipeline = stats["pipeline"]
    scale = pipeline["sampling"]["estimated_cycles"] / pipeline["cycles"]
    listed = sorted((one for one in stats["profile"]["functions"] if one["instructions"] > 0 or one["cycles"] > 0),
                    key=lambda one: -one["share"])
    browser.open(page)
    rows = table_of(browser, "#functions")
    verdict("functions of a run that was sampled",
            differs("cycles", int(rows[0]["estimated cycles"]), round(scale * listed[0]["cycles"])),
            differs("title", browser.evaluate("document.querySelector('#story .top')?.closest('div').textContent.includes('estimated cycles')"), True))


def test_no_empty_bars(browser, page, runs):
    contexts = read_json(runs.slices)["pipeline"]["contexts"]
    ran = [context for context in contexts if sum(context["cycles"].values()) - context["cycles"]["idle"] > 0]
    own = [context for context in contexts if context["instructions"] > 0]
    browser.open(page)
    counts = [browser.evaluate(BARS % title)[0] for title in ("Cycles by cause", "Cycles per instruction by cause")]
    rows = table_of(browser, "#cycles")
    verdict("contexts that slices ran on", (len(ran) <= len(own)) and "there are none",
            differs("bars", [len(bars) for bars in counts], [len(ran), len(own)]),
            min(height for bars in counts for _, height in bars) <= 0 and "there are empty bars",
            any(float(row["cycles"]) <= 0 for row in rows) and "there are empty rows")


def test_screens(browser, folder, runs):
    pages = {"a run in cycles": [runs.cycles], "two runs in cycles": [runs.cycles, runs.other_cycles],
             "a translated run": [runs.translated], "two translated runs": [runs.evicted, runs.translated],
             "a dynamic run": [runs.dynamic], "slices": [runs.slices], "two runs with slices":
             [runs.slices, runs.hardware_slices], "programs together": [runs.together, runs.other_together],
             "a run with evictions": [runs.evicted], "samples of a run": [runs.sampled]}
    made = {name: make_page(folder, f"screen-{i}.html", *files) for i, (name, files) in enumerate(pages.items())}
    for name, page in made.items():
        test_widths(browser, name, page)
    for name in ("a run in cycles", "a translated run", "two translated runs"):
        test_first_listing(browser, name, made[name])
    test_story(browser, made["a run in cycles"], made["two runs in cycles"], runs)
    test_functions(browser, made["a translated run"], runs.translated)
    test_incomplete(browser, made["a run with evictions"], runs)
    test_no_empty_bars(browser, made["slices"], runs)
    test_sampled(browser, made["samples of a run"], runs.sampled)
    browser.open(made["two translated runs"])
    scales = browser.evaluate(SCALES)
    verdict("small multiples", differs("charts", len(scales), 2), differs("scales", scales[0], scales[-1]))
