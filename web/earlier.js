// Programs that ran in the process before the one that the page is of, each up to its execve.
"use strict";

function earlierOf(run) {
    return listOf(run.earlier).map((one) => ({...one, name: String(lookUp(one, "program.path") || "unknown").split("/").pop()}));
}

function earlierSection(runs, names) {
    const rows = runs.flatMap((run, i) => earlierOf(run).map((one, place) => ({one, run: i, place: place + 1})));
    if (rows.length === 0) {
        return null;
    }
    const left = runs.map((run) => lookUp(run, "earlier_left_out")).reduce((all, one) => all + (one || 0), 0);
    const hot = (row) => functionsOf(row.one)[0];
    const plain = (label, value) => ({label, number: true, value: (row) => value(row.one),
        show: (row) => formatNumber(value(row.one))});
    const columns = [
        ...(names.length > 1 ? [{label: "run", value: (row) => "AB"[row.run]}] : []),
        {label: "place", number: true, value: (row) => row.place},
        {label: "program", kind: "code", value: (row) => lookUp(row.one, "program.path"), show: (row) => row.one.name},
        {label: "arguments", kind: "code", value: (row) => listOf(lookUp(row.one, "program.arguments")).slice(1).join(" ")},
        plain("instructions", (one) => lookUp(one, "machine.instructions")),
        plain("the program's own", ownOf),
        ...(rows.some((row) => isNumber(cyclesOf(row.one))) ? [plain("cycles", cyclesOf)] : []),
        plain("counters evicted", (one) => lookUp(one, "hotspots.evicted")),
        {label: "hottest function", kind: "code", value: (row) => (hot(row) ? functionName(hot(row), row.one) : null),
            show: (row) => (hot(row) ? makeName(functionName(hot(row), row.one)) : null)},
        {label: "share", value: (row) => lookUp(hot(row), "share"), show: (row) => shareBar(lookUp(hot(row), "share"))},
    ];
    return makeSection("earlier", "Programs before it",
        make("p", {}, "They ran in the same process, one after the other; each has counts of its own, up to its execve."),
        tableCsv("earlier", columns, rows), makeTable(columns, rows, {class: "full"}),
        left > 0 ? make("p", {class: "muted"}, `${formatNumber(left)} more are not in the statistics.`) : null);
}
