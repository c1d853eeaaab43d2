"""Owns the table of suites: what each runs, when, and what it needs for itself.

A suite belongs to the smallest of three tiers that runs it: `quick` runs before each commit, `check` before each push,
`slow` for hours.  A larger tier runs all suites of the smaller ones, some of them for longer."""

import dataclasses
import glob
import os

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TIERS = ("quick", "check", "slow")
# A suite that has not ended by then never does, even where much else goes on: two idle cores need a tenth of it.
SECONDS = 3600
SLOW_SECONDS = 12 * 3600
# Where contexts, processes, signals and changing code meet; check-slow runs all.
PIPELINE_PROGRAMS = ("thread_mutexes", "thread_barriers", "thread_signals", "thread_outlives_main", "fork_with_threads",
                     "signal_nesting", "vfork_shares_memory", "exec_self", "code_modified", "code_changed_by_thread")
# What is hard for a translator, as far as it is short.
TRANSLATED_PROGRAMS = ("hello@dynamic", "signal_nesting", "signal_long_jump", "fault_repair", "fault_changes_registers",
                       "long_jumps", "code_placement", "die_by_signal:jump")
# One of each kind: a library, processes, threads, signals, code that changes, files.
QUICK_PROGRAMS = ("hello@dynamic", "exec_self", "thread_mutexes", "signal_nesting", "code_modified", "file_descriptors")
PROCESSORS = "simplescalar", "sp", "dsp", "modern"


@dataclasses.dataclass
class Suite:
    """One command, and when it may run."""

    key: str  # what --only and the make target check-KEY call it: never changed without need
    name: str
    command: list
    environment: dict = dataclasses.field(default_factory=dict)
    tier: str = "check"
    alone: bool = False  # nothing else runs meanwhile: it reads the host's clock, or keeps all cores busy by itself
    seconds_max: float = SECONDS


def only(names):
    return [word for name in names for word in ("--only", name)]


class Table:
    """The suites of one build, for runs of one tier."""

    def __init__(self, build, tier):
        self.build, self.asan = build, f"{build}/asan"
        self.slow = tier == "slow"
        self.tier = tier
        self.rows = []

    def plain(self, key, name, *command, **more):
        self.rows.append(Suite(key, name, list(command), {"BUILD": self.build}, **more))

    def guarded(self, key, name, *command, build=None, **more):
        """The same under the address and undefined-behaviour sanitizers."""
        self.rows.append(Suite(f"sanitized-{key}", f"{name} (sanitized)", list(command), {"BUILD": build or self.asan},
                               **more))

    def both(self, key, name, *command, **more):
        self.plain(key, name, *command, **more)
        self.guarded(key, name, *command)

    def hours(self, hours, otherwise):
        """The options for --hours where time is not short; such a suite has all cores."""
        return (["--hours", str(hours)] if self.slow else list(otherwise)), {"alone": self.slow}

    def unit(self):
        for path in sorted(glob.glob(f"{TOP}/tests/unit/test_*.c")):
            program = os.path.basename(path)[:-len(".c")]
            key = "unit-" + program[len("test_"):].replace("_", "-")
            self.plain(key, f"unit {program}", f"{self.build}/unit/{program}", tier="quick")
            self.guarded(key, f"unit {program}", f"{self.asan}/unit/{program}")
        name = "random programs of the toy target"
        self.plain("toy-random", name, f"{self.build}/unit/test_fragment_random", "50000", tier="slow")
        self.guarded("toy-random", name, f"{self.asan}/unit/test_fragment_random", "10000", tier="slow")

    def runner(self):
        self.plain("runner", "the runner of these suites", "tests/runner/run", tier="quick")

    def isa(self):
        words = f"{self.build}/unit/disasm_words"
        self.plain("objdump", "disassembly beside objdump", "tests/isa/objdump-compare", words)
        self.plain("words", "random words beside objdump", "tests/isa/random-compare", words,
                   "1000" if self.slow else "100", tier="quick")
        self.plain("xstrata", "Xstrata rows", "tests/isa/xstrata-compare", words, tier="quick")

    def machine(self):
        self.both("asm", "assembly", "tests/asm/run", tier="quick")
        for name in "sp", "dsp":
            self.plain(f"asm-{name}", f"assembly on {name}", "tests/asm/run", "--machine", name)
        self.plain("diff", "programs beside qemu-riscv64", "tests/diff/run",
                   *(only(QUICK_PROGRAMS) if self.tier == "quick" else []), tier="quick")
        self.plain("diff-timers", "timers by the host's clock", "tests/diff/run", "--only", "timer", "--under",
                   f"{self.build}/strata sim --real-time", alone=True)
        # file_descriptors takes away the descriptor that the leak checker needs at the end.
        self.guarded("diff", "programs", "tests/diff/run", "--under", f"{self.asan}/strata sim", "--timeout", "300",
                     "--without", "file_descriptors", build=self.build)
        self.plain("diff-repeatable", "repeatable", "tests/diff/repeatable")
        options, more = self.hours(4, [])
        self.plain("random", "random instructions beside qemu-riscv64", "tests/random/run", *options, **more)
        self.both("bad", "bad input", "tests/bad/run", tier="quick")
        self.plain("command", "the command line", "tests/command/run", tier="quick")
        self.plain("completion", "completion in shells", "tests/command/completion", tier="quick")
        self.plain("install", "what make install installs", "tests/command/install")
        self.plain("limit", "limits", "tests/limit/run", tier="quick")
        self.plain("progress", "the line that shows progress", "tests/progress/run")
        self.plain("programs", "programs of the study", "tests/programs/run")

    def pipeline(self):
        self.plain("pipeline", "golden tests of the pipeline", "tests/pipeline/run")
        # That a second run is the same, the plain build shows.
        self.guarded("pipeline", "golden tests of the pipeline", "tests/pipeline/run",
                     *([] if self.slow else ["--once"]))
        self.plain("pipeline-loads", "single instructions in the pipeline", "tests/pipeline/loads/run")
        self.plain("pipeline-path", "the same path on every processor", "tests/pipeline/path/run")
        self.both("pipeline-phases", "parts of long programs in the pipeline", "tests/pipeline/phases/run")
        self.both("pipeline-with", "several programs in the pipeline", "tests/pipeline/with/run")
        under = [word for name in PROCESSORS
                 for word in ("--under", f"{self.build}/strata sim --machine {TOP}/configs/{name}.ini")]
        # Of several instructions in one cycle, a timer finds only the last: of the program that looks for all states,
        # the row that asks for a number of them is for a clock that counts instructions.
        fewer = ["--without", "signal_single_steps:machine"]
        self.plain("pipeline-programs", "programs in the pipeline", "tests/diff/run", *under, "--timeout", "600",
                   *fewer, *([] if self.slow else ["--deal", *only(PIPELINE_PROGRAMS)]))
        # file_descriptors takes away the descriptor that the leak checker needs at the end.
        self.guarded("pipeline-programs", "programs in the pipeline", "tests/diff/run", "--under",
                     f"{self.asan}/strata sim --machine {TOP}/configs/dsp.ini", "--timeout", "3000",
                     "--without", "file_descriptors", *fewer, *([] if self.slow else only(PIPELINE_PROGRAMS[-4:])),
                     build=self.build)
        for name in "sp", "dsp":
            options, more = self.hours(0.5, ["--programs", "2", "--required", "15"])
            self.plain(f"random-{name}", f"random instructions on {name}", "tests/random/run", "--under",
                       f"{self.build}/strata sim --machine {TOP}/configs/{name}.ini", *options, **more)
        self.plain("processors", "random processors", "tests/random/pipeline", *(["--hours", "1"] if self.slow else []))
        self.plain("spr", "software helper threads", "tests/spr/run")

    def slices(self):
        self.both("slice", "slices of programs", "tests/slice/run")
        self.both("helpers", "running slices", "tests/helpers/run")
        self.plain("harmless", "programs with slices and without", "tests/helpers/harmless",
                   *(["--slow"] if self.slow else []))
        self.plain("bench", "charts of slices", "tests/bench/run")

    def reports(self):
        self.plain("rooms", "rooms of src/", "tests/rooms/run", tier="quick")
        self.both("units", "units from outside and by name", "tests/units/run")
        self.plain("replacement", "policies of replacement, and the bound of frequent heads", "tests/replacement/run",
                   *(["--size", "small"] if self.slow else []))
        self.plain("policies", "the examples of docs/policies.md", "tests/policies/run")
        self.both("profile", "profiles beside traces", "tests/profile/run", *(["--slow"] if self.slow else []))
        self.plain("planting", "the tool that plants bugs", "tests/mutants/test")
        self.plain("docs", "documents beside the command", "tests/docs/run", tier="quick")
        self.plain("demo", "the demo", "tests/docs/run", "--demo", tier="slow")
        self.plain("page", "pages and what strata report writes", "tests/page/run")
        self.guarded("page", "what strata report writes", "tests/page/run", "--without-browser")
        self.both("study", "studies", "tests/study/run")

    def fuzz(self):
        for target, runs, slow_runs in (("elf", 200000, 20000000), ("experiment", 50000, 2000000),
                                        ("slices", 200000, 20000000), ("decode", 200000, 20000000)):
            self.guarded(f"fuzz-{target}", f"fuzz {target}", "tests/fuzz/bounded", f"{self.asan}/fuzz/fuzz_{target}",
                         str(slow_runs if self.slow else runs))

    def translator(self):
        longer = ["--slow"] if self.slow else []
        self.plain("run-report", "reports of strata run", "tests/translator/run-report")
        self.plain("stopped", "runs that do not end by themselves", "tests/translator/stopped")
        self.plain("loads", "delinquent loads under the translator", "tests/translator/loads")
        self.plain("processes", "processes under the translator", "tests/translator/processes")
        self.plain("edges", "what is rare under the translator", "tests/translator/edges/run")
        self.plain("protect", "silent changes of code under the translator", "tests/translator/protect/run")
        self.plain("scaling", "cost of much code under the translator", "tests/translator/scaling", *longer)
        self.plain("counters", "counters of the translator", "tests/translator/counters/run")
        self.plain("traces", "traces and their ledger", "tests/translator/traces/run")
        self.plain("detectors", "the same hot loop for every detector", "tests/translator/detectors")
        self.plain("oracle", "the oracle beside the paths of the program alone", "tests/translator/oracle")
        self.plain("regions", "hot spots of a part of the program", "tests/translator/regions")
        more = "--bodies 8 --units 50 --every 1 --own 5 --signals 100000" if self.slow else ""
        self.plain("state", "signals at each address of the cache", "tests/translator/state/run", *more.split())
        # Of these bodies one has traces that take registers for constants, and are entered with others.
        self.plain("state-special", "signals where registers are compared", "tests/translator/state/run", "--seed", "17",
                   *(more.split() or ["--every", "4"]), "--opt", "all,specialize", "--max-loss", "100%", "--threshold", "2")
        self.plain("matrix-defaults", "programs under the translator", "tests/translator/matrix", *longer,
                   "--configuration", "defaults")
        self.plain("matrix-tiny-cache", "programs under the translator with a tiny cache", "tests/translator/matrix",
                   *longer, "--configuration", "tiny-cache")
        self.plain("matrix-traces", "programs under the translator, over all of whose loops passes go",
                   "tests/translator/matrix", *longer, "--configuration", "passes-early")
        self.plain("matrix-others", "programs under the translator in other configurations", "tests/translator/matrix",
                   *longer, "--no-configuration", "defaults", "--no-configuration", "tiny-cache",
                   "--no-configuration", "passes-early")
        self.plain("matrix-cycles", "programs under the translator in cycles", "tests/translator/matrix",
                   *[word for name in PROCESSORS for word in ("--machine", name)],
                   *(longer or only(TRANSLATED_PROGRAMS)))
        # Threads that spin must not keep the pipeline from those that they wait for.
        self.plain("spin", "spinning threads under the translator on sp", "tests/diff/run", "--under",
                   f"{self.build}/strata run --machine {TOP}/configs/sp.ini", "--timeout", "600",
                   "--only", "fork_with_threads")
        self.plain("repeat", "programs with threads, again and again", "tests/translator/repeat",
                   *(["--repeat", "100"] if self.slow else ["--repeat", "3", "--hardest"]), alone=self.slow)
        options, more = self.hours(4, [])
        self.plain("flow", "random control flow under the translator", "tests/random/flow", *options, **more)
        machine, qemu = f"{self.build}/strata sim", "qemu-riscv64 -cpu rv64,zba=true,zbb=true,zbs=true"
        options, more = self.hours(1, ["--programs", "12", "--required", "500"])
        for host, key, name in (machine, "machine", "the machine"), (qemu, "qemu", "qemu-riscv64"):
            self.plain(f"random-translated-{key}", f"random instructions under the translator on {name}",
                       "tests/random/run", "--under", f"{host} {self.build}/strata-rv64 --", *options, **more)
            # All code is executed often enough to become traces.
            counters = [] if host == machine else ["--counters", "sw"]
            self.plain(f"random-passes-{key}", f"random instructions, and random passes over them, on {name}",
                       "tests/random/run", "--rounds", "12", "--groups", "100", "--under",
                       " ".join([host, f"{self.build}/strata-rv64", "{passes}", *counters, "--"]), *options,
                       "--required", "100", **more)  # groups are short; the suites above count what is executed
        self.plain("litmus", "what threads must not see", "tests/litmus/run")
        self.plain("reservations", "atomics where sc fails early", "tests/translator/reservations")
        self.plain("itself", "the translator under itself", "tests/translator/itself")
        self.plain("translator-bad", "bad input for the translator", "tests/translator/bad")
        seconds = ["--seconds", "3600"] if self.slow else ["--seconds", "60"] if "CI" in os.environ else []
        self.plain("stress", "stress under the translator", "tests/stress/run", *seconds, alone=True)
        self.plain("server", "a server under the translator", "tests/server/run", alone=True)
        self.plain("real", "real programs", "bench/real/run", "--build", self.build, tier="slow", alone=True)


def suites(build, tier):
    """The suites of `tier` and of the smaller ones, in the order of the table."""
    table = Table(build, tier)
    for part in (table.unit, table.runner, table.isa, table.machine, table.pipeline, table.slices, table.reports,
                 table.fuzz, table.translator):
        part()
    rows = [row for row in table.rows if TIERS.index(row.tier) <= TIERS.index(tier)]
    for row in rows:
        row.seconds_max = SLOW_SECONDS if tier == "slow" else row.seconds_max
    return rows
