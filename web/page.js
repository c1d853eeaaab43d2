// The page as a whole: its data, theme, contents and what happens before printing.
"use strict";

// A part of the page that cannot be shown says so, and the others are shown.
function guarded(title, show) {
    try {
        return show();
    } catch (error) {
        console.error(error);
        return make("section", {}, make("h2", {}, title),
            make("p", {class: "warning"}, `This part of the data cannot be shown: ${error.message}`));
    }
}

const darkPreferred = matchMedia("(prefers-color-scheme: dark)");
const THEMES = ["auto", "light", "dark"];

// A file opened from a disk may have no storage; then the choice lasts as long as the page.
const chosen = {
    theme: "auto",
    read() {
        try {
            this.theme = THEMES.includes(localStorage.getItem("strata-theme"))
                ? localStorage.getItem("strata-theme") : "auto";
        } catch {
            this.theme = "auto";
        }
    },
    next() {
        this.theme = THEMES[(THEMES.indexOf(this.theme) + 1) % THEMES.length];
        try {
            localStorage.setItem("strata-theme", this.theme);
        } catch {
            // It is kept in this.theme.
        }
    },
};

function applyTheme() {
    const dark = chosen.theme === "dark" || (chosen.theme === "auto" && darkPreferred.matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    document.getElementById("theme").textContent = `theme: ${chosen.theme}`;
    redrawCharts();
}

// A link to something inside closed parts opens them.
function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    let closed = target && target.closest("details");
    if (!closed) {
        return;
    }
    for (; closed; closed = closed.parentElement.closest("details")) {
        closed.open = true;
        fillPart(closed);
    }
    target.scrollIntoView();
}

// Goes to an element by its id, as a link does.
function goTo(id) {
    const hash = "#" + encodeURIComponent(id);
    if (location.hash === hash) {
        openTarget();
    } else {
        location.hash = hash;
    }
}

// A link to where the page is already opens what was closed since.
function followAgain(event) {
    const link = event.target.closest("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) {
        openTarget();
    }
}

// On paper nothing can be opened: short tables are, then; and paper is light.
const PRINTED_ROWS = 60;
let openedForPrint = [];

function beforePrint() {
    openedForPrint = [...document.querySelectorAll("details.data:not([open])")]
        .filter((part) => part.classList.contains("printed") || part.querySelectorAll("tr").length <= PRINTED_ROWS);
    openedForPrint.forEach((part) => {
        part.open = true;
    });
    document.querySelectorAll(".wide > table").forEach((table) => table.classList.remove("tight", "stacked"));
    document.documentElement.dataset.theme = "light";
    redrawCharts();
}

function afterPrint() {
    document.querySelectorAll(".wide").forEach(fitTable);
    openedForPrint.forEach((part) => {
        part.open = false;
    });
    applyTheme();
}

// Titles that are too long for the line at the top, by the section's id.
const SHORT = {earlier: "Before", cycles: "Cycles", code: "Code", functions: "Functions", loops: "Loops", ledger: "Traces", loads: "Loads",
    "load-code": "Code of loads", together: "Together", processor: "Processor", instructions: "Instructions",
    thresholds: "Counters", run: "Run"};

function fillContents() {
    const contents = document.getElementById("contents");
    for (const section of document.querySelectorAll("main > section[id]")) {
        const words = section.dataset.short || SHORT[section.id] || section.querySelector("h2").firstChild.textContent;
        contents.append(make("a", {href: "#" + section.id}, words));
    }
}

function start() {
    const data = JSON.parse(document.getElementById("document").textContent);
    const shows = {"strata.study/1": showStudy, "strata.report/1": showRuns};
    const main = document.querySelector("main");
    const parts = guarded("Strata", () => shows[data.schema](data));
    main.append(...[parts].flat(2).filter((part) => part !== null && part !== undefined));
    fillContents();
    chosen.read();
    applyTheme();
    document.getElementById("theme").addEventListener("click", () => {
        chosen.next();
        applyTheme();
    });
    darkPreferred.addEventListener("change", applyTheme);
    addEventListener("hashchange", openTarget);
    document.addEventListener("click", followAgain);
    addEventListener("beforeprint", beforePrint);
    addEventListener("afterprint", afterPrint);
    openTarget();
    document.documentElement.dataset.ready = "yes";
}

start();
