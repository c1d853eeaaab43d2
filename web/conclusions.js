// What the paper states: whether it holds, the figures that were measured, and the reason.
"use strict";

const VERDICTS = {
    true: {kind: "holds", words: "holds"},
    false: {kind: "fails", words: "does not hold"},
    null: {kind: "unknown", words: "not measured"},
};

function verdictOf(check) {
    return VERDICTS[String(check.holds)] || VERDICTS.null;
}

function measuredText(check) {
    const measured = check.measured;
    return isNumber(measured) ? formatNumber(measured)
        : measured === null || measured === undefined ? "" : String(measured);
}

// A number and its unit stay on one line.
function unbroken(text) {
    return text.replaceAll(/(\d) ?%/g, "$1\u00a0%");
}

// What stands in backticks as code.
function withCode(text) {
    return text.split("`").map((part, i) => (i % 2 === 1 ? make("code", {}, part) : part));
}

function ordinal(number) {
    return {1: "", 2: "2nd ", 3: "3rd "}[number] ?? `${number}th `;
}

// Terms of a condition, and what they are called: {value, at} is what the figure is of, `other` what it is
// compared to.
const EXTREMES = {min: "smallest", max: "largest", mean: "mean", sum: "sum"};
const TERMS = [
    [/^(min|max|mean|sum)\((\w+)(?: at (\S+))?\)$/, ([, which, value, at]) => ({value, at, words: EXTREMES[which]})],
    [/^(\w+) of (\S+)(?: at (\S+))?$/, ([, value, program, at]) => ({value, at, words: program})],
    [/^top\((\w+)(?: at (\S+))?, (\d+)\)$/, ([, value, at, n]) => ({value, at, words: `${ordinal(n)}largest`})],
    [/^count\((\w+)(?: at (\S+))?, (\S+)\)$/,
        ([, value, at, n]) => ({value, at, words: `${n} or more in`, after: " programs"})],
    [/^agreement\((\w+), (\w+)\)$/, ([, value, other]) => ({value, other, words: "its order agrees with that of"})],
];

function labelOf(name, experiment) {
    const value = listOf(experiment.values).find((one) => one.name === name);
    return value && (value.label || value.name);
}

function readTerm(term) {
    for (const [form, read] of TERMS) {
        const match = form.exec(term);
        if (match) {
            return read(match);
        }
    }
    return null;
}

// "min(cost): 5 %; max(cost): 9 %" by the values' labels: "cost of counting: smallest 5 %, largest 9 %".
// A term that is not known stays as it is.
function measuredWords(check, experiment) {
    const groups = [];
    for (const piece of measuredText(check).split("; ")) {
        const colon = piece.lastIndexOf(": ");
        const term = colon > 0 ? readTerm(piece.slice(0, colon)) : null;
        const name = term && labelOf(term.value, experiment);
        if (!name) {
            groups.push({label: null, figures: [piece]});
            continue;
        }
        const label = name + (term.at ? `, ${lookUp(experiment, "axis.name") || "at"} ${term.at}` : "");
        const last = groups[groups.length - 1];
        const words = term.other ? `${term.words} ${labelOf(term.other, experiment) || term.other}:` : term.words;
        const figure = `${words} ${piece.slice(colon + 2)}${term.after || ""}`;
        if (last && last.label === label) {
            last.figures.push(figure);
        } else {
            groups.push({label, figures: [figure]});
        }
    }
    return unbroken(groups.map((group) => (group.label ? `${group.label}: ` : "") + group.figures.join(", "))
        .join("; "));
}

function makeVerdict(check) {
    return make("span", {class: "verdict " + verdictOf(check).kind}, verdictOf(check).words);
}

// The statement, the figures, and the reason.
function makeStatement(check, experiment) {
    const measured = measuredWords(check, experiment);
    return make("div", {}, make("div", {class: "statement"}, check.statement || check.name),
        measured ? make("div", {class: "measured", title: check.condition}, measured) : null,
        check.why ? make("div", {class: "why"}, withCode(unbroken(String(check.why)))) : null);
}

function makeCheck(check, experiment) {
    return make("li", {}, makeVerdict(check), makeStatement(check, experiment));
}

function countKinds(checks) {
    const count = (kind) => checks.filter((check) => verdictOf(check).kind === kind).length;
    return ["holds", "fails", "unknown"].map(count);
}

// "3 hold, 1 does not hold, 2 not measured".
function countVerdicts(checks) {
    const [holds, fails, unknown] = countKinds(checks);
    return [[holds, holds === 1 ? "holds" : "hold"], [fails, fails === 1 ? "does not hold" : "do not hold"],
        [unknown, "not measured"]].filter(([number]) => number > 0)
        .map(([number, words]) => `${number} ${words}`).join(", ");
}

// The experiments with their tallies.
function makeContents(experiments) {
    const tally = (label, i) => ({label, number: true, value: (row) => countKinds(listOf(row.checks))[i] || null,
        show: (row) => countKinds(listOf(row.checks))[i] || ""});
    const columns = [
        {label: "in the paper", value: (row) => (row.figure ? figureName(row.figure) : ""), kind: "muted"},
        {label: "experiment", value: (row) => row.title || row.name,
            show: (row) => make("a", {href: "#" + row.name}, row.title || row.name)},
        tally("hold", 0), tally("do not", 1), tally("not measured", 2),
    ];
    return experiments.length > 0 ? makeTable(columns, experiments, {class: "full contents"}) : null;
}

// More than these would push the first chart out of sight; each stands with its experiment, too.
const STATEMENTS_OPEN = 12;

function conclusions(experiments) {
    const rows = experiments.flatMap((experiment) => listOf(experiment.checks)
        .map((check) => ({experiment, check})));
    if (rows.length === 0) {
        return null;
    }
    const columns = [
        {label: "", name: "verdict", value: (row) => verdictOf(row.check).words, show: (row) => makeVerdict(row.check)},
        {label: "statement", value: (row) => row.check.statement || row.check.name,
            show: (row) => makeStatement(row.check, row.experiment)},
        {label: "measured", saved: true, value: (row) => measuredText(row.check)},
        {label: "why", saved: true, value: (row) => row.check.why},
        {label: "experiment", value: (row) => row.experiment.name,
            show: (row) => make("a", {href: "#" + row.experiment.name}, row.experiment.name)},
    ];
    const table = foldedTable("conclusions", "All statements", columns, rows, rows.length <= STATEMENTS_OPEN);
    table.classList.add("printed");
    return makeSection("conclusions", "What the paper states",
        make("p", {}, `${countVerdicts(rows.map((row) => row.check))}.`), table);
}
