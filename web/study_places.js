// What an experiment shows of one of its runs as it is: of each program, at each point of the axis.
"use strict";

class StudyPlaces {
    // description: of the experiment; key: of the part; points: of its axis, [null] if there is none.
    constructor(description, key, programs, points) {
        this.name = description.name;
        this.run = lookUp(description, `${key}.run`);
        this.axis = lookUp(description, "axis.name");
        this.places = points.flatMap((at, i) => programs.map((program) => ({program, at,
            data: listOf((lookUp(description, `${key}.data`) || {})[program])[i]})))
            .filter((place) => place.data);
        this.points = points.filter((at) => this.places.some((place) => place.at === at));
    }

    placeColumns() {
        return [{label: "program", value: (row) => row.program},
            {label: this.axis || "axis", saved: !this.axis, value: (row) => row.at}];
    }
}
