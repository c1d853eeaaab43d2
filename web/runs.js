// The page of one run or of two: where instructions went, hot loops with their code, the counters.
"use strict";

const LOOPS_SHOWN = 50;
const LISTINGS_SHOWN = 8;
const SPLIT_EXPLAINED = "Fragments hold copies of the program's instructions, and what replaces some of them there, such as " +
    "lookups of the targets of indirect branches; trampolines are the ways out of fragments.";
const PARTS = [
    ["program", "fragments"],
    ["trampoline", "trampolines"],
    ["counter", "counters"],
    ["runtime", "translator"],
];

function splitOf(run) {
    const split = lookUp(run, "translator.instructions");
    if (split) {
        return split;
    }
    return {program: lookUp(run, "machine.instructions")};
}

function runFacts(run, name) {
    const words = listOf(lookUp(run, "program.arguments")).slice(1);
    const options = listOf(lookUp(run, "config.translator_options"));
    const entries = lookUp(run, "config.counter_entries");
    const digest = lookUp(run, "program.sha256");
    return make("div", {}, makeFacts([
        ["file", name],
        ["program", lookUp(run, "program.path")],
        ["arguments", words.length > 0 ? make("code", {}, words.join(" ")) : null],
        ["sha256", digest ? make("code", {}, digest.slice(0, 16)) : null],
        ["ended", endOf(run)[0] || (isNumber(lookUp(run, "program.exit_status"))
            ? `status ${lookUp(run, "program.exit_status")}` : null)],
        ["under", run.translator ? "the translator" : "the processor alone"],
        ["options", options.length > 0 ? make("code", {}, options.join(" ")) : null],
        ["processor", lookUp(run, "config.machine") || null],
        ["counter table", entries === undefined ? null : isNumber(entries) ? `${formatNumber(entries)} entries` : entries],
        ["instructions", isNumber(lookUp(run, "machine.instructions"))
            ? formatNumber(run.machine.instructions) : null],
        ["counters", isNumber(lookUp(run, "hotspots.counters_created"))
            ? `${formatNumber(run.hotspots.counters_created)} created, ` +
                `${formatNumber(run.hotspots.evicted)} evicted, ${formatNumber(run.hotspots.callbacks)} callbacks`
            : null],
    ]));
}

// A column for each run; column(i) says what is in it.
function eachRun(names, label, column) {
    return names.map((name, i) => ({label: names.length > 1 ? `${label} ${"AB"[i]}`.trim() : label, base: label, run: i,
        ...column(i)}));
}

// For tables of many columns: those of two runs as one, A above B.  A run that has nothing in any row is left out.
function stackRuns(names, columns, rows) {
    if (names.length === 1) {
        return columns;
    }
    const known = (value) => value !== null && value !== undefined;
    const shown = (column, row) => {
        const text = column.show ? column.show(row) : column.value(row);
        return make("span", {class: "of-run"}, make("span", {class: "muted"}, `${"AB"[column.run]} `), known(text) ? text : "-");
    };
    return columns.filter((column) => !column.saved && !(column.run > 0)).map((first) => {
        if (first.run === undefined) {
            return first;
        }
        const both = columns.filter((one) => !one.saved && one.base === first.base && one.run !== undefined)
            .filter((one) => rows.some((row) => known(one.value(row))));
        return {...first, label: first.base, value: (row) => both.map((one) => one.value(row)).find(known),
            show: (row) => make("span", {class: "both"}, both.map((one) => shown(one, row)))};
    });
}

// A column of numbers for each run, and how the second differs from the first.
function sideBySide(names, label, value, format) {
    const columns = eachRun(names, label, (i) => ({number: true,
        value: (row) => value(row, i), show: (row) => format(value(row, i), row)}));
    if (names.length > 1) {
        columns.push({label: "B to A", number: true,
            value: (row) => (isNumber(value(row, 0)) && isNumber(value(row, 1))
                ? value(row, 1) - value(row, 0) : null),
            show: (row) => formatChange(value(row, 0), value(row, 1))});
    }
    return columns;
}

function splitSection(runs, names, labels) {
    const splits = runs.map(splitOf);
    const known = PARTS.filter(([key]) => splits.some((split) => isNumber(split[key])));
    if (known.length === 0) {
        return null;
    }
    const total = (i) => known.reduce((sum, [key]) => sum + (splits[i][key] || 0), 0);
    const rows = [...known.map(([key, label]) => ({label, of: (i) => splits[i][key]})),
        {label: "all", of: total}];
    const columns = [{label: "instructions of", value: (row) => row.label},
        ...sideBySide(names, "", (row, i) => row.of(i), formatNumber)];
    columns.push(...eachRun(names, "share", (i) => ({number: true,
        value: (row) => row.of(i) / total(i), show: (row) => formatPercent(row.of(i) / total(i))})));
    return makeSection("instructions", "Where the instructions went", known.length > 1 ? make("p", {}, SPLIT_EXPLAINED) : null,
        make("div", {class: "sides"},
        make("div", {class: "charts"}, splitChart("Instructions", "instructions", labels,
            known.map(([key, label], place) => ({label, place, data: splits.map((split) => split[key] || 0)})),
            "series")),
        foldedTable("instructions", "Data", columns, rows, true)));
}

function sameProgram(runs) {
    return runs.every((run) => lookUp(run, "program.sha256") && run.program.sha256 === runs[0].program.sha256);
}

// A list of each run as rows; what placeOf(one, i) gives the same text for stands in one row.
function joinRows(lists, placeOf) {
    const rows = new Map();
    lists.forEach((list, i) => {
        const seen = new Map();
        for (const one of list) {
            const place = placeOf(one, i);
            const repeated = (seen.get(place) || 0) + 1;
            seen.set(place, repeated);
            const key = `${place} ${repeated}`;
            if (!rows.has(key)) {
                rows.set(key, {first: one, from: i, runs: []});
            }
            rows.get(key).runs[i] = one;
        }
    });
    const most = (row) => row.runs.reduce((value, one) => Math.max(value, one ? one.share || 0 : 0), 0);
    return lists.length === 1 ? [...rows.values()]
        : [...rows.values()].sort((a, b) => most(b) - most(a));
}

// Of the same program a loop is its address, else function and line.
function joinLoops(runs) {
    const same = runs.length === 1 || sameProgram(runs);
    return joinRows(runs.map((run) => loopsOf(run).map((loop) => ({...loop, name: placeName(loop, run)}))),
        (loop) => (same ? loop.head : `${loop.name} ${loop.source}`));
}

function shareBar(share) {
    return make("span", {class: "share"},
        make("i", {style: `width:${isNumber(share) ? (6 * share).toFixed(3) : 0}rem`}), formatPercent(share));
}

function loopId(row) {
    return `loop-${"ab"[row.from]}-${row.first.head}`;
}

function listingOf(row, listings) {
    return lookUp(listings[row.from], "loops") ? listings[row.from].loops[row.first.head] : undefined;
}

// A count that is not complete says so, and is not compared.
function executionColumns(names) {
    const whole = (row) => row.runs.every((loop) => !loop || loop.complete !== false);
    return sideBySide(names, "executions", (row, i) => lookUp(row.runs[i], "executions"), formatNumber)
        .map((column, i) => ({...column,
            show: (row) => (i < names.length ? formatExecutions(row.runs[i]) : whole(row) ? column.show(row) : "")}));
}

function loopColumns(names, listings) {
    const flags = (row) => row.runs.map((loop, i) => {
        const words = [lookUp(loop, "callback_taken") ? "hot" : null, lookUp(loop, "evicted") ? "evicted" : null]
            .filter(Boolean).join(", ");
        return words && names.length > 1 ? `${"AB"[i]} ${words}` : words;
    }).filter(Boolean).join("; ");
    const columns = [
        {label: "function", kind: "code", value: (row) => row.first.name,
            show: (row) => (listingOf(row, listings)
                ? makeName(row.first.name || row.first.head, loopId(row)) : makeName(row.first.name))},
        {label: "source", kind: "code whole", value: (row) => row.first.source},
        {label: "head", kind: "code whole", value: (row) => row.first.head},
        ...executionColumns(names),
        ...eachRun(names, "complete", (i) => ({saved: true, value: (row) => lookUp(row.runs[i], "complete")})),
    ];
    columns.push(...eachRun(names, "share", (i) => ({value: (row) => row.runs[i] && row.runs[i].share,
        show: (row) => shareBar(row.runs[i] ? row.runs[i].share : undefined)})), {label: "its counter", value: flags});
    return columns;
}

// targets: by the loop's head, the id of its code.
function loopPoints(run, targets) {
    return [...loopsOf(run)].sort((a, b) => b.executions - a.executions).map((loop, i) => ({x: i + 1, y: loop.executions,
        lines: loopLines(loop, null, "executions"), target: targets.get(loop.head)}));
}

// One for each run, on the same scale.
function loopScatters(runs, titles, targets) {
    const sets = runs.map((run, i) => ({points: loopPoints(run, targets[i])}));
    const most = Math.max(...sets.map((set) => set.points.length));
    const axes = {x: {title: "loops, the most executed first", scale: "linear", min: 0, max: runs.length > 1 ? most : undefined},
        y: {title: "executions", ...rangeOf(sets, "y", true)}};
    return make("div", {class: runs.length > 1 ? "charts several" : "charts"},
        sets.map((set, i) => scatterChart(titles[i], set.points, axes, 0)));
}

function loopSection(runs, names, labels, listings) {
    const rows = joinLoops(runs);
    if (rows.length === 0) {
        return makeSection("loops", "Hot loops",
            make("p", {}, "No loop had a counter: the program ended before one was made, or counted none."));
    }
    const columns = loopColumns(names, listings);
    const targets = runs.map((run, i) => new Map(rows.filter((row) => row.runs[i] && listingOf(row, listings))
        .map((row) => [row.runs[i].head, loopId(row)])));
    return makeSection("loops", "Hot loops", tableCsv("loops", columns, rows),
        makeTable(columns, rows.slice(0, LOOPS_SHOWN), {class: "full", id: "hot-loops"}),
        rows.length > LOOPS_SHOWN ? make("p", {class: "muted"},
            `The first ${LOOPS_SHOWN} of ${formatNumber(rows.length)}; the CSV has all.`) : null,
        loopScatters(runs, labels.map((label) => (runs.length > 1 ? `Executions of each loop, ${label}`
            : "Executions of each loop")), targets));
}

function thresholdSection(runs, names) {
    const tables = runs.map((run) => listOf(lookUp(run, "units.counters.thresholds")));
    const thresholds = [...new Set(tables.flat().map((row) => row.threshold))].sort((a, b) => a - b);
    if (thresholds.length === 0 || !runs.some((run) => lookUp(run, "units.counters.addresses") > 0)) {
        return null;
    }
    const cell = (i, threshold, key) =>
        (tables[i].find((row) => row.threshold === threshold) || {})[key];
    const series = names.flatMap((name, i) => [["reached", "reached"],
        ["premature_evictions", "evicted before"]].map(([key, label]) => ({
        label: names.length > 1 ? `${label} ${"AB"[i]}` : label, unit: "number",
        data: thresholds.map((threshold) => cell(i, threshold, key)),
    }))).filter((one) => one.data.some((value) => value > 0));
    const evicted = runs.map((run, i) => (isNumber(lookUp(run, "units.counters.evicted"))
        ? `${names.length > 1 ? `${"AB"[i]}: ` : ""}${formatNumber(run.units.counters.evicted)} of ` +
            `${formatNumber(lookUp(run, "hotspots.counters_created"))} counters were evicted.` : null)).filter(Boolean);
    const rows = thresholds.map((threshold) => ({threshold}));
    const columns = [{label: "threshold", number: true, value: (row) => row.threshold,
        show: (row) => formatNumber(row.threshold)},
    ...sideBySide(names, "reached", (row, i) => cell(i, row.threshold, "reached"), formatNumber),
    ...sideBySide(names, "evicted before", (row, i) => cell(i, row.threshold, "premature_evictions"),
        formatNumber),
    ...sideBySide(names, "share", (row, i) => cell(i, row.threshold, "premature_share"), formatPercent)];
    return makeSection("thresholds", "The hardware's counters",
        make("p", {}, "Monitored addresses that were executed often enough to reach each threshold, and those whose " +
            `counter was evicted before it had counted so far. ${evicted.join(" ")}`),
        make("div", {class: "charts"}, barChart("Counters by threshold", thresholds.map(formatNumber), series,
            false, {of: "addresses", each: "threshold, in executions"})),
        foldedTable("thresholds", "Data", columns, rows));
}

// Every number of the statistics that is not in a list, by its path.
function flatten(value, path, into) {
    if (isNumber(value)) {
        into.set(path, value);
    } else if (value !== null && typeof value === "object" && !Array.isArray(value)) {
        for (const [key, inner] of Object.entries(value)) {
            flatten(inner, path ? `${path}.${key}` : key, into);
        }
    }
    return into;
}

function allSection(runs, names) {
    const flat = runs.map((run) => flatten(run, "", new Map()));
    const rows = [...new Set(flat.flatMap((map) => [...map.keys()]))].map((key) => ({key}));
    const columns = [{label: "key", kind: "code", value: (row) => row.key},
        ...sideBySide(names, "", (row, i) => flat[i].get(row.key), formatNumber)];
    return makeSection("statistics", "All numbers", foldedTable("statistics", "Statistics", columns, rows,
        runs.length > 1));
}

function codeSection(runs, listings) {
    const rows = joinLoops(runs).filter((row) => listingOf(row, listings));
    const counts = runs.map((run) => countHeads(loopsOf(run)));
    const why = [...new Set(listings.map((listing) => lookUp(listing, "why")).filter(Boolean))];
    if (rows.length === 0 && why.length === 0) {
        return null;
    }
    // The hottest whose source is shown, if it is in sight.
    const open = Math.max(0, rows.slice(0, LISTINGS_SHOWN).findIndex((row) => listingOf(row, listings).source));
    return makeSection("code", "Code of the hot loops",
        why.length > 0 ? make("p", {class: "muted"}, `No code where ${why.join("; ")}.`) : null,
        rows.length > 0 ? make("p", {}, CODE_EXPLAINED) : null,
        ...firstAndMore(rows.map((row, i) => makeListing(loopId(row), row.first,
            row.runs.filter(Boolean).map(formatExecutions).join(" / ") + " executions",
            listingOf(row, listings), counts[row.from], i === open))));
}

// The hottest ones are in sight, the others a click away.
function firstAndMore(listings) {
    const [first, more] = [listings.slice(0, LISTINGS_SHOWN), listings.slice(LISTINGS_SHOWN)];
    return more.length === 0 ? first
        : [...first, make("details", {class: "more"}, make("summary", {}, `${formatNumber(more.length)} more`), more)];
}

// What the title does not say, in a line.
function subtitle(run, name) {
    const words = listOf(lookUp(run, "program.arguments")).slice(1).join(" ");
    const processor = lookUp(run, "config.machine");
    return make("p", {class: "muted subtitle"}, [name, words ? `arguments ${words}` : null,
        run.translator ? "under the translator" : "on the processor alone", processor ? String(processor) : null,
        endOf(run)[0]].filter(Boolean).join(" \u00b7 "));
}

function runSection(runs, names) {
    return makeSection("run", runs.length > 1 ? "The runs" : "The run",
        make("div", {class: runs.length > 1 ? "beside" : ""}, runs.map((run, i) =>
            runFacts(run, runs.length > 1 ? `${"AB"[i]}: ${names[i]}` : names[i]))));
}

function showRuns(report) {
    const runs = listOf(report.runs);
    const names = runs.map((run, i) => listOf(report.files)[i] || `run ${i + 1}`);
    const short = names.map((name) => name.split("/").pop());
    const labels = short.map((name, i) => (runs.length > 1 ? `${"AB"[i]}: ${name}` : name));
    const listings = listOf(report.listings);
    const programs = [...new Set(runs.map((run, i) => lookUp(run, "program.path") || names[i]))];
    const beside = runs.length === 1 ? programsOf(runs[0]).slice(1).map((one) => one.name) : [];
    const title = programs.map((path) => path.split("/").pop()).join(" and ") +
        (beside.length > 0 ? ` beside ${beside.join(" and ")}` : "");
    document.title = `${title} - Strata`;
    return [
        make("h1", {}, title),
        ...runs.map((run, i) => subtitle(run, runs.length > 1 ? `${"AB"[i]}: ${names[i]}` : names[i])),
        guarded("The run in short", () => storySection(runs, names, labels)),
        guarded("Programs before it", () => earlierSection(runs, names)),
        guarded("Where the cycles went", () => cyclesSection(runs, names, labels)),
        guarded("Code", () => codeSection(runs, listings)),
        guarded("Hot functions", () => functionsSection(runs, names)),
        guarded("Hot loops", () => loopSection(runs, names, labels, listings)),
        guarded("What traces brought", () => ledgerSection(runs, names)),
        guarded("Delinquent loads", () => loadsSection(runs, names, listings)),
        guarded("Code of the loads", () => loadCodeSection(runs, listings)),
        guarded("Slices", () => slicesSection(runs, names)),
        guarded("Programs together", () => togetherSection(runs, names)),
        guarded("The processor", () => processorSection(runs, names)),
        guarded("Where the instructions went", () => splitSection(runs, names, labels)),
        guarded("Counters", () => thresholdSection(runs, names)),
        guarded("The run", () => runSection(runs, names)),
        guarded("All numbers", () => allSection(runs, names)),
    ];
}
