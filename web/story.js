// The first screen of a run, or of two: how long it took, where the time went, and which code that was.
"use strict";

const STORY_ROWS = 6;

// What the library and the program are called by, where debug information or even a symbol is missing.
function placeName(place, run) {
    if (!place) {
        return null;
    }
    const file = place.library || String(lookUp(run, "program.path") || "").split("/").pop();
    if (place.function) {
        return place.library && !place.source ? `${place.library}: ${place.function}` : place.function;
    }
    return file && place.offset ? `${file}+${place.offset}` : null;
}

// Of the profile's functions: `file` is the mapped file, whose name says more than none.
function functionName(one, run) {
    const base = (path) => String(path || "").split("/").pop();
    const file = base(one.file);
    return file && file !== base(lookUp(run, "program.path")) && !one.source && !String(one.function).startsWith("[") &&
        !String(one.function).startsWith(`${file}+0x`) ? `${file}: ${one.function}` : one.function;
}

function isSampled(run) {
    return isNumber(lookUp(run, "pipeline.sampling.estimated_cycles"));
}

// Of a run that was sampled, their cycles in all of it, estimated.
function functionsOf(run) {
    const scale = isSampled(run) ? lookUp(run, "pipeline.sampling.estimated_cycles") / lookUp(run, "pipeline.cycles") : 1;
    return listOf(lookUp(run, "profile.functions")).filter((one) => one.instructions > 0 || one.cycles > 0)
        .map((one) => (isNumber(one.cycles) ? {...one, cycles: Math.round(scale * one.cycles)} : one))
        .sort((a, b) => b.share - a.share);
}

// Loops that had counters; of a program without any, those that the profile found.  Those with the greatest share
// first, which the profile knows also of loops whose counts are not complete.
function loopsOf(run) {
    const counted = listOf(lookUp(run, "hotspots.loops"));
    const profiled = listOf(lookUp(run, "profile.loops"));
    const shares = new Map(profiled.map((loop) => [loop.head, loop.share]));
    const share = (loop) => shares.get(loop.head) ?? -1;
    return [...(counted.length > 0 ? counted : profiled)].sort((a, b) => share(b) - share(a) ||
        b.executions - a.executions);
}

function formatExecutions(loop) {
    return !loop || !isNumber(loop.executions) ? "-"
        : (loop.complete === false ? "\u2265 " : "") + formatNumber(loop.executions);
}

// Whole runs only: of a part, or where nothing was measured, there are none.
function cyclesOf(run) {
    return lookUp(run, "machine.cycles") || lookUp(run, "pipeline.cycles");
}

function ipcOf(run) {
    const estimate = lookUp(run, "pipeline.sampling.cpi");
    return isNumber(estimate) ? 1 / estimate : lookUp(run, "pipeline.ipc");
}

// The program's instructions as the profile counts them, and the lists below: what the translator adds to fragments is not
// among them.
function ownOf(run) {
    return run.translator ? lookUp(run, "profile.instructions") : lookUp(run, "machine.instructions");
}

// Instructions that were simulated in cycles, where these are not all; null else.
function partOf(run) {
    const [measured, all] = [lookUp(run, "pipeline.instructions"), lookUp(run, "machine.instructions")];
    return lookUp(run, "machine.phases") && measured < all ? {measured, all} : null;
}

// The programs that ran beside each other; one that ran alone is not in such a list.
function programsOf(run) {
    return listOf(lookUp(run, "pipeline.programs")).map((program) => ({...program, name: String(program.path).split("/").pop()}));
}

// Of several programs that of the first one, else the context that retired most of the program's instructions.
function mainStack(run) {
    const stacks = listOf(lookUp(run, "pipeline.contexts")).map((context) => new Stack(context));
    const [first] = programsOf(run);
    return first && stacks[first.context] ? stacks[first.context]
        : stacks.filter((stack) => stack.instructions > 0)
            .reduce((most, stack) => (most && most.instructions >= stack.instructions ? most : stack), null);
}

// By their numbers on RISC-V.
const SIGNALS = ["", "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1",
    "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN",
    "SIGTTOU", "SIGURG", "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS"];

function signalName(number) {
    return SIGNALS[number] ? `signal ${number} (${SIGNALS[number]})` : `signal ${number}`;
}

// How a run ended, if not by itself and with success: short, and as a sentence.
function endOf(run) {
    const [signal, status, ended] = ["signal", "exit_status", "ended"].map((key) => lookUp(run, `program.${key}`));
    if (isNumber(signal)) {
        return [`killed by ${signalName(signal)}`, `It was killed by ${signalName(signal)}: all counts are up to there.`];
    }
    if (ended === "limit") {
        return ["stopped by --max-instructions", "--max-instructions stopped it: all counts are up to there."];
    }
    if (ended === "execve") {
        return ["another program took its place",
            "Another program took its place, which is not counted: all counts are up to there."];
    }
    return status > 0 ? [`status ${status}`, `It ended with status ${status}.`] : [null, null];
}

function largestWait(run) {
    const stack = mainStack(run);
    const waits = stack ? CAUSES.filter(([key]) => !["base", "idle"].includes(key) && stack.cycles[key] > 0) : [];
    const [key, label] = waits.reduce((most, one) => (stack.cycles[one[0]] > (most ? stack.cycles[most[0]] : 0) ? one : most),
        null) || [];
    return key ? {label, share: stack.cycles[key] / stack.all} : null;
}

// Code that is in no function, such as the dynamic linker's stubs, is in a row of its own, and no answer.
function tellHottest(run, unit) {
    const [one] = functionsOf(run).filter((candidate) => !String(candidate.function).startsWith("["));
    return one ? `The function with the most ${unit} is ${shortName(functionName(one, run))}, ${formatPercent(one.share)}.` : null;
}

// The same program on the same input: only then one run can be faster than the other.
function comparable(runs) {
    const words = (run) => JSON.stringify(listOf(lookUp(run, "program.arguments")).slice(1));
    return runs.length === 2 && words(runs[0]) === words(runs[1]) &&
        runs.every((run) => lookUp(run, "program.exit_status") === lookUp(runs[0], "program.exit_status"));
}

function speedupOf(runs) {
    const cycles = runs.map((run) => lookUp(run, "machine.cycles"));
    return comparable(runs) && cycles.every((one) => one > 0) ? cycles[0] / cycles[1] : null;
}

function tellCycles(run) {
    const machine = String(lookUp(run, "config.machine")).replace(/\.ini$/, "");
    const [part, samples] = [partOf(run), lookUp(run, "pipeline.sampling.samples")];
    const of = isNumber(samples) ? `, estimated from ${formatNumber(samples)} samples`
        : part ? `, in the ${formatNumber(part.measured)} of ${formatNumber(part.all)} instructions that were measured` : "";
    return `${formatRatio(ipcOf(run))} instructions per cycle on ${machine}${of}.`;
}

// What several programs on one processor get done.
function tellTogether(run, programs) {
    const weighted = lookUp(run, "pipeline.together.weighted_speedup");
    const all = programs.map((one) => one.name);
    const names = `${all.slice(0, -1).join(", ")} and ${all[all.length - 1]}`;
    return (isNumber(weighted) ? `Together ${names} get ${formatRatio(weighted)} times as much done as one after the other. `
        : "") +
        programs.filter((one) => isNumber(one.speedup))
            .map((one, i) => `${one.name} ${i === 0 ? "runs at" : "at"} ${formatRatio(one.speedup)}`).join(", ") +
        " of the speed that each has alone.";
}

function tellOne(run) {
    const [instructions, cycles, own] = [lookUp(run, "machine.instructions"), cyclesOf(run), ownOf(run)];
    const [wait, programs] = [largestWait(run), programsOf(run)];
    const sentences = [];
    if (isNumber(cycles)) {
        sentences.push(programs.length > 1 ? tellTogether(run, programs) : tellCycles(run));
        if (wait) {
            sentences.push(`What ${programs.length > 1 ? programs[0].name : "it"} waits for most: ${wait.label}, ` +
                `${formatPercent(wait.share)} of ${programs.length > 1 ? "its" : "the"} cycles.`);
        }
    } else if (isNumber(instructions)) {
        sentences.push(`${formatNumber(instructions)} instructions` + (run.translator && own <= instructions
            ? `, ${formatPercent(own / instructions)} of them the program's own.` : "."));
    }
    const unit = isNumber(cycles) ? "cycles" : run.translator ? "of the program's instructions" : "instructions";
    sentences.push(tellHottest(run, unit), endOf(run)[1]);
    return sentences.filter(Boolean).join(" ");
}

// By how much the second is more or less than the first.
function tellChange(a, b, what) {
    const change = formatPercent(Math.abs(b / a - 1));
    return a === b ? `B executes as many ${what} as A.`
        : b >= 2 * a ? `B executes ${formatRatio(b / a)} times as many ${what} as A.`
            : `B executes ${change} ${b > a ? "more" : "fewer"} ${what} than A.`;
}

// What the difference of two runs is made of, the most of it; null where that is little.
function tellCause(runs) {
    const stacks = runs.map(mainStack);
    if (runs.some((run) => programsOf(run).length > 1) || !stacks.every((stack) => stack && stack.instructions > 0)) {
        return null;
    }
    const [a, b] = stacks.map((stack) => (key) => stack.perInstruction(stack.cycles[key] || 0));
    const [key, label] = CAUSES.reduce((most, one) =>
        (Math.abs(b(one[0]) - a(one[0])) > Math.abs(b(most[0]) - a(most[0])) ? one : most));
    return Math.abs(b(key) - a(key)) < 0.005 ? null
        : `What changes most: ${label}, ${formatRatio(b(key))} cycles per instruction instead of ${formatRatio(a(key))}.`;
}

function tellTwo(runs) {
    const speedup = speedupOf(runs);
    if (isNumber(speedup)) {
        const first = speedup === 1 ? "B takes as many cycles as A."
            : speedup > 1 ? `B is ${formatRatio(speedup)} times as fast as A.`
                : `B takes ${formatRatio(1 / speedup)} times as many cycles as A.`;
        return [first, tellCause(runs)].filter(Boolean).join(" ");
    }
    const [a, b] = runs.map((run) => lookUp(run, "machine.instructions"));
    return comparable(runs) && a > 0 && isNumber(b) ? tellChange(a, b, "instructions")
        : "Two runs that do not have the same arguments and the same end, or are not both in cycles: there is no speedup.";
}

function storyTiles(runs) {
    const error = (run) => {
        const [half, all] = [lookUp(run, "pipeline.sampling.half_width"), lookUp(run, "machine.instructions")];
        return lookUp(run, "pipeline.sampling") ? (isNumber(half) ? ` \u00b1 ${formatNumber(Math.round(half * all))}, estimated`
            : " estimated") : "";
    };
    const speedup = speedupOf(runs);
    const parts = runs.some((run) => partOf(run) && !lookUp(run, "pipeline.sampling"));
    const together = runs.some((run) => programsOf(run).length > 1);
    const ran = (run) => listOf(run.slices).filter((slice) => slice.started + slice.chained > 0).length;
    const rows = [
        ["weighted speedup", (run) => lookUp(run, "pipeline.together.weighted_speedup"), formatRatio],
        ["fairness", (run) => lookUp(run, "pipeline.together.fairness"), formatRatio],
        [parts ? "cycles measured" : "cycles", cyclesOf, (value, run) => formatNumber(value) + error(run)],
        [together ? "instructions per cycle, all programs" : "instructions per cycle", ipcOf, formatRatio],
        ["instructions measured", (run) => lookUp(partOf(run), "measured"), formatNumber],
        [together && runs.length === 1 ? `instructions of ${programsOf(runs[0])[0].name}` : "instructions",
            (run) => lookUp(run, "machine.instructions"), formatNumber],
        ["the program's own", (run) => (runs.some((one) => one.translator) ? ownOf(run) : null), formatNumber],
        ["slices that ran", (run) => (Array.isArray(run.slices) ? ran(run) : null), formatNumber],
        ["counters", (run) => lookUp(run, "hotspots.counters_created"), formatNumber, "counted"],
        ["counters evicted", (run) => lookUp(run, "hotspots.evicted"), formatNumber, "counted"],
        ["incomplete counts", (run) => lookUp(run, "hotspots.incomplete"), formatNumber, "counted"],
    ].filter(([, value, , counted]) => runs.some((run) => isNumber(value(run)) && (!counted || value(run) > 0)));
    const tiles = rows.map(([label, value, format]) => make("div", {class: "tile"}, make("dt", {}, label),
        ...runs.map((run, i) => make("dd", {}, runs.length > 1 ? make("span", {class: "muted"}, `${"AB"[i]} `) : null,
            isNumber(value(run)) ? format(value(run), run) : "-"))));
    if (isNumber(speedup)) {
        tiles.unshift(make("div", {class: "tile first", id: "speedup"}, make("dt", {}, "speedup, B over A"),
            make("dd", {}, formatRatio(speedup))));
    }
    return make("dl", {class: "tiles"}, tiles);
}

// A short list: a bar, a name, and where to read on.
function storyList(title, target, rows) {
    return rows.length === 0 ? null : make("div", {class: "top"}, make("h3", {}, title),
        make("table", {class: "full"}, make("tbody", {}, rows.map((row) => make("tr", {},
            make("td", {class: "share"}, shareBar(row.share)),
            make("td", {class: "code"}, makeName(row.name), row.place ? `, ${row.place}` : null),
            make("td", {class: "number"}, row.words))))),
        make("p", {}, make("a", {href: "#" + target}, "all of them")));
}

function storyLists(runs) {
    const run = runs[runs.length - 1];
    const of = runs.length > 1 ? " of B" : programsOf(run).length > 1 ? ` of ${programsOf(run)[0].name}` : "";
    const unit = isNumber(lookUp(run, "profile.cycles")) ? "cycles" : "instructions";
    const measured = unit === "cycles" && partOf(run) ? " that were measured" : "";
    const functions = functionsOf(run).slice(0, STORY_ROWS).map((one) => ({share: one.share,
        name: functionName(one, run), words: formatNumber(one[unit])}));
    const loops = loopsOf(run).slice(0, STORY_ROWS).map((loop) => ({share: loop.share,
        name: placeName(loop, run) || loop.head, place: loop.source, words: `${formatExecutions(loop)} \u00d7`}));
    const shown = isSampled(run) ? "estimated cycles" : unit + measured;
    return [storyList(`Hot functions${of}, by ${shown}`, "functions", functions),
        storyList(`Hot loops${of}, with the loops inside them`, "loops", loops)];
}

function incompleteNote(runs, names) {
    const said = runs.map((run, i) => {
        const [count, evicted] = [lookUp(run, "hotspots.incomplete"), lookUp(run, "hotspots.evicted")];
        const entries = lookUp(run, "config.counter_entries");
        return count > 0 ? `${names.length > 1 ? `${"AB"[i]}: ` : ""}${formatNumber(count)} of ` +
            `${formatNumber(listOf(lookUp(run, "hotspots.loops")).length)} loops have a count that is too low, or may be ` +
            `(\u2265), because ${evicted > 0 ? `a table of ${entries} evicted ${formatNumber(evicted)} counters`
                : "software counters gave them up"}; these have no share of the whole.` : null;
    }).filter(Boolean);
    return said.length > 0 ? make("p", {class: "warning"}, said.join(" ")) : null;
}

// Programs that ran before in the same process, and gave their place away.
function earlierNote(runs, names) {
    const said = runs.map((run, i) => {
        const before = earlierOf(run);
        return before.length > 0 ? `${names.length > 1 ? `${"AB"[i]}: ` : ""}Before it ` +
            `${before.map((one) => one.name).slice(0, 3).join(", ")}${before.length > 3 ? " and others" : ""} ran in the same ` +
            "process, up to its execve, and has counts of its own: " : null;
    }).filter(Boolean);
    return said.length > 0 ? make("p", {}, said.join(" "), make("a", {href: "#earlier"}, "programs before it"), ".") : null;
}

function storySection(runs, names, labels) {
    const section = make("section", {id: "story"},
        make("p", {class: "lead"}, runs.length > 1 ? tellTwo(runs) : tellOne(runs[0])),
        storyTiles(runs), incompleteNote(runs, names), earlierNote(runs, names),
        make("div", {class: "story"}, cpiChart(runs, labels), ...storyLists(runs)));
    section.dataset.short = "In short";
    return section;
}

function functionsSection(runs, names) {
    const lists = runs.map((run) => functionsOf(run).map((one) => ({...one, name: functionName(one, run)})));
    if (lists.every((list) => list.length === 0)) {
        return null;
    }
    const rows = joinRows(lists, (one) => `${one.name} ${one.source}`);
    const some = (key) => rows.some((row) => row.runs.some((one) => one && isNumber(one[key])));
    const plain = (label, key) => (some(key) ? sideBySide(names, label, (row, i) => lookUp(row.runs[i], key), formatNumber)
        : []);
    const columns = [
        {label: "function", kind: "code", value: (row) => row.first.name, show: (row) => makeName(row.first.name)},
        {label: "source", kind: "code whole", value: (row) => row.first.source},
        ...plain("instructions", "instructions"),
        ...plain(runs.some(isSampled) ? "estimated cycles" : "cycles", "cycles"),
        ...eachRun(names, "share", (i) => ({value: (row) => lookUp(row.runs[i], "share"),
            show: (row) => shareBar(lookUp(row.runs[i], "share"))})),
        ...plain("with what it calls", "inclusive"),
        ...plain("calls", "calls"),
    ];
    return makeSection("functions", "Hot functions", tableCsv("functions", columns, rows),
        makeTable(columns, rows.slice(0, LOOPS_SHOWN), {class: "full", id: "hot-functions"}),
        rows.length > LOOPS_SHOWN ? make("p", {class: "muted"},
            `The first ${LOOPS_SHOWN} of ${formatNumber(rows.length)}; the CSV has all.`) : null);
}
