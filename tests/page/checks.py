"""What the tests of pages are made of: verdicts, strata, files, and a look at a page in a browser."""

import csv
import io
import json
import os
import re
import subprocess
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(TOP, "build")))
STRATA = os.path.join(BUILD, "strata")

# Colours in a canvas: one that is empty has one.
CANVASES = """[...document.querySelectorAll("canvas")].map((canvas) => {
    const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) {
        seen.add(data[i] << 24 | data[i + 1] << 16 | data[i + 2] << 8 | data[i + 3]);
    }
    return [canvas.getAttribute("aria-label"), seen.size];
})"""
# What is open of the code: its ids, and the lines that are marked.
OPENED = """(() => {
    const open = [...document.querySelectorAll("details.listing[open]")];
    const hidden = open.filter((part) => part.parentElement.closest("details:not([open])"));
    return [open.map((part) => part.id), hidden.length,
        open.flatMap((part) => [...part.querySelectorAll(".marked")].map((row) => row.textContent.split(/\\s+/).filter(Boolean)))];
})()"""
# The rows of a table.
ROWS = "[...document.querySelectorAll('%s tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"

verdicts = {"passed": 0, "failed": 0}


def verdict(name, *faults):
    faults = [fault for fault in faults if fault]
    if faults:
        verdicts["failed"] += 1
        print(f"FAILED {name}: " + "; ".join(str(fault) for fault in faults))
    else:
        verdicts["passed"] += 1


def differs(what, found, expected):
    return None if found == expected else f"{what}: {found!r}, not {expected!r}"


def close(what, found, expected):
    return None if abs(found - expected) <= 1e-9 * abs(expected) else f"{what}: {found}, not {expected}"


def strata(*arguments, program=STRATA, **options):
    return subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120, check=False, **options)


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def by_share(stats):
    """The counted loops as a page orders them: the share of each is the profile's."""
    shares = {loop["head"]: loop["share"] for loop in stats["profile"]["loops"]}
    return sorted(stats["hotspots"]["loops"], key=lambda loop: (-shares.get(loop["head"], -1), -loop["executions"]))


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text if isinstance(text, str) else json.dumps(text))
    return path


def document_of(page):
    """The data in a page."""
    with open(page, encoding="utf-8") as file:
        return json.loads(re.search(r'id="document">(.*?)</script>', file.read(), re.S).group(1))


def make_page(folder, name, *files):
    page = os.path.join(folder, name)
    done = strata("report", *files, "-o", page)
    verdict(f"{name} is written", differs("status", done.returncode, 0),
            differs("messages", done.stderr, ""))
    return page


def look(browser, name, page, scheme, charts):
    browser.open(page, scheme)
    ready = browser.evaluate("document.documentElement.dataset.ready")
    empty = [label for label, colours in browser.evaluate(CANVASES) if colours < 3]
    verdict(f"{name}, {scheme}", differs("ready", ready, "yes"),
            differs("charts", browser.evaluate("document.querySelectorAll('canvas').length"), charts),
            empty and f"charts without a drawing: {empty}",
            differs("theme", browser.evaluate("document.documentElement.dataset.theme"), scheme),
            differs("console", browser.complaints(), []),
            differs("requests", browser.requests(), ["file://" + page]),
            differs("parts that cannot be shown", browser.evaluate(
                "[...document.querySelectorAll('p.warning')].map((part) => part.textContent)"), []))


def table_of(browser, selector):
    """The CSV behind the first link of a part of the page."""
    href = browser.evaluate(f"document.querySelector('{selector} a.download').href")
    return list(csv.DictReader(io.StringIO(urllib.parse.unquote(href.partition(",")[2]), newline="")))
