"""Checks tables of facts in the documents that the code has, too, where they are not made by tools/quote."""

import glob
import json
import os
import re
import subprocess
import tempfile
import tomllib

from common import BUILD, STRATA, TOP, documents, output, printed, read, rows, section, source, words

LISTS = os.path.join(BUILD, "bench", "programs", "mst")
SWEEP = """\
title   One program
program lists {lists} test
run     a run
run     b sim --machine dsp --loads --dsp simple --measure 100000
value   count a.machine.instructions "instructions" number
loops   a head executions function source
cycles  b
slices  b
chart   bars count by program
check   runs min(count) > 1 "it runs"
why     runs "It does."
"""


def first_words(table):
    return {words(cells[0])[0] for cells in table if words(cells[0])}


def default_of(option):
    return re.search(rf"^  {option} .*(?:\n {{20,}}.*)?\((\S+)\)$", output("run", "--help"), flags=re.M).group(1)


def plain(number):
    return int(number.replace(" ", ""))


def xstrata():
    path = "docs/isa-extension.md"
    definitions = source("xstrata.def")
    coded = {(name, int(match, 16) >> 25)
             for name, match in re.findall(r'^INSN\(\w+, +"([\w.]+)", +\w+, +(0x\w+)', definitions, flags=re.M)}
    instructions = section(path, "1. Instructions")
    yield ("instructions of xstrata.def and their table", coded,
           {(words(cells[0])[0].split()[0], int(cells[1])) for cells in rows(instructions)})
    yield ("instructions of xstrata.def and .insn", coded,
           {(name, int(select)) for select, name in
            re.findall(r"^\.insn r 0x0b, 0, (\d+),.*# ([\w.]+)", instructions, flags=re.M)})
    registers = {(name, number, "read only" if int(number, 16) >> 10 == 3 else "read, write")
                 for name, number in re.findall(r'^XCSR\(\w+, +"(\w+)", +(0x\w+)', definitions, flags=re.M)}
    yield ("registers of xstrata.def and their table", registers,
           {(words(cells[0])[0], cells[1], cells[2])
            for cells in rows(section(path, "2. Registers and how a program learns of them"))})
    classes = {int(number) for number in re.findall(r"XSTRATA_CODE_\w+ = (\d+)", source("xstrata_abi.h"))}
    free = re.search(r"(\d+) to 31 are free", re.sub(r"\s+", " ", read(path)))
    yield "classes of ic.sync that are free", {max(classes) + 1}, {int(free.group(1))}


def counters():
    path = "docs/counters.md"
    kinds = re.findall(r'^COUNTERS\(\w+, "([\w-]+)"\)', source("counters.def"), flags=re.M)
    table = rows(read(path).split("## What is counted")[0])
    yield "kinds of counters and their table", set(kinds), first_words(table)
    rules = re.findall(r'^PLACEMENT\(\w+, +"([\w-]+)"', source("placement.def"), flags=re.M)
    placements = rows(section(path, "Placement"))
    yield "placement policies and their table", set(rules), first_words(placements)
    numbers = ("no", "one", "two", "three", "four", "five", "six", "seven")
    software = sum(kind.startswith("sw") for kind in kinds)
    index = re.search(r"counters of the translator: hardware, (\w+) kinds in software, (\w+) placements", read("docs/README.md"))
    yield ("numbers of kinds and policies in docs/README.md", {numbers[software], numbers[len(rules)]}, set(index.groups()))
    yield ("number of policies in docs/correspondence.md", {numbers[len(rules)]},
           {word for pattern in (r"`--placement`, (\w+) rules", r"each of (\w+) policies")
            for word in re.findall(pattern, read("docs/correspondence.md"))})
    said = {words(cells[0])[0] for cells in table + placements if cells[0].endswith("the default")}
    yield "default kind of counter and policy", {default_of("--counters"), default_of("--placement")}, said
    limits = {plain(number) for cells in rows(section(path, "Limits"))
              for number in re.findall(r"^(\d[\d ]*) (?:heads|slots)|\((\d+)\)$", cells[0]) for number in number if number}
    coded = {1 << int(re.search(r"#define LOOPS \(1u << (\d+)\)", source("count.h")).group(1)),
             1 << int(re.search(r"#define PAPER_SLOT_BITS (\d+)", read("src/translator/fragment/paper_slot.h")).group(1))}
    yield "limits of counters", coded, limits


def linux():
    path = "docs/linux.md"
    quantum = re.search(r"#define SCHEDULE_QUANTUM UINT64_C\((\d+)\)", source("schedule.h")).group(1)
    text = re.sub(r"\s+", " ", read(path))
    yield "a thread's turn", {int(quantum)}, {plain(re.search(r"after exactly ([\d ]+) instructions", text).group(1))}
    optional = set(re.findall(r"^OPTIONAL_SYSCALL\(\d+, (\w+)\)", source("syscalls.def"), flags=re.M))
    said = set(words(re.search(r"\*\*An optional call\*\*.*?\(([^)]*)\)", text).group(1)))
    yield "optional calls that docs/linux.md names", said, said & optional


def statuses():
    coded = set(re.findall(r"EXIT_\w+ = (\d+)", source("command.h")))
    coded |= {re.search(r"#define LIMIT_EXIT_STATUS (\d+)", source("trap.c")).group(1), "128+N", "the program's own"}
    yield ("exit statuses and docs/usage.md", coded,
           {cells[0] for cells in rows(section("docs/usage.md", "Exit statuses"))})


def experiments():
    path = "docs/experiments.md"
    directives = set(re.findall(r'\{"(\w+)", read_\w+\}', source("experiment.c")))
    lines = {words(cells[0])[0].split()[0] for cells in rows(section(path, "Experiment files"))}
    yield "lines of experiment files and their table", directives, lines - {"..."}
    functions = set(re.findall(r'^    \{"(\w+)", \d, \d, apply_', source("lists.c"), flags=re.M))
    table = "".join(cells[0] for cells in rows(section(path, "Expressions")))
    yield "functions of expressions and their table", functions, set(re.findall(r"(\w+)\(", table))
    there = {os.path.basename(name)[:-len(".exp")] for name in glob.glob(os.path.join(TOP, "experiments", "*.exp"))}
    study = read("docs/study.md")
    titles = set(re.findall(r"^### .*\(`([\w-]+)`\)$", study, flags=re.M))
    yield "experiments that docs/study.md has conclusions of, and files", titles, titles & there
    named = titles | set(re.findall(r"--experiment ([\w-]+)", study)) | set(re.findall(r"experiments/([\w-]+)\.exp", study))
    yield "experiments and docs/study.md", there, named


def object_keys(value, path=""):
    """Keys of results.json as docs/experiments.md names them: those of its lists' objects, not of what programs have."""
    keys = set()
    for name, inner in value.items():
        whole = f"{path}.{name}" if path else name
        keys.add(whole + "[]" if whole in ("experiments", "failed") or name in ("values", "charts", "checks", "published") else whole)
        if whole == "experiments":
            for one in inner:
                keys |= object_keys(one, "experiments[]")
    return keys


def documented_results():
    """The keys of the table of strata.study/1; a row may name several of one object."""
    keys = set()
    for cells in rows(section("docs/experiments.md", "strata.study/1")):
        names = words(cells[0])
        above = names[0].rpartition(".")[0] if "[]" in names[0] and "." in names[0] else ""
        keys |= {name if name.startswith("experiments") or not above else f"{above}.{name}" for name in names}
    return keys


def results():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "one.exp")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SWEEP.format(lists=LISTS))
        subprocess.run([STRATA, "sweep", "-o", os.path.join(folder, "out"), path], capture_output=True, check=True)
        with open(os.path.join(folder, "out", "results.json"), encoding="utf-8") as file:
            written = object_keys(json.load(file))
    yield "keys of results.json and docs/experiments.md", written - {"schema"}, documented_results() - {"schema"}


def real_programs():
    path = "docs/real-programs.md"
    recipe = tomllib.loads(read("bench/real/programs.toml"))
    names = {word for cells in rows(section(path, "The programs")) for word in words(cells[0])}
    yield "programs of bench/real and their table", {program["name"] for program in recipe["program"]}, names
    sources = {recipe["package"][program["package"]].get("source", program["package"]) for program in recipe["program"]}
    packages = {name for cells in rows(section(path, "The programs")) for name in cells[1].split(", ")}
    yield "their source packages", sources, packages
    options = set(re.findall(r"^  (--[a-z-]+)", printed("bench/real/run", "--help"), flags=re.M))
    table = {word.split()[0] for cells in rows(section(path, "The table")) for word in words(cells[0])
             if word.startswith("--")}
    yield "options of bench/real/run and their table", options, table
    limits = {str(recipe["limits"]["ratio"])} | {str(program["per_instruction"]) for program in recipe["program"]
                                                if "per_instruction" in program}
    said = re.search(r"a mean of all programs above ([\d.]+), more than (\d+) `per insn`", read(path))
    yield "limits of bench/real", limits, set(said.groups())


def helper_threads():
    """The choices of bench/spr/run."""
    path = "docs/spr.md"
    offered = {option: set(re.split(r", ?| or ", kinds)) for option, kinds in
               re.findall(r"^  --(scheme|wait|kernels) \w+ +([\w, ]+?)(?: \(\w+\))?$",
                          printed("bench/spr/run", "--help"), flags=re.M)}
    table = rows(section(path, "The scheme"))
    said = " ".join(cells[1] for cells in table)
    yield "schemes of bench/spr/run", offered["scheme"], set(re.findall(r"`--scheme (\w+)`", said))
    waits = next(cells[1] for cells in table if cells[0] == "waiting")
    yield "ways to wait of bench/spr/run", offered["wait"], {word.removeprefix("--wait ") for word in words(waits)}
    yield "kernels of bench/spr/run", offered["kernels"], first_words([cells for cells in table if len(cells) == 4])


def processors():
    path = "docs/timing-model.md"
    text = read(path)
    yield ("processors of configs and docs/timing-model.md",
           {os.path.basename(name) for name in glob.glob(os.path.join(TOP, "configs", "*.ini"))},
           set(re.findall(r"^    configs/(\w+\.ini)", text, flags=re.M)))
    files = {word for cells in rows(section(path, "How it works")) for word in words(cells[0])}
    yield ("files of the pipeline that docs/timing-model.md names", files,
           {name for name in files if glob.glob(os.path.join(TOP, "src", "machine", "**", name), recursive=True)})
    keys = set(re.findall(r"^(?:NUMBER|CHOICE)\((\w+), (\w+),", source("parameters.def"), flags=re.M))
    sections = {part for part, _ in keys}
    for document in documents():
        used = {(part, name) for part, name in re.findall(r"`(\w+)\.(\w\w+)(?: = [^`]*)?`", read(document))
                if part in sections and name not in ("c", "h", "def", "ini", "md", "list")}
        yield f"parameters that {document} names", used, used & keys
    cases = set()
    for name in glob.glob(os.path.join(TOP, "tests", "pipeline", "*.cases")):
        group = os.path.basename(name)[:-len(".cases")]
        with open(name, encoding="utf-8") as file:
            cases |= {f"{group}/{case}" for case in re.findall(r"^(\w+):", file.read(), flags=re.M)}
    named = set()
    for cells in rows(section(path, "Which test says so")):
        group = None
        for word in words(cells[1]):
            if word.startswith("tests/") or re.fullmatch(r"\w+", word) and f"{word}.cases" in os.listdir(
                    os.path.join(TOP, "tests", "pipeline")):
                continue
            group = word.split("/")[0] if "/" in word else group
            named.add(word if "/" in word else f"{group}/{word}")
    yield "cases of tests/pipeline that docs/timing-model.md names", named, named & cases


def hardware_tables():
    """What --dsp needs in bits, and the thresholds of the counter table."""
    bits, sizes = set(), set()
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("simple", "optimized"):
            stats = os.path.join(folder, kind)
            subprocess.run([STRATA, "sim", "--machine", "dsp", "--dsp", kind, "--measure", "1000", "--stats", stats, LISTS,
                            "test"], stdout=subprocess.DEVNULL, check=True)
            with open(stats, encoding="utf-8") as file:
                document = json.load(file)
            tables = document["pipeline"]["dsp"]
            slice_bits = tables["sit"]["storage_bits"]
            bits |= {table["storage_bits"] for table in tables.values() if isinstance(table, dict)}
            sizes |= {table["entries"] for table in tables.values() if isinstance(table, dict) and "entries" in table}
        thresholds = {one["threshold"] for one in document["units"]["counters"]["thresholds"]}
    table = rows(section("docs/slices.md", "Made by the processor: --dsp").split("###")[0])
    yield ("bits of the tables of --dsp and docs/slices.md", bits,
           {int(number) for cells in table for number in re.findall(r"\b(\d{4,})\b", cells[3])})
    if sizes:
        yield ("entries of the tables of --dsp and docs/slices.md", sizes, {int(cells[2].split()[0]) for cells in table})
    row = next(cells for cells in rows(read("docs/correspondence.md")) if cells[1] == "slice cache")
    yield ("bits of the slice cache in docs/correspondence.md", {slice_bits},
           {plain(re.match(r"([\d ]+) bits", row[5]).group(1))})
    said = re.search(r"one object per threshold: ([\d, ]+)", read("docs/stats.md")).group(1)
    yield "thresholds and docs/stats.md", thresholds, set(map(int, said.split(", ")))


def units():
    """Events that docs/architecture.md says units can ask for."""
    named = {words(cells[0])[0] for cells in rows(section("docs/architecture.md", "Units: what nobody watches costs nothing"))
             if words(cells[0])}
    events = set(re.findall(r"\bWATCH_(\w+) = \d+", source("unit.h")))
    yield "events of units that docs/architecture.md names", named, named & events


def readers():
    """Where docs/profile.md has flame graphs drawn is where tests/profile has."""
    used = re.search(r'^FLAMEGRAPH = "(.*?)"', read("tests/profile/run"), flags=re.M).group(1)
    yield ("what draws flame graphs, and docs/profile.md", {used},
           set(re.findall(r"(\S+/flamegraph\.pl)\b", read("docs/profile.md"))))


CHECKS = (xstrata, counters, linux, statuses, experiments, results, real_programs, helper_threads, processors,
          hardware_tables, units, readers)
