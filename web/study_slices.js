// What an experiment with slices adds to its section: the ledger of each slice.
"use strict";

class StudySlices extends StudyPlaces {
    constructor(description, programs, points) {
        super(description, "slices", programs, points);
    }

    parts() {
        const rows = this.places.flatMap((place) => listOf(place.data)
            .map((slice) => ({...place, first: slice, runs: [slice]})));
        return rows.length === 0 ? null : [make("h3", {}, `Slice by slice: the run ${this.run}`),
            foldedTable(`${this.name}-slices`, "Slices", [...this.placeColumns(), ...sliceColumns([this.run])], rows, true),
            make("p", {class: "muted"}, SLICES_EXPLAINED)];
    }
}
