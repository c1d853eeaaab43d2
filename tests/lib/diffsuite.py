"""Owns the differential programs: reads their table, builds them and runs them under a command."""

import concurrent.futures
import difflib
import fnmatch
import functools
import hashlib
import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import urllib.parse

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(TESTS)
DIFF = os.path.join(TESTS, "diff")
PROGRAMS = os.path.join(DIFF, "programs")
TABLE = os.path.join(DIFF, "programs.list")
CROSS = os.environ.get("CROSS", "riscv64-linux-gnu-")
QEMU = os.environ.get("QEMU", "qemu-riscv64")

WARNINGS = ["-Wall", "-Wextra", "-Werror"]
COMPILERS = {
    ".c": ["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O2"],
    ".cc": ["g++", "-std=c++17", "-O2"],
    ".S": ["gcc"],
}
LINK_FLAGS = {
    "static": ["-static"],
    "dynamic": [],
    "static-pie": ["-nostdlib", "-fPIE", "-ffreestanding", "-fno-stack-protector",
                   "-Wl,-pie,--no-dynamic-linker"],
}
DIFF_LINES = 12
JOBS = int(os.environ.get("TEST_JOBS", "2"))  # tests/check says how many
COLUMNS = ["name", "link", "flags", "libraries", "arguments", "stdin", "oracle", "compare"]


class SuiteError(Exception):
    """A mistake in the table, or a program that does not build."""


class Program:
    """One way to run one binary: a row of the table, once per link mode."""

    def __init__(self, row, link):
        self.name = row["name"] if row["link"] != "both" else f"{row['name']}@{link}"
        self.source = find_source(row["name"].split(":")[0])
        self.link = link
        self.flags = split_words(row["flags"])
        self.libraries = split_words(row["libraries"])
        self.arguments = [os.fsdecode(urllib.parse.unquote_to_bytes(word))
                          for word in split_words(row["arguments"])]
        self.stdin = None if row["stdin"] == "-" else os.path.join(DIFF, "input", row["stdin"])
        self.oracle = row["oracle"]
        self.compares_stderr = row["compare"] == "out+err"
        if row["compare"] not in ("out", "out+err") or self.oracle not in ("qemu", "expected"):
            raise SuiteError(f"{self.name}: bad oracle or compare column")
        stem = os.path.splitext(os.path.basename(self.source))[0]
        self.binary = os.path.join(build_folder(), "bin", link, stem)

    def expected_path(self):
        return os.path.join(PROGRAMS, self.name.split("@")[0].replace(":", ".") + ".expected")


def split_words(column):
    return [] if column == "-" else column.split(",")


def build_folder():
    return os.path.join(os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build"))),
                        "tests", "diff")


def find_source(stem):
    for suffix in COMPILERS:
        path = os.path.join(PROGRAMS, stem + suffix)
        if os.path.exists(path):
            return path
    raise SuiteError(f"{stem}: no source in {os.path.relpath(PROGRAMS, ROOT)}")


def read_table():
    programs = []
    with open(TABLE, encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if len(words) != len(COLUMNS):
                raise SuiteError(f"programs.list:{number}: not {len(COLUMNS)} columns")
            row = dict(zip(COLUMNS, words))
            links = ["static", "dynamic"] if row["link"] == "both" else [row["link"]]
            if not set(links) <= set(LINK_FLAGS):
                raise SuiteError(f"programs.list:{number}: unknown link mode {row['link']}")
            programs.extend(Program(row, link) for link in links)
    names = [program.name for program in programs]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise SuiteError(f"programs.list: more than one row for {', '.join(sorted(repeated))}")
    used = {program.source for program in programs}
    for entry in sorted(os.listdir(PROGRAMS)):
        path = os.path.join(PROGRAMS, entry)
        if os.path.splitext(entry)[1] in COMPILERS and path not in used:
            raise SuiteError(f"{entry}: has no row in programs.list")
    return programs


def matches(program, patterns):
    wanted = [p if any(c in p for c in "*?[") else f"*{p}*" for p in patterns]
    return any(fnmatch.fnmatch(program.name, w) for w in wanted)


def select(programs, only, without):
    return [p for p in programs if (not only or matches(p, only))
            and not (without and matches(p, without))]


def cross_root():
    """The folder that holds lib/libc.so.6 of the cross compiler."""
    found = subprocess.run([CROSS + "gcc", "-print-file-name=libc.so.6"], check=True,
                           capture_output=True, text=True).stdout.strip()
    return os.path.dirname(os.path.dirname(os.path.realpath(found)))


def missing_tools():
    return [tool for tool in (CROSS + "gcc", CROSS + "g++", QEMU) if shutil.which(tool) is None]


def newer(target, sources):
    """make's rule: whether the target is there and no source is younger."""
    try:
        made = os.stat(target).st_mtime_ns
    except FileNotFoundError:
        return False
    return all(os.stat(source).st_mtime_ns <= made for source in sources)


def compile_to(target, sources, command):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    scratch = f"{target}.{os.getpid()}.new"
    done = subprocess.run(command + ["-o", scratch], capture_output=True, text=True)
    if done.returncode != 0:
        raise SuiteError(f"{os.path.basename(sources[0])} does not build:\n{done.stderr}")
    os.replace(scratch, target)


def headers():
    return [os.path.join(PROGRAMS, entry) for entry in os.listdir(PROGRAMS) if entry.endswith(".h")]


def library_path(name):
    return os.path.join(build_folder(), "lib", f"lib{name}.so")


def build_library(name):
    source = os.path.join(PROGRAMS, "lib", name + ".c")
    target = library_path(name)
    if not newer(target, [source, TABLE] + headers()):
        compile_to(target, [source], [CROSS + "gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O2",
                                      "-fPIC", "-shared", *WARNINGS, "-I" + PROGRAMS, source])


def build_program(program):
    # A library written "name" is linked; "+name" is only built, for the program to load itself.
    linked = [name for name in program.libraries if not name.startswith("+")]
    libraries = [library_path(name) for name in linked]
    if newer(program.binary, [program.source, TABLE] + headers() + libraries):
        return
    compiler, *standard = COMPILERS[os.path.splitext(program.source)[1]]
    command = [CROSS + compiler, *standard, *WARNINGS, *LINK_FLAGS[program.link], *program.flags,
               "-I" + PROGRAMS, program.source, *libraries, "-lm", "-pthread"]
    if program.link == "static-pie" or "-nostdlib" in program.flags:
        command = command[:-2]
    compile_to(program.binary, [program.source], command)


def build_all(programs, jobs):
    """Builds each library and binary once; returns the errors, by binary."""
    libraries = {name.lstrip("+") for program in programs for name in program.libraries}
    binaries = {program.binary: program for program in programs}
    errors = {}

    def attempt(program):
        try:
            build_program(program)
        except SuiteError as error:
            errors[program.binary] = str(error)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(build_library, sorted(libraries)))
        list(pool.map(attempt, binaries.values()))
    return errors


def is_qemu(command):
    return os.path.basename(command[0]).startswith("qemu-riscv64")


def environment(program, command, sysroot):
    """The whole environment of a run, the same under every command but for DIFF_EXEC, which
    tells programs that execute themselves what to put in front where the host's kernel, not
    the command under test, would have to understand RISC-V binaries."""
    variables = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LC_ALL": "C",
        "TZ": "UTC",
        "DIFF_VARIABLE": "some value",
        "QEMU_LD_PREFIX": sysroot,
    }
    if program.libraries:
        variables["LD_LIBRARY_PATH"] = os.path.join(build_folder(), "lib")
    if is_qemu(command):
        variables["DIFF_EXEC"] = shutil.which(command[0])
    return variables


def run_program(program, command, sysroot, timeout, folder=None):
    """Runs in a fresh folder; status is that of a shell: 128+N for signal N, or "timeout".  What the
    command itself writes to ../stats.json comes back, too."""
    stdin = open(program.stdin, "rb") if program.stdin else open(os.devnull, "rb")
    own = folder or tempfile.mkdtemp(prefix="strata-diff-")
    work = os.path.join(own, "cwd")
    os.makedirs(work)
    try:
        # Files, not pipes: a child that outlives its parent must not hold the runner up.
        with stdin, open(os.path.join(own, "out"), "w+b") as out, \
                open(os.path.join(own, "err"), "w+b") as err:
            child = subprocess.Popen(
                command + [program.binary] + program.arguments, cwd=work, stdin=stdin, stdout=out,
                stderr=err, env=environment(program, command, sysroot), start_new_session=True)
            try:
                code = child.wait(timeout)
                status = code if code >= 0 else 128 - code
            except subprocess.TimeoutExpired:
                status = "timeout"
            if status == "timeout":
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
            out.seek(0)
            err.seek(0)
            result = {"status": status, "out": out.read().decode("latin-1"),
                      "err": err.read().decode("latin-1")}
        if os.path.exists(os.path.join(own, "stats.json")):
            with open(os.path.join(own, "stats.json"), encoding="utf-8") as stats:
                result["stats"] = stats.read()
        return result
    finally:
        shutil.rmtree(own, ignore_errors=True)


@functools.cache
def qemu_version():
    return subprocess.run([QEMU, "--version"], capture_output=True, text=True).stdout


@functools.cache
def file_digest(path):
    with open(path, "rb") as data:
        return hashlib.sha256(data.read()).digest()


def oracle_key(program, command, sysroot):
    digest = hashlib.sha256()
    variables = environment(program, command, sysroot)
    niceness = os.getpriority(os.PRIO_PROCESS, 0)  # programs see it
    digest.update(json.dumps([qemu_version(), program.arguments, sorted(variables.items()), niceness]).encode())
    files = [program.binary] + [library_path(name.lstrip("+")) for name in program.libraries]
    if program.link == "dynamic":
        files.append(os.path.join(sysroot, "lib", "libc.so.6"))
    for path in files + ([program.stdin] if program.stdin else []):
        digest.update(file_digest(path))
    return digest.hexdigest()


def oracle_result(program, sysroot, timeout, use_cache=True):
    """What the program must do: qemu's answer, kept per binary, or the .expected file, whose
    first line is `status N` and whose rest is the standard output."""
    if program.oracle == "expected":
        with open(program.expected_path(), encoding="latin-1", newline="") as expected:
            first, _, rest = expected.read().partition("\n")
        return {"status": int(first.split()[1]), "out": rest, "err": ""}
    command = [QEMU]
    path = os.path.join(build_folder(), "oracle", oracle_key(program, command, sysroot) + ".json")
    if use_cache and os.path.exists(path):
        with open(path, encoding="utf-8") as stored:
            return json.load(stored)
    result = run_program(program, command, sysroot, timeout)
    if result["status"] == "timeout":
        return result
    os.makedirs(os.path.dirname(path), exist_ok=True)
    scratch = f"{path}.{os.getpid()}-{threading.get_ident()}.new"  # another suite or thread may ask the same
    with open(scratch, "w", encoding="utf-8") as stored:
        json.dump(result, stored)
    os.replace(scratch, path)
    return result


def difference(name, wanted, got):
    lines = list(difflib.unified_diff(wanted.splitlines(), got.splitlines(), f"{name} wanted",
                                      f"{name} got", lineterm="", n=1))
    if not lines and wanted != got:
        lines = [f"{name} differs only in its line ends"]
    if len(lines) > DIFF_LINES:
        lines = lines[:DIFF_LINES] + [f"... {len(lines) - DIFF_LINES} more lines"]
    return ["    " + line[:160] for line in lines]


def compare(program, wanted, got):
    """Why the run is wrong, as lines to print; nothing when it is right."""
    reasons = []
    if wanted["status"] == "timeout":
        return ["    qemu-riscv64 ran into the timeout"]
    if wanted["status"] != got["status"]:
        reasons.append(f"    status wanted {wanted['status']}, got {got['status']}")
    reasons += difference("stdout", wanted["out"], got["out"])
    if program.compares_stderr:
        reasons += difference("stderr", wanted["err"], got["err"])
    elif reasons and got["err"]:
        reasons += ["    stderr: " + line[:150] for line in got["err"].splitlines()[-4:]]
    return reasons


def parse_command(text):
    """A command under test as words; its first is looked up from the project's root."""
    words = shlex.split(text)
    if not words:
        raise SuiteError("an empty command under test")
    if os.sep in words[0]:
        words[0] = os.path.join(ROOT, words[0])
    if shutil.which(words[0]) is None:
        raise SuiteError(f"{words[0]}: not found or not executable")
    return words


def forbid_core_files():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
