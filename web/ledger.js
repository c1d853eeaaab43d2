// What traces cost and brought, loop by loop: the translator's ledger.
"use strict";

const TRACES_SHOWN = 25;
const LEDGER_EXPLAINED = "Each row is a hot path that the translator made one piece of code of. One execution of it took T_old " +
    "instructions in fragments and takes T_new in the trace; finding and making the trace took T_opt once. So x " +
    "executions gain (T_old - T_new) x - T_opt, and have brought what the trace cost at x = break even.";

// Of one execution in the mean; nothing where executions were not counted.
function perExecution(loop, key) {
    return loop && loop.executions > 0 && isNumber(loop[key]) ? loop[key] / loop.executions : null;
}

// Of the same program a trace is where it begins, else function and line.
function ledgerRows(runs) {
    const same = runs.length === 1 || sameProgram(runs);
    return joinRows(runs.map((run) => listOf(lookUp(run, "ledger.loops"))
        .map((loop) => ({...loop, name: placeName(loop, run)}))),
        (loop) => (same || !loop.name ? loop.head : `${loop.name} ${loop.source}`));
}

function ledgerColumns(names) {
    const plain = (label, key) => eachRun(names, label, (i) => ({number: true,
        value: (row) => lookUp(row.runs[i], key), show: (row) => formatNumber(lookUp(row.runs[i], key))}));
    const mean = (label, key) => eachRun(names, label, (i) => ({number: true,
        value: (row) => perExecution(row.runs[i], key), show: (row) => formatNumber(perExecution(row.runs[i], key))}));
    // A trace that brings nothing never has brought what it cost.
    const breakEven = (loop) => (lookUp(loop, "break_even") > 0 ? loop.break_even : null);
    return [
        {label: "function", kind: "code name", value: (row) => row.first.name, show: (row) => makeName(row.first.name)},
        {label: "source", kind: "code whole", value: (row) => row.first.source},
        {label: "begins at", kind: "code whole", value: (row) => row.first.head},
        {label: "of", value: (row) => (row.first.is_loop ? "a loop" : "an exit")},
        ...plain("executions", "executions"),
        ...mean("T_old", "before"),
        ...mean("T_new", "after"),
        ...plain("T_opt", "cost"),
        ...plain("gain", "gain"),
        ...eachRun(names, "break even", (i) => ({number: true, value: (row) => breakEven(row.runs[i]),
            show: (row) => formatNumber(breakEven(row.runs[i]))})),
    ];
}

function ledgerSums(runs, names) {
    return runs.map((run, i) => {
        const ledger = run.ledger;
        return ledger && ledger.executions > 0 ? `${names.length > 1 ? `${"AB"[i]}: ` : ""}All together gained ` +
            `${formatNumber(ledger.gain)} instructions: ${formatNumber(ledger.after)} instead of ` +
            `${formatNumber(ledger.before)}, at a cost of ${formatNumber(ledger.cost)}.` : null;
    }).filter(Boolean);
}

function ledgerSection(runs, names) {
    if (!runs.some((run) => run.ledger)) {
        return null;
    }
    const rows = ledgerRows(runs);
    if (rows.length === 0) {
        return makeSection("ledger", "What traces brought", make("p", {}, "No loop was worth a trace in so short a run."));
    }
    const columns = ledgerColumns(names);
    return makeSection("ledger", "What traces brought", make("p", {}, LEDGER_EXPLAINED),
        make("p", {}, ledgerSums(runs, names).join(" ")),
        tableCsv("ledger", columns, rows),
        makeTable(stackRuns(names, columns, rows), rows.slice(0, TRACES_SHOWN), {class: "full", id: "trace-ledger"}),
        rows.length > TRACES_SHOWN ? make("p", {class: "muted"},
            `The first ${TRACES_SHOWN} of ${formatNumber(rows.length)}; the CSV has all.`) : null);
}
