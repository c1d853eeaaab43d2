// What a run with a pipeline adds to its page: where the cycles of each context went, and the processor's figures.
"use strict";

// The order of parts and, by their place, their colours (--causes); keys of pipeline.contexts[].cycles.
const CAUSES = [
    ["base", "instructions retire"],
    ["branch", "mispredicted branch"],
    ["fetch", "instruction fetch"],
    ["front", "front end"],
    ["system", "system"],
    ["execute", "execution"],
    ["forward", "store forwarding"],
    ["l1", "L1"],
    ["l2", "L2"],
    ["l3", "L3"],
    ["memory", "memory"],
    ["tlb", "translation"],
    ["mshrs", "no free MSHR"],
    ["stores", "store buffer full"],
    ["sync", "another context's store"],
    ["spawn", "start of a slice"],
    ["others", "other contexts"],
    ["idle", "idle"],
];

// One context of one run.  Its cycles are sums of fractions: what is left of rounding is cut off.
class Stack {
    constructor(context) {
        this.cycles = lookUp(context, "cycles") || {};
        this.instructions = lookUp(context, "instructions");
        const values = Object.values(this.cycles).filter(isNumber);
        this.all = Number(values.reduce((sum, value) => sum + value, 0).toFixed(6));
        this.ran = this.instructions > 0 || this.all > (this.cycles.idle || 0);
    }

    perInstruction(cycles) {
        return isNumber(cycles) && this.instructions > 0 ? cycles / this.instructions : null;
    }
}

// stacks[i][k]: context k of run i.  A cause that this page does not know comes last, by its key.
function causesOf(stacks) {
    const found = stacks.flat().filter((stack) => stack.ran).flatMap((stack) => Object.entries(stack.cycles))
        .filter(([, value]) => value > 0).map(([key]) => key);
    const known = CAUSES.map(([key, label], place) => ({key, label, place}));
    const unknown = [...new Set(found)].filter((key) => !CAUSES.some(([other]) => other === key))
        .map((key, i) => ({key, label: key, place: CAUSES.length + i}));
    return [...known, ...unknown].filter((cause) => found.includes(cause.key));
}

// By run and context, the program that had it to itself; empty unless there were several.
function ownersOf(runs) {
    return runs.map((run) => Object.fromEntries(programsOf(run).map((program) => [program.context, program.name])));
}

// A bar for each context of each run that `shown` takes.
function stackBars(stacks, labels, owners, shown) {
    const contexts = contextsOf(stacks).filter((k) => stacks.some((list) => list[k] && shown(list[k])));
    return contexts.flatMap((k) => stacks.map((list, i) => ({stack: list[k],
        label: contexts.length > 1 || k > 0 ? [owners[i][k] ? `${labels[i]}: ${owners[i][k]}` : labels[i], `context ${k}`]
            : labels[i]})))
        .filter((bar) => bar.stack && shown(bar.stack));
}

function stackChart(title, unit, bars, causes, value) {
    return splitChart(title, unit, bars.map((bar) => bar.label),
        causes.map(({key, label, place}) => ({label, place,
            data: bars.map((bar) => value(bar.stack, bar.stack.cycles[key]) || 0)})), "causes");
}

function stacksOf(runs) {
    return runs.map((run) => listOf(lookUp(run, "pipeline.contexts")).map((context) => new Stack(context)));
}

// The contexts on which something ran, in one of the runs.
function contextsOf(stacks) {
    const most = Math.max(0, ...stacks.map((list) => list.length));
    return [...Array(most).keys()].filter((k) => stacks.some((list) => list[k] && list[k].ran));
}

// A context that only slices ran on has cycles, but none per instruction of the program.
function cpiChart(runs, labels) {
    const stacks = stacksOf(runs);
    const bars = stackBars(stacks, labels, ownersOf(runs), (stack) => stack.instructions > 0);
    // A program that has ended before the others leaves its context idle, which is no cost of its instructions.
    const several = runs.some((run) => programsOf(run).length > 1);
    return bars.length === 0 ? null : make("div", {class: "charts"},
        stackChart("Cycles per instruction by cause", "cycles per instruction", bars,
            causesOf(bars.map((bar) => [bar.stack])).filter((cause) => !several || cause.key !== "idle"),
            (stack, cycles) => stack.perInstruction(cycles)));
}

// A table of more contexts would push the code out of sight.
const CONTEXTS_OPEN = 2;

function stackTable(stacks, contexts, causes, names) {
    const has = (k, cause) => stacks.some((list) => list[k] && list[k].cycles[cause.key] > 0);
    const rows = contexts.flatMap((k) => [
        ...causes.filter((cause) => has(k, cause))
            .map((cause) => ({k, ...cause, of: (stack) => stack.cycles[cause.key]})),
        {k, key: "all", label: "all", of: (stack) => stack.all}]);
    const cell = (row, i, value) => {
        const stack = stacks[i][row.k];
        return stack && isNumber(row.of(stack)) ? value(stack, row.of(stack)) : null;
    };
    const share = (row, i) => cell(row, i, (stack, cycles) => (stack.all > 0 ? cycles / stack.all : null));
    const columns = [
        {label: "context", number: true, saved: contexts.length === 1, value: (row) => row.k},
        {label: "cause", value: (row) => row.label},
        {label: "key", kind: "code whole", value: (row) => row.key},
        ...sideBySide(names, "cycles", (row, i) => cell(row, i, (stack, cycles) => cycles), formatNumber),
        ...eachRun(names, "share", (i) => ({number: true, value: (row) => share(row, i),
            show: (row) => formatPercent(share(row, i))})),
        ...sideBySide(names, "per instruction",
            (row, i) => cell(row, i, (stack, cycles) => stack.perInstruction(cycles)), formatRatio),
    ];
    const few = contexts.length <= CONTEXTS_OPEN;
    return foldedTable("cycles", few ? "Data" : `Data of ${contexts.length} contexts`, columns, rows, few);
}

function cyclesSection(runs, names, labels) {
    const stacks = stacksOf(runs);
    const contexts = contextsOf(stacks);
    if (contexts.length === 0) {
        return null;
    }
    const idle = stacks.map((list, i) => ({count: list.filter((stack) => !stack.ran).length, all: list.length,
        run: names.length > 1 ? ` in ${"AB"[i]}` : ""})).filter((one) => one.count > 0);
    const parts = runs.map((run, i) => ({run: names.length > 1 ? `${"AB"[i]}: ` : "",
        measured: lookUp(run, "pipeline.instructions"), all: lookUp(run, "machine.instructions")}))
        .filter((one, i) => lookUp(runs[i], "machine.phases") && one.measured < one.all);
    const causes = causesOf(stacks);
    return makeSection("cycles", "Where the cycles went",
        make("p", {}, "A cycle has places for instructions to retire. Those that a context uses, and those that it does " +
            "not, by what keeps its oldest instruction from retiring, add up to the cycles of the run."),
        parts.length > 0 ? make("p", {}, parts.map((one) => `${one.run}${formatNumber(one.measured)} of ` +
            `${formatNumber(one.all)} instructions were measured.`).join(" ")) : null,
        idle.length > 0 ? make("p", {class: "muted"}, "Contexts on which nothing ran are left out: " +
            idle.map((one) => `${one.count} of ${one.all}${one.run}`).join(", ") + ".") : null,
        make("div", {class: runs.length > 1 || contexts.length > CONTEXTS_OPEN ? "" : "sides"},
            make("div", {class: "charts"}, stackChart("Cycles by cause", "cycles",
                stackBars(stacks, labels, ownersOf(runs), (stack) => stack.ran), causes, (stack, cycles) => cycles)),
            stackTable(stacks, contexts, causes, names)));
}

const LEVELS = [["l1i", "L1 instructions"], ["l1d", "L1 data"], ["l2", "L2"], ["l3", "L3"],
    ["itlb", "instruction translations"], ["dtlb", "data translations"]];
const BRANCHES = [["conditional", "conditional branches"], ["indirect", "indirect jumps and calls"],
    ["returns", "returns"]];

// Rows whose value no run has are left out: a level that there is not, branches that were none.
function processorRows(runs) {
    const plain = (label, path, format) => ({label, format: format || formatNumber,
        of: (run) => lookUp(run, `pipeline.${path}`)});
    const accuracy = (wrong, all) => (all > 0 && isNumber(wrong) ? 1 - wrong / all : null);
    const sum = (run, ending) => BRANCHES.reduce((all, [key]) =>
        all + (lookUp(run, `pipeline.branches.${key}${ending}`) || 0), 0);
    const ofLevel = (label, key, path) => ({label, format: formatNumber,
        of: (run) => (lookUp(run, `pipeline.${key}.accesses`) > 0 ? lookUp(run, `pipeline.${key}.${path}`) : null)});
    return [
        plain("cycles", "cycles"),
        plain("instructions", "instructions"),
        plain("IPC, instructions per cycle", "ipc"),
        {label: "CPI, cycles per instruction", format: formatNumber, of: (run) => {
            const [cycles, instructions] = [lookUp(run, "pipeline.cycles"), lookUp(run, "pipeline.instructions")];
            return isNumber(cycles) && instructions > 0 ? cycles / instructions : null;
        }},
        ...LEVELS.map(([key, name]) => ofLevel(`misses per 1,000 instructions, ${name}`, key, "misses_per_1000")),
        {label: "predicted right, all branches", format: formatPercent,
            of: (run) => accuracy(sum(run, "_mispredicted"), sum(run, ""))},
        ...BRANCHES.map(([key, name]) => ({label: `predicted right, ${name}`, format: formatPercent,
            of: (run) => accuracy(lookUp(run, `pipeline.branches.${key}_mispredicted`),
                lookUp(run, `pipeline.branches.${key}`))})),
        plain("entries in use, reorder buffer", "reorder_buffer_occupied"),
        plain("entries in use, issue queue", "issue_queue_occupied"),
        ...LEVELS.slice(0, 4).map(([key, name]) => ofLevel(`MSHRs in use, ${name}`, key, "mshrs_occupied")),
    ].filter((row) => runs.some((run) => isNumber(row.of(run))));
}

function processorSection(runs, names) {
    const rows = processorRows(runs);
    if (rows.length === 0) {
        return null;
    }
    const columns = [{label: "", name: "figure", value: (row) => row.label},
        ...sideBySide(names, names.length > 1 ? "" : "value", (row, i) => row.of(runs[i]),
            (value, row) => row.format(value))];
    return makeSection("processor", "The processor", tableCsv("processor", columns, rows),
        makeTable(columns, rows, {id: "processor-figures"}),
        make("p", {class: "muted"}, "What is in use is a mean over all cycles."));
}
