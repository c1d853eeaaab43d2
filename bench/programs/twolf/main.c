/* Places standard cells in rows by simulated annealing and routes their nets through the channels. */
#include "twolf.h"
#include "study.h"

static const struct twolf_size sizes[SIZES] = {
    /* cells, pads, rows, iterations, moves per cell */
    [SIZE_TEST] = {80, 16, 5, 25, 3},
    [SIZE_SMALL] = {420, 40, 9, 50, 6},
    [SIZE_FULL] = {1800, 96, 18, 90, 8},
};

static void place(struct circuit *circuit, const struct twolf_size *size)
{
    layout_build_rows(circuit, size->rows);
    layout_place(circuit);
    wire_start(circuit);
    check_bins(circuit);
    int64_t first = circuit->wire;
    accept_build_table();
    anneal(circuit, size);
    check_bins(circuit);
    program_check(circuit->wire < first, "annealing shortens the wire");
    compact_rows(circuit);
    int changes = compact_improve(circuit);
    check_rows(circuit);
    check_costs(circuit);
    program_check(circuit->wire < first, "compacted rows need less wire than the first ones");
    printf("compacted: wire %" PRId64 " after %d repairs\n", circuit->wire, changes);
}

static void route(struct circuit *circuit)
{
    feeds_insert(circuit);
    int changes = feeds_improve(circuit);
    check_rows(circuit);
    check_costs(circuit);
    printf("%d feeds, %d of them exchanged: wire %" PRId64 "\n", circuit->feeds, changes,
           circuit->wire);
    globe_route(circuit);
    check_routing(circuit);
    int tracks = channel_total_tracks(circuit);
    int switched = channel_switch_segments(circuit, 6);
    check_routing(circuit);
    program_check(channel_total_tracks(circuit) <= tracks, "switching saves tracks");
    printf("%d segments, %d switched: %d tracks before, %d after\n", circuit->segment_count,
           switched, tracks, channel_total_tracks(circuit));
}

int main(int argc, char **argv)
{
    enum study_size size = study_read_size(argc, argv);
    struct circuit circuit = {.random = UINT64_C(0x5eed0f2011)};
    char *text = generate_text(&sizes[size], UINT64_C(0xc1c017) + (uint64_t)size);
    read_circuit(&circuit, text);
    free(text);
    printf("%d cells, %d pads, %d nets, %d pins\n", circuit.standard_cells, circuit.pads,
           circuit.net_count, circuit.terminal_count);
    place(&circuit, &sizes[size]);
    route(&circuit);
    study_report("twolf", size, check_digest(&circuit));
    return 0;
}
