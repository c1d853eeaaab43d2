"""Writes what bench/helpers has measured as the results of a study, results.json, and their page, index.html."""

import hashlib
import json
import os

from helper_charts import only_ratios
from helper_runs import LOADS, SIZES, TOP
from sliced import run_strata


def command_of(runs, name):
    run = runs.runs[name]
    loads = ("--perfect-loads", f"@{run.loads_of}.pipeline.loads:{LOADS}") if run.loads_of else ()
    part = ("--skip N", *SIZES[runs.size].part) if SIZES[runs.size].part else ()
    return " ".join(["strata sim --machine", run.machine, *run.options, *loads, *part, f"({run.form})", "PROGRAM", runs.size])


def make_experiment(runs, chart, checks, programs):
    names = [row.name for row in chart.rows]
    drawn = names if only_ratios(chart) else [row.name for row in chart.rows if row.unit == chart.rows[-1].unit]
    return {"name": chart.name, "title": chart.title, "figure": None, "paper": chart.published,
            "commands": {name: command_of(runs, name) for name in names if name in runs.runs},
            "axis": None, "programs": list(programs),
            "values": [{"name": row.name, "label": row.label, "unit": row.unit, "expression": None,
                        "data": {program: [value] for program, value in row.values.items()}} for row in chart.rows],
            "charts": [{"kind": "bars", "values": drawn, "log": False}, {"kind": "table", "values": names, "log": False}],
            "checks": [{"name": check.name, "at": None, "statement": check.statement, "condition": "",
                        "measured": check.measured, "holds": check.holds, "why": None} for check in checks]}


def write_page(runs, charts, checks, programs):
    with open(runs.strata, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    document = {"schema": "strata.study/1", "title": "Helper threads", "size": runs.size, "suite": "helpers",
                "strata": {"version": "", "sha256": digest, "translator_sha256": ""},
                "experiments": [make_experiment(runs, chart, checks.get(chart.name, []), programs) for chart in charts],
                "missing": [], "failed": [], "listings": {}}
    path = os.path.join(runs.folder, "results.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
    run_strata(runs.strata, ["report", path, "-o", os.path.join(runs.folder, "index.html")], TOP)
