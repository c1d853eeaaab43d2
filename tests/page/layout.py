"""How pages are laid out: on a narrow, a usual and a wide screen nothing is cut off, axes say of what they are, and charts
that stand side by side can be compared."""

import json

from checks import close, differs, verdict

WIDTHS = (400, 1000, 1900)

# Opens all that can be opened, and waits until tables have found their form.
OPEN_ALL = """(async () => {
    document.querySelectorAll("details").forEach((part) => { part.open = true; fillPart(part); });
    for (let i = 0; i < 4; i++) {
        await new Promise((done) => requestAnimationFrame(done));
    }
})()"""

# What is wrong, in words.
FAULTS = """(() => {
    const faults = [];
    const screen = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > screen) {
        faults.push(`the page is ${document.documentElement.scrollWidth} wide, the screen ${screen}`);
    }
    for (const table of document.querySelectorAll("main table")) {
        const box = table.parentElement, name = table.textContent.slice(0, 30);
        if (box.clientWidth > 0 && (box.scrollWidth > box.clientWidth + 1
                || box.getBoundingClientRect().right > screen + 1)) {
            faults.push(`a table is cut off: ${name}`);
        }
    }
    const named = (scale) => Boolean(scale.options.title.display && scale.options.title.text);
    for (const {canvas, drawn} of charts) {
        const name = canvas.getAttribute("aria-label"), area = drawn.chartArea;
        if (canvas.getBoundingClientRect().right > screen + 1) {
            faults.push(`${name}: it is cut off`);
        }
        if (area.right - area.left < 120 || area.bottom - area.top < 60) {
            faults.push(`${name}: only ${Math.round(area.right - area.left)} by ${Math.round(area.bottom - area.top)} are left for it`);
        }
        const above = drawn.options.plugins.subtitle;
        for (const scale of Object.values(drawn.scales)) {
            const isNamed = named(scale) || (scale.axis === "y" && above.display && above.text.join("").length > 2);
            if (scale.type !== "category" && !isNamed) {
                faults.push(`${name}: the axis ${scale.id} does not say of what`);
            }
        }
        for (const set of drawn.data.datasets) {
            const scale = drawn.scales[drawn.options.indexAxis === "y" ? "x" : "y"];
            if ((set.type || drawn.config.type) === "bar" && (scale.type !== "linear" || scale.min > 0 || scale.max < 0)) {
                faults.push(`${name}: its bars do not begin at zero`);
            }
        }
    }
    return faults;
})()"""

# Of charts side by side, by what their axis is of: the ends of their scales.
SCALES = """[...document.querySelectorAll(".charts.several")].map((group) => {
    const ends = {};
    for (const {canvas, drawn} of charts.filter((chart) => group.contains(chart.canvas))) {
        const value = drawn.scales[drawn.options.indexAxis === "y" ? "x" : "y"];
        const of = [drawn.config.type, drawn.options.plugins.subtitle.text || value.options.title.text].flat().join(" ");
        const both = drawn.config.type === "scatter" && drawn.scales.x.type !== "category";
        (ends[of] = ends[of] || []).push([value.min, value.max, ...(both ? [drawn.scales.x.min, drawn.scales.x.max] : [])]);
    }
    return ends;
})"""


def look_at_widths(browser, name, page):
    for width in WIDTHS:
        browser.open(page, width=width)
        browser.evaluate(OPEN_ALL)
        verdict(f"{name}, {width} wide", *browser.evaluate(FAULTS))
        used = browser.evaluate("document.querySelector('main').getBoundingClientRect().width")
        verdict(f"{name}, the screen is used, {width}", used < 0.9 * width and f"{used} of {width}")
    for group in browser.evaluate(SCALES):
        for of, ends in group.items():
            verdict(f"{name}, side by side: {of}", *(differs("scale", one, ends[0]) for one in ends[1:]))


def test_faults_are_found(browser, page):
    """That a page with mistakes is not found good."""
    browser.open(page, width=1000)
    browser.evaluate(OPEN_ALL)
    before = browser.evaluate(FAULTS)
    after = browser.evaluate("""(async () => {
        const table = document.querySelector("main table");
        fitting.disconnect();
        table.classList.remove("tight", "stacked");
        table.style.width = "3000px";
        const bars = charts.find((chart) => chart.drawn.config.type === "bar").drawn;
        bars.options.scales.y.beginAtZero = false;
        bars.options.scales.y.min = 0.5;
        bars.options.plugins.subtitle.display = false;
        bars.update();
        await new Promise((done) => requestAnimationFrame(done));
        return %s;
    })()""" % FAULTS)
    words = ("a table is cut off", "does not say of what", "do not begin at zero")
    verdict("mistakes in a layout are found", differs("before", before, []),
            *(f"not found: {word}" for word in words if not any(word in fault for fault in after)))


def chart_data(browser, title):
    return browser.evaluate(f"""(() => {{
        const chart = charts.find((one) => one.canvas.getAttribute("aria-label") === {json.dumps(title)}).drawn;
        return {{type: chart.config.type, labels: chart.data.labels, sets: chart.data.datasets.map((set) => set.data),
            shown: chart.data.datasets.map((set) => set.showLine), plugins: chart.config._config.plugins.map((one) => one.id),
            ends: [chart.scales.y.min, chart.scales.y.max], scale: chart.scales.y.type}};
    }})()""")


def test_ratios(browser, page, title, values):
    """A chart of ratios has a line at 1, and a bar for the mean of each series.  values: series by series."""
    browser.open(page)
    chart = chart_data(browser, title)
    means = [None if None in one else (lambda product: product ** (1 / len(one)))(_product(one)) for one in values]
    verdict(f"the mean and the line at 1: {title}", differs("line", chart["plugins"], ["lineAtOne"]),
            differs("last group", chart["labels"][-1], ["geometric", "mean"]),
            differs("bars", [one[:-1] for one in chart["sets"]], values),
            *(differs("mean", one[-1], mean) if mean is None else close("mean", one[-1], mean)
              for one, mean in zip(chart["sets"], means)),
            not chart["ends"][0] <= 1 <= chart["ends"][1] and f"1 is not between {chart['ends']}")


def _product(numbers):
    product = 1
    for number in numbers:
        product *= number
    return product


def test_points_where_logarithmic(browser, page, title):
    browser.open(page)
    chart = chart_data(browser, title)
    verdict(f"points on a logarithmic scale: {title}", differs("scale", chart["scale"], "logarithmic"),
            differs("kind", chart["type"], "line"), differs("lines", set(map(str, chart["shown"])), {"False"}))
