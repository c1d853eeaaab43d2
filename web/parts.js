// Pieces that all pages are made of: elements, numbers as text, tables with their CSV.
"use strict";

// An element; attributes whose value is null or false are left out, children may be text or null.
function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
        if (value !== null && value !== undefined && value !== false) {
            element.setAttribute(name, value === true ? "" : value);
        }
    }
    for (const child of children.flat()) {
        if (child !== null && child !== undefined) {
            element.append(child);
        }
    }
    return element;
}

function isNumber(value) {
    return typeof value === "number" && Number.isFinite(value);
}

function listOf(value) {
    return Array.isArray(value) ? value : [];
}

// The value at a path such as "machine.instructions"; undefined if there is none.
function lookUp(object, path) {
    return path.split(".").reduce((at, key) => (at === null || at === undefined ? undefined : at[key]),
        object);
}

function formatNumber(value) {
    if (!isNumber(value)) {
        return "-";
    }
    const digits = Number.isInteger(value) || Math.abs(value) >= 1e4 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
    return value.toLocaleString("en-US", {maximumFractionDigits: digits});
}

function formatPercent(value) {
    if (!isNumber(value)) {
        return "-";
    }
    const percent = 100 * value;
    const digits = Math.abs(percent) >= 10 || percent === 0 ? 1 : Math.abs(percent) >= 0.1 ? 2 : 3;
    return percent.toLocaleString("en-US", {maximumFractionDigits: digits}) + " %";
}

function formatRatio(value) {
    return isNumber(value) ? value.toFixed(3) : "-";
}

function formatValue(value, unit) {
    if (unit === "percent") {
        return formatPercent(value);
    }
    return unit === "ratio" ? formatRatio(value) : formatNumber(value);
}

// For axes: 1200000 as 1.2 M.
function formatShort(value) {
    const steps = [[1e12, " T"], [1e9, " G"], [1e6, " M"], [1e3, " k"]];
    for (const [size, letter] of steps) {
        if (Math.abs(value) >= size) {
            return String(Number((value / size).toPrecision(3))) + letter;
        }
    }
    return String(Number(value.toPrecision(3)));
}

// How much `now` differs from `before`.
function formatChange(before, now) {
    if (!isNumber(before) || !isNumber(now)) {
        return "";
    }
    if (before === now) {
        return "=";
    }
    if (before === 0) {
        return (now > 0 ? "+" : "") + formatNumber(now);
    }
    const change = (now - before) / Math.abs(before);
    return Math.abs(change) < 5e-6 ? "≈" : (now > before ? "+" : "") + formatPercent(change);
}

function csvCell(value) {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

// A link that saves rows of cells as a file; the file is in the link.
function csvLink(name, header, rows) {
    const lines = [header, ...rows].map((row) => row.map(csvCell).join(","));
    const data = "data:text/csv;charset=utf-8," + encodeURIComponent(lines.join("\r\n") + "\r\n");
    return make("a", {class: "download", download: name + ".csv", href: data}, "CSV");
}

// Rows that a table shows; a longer one is complete in its CSV.
const ROWS_SHOWN = 300;

function makeRow(columns, row) {
    return make("tr", {}, columns.map((column) => {
        const shown = column.show ? column.show(row) : column.value(row);
        return make("td", {class: [column.number ? "number" : "", column.kind || ""].join(" ").trim() || null},
            shown === null || shown === undefined ? "-" : shown instanceof Node ? shown : String(shown));
    }));
}

// Numbers by size, text by the alphabet; what is missing comes last in either order.
function sortRows(rows, column, order) {
    const sign = order === "ascending" ? 1 : -1;
    const missing = (value) => value === null || value === undefined;
    return [...rows].sort((left, right) => {
        const [a, b] = [column.value(left), column.value(right)];
        if (missing(a) || missing(b)) {
            return missing(a) - missing(b);
        }
        return sign * (isNumber(a) && isNumber(b) ? a - b : String(a).localeCompare(String(b)));
    });
}

// A click on a column's title sorts by it.  columns: {label, value(row), show(row) (an element or text), number}; `show` defaults to the value.
function makeTable(columns, rows, attributes) {
    const body = make("tbody");
    const fill = (sorted) => body.replaceChildren(...sorted.slice(0, ROWS_SHOWN)
        .map((row) => makeRow(columns, row)));
    const head = make("tr", {}, columns.map((column) => make("th", {class: column.number ? "number" : null,
        scope: "col"}, column.label)));
    columns.forEach((column, i) => {
        head.cells[i].addEventListener("click", () => {
            const order = head.cells[i].getAttribute("aria-sort") === "descending" ? "ascending" : "descending";
            [...head.cells].forEach((cell) => cell.removeAttribute("aria-sort"));
            head.cells[i].setAttribute("aria-sort", order);
            fill(sortRows(rows, column, order));
        });
    });
    fill(rows);
    const table = make("table", attributes, make("thead", {}, head), body);
    const parts = [make("div", {class: "wide"}, table)];
    if (rows.length > ROWS_SHOWN) {
        parts.push(make("p", {class: "muted"},
            `The first ${ROWS_SHOWN} of ${formatNumber(rows.length)} rows; the CSV has all.`));
    }
    return parts;
}

function tableCsv(name, columns, rows) {
    return csvLink(name, columns.map((column) => column.label),
        rows.map((row) => columns.map((column) => column.value(row))));
}

// A table that opens, with the link to its CSV.
function foldedTable(name, title, columns, rows, open) {
    return make("details", {class: "data", open: Boolean(open)}, make("summary", {}, title),
        tableCsv(name, columns, rows), makeTable(columns, rows));
}

// [[name, value], ...]; those without a value are left out.
function makeFacts(pairs) {
    const list = make("dl", {class: "facts"});
    for (const [name, value] of pairs) {
        if (value !== null && value !== undefined && value !== "") {
            list.append(make("dt", {}, name), make("dd", {}, value));
        }
    }
    return list;
}

function makeSection(id, title, ...children) {
    return make("section", {id}, make("h2", {}, title), ...children);
}
