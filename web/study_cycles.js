// What an experiment in cycles adds to its section: the CPI stack of each program, and its delinquent loads.
"use strict";

class StudyCycles extends StudyPlaces {
    constructor(description, programs, points) {
        super(description, "cycles", programs, points);
    }

    // The contexts on which the program ran, as one.
    static stackOf(place) {
        const ran = listOf(place.data.contexts).map((context) => new Stack(context)).filter((stack) => stack.ran);
        const cycles = {};
        for (const [key, value] of ran.flatMap((stack) => Object.entries(stack.cycles))) {
            cycles[key] = (cycles[key] || 0) + value;
        }
        return new Stack({cycles, instructions: place.data.instructions});
    }

    label(at) {
        return at === null ? "" : `, ${this.axis} ${at}`;
    }

    // All to one scale.
    charts(stacks, causes) {
        const most = Math.max(...stacks.map((one) => one.stack.perInstruction(one.stack.all) || 0));
        return make("div", {class: this.points.length > 1 ? "charts several bars" : "charts"}, this.points.map((at) => {
            const bars = stacks.filter((one) => one.at === at);
            return splitChart(`Cycles per instruction by cause${this.label(at)}`, "cycles per instruction",
                bars.map((one) => one.program), causes.map(({key, label, place}) => ({label, place,
                    data: bars.map((one) => one.stack.perInstruction(one.stack.cycles[key]) || 0)})), "causes", most);
        }));
    }

    stackTable(stacks, causes) {
        const columns = [...this.placeColumns(),
            {label: "cycles per instruction", number: true, value: (row) => row.stack.perInstruction(row.stack.all),
                show: (row) => formatRatio(row.stack.perInstruction(row.stack.all))},
            ...causes.map(({key, label}) => ({label, name: key, number: true,
                value: (row) => row.stack.perInstruction(row.stack.cycles[key]),
                show: (row) => formatRatio(row.stack.perInstruction(row.stack.cycles[key]))}))];
        return foldedTable(`${this.name}-stacks`, "Cycles per instruction by cause", columns, stacks);
    }

    // Null if the loads were not counted.
    loadTable() {
        const rows = this.places.flatMap((place) => listOf(place.data.loads).map((load, rank) => ({...place,
            first: load, from: 0, runs: [{...load, rank: rank + 1}]})));
        if (rows.length === 0) {
            return null;
        }
        return [make("h3", {}, "Delinquent loads: of each program those with the most first-level misses"),
            foldedTable(`${this.name}-loads`, "Loads", [...this.placeColumns(), ...loadColumns([this.run], rows, [])], rows),
            make("p", {class: "muted"}, LOADS_EXPLAINED)];
    }

    parts() {
        const stacks = this.places.map((place) => ({...place, stack: StudyCycles.stackOf(place)}));
        const causes = causesOf([stacks.map((one) => one.stack)]);
        return stacks.length === 0 ? null : [make("h3", {}, "Where the cycles went"), this.charts(stacks, causes),
            this.stackTable(stacks, causes), this.loadTable()].flat();
    }
}
