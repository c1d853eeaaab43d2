"""Checks that documents can be found and read: links, the index, the README, lines, the correspondence."""

import glob
import os
import re

from common import TOP, documents, read, rows, section, words

README_LINES = 150
FIRST_SCREEN = 40
COLUMNS = 110
GROUPS = ("For users", "How it is built", "What was measured")
# what a newcomer looks for: a profile of a program, a hardware unit, the plan of a fragment
WANTED = {"docs/usage.md#a-profile-of-your-own-program",
          "docs/units.md#one-of-your-own-in-two-commands",
          "docs/architecture.md#the-life-of-a-fragment"}
COLUMNS_OF_ROWS = ["where it lives", "test", "command", "measured", "published"]


def prose(text):
    """Its lines without code, tables and pictures, with their numbers."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith(("|", "    ", "![", "<!--")):
            yield number, line


def anchors(path):
    """The names that headings have in links."""
    titles = (line.lstrip("#").strip() for _, line in prose(read(path)) if line.startswith("#"))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def links(path):
    """Relative links as (path from the top, anchor)."""
    for link in re.findall(r"\]\(([^)\s]+)\)", read(path)):
        if not re.match(r"[a-z]+:", link):
            target, _, anchor = link.partition("#")
            whole = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            yield whole, anchor


def resolves(target, anchor):
    if not os.path.exists(os.path.join(TOP, target)):
        return False
    return not anchor or target.endswith(".md") and anchor in anchors(target)


def check_links():
    for document in documents():
        there = set(links(document))
        yield f"links of {document}", there, {link for link in there if resolves(*link)}


def named_documents():
    """Documents that other files name: manual pages, --help, comments, scripts."""
    named = set()
    for folder in ("man", "src", "tests", "tools", "bench", "demo", "configs", "experiments", "web", "include"):
        for path in glob.glob(os.path.join(TOP, folder, "**", "*"), recursive=True):
            if os.path.isfile(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    named |= set(re.findall(r"\bdocs/[\w-]+\.(?:md|png)\b", file.read()))
    named |= set(re.findall(r"\bdocs/[\w-]+\.md\b", read("Makefile")))
    yield ("documents that files name and those that exist", named,
           {path for path in named if os.path.exists(os.path.join(TOP, path))})


def check_readme():
    text = read("README.md")
    lines = text.splitlines()
    yield f"the README has at most {README_LINES} lines", {len(lines) <= README_LINES}, {True}
    screen = "\n".join(lines[:FIRST_SCREEN])
    yield ("commands on the README's first screen", set(re.findall(r"^    (make \w+)", screen, flags=re.M)),
           {"make demo", "make check"})
    yield "tables in the README: uses none", {line for line in lines if line.startswith("|")}, set()
    commands = re.findall(r"^    (build/strata \w+)", section("README.md", "Six commands"), flags=re.M)
    yield "the README's six commands", {len(commands)}, {6}


def check_map():
    """The README's map has all folders of the top and of src/, and none that is not there."""
    named, above = set(), ""
    for line in section("README.md", "Map").splitlines():
        entry = re.match(r"( +)([\w/]+/)(?= |$)", line)
        if entry:
            inner = len(entry.group(1)) > 4
            above = above if inner else entry.group(2)
            named.add(above + entry.group(2) if inner else entry.group(2))
        named |= set(re.findall(r"\S {3,}(\w+/) ", line))
    yield ("folders of the README's map and those that exist", named,
           {path for path in named if os.path.isdir(os.path.join(TOP, path))})
    there = {os.path.relpath(path, TOP) + "/" for pattern in ("*/", "src/*/") for path in glob.glob(os.path.join(TOP, pattern))}
    there -= {"build/", "src/"} | {path for path in there if path.startswith("build")}
    mapped = {path for path in there if any(name.startswith(path) for name in named)}
    yield "folders of the tree and the README's map", there, mapped


def check_index():
    """docs/README.md lists each document in one of its groups."""
    listed = []
    for group in GROUPS:
        for cells in rows(section("docs/README.md", group)):
            found = re.match(r"\[[^\]]*\]\(([\w-]+\.md)\)", cells[0])
            if found:
                listed.append("docs/" + found.group(1))
    there = {path for path in documents() if path.startswith("docs/")} - {"docs/README.md"}
    yield "documents and their index", there, set(listed)
    yield "documents that the index lists twice: uses none", {path for path in listed if listed.count(path) > 1}, set()


def check_paths():
    """How many links lead from the README to where."""
    near = set(links("README.md"))
    further = near | {link for path, anchor in near if path.endswith(".md") and resolves(path, anchor)
                      for link in links(path)}
    names = {f"{path}#{anchor}" for path, anchor in further}
    yield "what a newcomer looks for, at most two links from the README", WANTED, WANTED & names
    there = {path for path in documents() if path.startswith("docs/")}
    yield "documents at most two links from the README", there, there & {path for path, _ in further}


def check_columns():
    for document in documents():
        long = {f"line {number}" for number, line in prose(read(document)) if len(line) > COLUMNS}
        yield f"{document} uses no line of more than {COLUMNS} columns", long, set()


def check_correspondence():
    """Tests and measurements stand apart, and neither is empty."""
    path = "docs/correspondence.md"
    titles = re.findall(r"^\| # \|.*$", read(path), flags=re.M)
    columns = {tuple(cell.strip() for cell in title.split("|")[3:-1]) for title in titles}
    yield f"columns of {path}", columns, {tuple(COLUMNS_OF_ROWS)}
    wrong, tests, numbers, named = set(), set(), [], set()
    for cells in rows(read(path)):
        number, _, _, test, command, measured, _ = cells
        numbers.append(number)
        named |= set(re.findall(r"--experiment ([\w-]+)", command))
        tests |= {word.split()[0] for word in words(test) if "*" not in word}
        if not test or not measured or "tests/" in measured:
            wrong.add(number)
    sections = sorted({int(number.split(".")[0]) for number in numbers})
    in_order = [f"{part}.{i}" for part in sections
                for i in range(1, 1 + sum(number.startswith(f"{part}.") for number in numbers))]
    yield (f"rows of {path} by their numbers: uses none out of order",
           {found for found, wanted in zip(numbers, in_order) if found != wanted}, set())
    referred = {one for phrase in re.findall(r"\bsee ((?:\d\.\d+(?:, | and | to )?)+)", read(path))
                for one in re.findall(r"\d\.\d+", phrase)}
    yield f"rows that {path} names", referred, referred & set(numbers)
    yield (f"experiments that {path} names", named,
           {name for name in named if os.path.exists(os.path.join(TOP, "experiments", name + ".exp"))})
    yield f"{path} uses no row without a test or a measurement, or with both in one cell", wrong, set()
    yield (f"tests that {path} names", tests,
           {test for test in tests
            if glob.glob(os.path.join(TOP, test + "*" if "/" in test else f"tests/asm/counters/{test}.S"))})


CHECKS = (check_links, named_documents, check_readme, check_map, check_index, check_paths, check_columns,
          check_correspondence)
