"""Owns running: a program's steps in a fresh folder, plain or translated, and what they leave."""

import json
import os
import shutil
import subprocess
import sys

from sources import sha256


class MeasureError(Exception):
    """What the user must know, in one line."""


def make_input(name, recipe, folder, workloads):
    """The generated file; kept under a name that says how, and by which version of the script."""
    script = os.path.join(workloads, recipe["make"][0])
    version = sha256(script)[:8] + sha256(os.path.join(workloads, "draws.py"))[:8]
    path = os.path.join(folder, "inputs", "-".join([*recipe["make"], version]))
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".new", "wb") as file:
            argv = [sys.executable, script, *recipe["make"][1:]]
            if subprocess.run(argv, stdout=file, check=False).returncode != 0:
                raise MeasureError(f"input {name} cannot be made")
        os.replace(path + ".new", path)
    return path


def fill(place, files):
    """A fresh folder with these files: the same names in every run, so the same work."""
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    for name, origin in files.items():
        copy = shutil.copytree if os.path.isdir(origin) else shutil.copy2
        copy(origin, os.path.join(place, name))


def run_step(step, place, command, stats):
    if os.path.exists(stats):
        os.remove(stats)
    argv = [*command, "--stats", stats, "--", *step["run"]]
    with open(os.path.join(place, step.get("stdin", "/dev/null")), "rb") as source, \
            open(os.path.join(place, step.get("stdout", "output")), "ab") as result:
        done = subprocess.run(argv, cwd=place, stdin=source, stdout=result, env={},
                              stderr=subprocess.PIPE, check=False)
    try:
        with open(stats, encoding="utf-8") as file:
            statistics = json.load(file)
    except FileNotFoundError as error:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        raise MeasureError(f"{' '.join(step['run'])}: status {done.returncode}: {said[-1]}") \
            from error
    return {"status": done.returncode, "messages": done.stderr.decode(errors="replace"),
            "statistics": statistics}


def what_is_there(place):
    found = {}
    for folder, _, names in os.walk(place):
        for name in names:
            path = os.path.join(folder, name)
            found[os.path.relpath(path, place)] = sha256(path)
    return found


def run_program(program, files, place, command):
    """(what must not differ, the statistics of each step)"""
    fill(place, files)
    steps = [run_step(step, place, command, place + ".stats.json") for step in program["steps"]]
    result = {"files": what_is_there(place),
              "steps": [(step["status"], step["messages"]) for step in steps]}
    return result, [step["statistics"] for step in steps]


def check(program, place, environment):
    """None, or why the result that lies in `place` is wrong."""
    if "check" not in program:
        return None
    done = subprocess.run(["sh", "-e", "-c", program["check"]], cwd=place, env=environment,
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    lines = (done.stderr + done.stdout).strip().splitlines()
    return lines[0] if lines else "its check failed"


def difference(plain, translated):
    """None, or the first thing that differs."""
    for number, (before, after) in enumerate(zip(plain["steps"], translated["steps"]), 1):
        if before[0] != after[0]:
            return f"step {number}: status {after[0]} instead of {before[0]}"
        if before[1] != after[1]:
            return f"step {number}: other messages"
    for name in sorted(plain["files"].keys() | translated["files"].keys()):
        if plain["files"].get(name) != translated["files"].get(name):
            return f"file {name}"
    return None


def summed(statistics):
    """Counts of all steps of a translated run."""
    sums = {"instructions": 0, "fragments": 0, "instructions_translated": 0, "runtime": 0,
            "trampoline": 0, "counter": 0, "program": 0, "builder_calls": 0, "flushes": 0,
            "indirect_lookups": 0, "indirect_lookups_missed": 0}
    for step in statistics:
        translator = step["translator"]
        sums["instructions"] += step["machine"]["instructions"]
        for key, count in translator["instructions"].items():
            sums[key] += count
        for key in ("fragments", "instructions_translated", "builder_calls", "flushes",
                    "indirect_lookups", "indirect_lookups_missed"):
            sums[key] += translator[key] or 0
    return sums
