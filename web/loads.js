// The delinquent loads of a run: those that miss most, what they cost, and their code.
"use strict";

const LOADS_SHOWN = 25;
const LOAD_LEVELS = [["l1", "L1"], ["l2", "L2"], ["l3", "L3"]];
const LOADS_TOP = [1, 5, 10];
const LOADS_EXPLAINED = "Capacity: the share of the misses that a fully associative cache of the same size " +
    "would have, too. Latency in cycles, from issue to data. Stall cycles: those in which retirement waited.";

// Of the same program a load is its address, unless that is one of the translator's code; else what is known
// of it.  One of which nothing is known stands alone.
function joinLoads(runs) {
    const same = runs.length === 1 || (sameProgram(runs) && !runs.some((run) => run.translator));
    const lists = runs.map((run) => listOf(lookUp(run, "pipeline.loads"))
        .map((load, rank) => ({...load, rank: rank + 1, name: placeName(load, run)})));
    return joinRows(lists, (load, i) => (same ? load.pc
        : load.function ? `${load.function} ${load.source} ${load.instruction}` : `${i} ${load.pc}`));
}

function loadId(row) {
    return `load-${"ab"[row.from]}-${row.first.pc}`;
}

// A study's rows have the function alone.
function loadName(row) {
    return row.first.name || row.first.function;
}

function loadListing(row, listings) {
    return (lookUp(listings[row.from], "loads") || {})[row.first.pc];
}

// The share of accesses that miss, and of misses for want of room, in one cell; each by itself in the CSV.
function levelColumns(names, key, label) {
    const value = (row, i, path) => lookUp(row.runs[i], `${key}.${path}`);
    const shown = eachRun(names, `${label} misses / capacity`, (i) => ({number: true,
        value: (row) => value(row, i, "miss_rate"),
        show: (row) => (isNumber(value(row, i, "miss_rate"))
            ? `${formatPercent(value(row, i, "miss_rate")).replace(" %", "")} / ` +
                formatPercent(value(row, i, "capacity_share")) : "-")}));
    const saved = [["misses", "misses"], ["capacity_share", "capacity share"]].flatMap(([path, words]) =>
        eachRun(names, `${label} ${words}`, (i) => ({saved: true, value: (row) => value(row, i, path)})));
    return [...shown.map((column) => ({...column, name: column.label.replace("misses / capacity", "miss rate")})),
        ...saved];
}

function loadColumns(names, rows, listings) {
    const plain = (label, key, format) => eachRun(names, label, (i) => ({number: true,
        value: (row) => lookUp(row.runs[i], key), show: (row) => format(lookUp(row.runs[i], key))}));
    const share = (label, key) => eachRun(names, label, (i) => ({value: (row) => lookUp(row.runs[i], key),
        show: (row) => shareBar(lookUp(row.runs[i], key))}));
    const levels = LOAD_LEVELS.filter(([key]) => rows.some((row) => row.runs.some((load) => lookUp(load, key))));
    return [
        ...plain("rank", "rank", formatNumber),
        {label: "function", kind: "code name", value: loadName,
            show: (row) => (loadListing(row, listings)
                ? makeName(loadName(row) || row.first.pc, loadId(row)) : makeName(loadName(row)))},
        {label: "source", kind: "code whole", value: (row) => row.first.source},
        {label: "load", kind: "code whole", value: (row) => row.first.pc},
        {label: "instruction", saved: true, value: (row) => row.first.instruction},
        ...plain("executions", "executions", formatNumber),
        ...levels.flatMap(([key, label]) => levelColumns(names, key, label)),
        ...plain("mean latency", "mean_latency", formatNumber),
        ...share("share of misses", "share"),
        ...eachRun(names, "stall cycles", (i) => ({saved: true, value: (row) => lookUp(row.runs[i], "stall_cycles")})),
        ...share("share of stall cycles", "stall_share"),
    ];
}

function topTable(runs, names) {
    const rows = LOADS_TOP.map((count) => ({count}));
    const columns = [{label: "loads", number: true, value: (row) => row.count, show: (row) => `first ${row.count}`},
        ...eachRun(names, "share of misses", (i) => ({
            value: (row) => lookUp(runs[i], `pipeline.loads_top.top_${row.count}`),
            show: (row) => shareBar(lookUp(runs[i], `pipeline.loads_top.top_${row.count}`))}))];
    return foldedTable("loads_top", "The first 1, 5 and 10 loads", columns, rows, true);
}

function loadsSection(runs, names, listings) {
    if (!runs.some((run) => lookUp(run, "pipeline.loads"))) {
        return null;
    }
    const rows = joinLoads(runs);
    const counts = runs.map((run, i) => {
        const top = lookUp(run, "pipeline.loads_top");
        return top ? `${names.length > 1 ? `${"AB"[i]}: ` : ""}${formatNumber(top.misses)} first-level misses in ` +
            `${formatNumber(top.loads)} loads that were executed.` : null;
    }).filter(Boolean);
    if (rows.length === 0) {
        return makeSection("loads", "Delinquent loads", make("p", {}, "No load missed the first level."));
    }
    const columns = loadColumns(names, rows, listings);
    return makeSection("loads", "Delinquent loads", make("p", {}, counts.join(" ")),
        topTable(runs, names),
        make("h3", {}, "Loads, those with the most misses first"),
        tableCsv("loads", columns, rows),
        makeTable(stackRuns(names, columns, rows), rows.slice(0, LOADS_SHOWN), {class: "full", id: "delinquent-loads"}),
        rows.length > LOADS_SHOWN ? make("p", {class: "muted"},
            `The first ${LOADS_SHOWN} of ${formatNumber(rows.length)}; the CSV has all.`) : null,
        make("p", {class: "muted"}, LOADS_EXPLAINED));
}

// First-level misses by the load's address, and of all loads of a line.
function countMisses(run) {
    const counts = new Map();
    for (const load of listOf(lookUp(run, "pipeline.loads"))) {
        const misses = lookUp(load, "l1.misses") || 0;
        counts.set(load.pc, misses);
        if (load.source) {
            counts.set(load.source, misses + (counts.get(load.source) || 0));
        }
    }
    return counts;
}

function loadCodeSection(runs, listings) {
    const rows = joinLoads(runs).filter((row) => loadListing(row, listings));
    if (rows.length === 0) {
        return null;
    }
    const counts = runs.map(countMisses);
    return makeSection("load-code", "Code of the delinquent loads",
        make("p", {}, "The line and the load are marked. The numbers are first-level misses, of lines and of loads."),
        rows.map((row) => makeListing(loadId(row), {...row.first, head: row.first.pc},
            row.runs.filter(Boolean).map((load) => formatNumber(lookUp(load, "l1.misses"))).join(" / ") + " misses",
            loadListing(row, listings), counts[row.from])));
}
