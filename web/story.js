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

// The context that retired most of the program's instructions.
function mainStack(run) {
    return listOf(lookUp(run, "pipeline.contexts")).map((context) => new Stack(context))
        .filter((stack) => stack.instructions > 0)
        .reduce((most, stack) => (most && most.instructions >= stack.instructions ? most : stack), null);
}

function largestWait(run) {
    const stack = mainStack(run);
    const waits = stack ? CAUSES.filter(([key]) => !["base", "idle"].includes(key) && stack.cycles[key] > 0) : [];
    const [key, label] = waits.reduce((most, one) => (stack.cycles[one[0]] > (most ? stack.cycles[most[0]] : 0) ? one : most),
        null) || [];
    return key ? {label, share: stack.cycles[key] / stack.all} : null;
}

function hottest(run) {
    const [one] = functionsOf(run);
    return one ? {name: functionName(one, run), share: one.share} : null;
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

function tellOne(run) {
    const [instructions, cycles] = [lookUp(run, "machine.instructions"), cyclesOf(run)];
    const [wait, hot] = [largestWait(run), hottest(run)];
    const sentences = [];
    if (isNumber(cycles)) {
        sentences.push(`${formatRatio(ipcOf(run))} instructions per cycle on ${String(lookUp(run, "config.machine")).replace(/\.ini$/, "")}.`);
        if (wait) {
            sentences.push(`What it waits for most: ${wait.label}, ${formatPercent(wait.share)} of the cycles.`);
        }
    } else if (isNumber(instructions)) {
        const own = lookUp(run, "translator.instructions.program");
        sentences.push(`${formatNumber(instructions)} instructions` +
            (isNumber(own) ? `, ${formatPercent(own / instructions)} of them the program's own.` : "."));
    }
    if (hot) {
        sentences.push(`The function with the most ${isNumber(cycles) ? "cycles" : "instructions"} is ${shortName(hot.name)}, ` +
            `${formatPercent(hot.share)}.`);
    }
    return sentences.join(" ");
}

function tellTwo(runs) {
    const speedup = speedupOf(runs);
    if (isNumber(speedup)) {
        return speedup === 1 ? "B takes as many cycles as A."
            : speedup > 1 ? `B is ${formatRatio(speedup)} times as fast as A.`
                : `B takes ${formatRatio(1 / speedup)} times as many cycles as A.`;
    }
    const [a, b] = runs.map((run) => lookUp(run, "machine.instructions"));
    return comparable(runs) && a > 0 && isNumber(b)
        ? `B executes ${formatRatio(b / a)} times the instructions of A.` : "Two different runs.";
}

function storyTiles(runs) {
    const own = (run) => lookUp(run, "translator.instructions.program");
    const error = (run) => {
        const [half, all] = [lookUp(run, "pipeline.sampling.half_width"), lookUp(run, "machine.instructions")];
        return lookUp(run, "pipeline.sampling") ? (isNumber(half) ? ` \u00b1 ${formatNumber(Math.round(half * all))}, estimated`
            : " estimated") : "";
    };
    const speedup = speedupOf(runs);
    const rows = [
        ["cycles", cyclesOf, (value, run) => formatNumber(value) + error(run)],
        ["instructions per cycle", ipcOf, formatRatio],
        ["instructions", (run) => lookUp(run, "machine.instructions"), formatNumber],
        ["the program's own", own, formatNumber],
        ["counters", (run) => lookUp(run, "hotspots.counters_created") || null, formatNumber],
        ["counters evicted", (run) => lookUp(run, "hotspots.evicted") || null, formatNumber],
        ["incomplete counts", (run) => lookUp(run, "hotspots.incomplete") || null, formatNumber],
    ].filter(([, value]) => runs.some((run) => isNumber(value(run))) && !(value === own && !runs.some(own)));
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
    const of = runs.length > 1 ? " of B" : "";
    const unit = isNumber(lookUp(run, "profile.cycles")) ? "cycles" : "instructions";
    const functions = functionsOf(run).slice(0, STORY_ROWS).map((one) => ({share: one.share,
        name: functionName(one, run), words: formatNumber(one[unit])}));
    const loops = loopsOf(run).slice(0, STORY_ROWS).map((loop) => ({share: loop.share,
        name: placeName(loop, run) || loop.head, place: loop.source, words: `${formatExecutions(loop)} \u00d7`}));
    const shown = isSampled(run) ? "estimated cycles" : unit;
    return [storyList(`Hot functions${of}, by ${shown}`, "functions", functions),
        storyList(`Hot loops${of}`, "loops", loops)];
}

function incompleteNote(runs, names) {
    const said = runs.map((run, i) => {
        const [count, evicted] = [lookUp(run, "hotspots.incomplete"), lookUp(run, "hotspots.evicted")];
        const entries = lookUp(run, "config.counter_entries");
        return count > 0 ? `${names.length > 1 ? `${"AB"[i]}: ` : ""}${formatNumber(count)} of ` +
            `${formatNumber(listOf(lookUp(run, "hotspots.loops")).length)} loops have a count that is too low, or may be ` +
            `(\u2265), because ${evicted > 0 ? `a table of ${entries} evicted ${formatNumber(evicted)} counters`
                : "software counters gave them up"}; these have no share.` : null;
    }).filter(Boolean);
    return said.length > 0 ? make("p", {class: "warning"}, said.join(" ")) : null;
}

function storySection(runs, names, labels) {
    const section = make("section", {id: "story"},
        make("p", {class: "lead"}, runs.length > 1 ? tellTwo(runs) : tellOne(runs[0])),
        storyTiles(runs), incompleteNote(runs, names),
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
