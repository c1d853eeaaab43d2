"""Writes what bench/helpers has measured as the results of a study, results.json, and their page, index.html."""

import hashlib
import json
import os

from helper_charts import SLIDES, TOO_SMALL, learn, only_ratios
from helper_runs import BUILT, LOADS, SIZES, SLICED, TOP, write_file
from sliced import run_strata


def commands_of(runs, names):
    """By run; and before them, for programs that have slices, how these were found."""
    size = SIZES[runs.size]
    part = ("--skip N", *size.part) if size.part else ()
    forms = {runs.runs[name].form for name in names} or {"chaining"}
    commands = {form: " ".join(["strata slice", *options, "--machine sp -o", f"{form}/PROGRAM", "-- PROGRAM", size.train])
                for form, options in SLICED if form in forms}
    for name in names:
        run = runs.runs[name]
        loads = ("--perfect-loads", f"@{run.loads_of}.pipeline.loads:{LOADS}") if run.loads_of else ()
        program = f"{run.form}/PROGRAM" if run.form in commands else "PROGRAM" + dict(BUILT)[run.form]
        commands[name] = " ".join(["strata sim --machine", run.machine, *run.options, *loads, *part, program, runs.size])
    return commands


def make_experiment(runs, chart, checks, figures, results):
    names = [row.name for row in chart.rows]
    drawn = names if only_ratios(chart) else [row.name for row in chart.rows if row.unit == chart.rows[-1].unit]
    slices = {"slices": {"run": chart.shown, "data": {
        program: [statistics[chart.shown].get("slices")] for program, statistics in results.items()}}} if chart.shown else {}
    return {"name": chart.name, "title": chart.title, "figure": None, "source": chart.source or SLIDES,
            "paper": chart.published, "learned": None, "commands": commands_of(runs, chart.runs), "axis": None, "programs": list(results),
            "values": [{"name": row.name, "label": row.label, "unit": row.unit, "expression": None,
                        "data": {program: [value] for program, value in row.values.items()}} for row in chart.rows],
            "charts": [{"kind": "bars", "values": drawn, "log": False, "axis_title": chart.axis},
                       {"kind": "table", "values": names, "log": False, "axis_title": None}],
            **slices,
            "checks": [{"name": check.name, "at": None, "statement": check.statement, "stated": check.stated,
                        "condition": "", "measured": check.measured, "holds": check.holds, "why": None} for check in checks],
            "published": [{"name": figure.name, "what": figure.what, "unit": "ratio", "published": figure.published,
                           "measured": figure.measured} for figure in figures]}


def write_page(runs, charts, checks, figures, results):
    with open(runs.strata, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    experiments = [make_experiment(runs, chart, checks.get(chart.name, []), figures.get(chart.name, []), results)
                   for chart in charts]
    experiments[0]["learned"] = learn(charts, figures, runs.size)
    document = {"schema": "strata.study/1", "title": "Helper threads", "notice": TOO_SMALL if runs.size == "test" else None,
                "size": runs.size, "suite": "helpers",
                "strata": {"version": run_strata(runs.strata, ["--version"], TOP).split()[-1], "sha256": digest,
                           "translator_sha256": ""},
                "experiments": experiments, "missing": [], "failed": [], "listings": {}}
    path = os.path.join(runs.folder, "results.json")
    write_file(path, json.dumps(document, indent=1))
    run_strata(runs.strata, ["report", path, "-o", os.path.join(runs.folder, "index.html")], TOP)
