// What traces cost and brought, loop by loop: the translator's ledger.
"use strict";

const TRACES_SHOWN = 25;
const LEDGER_EXPLAINED = "Each row is a hot path that the translator made one piece of code of. One execution of it took T_old " +
    "instructions in fragments and takes T_new in the trace; finding and making the trace took T_opt once. So x " +
    "executions gain (T_old - T_new) x - T_opt, and have brought what the trace cost at x = break even.";

const LEDGER_TIMED = "Cycles: T_new is what was measured in the trace's code, T_old what one execution of its blocks took " +
    "while they ran as fragments.";

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

function isTimed(runs) {
    return runs.some((run) => lookUp(run, "ledger.cycles_cost") !== undefined);
}

function ledgerColumns(names, timed) {
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
        ...(timed ? [...mean("T_old, cycles", "cycles_before"), ...mean("T_new, cycles", "cycles_after"),
            ...plain("T_opt, cycles", "cycles_cost")] : []),
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

const SHARES_EXPLAINED = "What the traces did not have to execute, by what left it out: traces themselves need no jumps and few lookups, " +
    "and each pass leaves out what it knows. Placing is what was added so that registers hold what they should: moves, and registers " +
    "that are put away. Together they are what was gained, before its cost.";

// What has a share in any of the runs, with each run's; nothing if no pass has changed a trace.
function passShares(runs) {
    const rows = joinRows(runs.map((run) => listOf(lookUp(run, "ledger.passes"))), (pass) => pass.name)
        .filter((row) => row.runs.some((pass) => lookUp(pass, "instructions")));
    return rows.some((row) => row.first.name !== "traces") ? rows : [];
}

// Which pass brought how much.
function passParts(runs, names) {
    const rows = passShares(runs);
    if (rows.length === 0) {
        return [];
    }
    const columns = [
        {label: "by", kind: "code", value: (row) => row.first.name},
        ...eachRun(names, "fewer instructions", (i) => ({number: true, value: (row) => lookUp(row.runs[i], "instructions"),
            show: (row) => formatNumber(lookUp(row.runs[i], "instructions"))})),
        ...eachRun(names, "share of the gain", (i) => ({number: true, value: (row) => lookUp(row.runs[i], "share"),
            show: (row) => formatPercent(lookUp(row.runs[i], "share"))})),
    ];
    const series = runs.map((run, i) => ({label: names.length > 1 ? names[i] : "instructions", unit: "number",
        data: rows.map((row) => lookUp(row.runs[i], "instructions") ?? null)}));
    return [make("h3", {}, "Which pass brought how much"), make("p", {class: "muted"}, SHARES_EXPLAINED),
        make("div", {class: "charts"}, barChart({hidden: "Fewer instructions, by pass"}, rows.map((row) => row.first.name), series, false,
            {of: "fewer instructions"})),
        ...makeTable(columns, rows, {id: "pass-shares"})];
}

function shareOf(loop, pass) {
    return listOf(lookUp(loop, "passes")).find((one) => one.name === pass);
}

// The same trace by trace: a column for each pass.
function tracePassParts(runs, names, rows) {
    const passes = passShares(runs).map((row) => row.first.name);
    if (passes.length === 0 || rows.length === 0) {
        return [];
    }
    const columns = [
        {label: "function", kind: "code name", value: (row) => row.first.name, show: (row) => makeName(row.first.name)},
        {label: "begins at", kind: "code whole", value: (row) => row.first.head},
        ...passes.flatMap((pass) => eachRun(names, pass, (i) => {
            const value = (row) => lookUp(shareOf(row.runs[i], pass), "instructions");
            return {number: true, value, show: (row) => formatNumber(value(row))};
        })),
    ];
    const part = foldedTable("trace-passes", "Fewer instructions by each pass, trace by trace", columns, rows);
    part.id = "trace-passes";
    return [part];
}

// Of one trace, in words.
function sharesInWords(loop) {
    const words = listOf(loop.passes).filter((pass) => pass.instructions)
        .map((pass) => `${pass.name} ${formatNumber(pass.instructions)}` +
            (isNumber(pass.share) ? ` (${formatPercent(pass.share)})` : ""));
    return words.length > 0 ? make("p", {class: "muted trace-shares"}, `Fewer instructions by: ${words.join(", ")}.`) : null;
}

const TRACE_CODE_EXPLAINED = "The code of those that gained most, one row for each instruction in the cache, by the " +
    "instruction of the program that it does: on the left the fragments of the path, on the right the trace. Beside " +
    "each is how often it was executed; fragments are also executed on other paths.";
const LEADS = {begin: " \u21ba", out: " \u2192 out"};

function insnText(text) {
    return text ? text.replace("\t", " ") : "";
}

function traceCodeColumns() {
    const side = (label, key, added) => [
        {label: "executions", name: `executions, ${label}`, number: true, value: (row) => row[`${key}_executions`],
            show: (row) => (row[key] ? formatNumber(row[`${key}_executions`]) : "")},
        {label, kind: "code whole", value: (row) => insnText(row[key]),
            show: (row) => insnText(row[key]) + (added(row) || "")},
    ];
    return [
        {label: "address", kind: "code whole", value: (row) => row.address, show: (row) => (row.program ? row.address : "")},
        {label: "program", kind: "code whole", value: (row) => insnText(row.program)},
        ...side("fragments", "before", () => ""),
        ...side("trace", "after", (row) => LEADS[row.leads]),
    ];
}

// Before and after, side by side.
function traceCode(loop, run, prefix) {
    const title = `${prefix}${shortName(placeName(loop, run)) || loop.head}${loop.source ? ", " + loop.source : ""}, ${loop.head}`;
    if (!loop.code) {
        return make("p", {class: "muted"}, `${title}: ${loop.code_missing}.`);
    }
    const part = foldedTable("trace-code", title, traceCodeColumns(), loop.code);
    part.classList.add("trace-code");
    part.querySelector("summary").after(...[sharesInWords(loop)].filter(Boolean));
    part.append(...(loop.code_left_out > 0 ? [make("p", {class: "muted"},
        `${formatNumber(loop.code_left_out)} rows behind these are left out.`)] : []));
    return part;
}

function traceCodes(runs, names) {
    const parts = runs.flatMap((run, i) => listOf(lookUp(run, "ledger.loops"))
        .filter((loop) => loop.code || loop.code_missing)
        .map((loop) => traceCode(loop, run, names.length > 1 ? `${"AB"[i]}: ` : "")));
    return parts.length > 0 ? [make("h3", {}, "Before and after"), make("p", {class: "muted"}, TRACE_CODE_EXPLAINED), ...parts] : [];
}

function ledgerSection(runs, names) {
    if (!runs.some((run) => run.ledger)) {
        return null;
    }
    const rows = ledgerRows(runs);
    if (rows.length === 0) {
        return makeSection("ledger", "What traces brought", make("p", {}, "No loop was worth a trace in so short a run."));
    }
    const timed = isTimed(runs);
    const columns = ledgerColumns(names, timed);
    const ofAll = (row, key) => row.runs.reduce((sum, loop) => sum + (lookUp(loop, key) || 0), 0);
    const traced = rows.filter((row) => ofAll(row, "executions") > 0);
    const lost = rows.filter((row) => !traced.includes(row)).reduce((sum, row) => sum + ofAll(row, "cost"), 0);
    return makeSection("ledger", "What traces brought", make("p", {}, LEDGER_EXPLAINED),
        make("p", {}, ledgerSums(runs, names).join(" ")),
        timed ? make("p", {class: "muted"}, LEDGER_TIMED) : null,
        tableCsv("ledger", columns, rows),
        traced.length > 0 ? makeTable(stackRuns(names, columns, rows), traced.slice(0, TRACES_SHOWN),
            {class: "full", id: "trace-ledger"}) : null,
        traced.length > TRACES_SHOWN ? make("p", {class: "muted"},
            `The first ${TRACES_SHOWN} of ${formatNumber(traced.length)}; the CSV has all.`) : null,
        rows.length > traced.length ? make("p", {class: "muted"}, `${formatNumber(rows.length - traced.length)} more loops ` +
            `were looked at and have no executions in a trace: ${formatNumber(lost)} instructions. They are in the CSV.`) : null,
        passParts(runs, names), tracePassParts(runs, names, traced), traceCodes(runs, names));
}
