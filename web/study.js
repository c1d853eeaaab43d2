// The page of a study: what was learned, whether what was published holds, and each experiment.
"use strict";

function dataOf(value, program) {
    return listOf(lookUp(value, "data") && value.data[program]);
}

// The charts of one experiment.
class Experiment {
    constructor(description, code) {
        this.all = description;
        this.code = code;
        this.name = description.name;
        this.programs = listOf(description.programs);
        this.values = listOf(description.values);
        this.axis = description.axis && listOf(description.axis.values).length > 0 ? description.axis : null;
    }

    valuesOf(chart) {
        return listOf(chart.values).map((name) => this.values.find((value) => value.name === name))
            .filter((value) => value !== undefined);
    }

    series(value, index) {
        return {label: value.label || value.name, unit: value.unit,
            data: this.programs.map((program) => dataOf(value, program)[index])};
    }

    // All numbers of these values: charts that are drawn with them have the same scale.
    numbersOf(values) {
        return values.flatMap((value) => this.programs.flatMap((program) => dataOf(value, program)));
    }

    bars(chart) {
        const values = this.valuesOf(chart);
        const each = "program";
        if (!this.axis) {
            // One axis cannot show two units.
            return [...new Set(values.map((value) => value.unit))].map((unit) => {
                const series = values.filter((value) => value.unit === unit).map((value) => this.series(value, 0));
                const common = series.length > 1 ? commonStart(series.map((one) => one.label)) : null;
                const title = series.length === 1 ? series[0].label : common;
                return barChart(title || {hidden: this.all.title || this.name}, this.programs,
                    common ? series.map((one) => ({...one, label: one.label.slice(common.length + 2)})) : series, chart.log,
                    {each, of: chart.axis_title || title || this.all.title || this.name});
            });
        }
        // One axis cannot show two units.
        return [...new Set(values.map((value) => value.unit))].flatMap((unit) =>
            this.barsAtPoints(chart, values.filter((value) => value.unit === unit)));
    }

    // Values of one unit: of one value a chart with a bar for each point of the axis, of several a chart for each point.
    barsAtPoints(chart, values) {
        const labels = values.map((value) => value.label || value.name);
        const of = chart.axis_title || commonStart(labels) ||
            (labels.length <= LABELS_NAMED ? labels.join("; ") : this.all.title || this.name);
        if (values.length === 1) {
            return [barChart(labels[0], this.programs,
                this.axis.values.map((at, i) => ({...this.series(values[0], i), label: `${this.axis.name} ${at}`})),
                chart.log, {each: "program", of: chart.axis_title || labels[0]})];
        }
        const end = commonEnd(labels);
        const shown = (value, i) => this.programs.some((program) => {
            const number = dataOf(value, program)[i];
            return number > 0 || (!chart.log && number < 0);
        });
        const points = this.axis.values.map((at, i) => ({at, i, empty: !values.some((value) => shown(value, i))}));
        const empty = points.every((point) => point.empty) ? [] : points.filter((point) => point.empty);
        const drawn = points.filter((point) => !empty.includes(point)).map(({at, i}) => barChart(
            `${this.axis.name} ${at}${end}`, this.programs, values.map((value) => this.series(value, i))
                .map((one) => ({...one, label: one.label.slice(0, one.label.length - end.length)})), chart.log,
            {each: "program", values: this.numbersOf(values), of}));
        return empty.length === 0 ? drawn : [...drawn, make("p", {class: "muted"},
            `Not drawn, since nothing there is above 0: ${this.axis.name} ${empty.map(({at}) => at).join(", ")}.`)];
    }

    // beside: all values of the charts that stand side by side with this one.
    lines(chart, beside) {
        if (!this.axis) {
            return this.bars(chart);
        }
        const [along, points] = chart.by ? ["program", this.programs] : [this.axis.name, this.axis.values];
        const series = (value) => (chart.by
            ? this.axis.values.map((at, i) => ({...this.series(value, i), label: String(at)}))
            : this.programs.map((program) => ({label: program, unit: value.unit, data: dataOf(value, program)})));
        return this.valuesOf(chart).map((value) => lineChart(value.label || value.name, along, points,
            series(value), chart.log, {of: chart.axis_title || value.label || value.name,
                values: this.numbersOf(beside.filter((other) => other === value || onOneScale(other, value)))}));
    }

    rung(value, index, label) {
        return {label, unit: value.unit,
            data: Object.fromEntries(this.programs.map((program) => [program, dataOf(value, program)[index]]))};
    }

    ladder(chart) {
        const values = this.valuesOf(chart);
        const rungs = values.flatMap((value) => this.axis
            ? this.axis.values.map((at, i) => this.rung(value, i, values.length > 1 ? `${value.label} ${at}` : String(at)))
            : [this.rung(value, 0, value.label || value.name)]);
        return [ladderChart({hidden: this.all.title}, this.programs, rungs, chart.log,
            {of: chart.axis_title || (values.length === 1 ? values[0].label : null) || this.all.title || this.name})];
    }

    // Small multiples: for each value a ladder whose rungs are the points of the axis.  Those of one unit have one scale.
    multiples(chart) {
        const values = this.valuesOf(chart);
        return values.map((value) => ladderChart(value.label || value.name, this.programs,
            this.axis.values.map((at, i) => this.rung(value, i, String(at))), chart.log,
            {of: chart.axis_title || value.label || value.name, step: 26, legend: false,
                values: this.numbersOf(values.filter((other) => other === value || other.unit === value.unit))}));
    }

    // A table of the points of the axis with the mean of each value over the programs; that with the largest mean of the first
    // value comes first.
    ranking(chart) {
        const values = this.valuesOf(chart);
        const mean = (value, i) => middleOf(value.unit).of(Object.values(this.rung(value, i).data));
        const columns = values.map((value) => ({label: value.label || value.name, number: true,
            value: (row) => mean(value, row.i), show: (row) => formatValue(mean(value, row.i), value.unit)}));
        const rows = sortRows(this.axis.values.map((at, i) => ({at, i})), columns[0], "descending");
        return [foldedTable(`${this.name}-ranking`, `Ranking by ${columns[0].label}: means of ${this.programs.length} programs`,
            [{label: "place", number: true, value: (row) => rows.indexOf(row) + 1},
                {label: this.axis.name, value: (row) => String(row.at)}, ...columns], rows, true)];
    }

    // One chart for each program, all to the same scale: in one, programs with many loops hide others.
    scatter(chart) {
        const loops = this.all.loops || {};
        const columns = listOf(chart.values).filter((name) => !this.values.some((value) => value.name === name));
        const [across, up] = columns.length > 1 ? columns : [null, columns[0] || "executions"];
        const sets = this.programs.filter((program) => listOf(loops[program]).length > 0)
            .map((program) => ({program, points: listOf(loops[program]).map((loop, i) => ({
                x: across === null ? i + 1 : columnNumber(loop[across]),
                y: columnNumber(loop[up]),
                lines: loopLines(loop, across, up),
                target: this.code.target(program, loop),
            }))}));
        const axes = {
            x: {title: across === null ? "loops, the most executed first" : columnName(across),
                ...rangeOf(sets, "x", across !== null && chart.log)},
            y: {title: columnName(up), ...rangeOf(sets, "y", chart.log)},
        };
        return sets.map((set, i) => scatterChart(`${set.program}: ${formatNumber(set.points.length)} loops`,
            set.points, axes, i));
    }

    // Charts of one kind that follow each other stand side by side, as far as there is room: several that are one
    // chart's, and lines, are small; others share a wide screen.
    charts() {
        const kinds = {bars: this.bars, lines: this.lines, scatter: this.scatter, ladder: this.ladder,
            multiples: this.multiples, ranking: this.ranking};
        const groups = [];
        for (const chart of listOf(this.all.charts).filter((one) => kinds[one.kind])) {
            const last = groups[groups.length - 1];
            if (last && last.kind === chart.kind) {
                last.charts.push(chart);
            } else {
                groups.push({kind: chart.kind, charts: [chart]});
            }
        }
        return groups.flatMap(({kind, charts: together}) => {
            const beside = together.flatMap((chart) => this.valuesOf(chart));
            const drawn = together.map((chart) => kinds[kind].call(this, chart, beside));
            const small = (figures) => make("div", {class: figures.length > 1 ? `charts several ${kind}` : "charts"}, figures);
            if (kind === "lines") {
                return [small(drawn.flat())];
            }
            if (kind === "multiples") {
                return [small([...drawn.flat(), legendOfLadders(this.programs)])];
            }
            const rows = [];
            for (const figures of drawn.filter((one) => one.length > 0)) {
                const last = rows[rows.length - 1];
                if (figures.length === 1 && last && last.single) {
                    last.figures.push(...figures);
                } else {
                    rows.push({single: figures.length === 1, figures: [...figures]});
                }
            }
            return rows.map((row) => (row.single && row.figures.length > 1
                ? make("div", {class: "charts pairs"}, row.figures) : small(row.figures)));
        });
    }

    valueTable(open) {
        const points = this.axis ? this.axis.values : [null];
        const rows = this.programs.flatMap((program) => points.map((at, i) => ({program, at, i})));
        const columns = [{label: "program", value: (row) => row.program}];
        if (this.axis) {
            columns.push({label: this.axis.name, number: true, value: (row) => row.at});
        }
        for (const value of this.values) {
            columns.push({label: value.label || value.name, number: true,
                value: (row) => dataOf(value, row.program)[row.i],
                show: (row) => formatValue(dataOf(value, row.program)[row.i], value.unit)});
        }
        return this.values.length > 0 ? foldedTable(this.name, "Data", columns, rows, open) : null;
    }

    loopTable() {
        const loops = this.all.loops || {};
        const rows = this.programs.flatMap((program) => listOf(loops[program])
            .map((loop) => ({program, loop})));
        if (rows.length === 0) {
            return null;
        }
        const keys = [...new Set(rows.flatMap((row) => Object.keys(row.loop)))];
        const numeric = new Set(keys.filter((key) => rows.some((row) => isNumber(row.loop[key]))));
        const named = keys.includes("function") ? "function" : "head";
        const show = (row, key) => {
            const text = numeric.has(key) ? formatNumber(row.loop[key]) : row.loop[key];
            const target = key === named ? this.code.target(row.program, row.loop) : undefined;
            return target ? make("a", {href: "#" + encodeURIComponent(target)}, text || row.loop.head) : text;
        };
        const first = {words: `, the ${LOOPS_FIRST} most executed of each program`,
            rows: this.programs.flatMap((program) => rows.filter((row) => row.program === program)
                .slice(0, LOOPS_FIRST))};
        return foldedTable(this.name + "-loops", "Loops", [{label: "program", value: (row) => row.program},
            ...keys.map((key) => ({label: columnName(key), name: key, number: numeric.has(key),
                kind: numeric.has(key) ? "" : "code", value: (row) => row.loop[key], show: (row) => show(row, key)}))],
        rows, false, first);
    }

    commands() {
        const commands = Object.entries(this.all.commands || {});
        const width = Math.max(0, ...commands.map(([name]) => name.length));
        return commands.length === 0 ? null : make("details", {class: "commands", open: true},
            make("summary", {}, "Commands"),
            make("pre", {}, commands.map(([name, text]) =>
                `${name.padEnd(width)}  ${text.includes("PROGRAM") ? text : `${text} PROGRAM`}\n`)),
            this.axis && commands.some(([, text]) => text.includes(`{${this.axis.name}}`))
                ? make("p", {class: "muted"}, `{${this.axis.name}}: ${this.points().join(", ")}`) : null);
    }

    // The points of the axis, with what stands for them in commands where that is something else.
    points() {
        const texts = listOf(this.axis.texts);
        return this.axis.values.map((value, i) => texts[i] === undefined || texts[i] === String(value) ? String(value)
            : `${value} (${texts[i] || "nothing"})`);
    }

    section() {
        const paper = listOf(this.all.paper);
        const checks = listOf(this.all.checks);
        const onlyTable = listOf(this.all.charts).every((chart) => chart.kind === "table");
        const title = [this.all.title || this.name];
        if (this.all.figure) {
            title.push(make("span", {class: "figure-number"}, `${figureName(this.all.figure)} of ${sourceOf(this.all)}`));
        }
        const section = makeSection(this.name, title,
            this.all.learned ? make("p", {class: "learned"}, unbroken(this.all.learned)) : null,
            paper.length > 0 ? make("blockquote", {}, make("div", {class: "source-name"}, `${capital(sourceOf(this.all))}, in short`),
                paper.map((text) => make("p", {}, text))) : null,
            publishedTable([this.all]),
            this.charts(),
            [StudyCycles, StudySlices].flatMap((Part) =>
                new Part(this.all, this.programs, this.axis ? this.axis.values : [null]).parts()),
            checkLists(checks, this.all),
            this.valueTable(onlyTable), this.loopTable(), this.commands());
        section.dataset.short = this.name;
        return section;
    }
}

// What all labels begin with, up to a comma: "misses" of "misses, hardware" and "misses, software".
function commonStart(labels) {
    const start = labels[0].split(", ")[0];
    return labels.every((label) => label.startsWith(`${start}, `)) ? start : null;
}

// What all labels end with, from a comma on: ", on paper" of "one, on paper" and "two, on paper"; empty if nothing.
function commonEnd(labels) {
    const at = labels[0].lastIndexOf(", ");
    const end = at > 0 ? labels[0].slice(at) : "";
    return labels.every((label) => label.endsWith(end) && label.length > end.length) ? end : "";
}

// Whether two values can be read off one scale: they are parts of something, or times something.
function onOneScale(one, other) {
    return one.unit === other.unit && (one.unit === "percent" || one.unit === "ratio");
}

function figureName(figure) {
    return /^\d+$/.test(String(figure)) ? `Figure ${figure}` : String(figure);
}

// More labels than these are too long for an axis.
const LABELS_NAMED = 3;

// Of each program, what the table of loops begins with.
const LOOPS_FIRST = 25;

function columnName(name) {
    return name.replaceAll("_", " ");
}

function columnNumber(value) {
    if (typeof value === "string" && value.startsWith("0x")) {
        return Number(value);
    }
    return isNumber(value) ? value : null;
}

// What hovering over a loop says.
function loopLines(loop, across, up) {
    const lines = [loop.function || loop.head || "unknown function"];
    if (loop.source) {
        lines.push(loop.source);
    }
    for (const name of new Set(["executions", across, up])) {
        if (name !== null && isNumber(loop[name])) {
            lines.push(`${columnName(name)} ${formatNumber(loop[name])}`);
        }
    }
    return lines;
}

// A scale that fits what is drawn, and its ends.
function rangeOf(sets, name, log) {
    const all = sets.flatMap((set) => set.points.map((point) => point[name])).filter(isNumber);
    const least = all.reduce((a, b) => Math.min(a, b), Infinity);
    if (!log) {
        return {scale: "linear", min: Math.min(0, least), max: all.reduce((a, b) => Math.max(a, b), 0)};
    }
    if (least < 0) {
        const ends = all.map(signedLog.from);
        return {scale: "signed", min: Math.floor(ends.reduce((a, b) => Math.min(a, b))),
            max: Math.ceil(ends.reduce((a, b) => Math.max(a, b)))};
    }
    const positive = all.filter((value) => value > 0);
    if (positive.length === 0) {
        return {scale: "log"};
    }
    const power = (value, round) => 10 ** round(Math.log10(value));
    return {scale: "log", min: power(positive.reduce((a, b) => Math.min(a, b)), Math.floor),
        max: Math.max(10, power(positive.reduce((a, b) => Math.max(a, b)), Math.ceil))};
}

function makeProblems(study) {
    const lines = [
        ...listOf(study.failed).map((one) => `${one.run}: ${one.why}`),
        ...listOf(study.missing).map((one) => `left out: ${typeof one === "string" ? one : JSON.stringify(one)}`),
    ];
    return lines.length === 0 ? null : make("div", {class: "warning", id: "problems"},
        make("strong", {}, "Not everything could be run; what depends on it is shown as -."),
        make("ul", {}, lines.map((line) => make("li", {}, line))));
}

function showStudy(study) {
    const experiments = listOf(study.experiments);
    const programs = [...new Set(experiments.flatMap((experiment) => listOf(experiment.programs)))];
    const digest = lookUp(study, "strata.sha256");
    const code = new StudyCode(study);
    document.title = study.title || "Strata study";
    return [
        make("h1", {}, study.title || "Study"),
        makeLead(experiments),
        study.notice ? make("div", {class: "warning", id: "notice"}, study.notice) : null,
        makeProblems(study),
        statementSection(experiments),
        conclusionSection(experiments),
        makeSection("experiments", "Experiments", makeContents(experiments), makeFacts([
            ["programs", programs.join(", ")],
            ["size", study.size],
            ["suite", study.suite],
            ["strata", [lookUp(study, "strata.version"), digest ? make("code", {class: "muted"},
                ` ${digest.slice(0, 16)}`) : null]],
        ])),
        experiments.map((experiment) => guarded(experiment.title || experiment.name,
            () => new Experiment(experiment, code).section())),
        guarded("Code of the hot loops", () => code.section()),
    ];
}
