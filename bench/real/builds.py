"""Owns building: unpacks a source package and cross-compiles it, once per recipe and compiler."""

import hashlib
import json
import os
import shutil
import subprocess

# Patches that Debian applies make generated files look older than what they come from, and make
# would then want autoconf.
SAME_TIME = 1_000_000_000


class BuildError(Exception):
    """What the user must know, in one line."""


def logged(argv, folder, log, environment=None):
    with open(log, "ab") as file:
        try:
            done = subprocess.run(argv, cwd=folder, stdout=file, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, env=environment, check=False)
        except FileNotFoundError as error:
            raise BuildError(f"{argv[0]} is not installed (tools/install-deps real)") from error
    return done.returncode


def unpack(source, folder, log):
    if source.endswith(".dsc"):
        command = ["dpkg-source", "--extract", source, folder]
    else:
        os.makedirs(folder)
        command = ["tar", "--extract", "--strip-components=1", "--file", source, "-C", folder]
    if logged(command, None, log) != 0:
        raise BuildError(f"{os.path.basename(source)} cannot be unpacked: see {log}")
    for place, folders, names in os.walk(folder):
        for name in folders + names:
            os.utime(os.path.join(place, name), (SAME_TIME, SAME_TIME), follow_symlinks=False)


def compiler_version(compiler):
    try:
        done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        raise BuildError(f"{compiler} is not installed (tools/install-deps guest)") from error
    return done.stdout.splitlines()[0]


def build(package, recipe, facts, folder, prefix, say):
    """The folder that holds what the recipe leaves in $OUT."""
    out = os.path.join(folder, "out", package)
    compiler = prefix + "gcc"
    key = json.dumps([recipe, facts["sha256"], compiler_version(compiler)], sort_keys=True)
    key = hashlib.sha256(key.encode()).hexdigest()
    stamp = os.path.join(out, ".built")
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read() == key:
                return out
    for tool in recipe.get("tools", []):
        if shutil.which(tool) is None:
            raise BuildError(f"{package} needs {tool} to build (tools/install-deps real)")
    say(f"building {package} {facts['version']}")
    tree = os.path.join(folder, "trees", package)
    log = os.path.join(folder, "trees", package + ".log")
    shutil.rmtree(tree, ignore_errors=True)
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(os.path.dirname(tree), exist_ok=True)
    os.makedirs(out)
    if os.path.exists(log):
        os.remove(log)
    unpack(os.path.join(folder, "sources", facts["package"], facts["description"]), tree, log)
    environment = {"PATH": os.environ["PATH"], "HOME": tree, "LC_ALL": "C", "OUT": out,
                   "CC": compiler, "CROSS": prefix, "HOST": prefix.rstrip("-"),
                   "HOST_CC": "cc", "MAKEFLAGS": "-j2"}
    if logged(["sh", "-e", "-x", "-c", recipe["build"]], tree, log, environment) != 0:
        raise BuildError(f"{package} does not build: see {log}")
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(key)
    return out
