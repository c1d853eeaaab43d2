// Precomputation slices of a run: what started them, and what became of the lines that they asked for.
"use strict";

const SLICE_FATES = [["timely", "timely"], ["late", "late"], ["evicted", "evicted"], ["unused", "useless"]];
const SLICES_EXPLAINED = "Timely, late, evicted and useless are shares of the lines that a slice brought to the first " +
    "level: there when the program came, on their way then, gone by then, and not used so far. Redundant: loads of " +
    "slices whose line was there already, or on its way.";

// Of the same program a slice is its trigger and its load.
function sliceRows(runs) {
    return joinRows(runs.map((run) => listOf(run.slices)),
        (slice) => `${lookUp(slice, "trigger.pc")} ${lookUp(slice, "load.pc")} ${slice.kind}`);
}

function sliceShare(slice, key) {
    return slice && slice.lines > 0 ? slice[key] / slice.lines : null;
}

function sliceColumns(names) {
    const plain = (label, key) => eachRun(names, label, (i) => ({number: true,
        value: (row) => lookUp(row.runs[i], key), show: (row) => formatNumber(lookUp(row.runs[i], key))}));
    const fates = SLICE_FATES.flatMap(([key, label]) => eachRun(names, label, (i) => ({number: true,
        value: (row) => sliceShare(row.runs[i], key), show: (row) => formatPercent(sliceShare(row.runs[i], key))})));
    return [
        {label: "function", kind: "code name", value: (row) => placeName(row.first.load, null),
            show: (row) => makeName(placeName(row.first.load, null))},
        {label: "source", kind: "code whole", value: (row) => lookUp(row.first, "load.source")},
        {label: "load", kind: "code whole", value: (row) => lookUp(row.first, "load.pc")},
        {label: "trigger", saved: true, value: (row) => lookUp(row.first, "trigger.pc")},
        {label: "kind", value: (row) => row.first.kind + (row.first.removed ? ", removed" : "")},
        {label: "length", number: true, value: (row) => row.first.length},
        {label: "live-ins", number: true, value: (row) => row.first.live_ins},
        ...plain("started", "started"),
        ...plain("chained", "chained"),
        ...plain("lines", "lines"),
        ...fates,
        ...plain("redundant", "redundant"),
        ...plain("faulted", "faulted"),
    ];
}

function slicesSection(runs, names) {
    if (!runs.some((run) => Array.isArray(run.slices))) {
        return null;
    }
    const rows = sliceRows(runs);
    if (rows.length === 0) {
        return makeSection("slices", "Slices", make("p", {}, "There were no slices to run."));
    }
    const columns = sliceColumns(names);
    return makeSection("slices", "Slices", make("p", {}, SLICES_EXPLAINED),
        tableCsv("slices", columns, rows), makeTable(stackRuns(names, columns, rows), rows, {class: "full", id: "slice-ledger"}));
}
