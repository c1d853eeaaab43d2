// Several programs on one processor: how fast each is beside the others and alone, and what that makes together.
"use strict";

const TOGETHER_FIGURES = [["cycles", "cycles", formatNumber], ["weighted_speedup", "weighted speedup", formatRatio],
    ["harmonic_speedup", "harmonic mean", formatRatio], ["fairness", "fairness", formatRatio]];
const TOGETHER_EXPLAINED = "What counts is the time in which all programs run. Speedup: instructions per cycle beside " +
    "the others, divided by those of the same instructions alone on this processor. Weighted speedup: the sum of these; " +
    "above 1, the programs get more done together than one after the other. Fairness: the lowest of them, divided by " +
    "the highest.";

function howEnded(program) {
    return !program ? null : isNumber(program.signal) ? `killed by signal ${program.signal}`
        : isNumber(program.exit_status) ? `status ${program.exit_status}` : null;
}

// A program of both runs stands in one row if it is the same one on the same context.
function togetherRows(runs) {
    return joinRows(runs.map((run) => listOf(lookUp(run, "pipeline.programs"))),
        (program) => `${program.context} ${program.path}`);
}

function baseName(row) {
    return String(row.first.path).split("/").pop();
}

function togetherChart(rows, names) {
    const series = eachRun(names, "", (i) => ({run: i})).flatMap(({label, run}) =>
        [["ipc", "beside the others"], ["ipc_alone", "alone"]].map(([key, words]) => ({
            label: `${words} ${label}`.trim(), unit: "instructions per cycle",
            data: rows.map((row) => lookUp(row.runs[run], key))})));
    return make("div", {class: "charts"},
        barChart("Instructions per cycle", rows.map((row) => `${row.first.context}: ${baseName(row)}`), series, false));
}

function togetherColumns(names) {
    const plain = (label, key, format) => eachRun(names, label, (i) => ({number: true,
        value: (row) => lookUp(row.runs[i], key), show: (row) => format(lookUp(row.runs[i], key))}));
    return [
        {label: "context", number: true, value: (row) => row.first.context},
        {label: "program", kind: "code", value: (row) => row.first.path, show: baseName},
        ...plain("instructions", "instructions", formatNumber),
        ...plain("cycles", "cycles", formatNumber),
        ...plain("IPC", "ipc", formatRatio),
        ...plain("IPC alone", "ipc_alone", formatRatio),
        ...sideBySide(names, "speedup", (row, i) => lookUp(row.runs[i], "speedup"), formatRatio),
        ...eachRun(names, "ended", (i) => ({value: (row) => howEnded(row.runs[i])})),
    ];
}

function togetherSection(runs, names) {
    const rows = togetherRows(runs);
    if (rows.length === 0) {
        return null;
    }
    const columns = togetherColumns(names);
    const figures = TOGETHER_FIGURES.map(([key, label, format]) => ({label, format,
        of: (i) => lookUp(runs[i], `pipeline.together.${key}`)}));
    const figureColumns = [{label: "", name: "figure", value: (row) => row.label},
        ...sideBySide(names, names.length > 1 ? "" : "value", (row, i) => row.of(i),
            (value, row) => row.format(value))];
    return makeSection("together", "Programs together",
        make("p", {}, TOGETHER_EXPLAINED),
        togetherChart(rows, names),
        tableCsv("programs", columns, rows),
        makeTable(columns, rows, {class: "full", id: "programs-together"}),
        foldedTable("together", "All programs", figureColumns, figures, true));
}
