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

// Where a logarithmic axis ends, so that its end is named.
function logEnd(lists) {
    const most = lists.flat().filter(isNumber).reduce((a, b) => Math.max(a, b), 0);
    const power = 10 ** Math.floor(Math.log10(most));
    return most > 0 ? Math.ceil(most / power - 1e-9) * power : undefined;
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

// The axis of values of one unit, whose names stand in the legend or above the chart.
function unitAxis(unit, log, lists) {
    return {...valueAxis(unit, log ? "log" : "linear", log ? `${unit}, logarithmic` : unit),
        max: log ? logEnd(lists) : undefined};
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

// groups: names along the axis; series: [{label, unit, data}]; most: what the axis has room for, so that charts
// side by side have the same.
function barChart(title, groups, series, log, most) {
    const unit = series.length > 0 ? series[0].unit : "number";
    return makeChart(title, 320, (colours) => {
        const options = commonOptions(series.length, (item) =>
            `${item.dataset.label}: ${formatValue(series[item.datasetIndex].data[item.dataIndex], unit)}`);
        options.scales = {x: {grid: {display: false}}, y: unitAxis(unit, log, series.map((one) => one.data))};
        options.scales.y.suggestedMax = !log && isNumber(most) ? most : undefined;
        return {
            type: "bar",
            data: {
                labels: groups,
                datasets: series.map((one, i) => ({
                    label: one.label,
                    data: drawable(one.data, log),
                    maxBarThickness: 48,
                    ...seriesStyle(colours, i),
                    pointStyle: "rect",
                })),
            },
            options,
        };
    });
}

function lineChart(title, axisName, axisValues, series, log) {
    const unit = series.length > 0 ? series[0].unit : "number";
    return makeChart(title, 340, (colours) => {
        const options = commonOptions(series.length, (item) =>
            `${item.dataset.label}: ${formatValue(series[item.datasetIndex].data[item.dataIndex], unit)}`);
        options.scales = {
            x: {title: {display: true, text: axisName}, grid: {display: false}},
            y: unitAxis(unit, log, series.map((one) => one.data)),
        };
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

// A ladder: one rung below the other, its bar the geometric mean, a point for each program.
// rungs: [{label, unit, data: {program: value}}].
function ladderChart(title, programs, rungs, log) {
    const unit = rungs.length > 0 ? rungs[0].unit : "ratio";
    return makeChart(title, 90 + 44 * rungs.length, (colours) => {
        const options = commonOptions(2, (item) => `${item.dataset.label}: ` +
            formatValue(item.dataset.type === "scatter" ? item.raw.x : item.raw, unit));
        options.indexAxis = "y";
        options.interaction = {mode: "nearest", intersect: true};
        options.scales = {
            x: unitAxis(unit, log, rungs.map((rung) => Object.values(rung.data))),
            y: {type: "category", labels: rungs.map((rung) => rung.label), offset: true, grid: {display: false}},
        };
        const means = {
            type: "bar",
            label: "geometric mean",
            data: rungs.map((rung) => geometricMean(Object.values(rung.data))),
            backgroundColor: colours.line,
            pointStyle: "rect",
            maxBarThickness: 26,
            order: 2,
        };
        const points = programs.map((program, i) => ({
            type: "scatter",
            label: program,
            data: rungs.map((rung) => ({x: rung.data[program], y: rung.label}))
                .filter((point) => isNumber(point.x) && (!log || point.x > 0)),
            pointRadius: 4,
            order: 1,
            ...seriesStyle(colours, i),
        }));
        return {type: "bar", data: {labels: rungs.map((rung) => rung.label), datasets: [means, ...points]},
            options};
    });
}

// What something consists of: one bar for each of `bars`, its parts adding up to all of it.
// parts: [{label, data, place}], where `place` is that of the colour among those of `palette`.
function splitChart(title, unit, bars, parts, palette) {
    return makeChart(title, (parts.length > 6 ? 140 : 90) + 46 * bars.length, (colours) => {
        const colour = (place) => colours[palette][place % colours[palette].length];
        const options = commonOptions(parts.length, (item) =>
            `${item.dataset.label}: ${formatNumber(item.raw)}`);
        options.indexAxis = "y";
        options.interaction = {mode: "nearest", intersect: true};
        options.scales = {
            x: {...valueAxis("number", "linear", unit), stacked: true, grace: 0},
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
