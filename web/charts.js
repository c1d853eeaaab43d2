// Charts: what the library is told for each kind, in the colours of the theme.
"use strict";

const charts = [];

function themeColours() {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue(name).trim();
    return {
        ink: read("--ink"),
        muted: read("--muted"),
        line: read("--line"),
        series: read("--series").split(/\s+/),
        causes: read("--causes").split(/\s+/),
        paper: read("--paper"),
    };
}

function drawChart(chart) {
    const colours = themeColours();
    Chart.defaults.color = colours.muted;
    Chart.defaults.borderColor = colours.line;
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    Chart.defaults.font.size = 13;
    Chart.defaults.animation = false;
    if (chart.drawn) {
        chart.drawn.destroy();
    }
    chart.drawn = new Chart(chart.canvas, chart.describe(colours));
}

// After a change of the theme, or before printing.
function redrawCharts() {
    charts.forEach(drawChart);
}

// A canvas is drawn when the page is complete and its size is known.  `title` may be {hidden} if it
// stands above the chart already.
function makeChart(title, height, describe) {
    const canvas = make("canvas", {role: "img", "aria-label": title.hidden || title});
    charts.push({canvas, describe, drawn: null});
    return make("figure", {class: "chart"}, title.hidden ? null : make("figcaption", {}, title),
        make("div", {class: "canvas", style: `height:${height}px`}, canvas));
}

const DASHES = [[], [6, 3], [2, 3]];
const POINTS = ["circle", "rect", "triangle", "rectRot", "cross"];

function seriesStyle(colours, index) {
    const colour = colours.series[index % colours.series.length];
    const round = Math.floor(index / colours.series.length);
    return {
        backgroundColor: colour,
        borderColor: colour,
        borderDash: DASHES[round % DASHES.length],
        pointStyle: POINTS[index % POINTS.length],
    };
}

// Of an axis within a power of ten each of its digits is named, over few 1, 2 and 5 of each, over many
// the powers alone.
function isNamedTick(value, ticks) {
    const decades = Math.log10(ticks[ticks.length - 1].value / ticks[0].value);
    const leading = value / 10 ** Math.floor(Math.log10(value) + 1e-9);
    const named = decades > 2 ? [1] : decades > 1 ? [1, 2, 5] : [1, 2, 3, 4, 5, 6, 7, 8, 9];
    return named.some((digit) => Math.abs(leading - digit) < 1e-6);
}

// The ends of an axis for these values; charts that are compared are given the same values.  A linear one begins at
// zero, or below it; the ends of a logarithmic one are named.
function axisEnds(values, log) {
    const known = values.filter((value) => isNumber(value) && (!log || value > 0));
    const most = known.reduce((a, b) => Math.max(a, b), log ? 0 : 1e-12);
    const least = known.reduce((a, b) => Math.min(a, b), log ? Infinity : 0);
    if (!log) {
        return {suggestedMin: least, suggestedMax: most};
    }
    const step = (value, round) => {
        const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
        return round(Number((value / power).toPrecision(9))) * power;
    };
    return known.length > 0 ? {min: step(least, Math.floor), max: step(most, Math.ceil)} : {};
}

// Values of both signs over many powers of ten: their sign and the logarithm of their size, which a
// logarithmic axis cannot show.
const signedLog = {
    from: (value) => Math.sign(value) * Math.log10(1 + Math.abs(value)),
    tick: (place) => (Number.isInteger(place) ? formatShort(Math.sign(place) * 10 ** Math.abs(place)) : null),
};

// scale: "linear", "log" or "signed".
function valueAxis(unit, scale, title) {
    const endings = {percent: " %", ratio: " \u00d7"};
    const show = (value) => (unit === "percent" ? formatNumber(Number((100 * value).toPrecision(3)))
        : formatShort(value)) + (endings[unit] || "");
    const labels = {
        linear: (value) => show(value),
        log: (value, index, ticks) => (isNamedTick(value, ticks) ? show(value) : null),
        signed: (value) => (value === 0 ? "0" : signedLog.tick(value)),
    };
    return {
        type: scale === "log" ? "logarithmic" : "linear",
        beginAtZero: scale === "linear",
        grace: scale === "linear" && unit !== "percent" ? "4%" : 0,
        title: {display: Boolean(title), text: title},
        ticks: {callback: labels[scale], maxRotation: 0, maxTicksLimit: scale === "log" ? 12 : 8,
            stepSize: scale === "signed" ? 1 : undefined},
    };
}

// The axis of values of one unit.  title: what they are of.
function unitAxis(unit, log, values, title) {
    const words = String(title || {ratio: "ratio", percent: "share"}[unit] || unit);
    return {...valueAxis(unit, log ? "log" : "linear", log ? `${words}, logarithmic` : words),
        ...axisEnds(unit === "ratio" ? [...values, 1] : values, log)};
}

// A line at 1, where neither of two is more than the other.
function lineAtOne(axis, colours) {
    return {
        id: "lineAtOne",
        afterDatasetsDraw(chart) {
            const {ctx, chartArea} = chart;
            const at = chart.scales[axis].getPixelForValue(1);
            const [from, to] = axis === "y" ? [[chartArea.left, at], [chartArea.right, at]]
                : [[at, chartArea.top], [at, chartArea.bottom]];
            ctx.save();
            ctx.strokeStyle = colours.ink;
            ctx.lineWidth = 1.5;
            ctx.setLineDash([5, 4]);
            ctx.beginPath();
            ctx.moveTo(...from);
            ctx.lineTo(...to);
            ctx.stroke();
            ctx.restore();
        },
    };
}

// Words in lines that are short enough to stand above a small chart.
const TITLE_COLUMNS = 50;

function titleLines(text) {
    return text.split(" ").reduce((lines, word) => {
        const last = lines[lines.length - 1];
        return last && last.length + word.length < TITLE_COLUMNS ? [...lines.slice(0, -1), `${last} ${word}`]
            : [...lines, word];
    }, []);
}

// What the upright axis is of stands above it, from left to right: beside it, turned, there is no room for more than
// a few words.
function nameUpright(options) {
    const title = options.scales.y.title;
    options.plugins.subtitle = {display: title.display, align: "start", padding: {bottom: 6},
        text: titleLines(`\u2191 ${title.text}`)};
    options.scales.y.title = {display: false};
}

function commonOptions(datasets, label) {
    return {
        responsive: true,
        maintainAspectRatio: false,
        interaction: {mode: "nearest", intersect: false},
        plugins: {
            legend: {
                display: datasets > 1,
                position: "bottom",
                labels: {usePointStyle: true, boxWidth: 8, boxHeight: 8},
            },
            tooltip: {callbacks: {label}},
        },
    };
}

// Of a logarithmic axis zero has no place: what is not positive is left out, and is in the table.
function drawable(values, log) {
    return values.map((value) => (isNumber(value) && (!log || value > 0) ? value : null));
}

// Ratios have a mean over the groups, if all of them are known.
function withMean(groups, series) {
    const whole = (one) => one.data.length > 1 && one.data.every((value) => isNumber(value) && value > 0);
    if (series.length === 0 || series[0].unit !== "ratio" || groups.length < 2) {
        return [groups, series];
    }
    return [[...groups, ["geometric", "mean"]],
        series.map((one) => ({...one, data: [...one.data, whole(one) ? geometricMean(one.data) : null]}))];
}

const BAR_WIDTH = 48;

// groups: names along the axis; series: [{label, unit, data}].  A bar's length says how much it is, so that bars begin at
// zero; a logarithmic axis has no zero, and points in their place.  settings: {of, each}, what the axes of values and of
// groups are of; `values`: those that the axis has room for, so that charts side by side have the same.
function barChart(title, groups, series, log, settings) {
    const unit = series.length > 0 ? series[0].unit : "number";
    const {of, each, values} = {of: title.hidden || title, values: series.flatMap((one) => one.data), ...settings};
    const [names, rows] = withMean(groups, series);
    return makeChart(title, 290 + 12 * rows.length, (colours) => {
        const options = commonOptions(rows.length, (item) =>
            `${item.dataset.label}: ${formatValue(rows[item.datasetIndex].data[item.dataIndex], unit)}`);
        options.scales = {
            x: {grid: {display: false}, offset: true, title: {display: Boolean(each), text: each},
                ticks: {autoSkip: false}},
            y: unitAxis(unit, log, values, of),
        };
        nameUpright(options);
        const shape = log ? {showLine: false, pointRadius: 5, pointHoverRadius: 7, clip: 8}
            : {maxBarThickness: BAR_WIDTH, pointStyle: "rect", categoryPercentage: ({chart}) =>
                // Bars of one group stay together on a wide screen.
                Math.min(0.8, rows.length * BAR_WIDTH * 1.1 * names.length / Math.max(1, chart.width))};
        return {
            type: log ? "line" : "bar",
            data: {
                labels: names,
                datasets: rows.map((one, i) => ({
                    label: one.label,
                    data: drawable(one.data, log),
                    ...seriesStyle(colours, i),
                    ...shape,
                })),
            },
            options,
            plugins: unit === "ratio" ? [lineAtOne("y", colours)] : [],
        };
    });
}

// settings: as those of bars.
function lineChart(title, axisName, axisValues, series, log, settings) {
    const unit = series.length > 0 ? series[0].unit : "number";
    const {of, values} = {of: title, values: series.flatMap((one) => one.data), ...settings};
    return makeChart(title, 340, (colours) => {
        const options = commonOptions(series.length, (item) =>
            `${item.dataset.label}: ${formatValue(series[item.datasetIndex].data[item.dataIndex], unit)}`);
        options.scales = {
            x: {title: {display: true, text: axisName}, grid: {display: false}},
            y: unitAxis(unit, log, values, of),
        };
        nameUpright(options);
        return {
            type: "line",
            data: {
                labels: axisValues.map((value) => (value >= 1e4 ? formatShort(value) : String(value))),
                datasets: series.map((one, i) => ({
                    label: one.label,
                    data: drawable(one.data, log),
                    borderWidth: 2,
                    pointRadius: 3,
                    spanGaps: true,
                    ...seriesStyle(colours, i),
                })),
            },
            options,
            plugins: unit === "ratio" ? [lineAtOne("y", colours)] : [],
        };
    });
}

// points: [{x, y, lines, target}], where `lines` is what hovering says, and `target` the id of what a click
// goes to, if there is one; axes: {x: {title, scale}, y: {...}} with
// optional min and max, so that several charts can be compared.
function scatterChart(title, points, axes, series) {
    const placed = (value, axis) => (axis.scale === "signed" ? signedLog.from(value) : value);
    const shown = points.filter((point) => isNumber(point.x) && isNumber(point.y) &&
        (axes.x.scale !== "log" || point.x > 0) && (axes.y.scale !== "log" || point.y > 0))
        .map((point) => ({x: placed(point.x, axes.x), y: placed(point.y, axes.y), target: point.target,
            lines: point.target ? [...point.lines, "click: its code"] : point.lines}));
    return makeChart(title, 260, (colours) => {
        const options = commonOptions(1, (item) => item.raw.lines);
        options.interaction.intersect = true;
        const targetOf = (found) => found.map((one) => shown[one.index].target).find(Boolean);
        options.onHover = (event, found) => {
            event.native.target.style.cursor = targetOf(found) ? "pointer" : "";
        };
        options.onClick = (event, found) => {
            if (targetOf(found)) {
                goTo(targetOf(found));
            }
        };
        options.scales = {};
        for (const name of ["x", "y"]) {
            const axis = axes[name];
            options.scales[name] = {...valueAxis("number", axis.scale, axis.title), min: axis.min, max: axis.max};
        }
        nameUpright(options);
        return {
            type: "scatter",
            data: {
                datasets: [{
                    label: title,
                    data: shown,
                    pointRadius: 3,
                    pointHoverRadius: 6,
                    pointHitRadius: 6,
                    ...seriesStyle(colours, series || 0),
                    pointStyle: "circle",
                    backgroundColor: colours.series[(series || 0) % colours.series.length] + "99",
                }],
            },
            options,
        };
    });
}

function geometricMean(values) {
    const positive = values.filter((value) => isNumber(value) && value > 0);
    return positive.length > 0
        ? Math.exp(positive.reduce((sum, value) => sum + Math.log(value), 0) / positive.length) : null;
}

function arithmeticMean(values) {
    const known = values.filter(isNumber);
    return known.length > 0 ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
}

// The mean of values of a unit.  A share may be 0, and then a geometric mean says nothing.
function middleOf(unit) {
    return unit === "percent" ? {label: "mean", of: arithmeticMean} : {label: "geometric mean", of: geometricMean};
}

// A ladder: one rung below the other, with its mean, geometric but of shares, and a point for each program.  The mean is a bar from
// zero, and on a logarithmic axis, which has none, a stroke.  rungs: [{label, unit, data: {program: value}}]; of: what the
// axis is of; values: those that the axis has room for; legend: whether it says which point is which program's.
function ladderChart(title, programs, rungs, log, {of, values, step = 44, legend = true}) {
    const unit = rungs.length > 0 ? rungs[0].unit : "ratio";
    const middle = middleOf(unit);
    return makeChart(title, (legend ? 100 : 60) + step * rungs.length, (colours) => {
        const options = commonOptions(2, (item) => `${item.dataset.label}: ` +
            formatValue(isNumber(item.raw) ? item.raw : item.raw.x, unit));
        options.indexAxis = "y";
        options.interaction = {mode: "nearest", intersect: true};
        options.plugins.legend.display = legend;
        options.scales = {
            x: unitAxis(unit, log, values || rungs.flatMap((rung) => Object.values(rung.data)), of),
            y: {type: "category", labels: rungs.map((rung) => rung.label), offset: true, grid: {display: false},
                ticks: {autoSkip: false}},
        };
        const means = rungs.map((rung) => middle.of(Object.values(rung.data)));
        const mean = log ? {
            type: "scatter",
            data: rungs.map((rung, i) => ({x: means[i], y: rung.label})).filter((point) => isNumber(point.x)),
            pointStyle: "line", rotation: 90, pointRadius: 14, borderWidth: 4, borderColor: colours.muted,
        } : {type: "bar", data: means, backgroundColor: colours.line, pointStyle: "rect", maxBarThickness: 26};
        const points = programs.map((program, i) => ({
            type: "scatter",
            label: program,
            data: rungs.map((rung) => ({x: rung.data[program], y: rung.label}))
                .filter((point) => isNumber(point.x) && (!log || point.x > 0)),
            pointRadius: 4,
            order: 1,
            ...seriesStyle(colours, i),
        }));
        return {
            type: log ? "scatter" : "bar",
            data: {labels: rungs.map((rung) => rung.label),
                datasets: [{label: middle.label, order: 2, ...mean}, ...points]},
            options,
            plugins: unit === "ratio" ? [lineAtOne("x", colours)] : [],
        };
    });
}

// Which point is which program's, once for several ladders.
function legendOfLadders(programs) {
    const figure = makeChart({hidden: "which point is which program's"}, 24 * Math.ceil((programs.length + 1) / 5) + 16, (colours) => {
        const options = commonOptions(2, () => "");
        options.scales = {x: {display: false}, y: {display: false}};
        options.plugins.legend.position = "top";
        return {
            type: "scatter",
            data: {datasets: [...programs.map((program, i) => ({label: program, data: [], ...seriesStyle(colours, i)})),
                {label: "mean, of shares the arithmetic one", data: [], backgroundColor: colours.line, pointStyle: "rect"}]},
            options,
        };
    });
    figure.classList.add("legend");
    return figure;
}

const PART_SEEN = 0.001;

// What something consists of: one bar for each of `bars`, its parts adding up to all of it.
// parts: [{label, data, place}], where `place` is that of the colour among those of `palette`; most: what the axis has room
// for, so that charts side by side have the same.
function splitChart(title, unit, bars, parts, palette, most) {
    // What is too short to be seen needs no colour below the chart; the table has it.
    const longest = Math.max(...bars.map((bar, i) => parts.reduce((sum, part) => sum + (part.data[i] || 0), 0)));
    const seen = (part) => part.data.some((value) => value >= PART_SEEN * longest);
    return makeChart(title, (parts.length > 6 ? 210 : 90) + 46 * bars.length, (colours) => {
        const colour = (place) => colours[palette][place % colours[palette].length];
        const options = commonOptions(parts.length, (item) =>
            `${item.dataset.label}: ${formatNumber(item.raw)}`);
        options.indexAxis = "y";
        options.interaction = {mode: "nearest", intersect: true};
        options.plugins.legend.labels.filter = (item) => seen(parts[item.datasetIndex]);
        options.scales = {
            x: {...valueAxis("number", "linear", unit), stacked: true, grace: 0, suggestedMax: most},
            y: {stacked: true, grid: {display: false}},
        };
        return {
            type: "bar",
            data: {
                labels: bars,
                datasets: parts.map((part) => ({
                    label: part.label,
                    data: part.data,
                    maxBarThickness: 34,
                    backgroundColor: colour(part.place),
                    borderColor: colours.paper,
                    borderWidth: {right: 1},
                    pointStyle: "rect",
                })),
            },
            options,
        };
    });
}
