// The code of loops: source lines and instructions, with executions; made when it is opened.
"use strict";

// What fills a part that was not open yet.
const unfilled = new WeakMap();

function fillPart(part) {
    const fill = unfilled.get(part);
    if (fill) {
        unfilled.delete(part);
        part.append(...fill().filter(Boolean));
    }
}

// Executions of loop heads by their address, and by their line: of several heads on one line, those
// of the most executed.  What is not complete is the least that is certain, of a line, too.
function countHeads(loops) {
    const counts = new Map();
    for (const loop of loops) {
        counts.set(loop.head, {executions: loop.executions, complete: loop.complete});
        if (loop.source) {
            const before = counts.get(loop.source) || {executions: 0};
            counts.set(loop.source, {executions: Math.max(loop.executions, before.executions),
                complete: loop.complete !== false && before.complete !== false});
        }
    }
    return counts;
}

// For each of the keys what stands before its row, all of one width: narrow screens have none to spare.
function makeCounts(counts, keys) {
    const texts = keys.map((key) => {
        const count = counts.get(key);
        return count === undefined ? "" : isNumber(count) ? formatNumber(count) : formatExecutions(count);
    });
    const width = Math.max(...texts.map((text) => text.length));
    return texts.map((text) => make("span", {class: "count"}, text.padStart(width) + "  "));
}

function makeSource(source, counts) {
    const width = String(source.first + source.lines.length).length;
    const file = source.path.split("/").pop();
    const before = makeCounts(counts, source.lines.map((line, i) => `${file}:${source.first + i}`));
    return [make("h3", {}, "Source ", make("code", {class: "muted"}, source.path)),
        make("pre", {class: "source", tabindex: 0}, source.lines.map((line, i) => {
            const number = source.first + i;
            return make("span", {class: number === source.line ? "row marked" : "row"},
                before[i], make("span", {class: "position"}, String(number).padStart(width) + "  "), line);
        }))];
}

// Only sources beside the program are read unless the reader says more: src/report/sources.h.
function makeHidden(path) {
    return make("p", {class: "muted hidden-source"}, "Its source, ", make("code", {}, path), ", was not found beside the program: ",
        make("code", {}, "--source-dir DIR"), " shows it from a folder DIR that it is in.");
}

function makeCode(code, head, counts) {
    const before = makeCounts(counts, code.map((row) => row.address));
    return [make("h3", {}, "Instructions"), make("pre", {class: "disassembly", tabindex: 0}, code.map((row, i) => {
        const kind = `row${row.loop ? " inside" : ""}${row.address === head ? " marked" : ""}`;
        const [mnemonic, operands] = row.text.split("\t");
        const position = make("span", {class: "position"}, `${row.address}  `,
            make("span", {class: "word"}, `${row.word.padStart(8)}  `));
        return make("span", {class: kind}, before[i], position, `${mnemonic.padEnd(10)} ${operands || ""}`);
    }))];
}

// One loop, closed unless said otherwise.  words: how often it was executed; listing: what listing_make gave for
// it; counts: by address and by line, as of countHeads.
function makeListing(id, loop, words, listing, counts, open) {
    const title = `${shortName(loop.name || loop.function) || loop.head}${loop.source ? ", " + loop.source : ""}`;
    const part = make("details", {class: "listing", id},
        make("summary", {}, title, make("span", {class: "muted"}, `  ${words}`)));
    unfilled.set(part, () => [make("div", {class: "sides"},
        listing.source ? make("div", {}, makeSource(listing.source, counts)) : null,
        listing.hidden ? make("div", {}, makeHidden(listing.hidden)) : null,
        listing.code && listing.code.length > 0 ? make("div", {}, makeCode(listing.code, loop.head, counts)) : null)]);
    part.addEventListener("toggle", () => fillPart(part));
    if (open) {
        part.open = true;
        fillPart(part);
    }
    return part;
}

const CODE_EXPLAINED = "The line and the instruction that the counter watched are marked. The numbers are " +
    "executions, of lines and instructions at which any loop begins; the bar is beside the instructions up to the " +
    "last branch back.";
