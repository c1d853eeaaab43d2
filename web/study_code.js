// The code of a study's hottest loops, by program, and where it is on the page.
"use strict";

class StudyCode {
    constructor(study) {
        this.listings = study.listings || {};
        this.loops = new Map();
        for (const experiment of listOf(study.experiments)) {
            for (const [program, rows] of Object.entries(experiment.loops || {})) {
                this.add(program, listOf(rows));
            }
        }
    }

    // Of a loop that several tables have, the first row counts.
    add(program, rows) {
        if (!this.loops.has(program)) {
            this.loops.set(program, new Map());
        }
        for (const loop of rows) {
            if (loop.head && !this.loops.get(program).has(loop.head)) {
                this.loops.get(program).set(loop.head, loop);
            }
        }
    }

    listingOf(program, head) {
        return lookUp(this.listings[program], "loops") ? this.listings[program].loops[head] : undefined;
    }

    // The id of a loop's code; undefined if it has none.
    target(program, loop) {
        return this.listingOf(program, loop.head) ? `code-${program}-${loop.head}` : undefined;
    }

    // One program's loops, closed.
    program(program) {
        const rows = [...this.loops.get(program).values()];
        const listed = rows.filter((loop) => this.target(program, loop));
        const why = lookUp(this.listings[program], "why");
        if (listed.length === 0) {
            return make("p", {}, make("strong", {}, program),
                `: no code: ${why || "none of its loops is in its own file"}.`);
        }
        const sum = (loops) => loops.reduce((all, loop) => all + (loop.executions || 0), 0);
        const counts = countHeads(rows);
        return make("details", {class: "program"}, make("summary", {}, program, make("span", {class: "muted"},
            `  ${formatNumber(listed.length)} of ${formatNumber(rows.length)} loops, ` +
            `${formatPercent(sum(listed) / sum(rows))} of the executions`)),
        listed.map((loop) => makeListing(this.target(program, loop), loop, `${formatNumber(loop.executions)} executions`,
            this.listingOf(program, loop.head), counts)));
    }

    // Null if the study has no tables of loops, or was made before there were listings.
    section() {
        const programs = [...this.loops.keys()].filter((program) => this.listings[program]);
        if (programs.length === 0) {
            return null;
        }
        const most = Math.max(...programs.map((program) =>
            Object.keys(lookUp(this.listings[program], "loops") || {}).length));
        return makeSection("code", "Code of the hot loops",
            make("p", {}, `Of each program up to ${most} loops, those with the most executions, so that the page ` +
                "stays small. Of a single run, ",
                make("code", {}, "strata report --program FILE runs/KEY.json -o PAGE"), " shows more."),
            make("p", {}, CODE_EXPLAINED),
            programs.map((program) => this.program(program)));
    }
}
