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
    if (Math.abs(value) < 1) {
        return value.toLocaleString("en-US", {maximumSignificantDigits: 3});
    }
    const digits = Number.isInteger(value) || Math.abs(value) >= 1e4 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
    return value.toLocaleString("en-US", {maximumFractionDigits: digits});
}

function formatPercent(value) {
    if (!isNumber(value)) {
        return "-";
    }
    const percent = 100 * value;
    if (percent !== 0 && Math.abs(percent) < 0.0005) {
        return percent > 0 ? "< 0.001 %" : "> -0.001 %";
    }
    const digits = Math.abs(percent) >= 10 || percent === 0 ? 1 : Math.abs(percent) >= 0.1 ? 2 : 3;
    return percent.toLocaleString("en-US", {maximumFractionDigits: digits,
        minimumFractionDigits: percent === 0 || Math.abs(percent) < 0.1 ? 0 : digits}) + " %";
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

const RAISED = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";

// For axes: 1200000 as 1.2 M, 0.00001 as a power of ten.
function formatShort(value) {
    const power = Math.round(Math.log10(value));
    if (value > 0 && power < -3 && Math.abs(value / 10 ** power - 1) < 1e-9) {
        return "10\u207b" + [...String(-power)].map((digit) => RAISED[digit]).join("");
    }
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
// A table of more columns is too wide for paper, unless its type is smaller.
const COLUMNS_MANY = 12;

// A name that is too long loses its middle: of a C++ name the beginning says whose it is, the end what it takes.
const NAME_LENGTH = 72;

function shortName(name) {
    const kept = NAME_LENGTH - 1;
    return name && name.length > NAME_LENGTH
        ? `${name.slice(0, Math.ceil(kept / 2))}\u2026${name.slice(-Math.floor(kept / 2))}` : name;
}

// All of it is there for who points at it; `target` is the id of what a click goes to, if there is one.
function makeName(name, target) {
    const short = shortName(name);
    const title = short === name ? null : name;
    return target ? make("a", {href: "#" + target, title}, short) : name ? make("span", {title}, short) : null;
}

// A table that is too wide for its place gets smaller type, and if that is not enough each row becomes a block, its
// cells with their titles: nothing is cut off.
const fitted = new WeakMap();
const fitting = new ResizeObserver((entries) => {
    for (const {target} of entries) {
        if (target.clientWidth > 0 && fitted.get(target) !== target.clientWidth) {
            fitted.set(target, target.clientWidth);
            fitTable(target);
        }
    }
});

function fitTable(box) {
    const table = box.firstElementChild;
    const cutOff = () => box.scrollWidth > box.clientWidth + 1;
    table.classList.remove("tight", "stacked");
    table.classList.toggle("tight", cutOff());
    table.classList.toggle("stacked", cutOff());
}

function makeRow(columns, row) {
    return make("tr", {}, columns.map((column) => {
        const shown = column.show ? column.show(row) : column.value(row);
        return make("td", {"data-label": column.label || null,
            class: [column.number ? "number" : "", column.kind || ""].join(" ").trim() || null},
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

// A click on a column's title sorts by it.  columns: {label, value(row), show(row) (an element or text), number,
// saved: only in the CSV}; `show` defaults to the value.  first: {rows, words}, what to begin with, if not
// with all of them.
function makeTable(all, rows, attributes, first) {
    const columns = all.filter((column) => !column.saved);
    const body = make("tbody");
    const note = make("p", {class: "muted"});
    const fill = (sorted, words) => {
        const shown = sorted.slice(0, ROWS_SHOWN);
        body.replaceChildren(...shown.map((row) => makeRow(columns, row)));
        note.hidden = shown.length === rows.length;
        note.textContent = `${formatNumber(shown.length)} of ${formatNumber(rows.length)} rows${words}; the CSV has all.`;
    };
    const head = make("tr", {}, columns.map((column) => make("th", {class: column.number ? "number" : null,
        scope: "col"}, column.label ? make("button", {type: "button"}, column.label) : null)));
    columns.forEach((column, i) => {
        head.cells[i].addEventListener("click", () => {
            const order = head.cells[i].getAttribute("aria-sort") === "descending" ? "ascending" : "descending";
            [...head.cells].forEach((cell) => cell.removeAttribute("aria-sort"));
            head.cells[i].setAttribute("aria-sort", order);
            fill(sortRows(rows, column, order), "");
        });
    });
    fill(first ? first.rows : rows, first ? first.words : "");
    const table = make("table", attributes, make("thead", {}, head), body);
    table.classList.toggle("many", columns.length > COLUMNS_MANY);
    const box = make("div", {class: "wide", tabindex: 0}, table);
    fitting.observe(box);
    return [box, note];
}

function tableCsv(name, columns, rows) {
    return csvLink(name, columns.map((column) => column.name || column.label),
        rows.map((row) => columns.map((column) => column.value(row))));
}

// A table that opens, with the link to its CSV.
function foldedTable(name, title, columns, rows, open, first) {
    return make("details", {class: "data", open: Boolean(open)}, make("summary", {}, title),
        tableCsv(name, columns, rows), makeTable(columns, rows, {}, first));
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
