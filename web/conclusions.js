// What was published and what an experiment asks of its own: whether it holds, the figures, and the reason.
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
        ([, value, at, n]) => ({value, at, words: `programs with ${n} or more:`})],
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

// A value that says yes or no of each program: of how many it says yes; null for others.
function truthWords(name, at, experiment) {
    const value = listOf(experiment.values).find((one) => one.name === name);
    const index = at === undefined || at === null ? 0 : listOf(lookUp(experiment, "axis.values")).map(String).indexOf(String(at));
    const data = listOf(experiment.programs).map((program) => dataOf(value, program)[index]);
    return value && /[<>=]/.test(value.expression || "") && data.length > 0 && data.every((one) => one === 0 || one === 1)
        ? `in ${data.filter((one) => one === 1).length} of ${data.length} programs` : null;
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
        const figure = Object.values(EXTREMES).includes(words) && truthWords(term.value, term.at ?? check.at, experiment)
            || `${words} ${piece.slice(colon + 2)}`;
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

// Who states what an experiment has as stated.
function sourceOf(experiment) {
    return experiment.source || "the paper";
}

// "The paper states", "the slides state".
function stateOf(sources) {
    return sources.length > 1 || sources[0].endsWith("s") ? "state" : "states";
}

function capital(text) {
    return text.charAt(0).toUpperCase() + text.slice(1);
}

// The checks of all experiments: those that were published, or the experiments' own.
function checksOf(experiments, stated) {
    return experiments.flatMap((experiment) => listOf(experiment.checks)
        .filter((check) => Boolean(check.stated) === stated).map((check) => ({experiment, check})));
}

// Those of one experiment, with their reasons; what was published comes first.
function checkLists(checks, experiment) {
    const list = (chosen) => make("ul", {class: "checks"}, chosen.map((check) => makeCheck(check, experiment)));
    const stated = checks.filter((check) => check.stated), own = checks.filter((check) => !check.stated);
    const source = sourceOf(experiment);
    return [stated.length > 0 ? [make("h3", {}, `What ${source} ${stateOf([source])}`), list(stated)] : [],
        own.length > 0 ? [make("h3", {}, stated.length > 0 ? "Besides" : "Conclusions"), list(own)] : []].flat();
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

// What the page says first: what was learned, by the first experiment that has a sentence for it.
function makeLead(experiments) {
    const first = experiments.find((experiment) => experiment.learned);
    return first ? make("p", {class: "lead", id: "lead"}, unbroken(first.learned)) : null;
}

// The experiments with their tallies: of what was published, or if there is none of their own checks.
function makeContents(experiments) {
    const stated = checksOf(experiments, true).length > 0;
    const chosen = (row) => listOf(row.checks).filter((check) => Boolean(check.stated) === stated);
    const tally = (label, i) => ({label, number: true, value: (row) => countKinds(chosen(row))[i] || null,
        show: (row) => countKinds(chosen(row))[i] || ""});
    const place = (row) => (row.figure ? figureName(row.figure) : "");
    const columns = [
        {label: "experiment", value: (row) => row.title || row.name,
            show: (row) => make("a", {href: "#" + row.name}, row.title || row.name)},
        ...(experiments.some(place) ? [{label: "figure", value: place, kind: "muted"}] : []),
        tally("hold", 0), tally("do not", 1), tally("not measured", 2),
    ];
    return experiments.length > 0 ? makeTable(columns, experiments, {class: "contents"}) : null;
}

// Published figures, and beside each what was measured.
function publishedTable(experiments) {
    const rows = experiments.flatMap((experiment) => listOf(experiment.published).map((row) => ({...row, experiment})));
    if (rows.length === 0) {
        return null;
    }
    // With no more digits than were published.
    const figure = (key) => ({label: key, number: true, value: (row) => row[key],
        show: (row) => (row.unit === "ratio" && isNumber(row[key]) ? row[key].toFixed(2) : formatValue(row[key], row.unit))});
    return makeTable([{label: "beside what was published", value: (row) => row.what}, figure("published"),
        figure("measured")], rows, {class: "published"});
}

function checkColumns() {
    return [
        {label: "", name: "verdict", value: (row) => verdictOf(row.check).words, show: (row) => makeVerdict(row.check)},
        {label: "statement", value: (row) => row.check.statement || row.check.name,
            show: (row) => make("span", {class: "statement"}, row.check.statement || row.check.name)},
        {label: "measured", kind: "measured", value: (row) => measuredText(row.check),
            show: (row) => make("span", {title: row.check.condition}, measuredWords(row.check, row.experiment))},
        {label: "why", saved: true, value: (row) => row.check.why},
        {label: "experiment", kind: "whole", value: (row) => row.experiment.name,
            show: (row) => make("a", {href: "#" + row.experiment.name},
                row.experiment.figure ? figureName(row.experiment.figure) : row.experiment.name)},
    ];
}

// What was published, each statement once; the reasons stand with the experiments.
function statementSection(experiments) {
    const rows = checksOf(experiments, true);
    const published = publishedTable(experiments);
    if (rows.length === 0 && !published) {
        return null;
    }
    const sources = [...new Set(rows.map((row) => sourceOf(row.experiment)))];
    const section = makeSection("statements", sources.length > 0
        ? `What ${sources.join(" and ")} ${stateOf(sources)}` : "What was published",
    ...(rows.length > 0 ? [make("p", {}, `Of ${rows.length} statements ${countVerdicts(rows.map((row) => row.check))}.`),
        tableCsv("statements", checkColumns(), rows), makeTable(checkColumns(), rows, {class: "full statements"})] : []),
    published);
    section.dataset.short = "Statements";
    return section;
}

// More than these would push the first chart out of sight.
const CONCLUSIONS_OPEN = 12;

// What the experiments ask of their own.
function conclusionSection(experiments) {
    const rows = checksOf(experiments, false);
    if (rows.length === 0) {
        return null;
    }
    const besides = checksOf(experiments, true).length > 0;
    const table = foldedTable("conclusions", besides ? "All of them" : "All conclusions", checkColumns(), rows,
        !besides && rows.length <= CONCLUSIONS_OPEN);
    table.classList.add("printed");
    const section = makeSection("conclusions", besides ? "What was asked besides" : "Conclusions",
        make("p", {}, `${capital(countVerdicts(rows.map((row) => row.check)))}.`), table);
    section.dataset.short = besides ? "Besides" : "Conclusions";
    return section;
}
