/* Places a circuit in an FPGA and routes it twice: for few wires, then for a short critical path. */
#include "vpr.h"
#include "study.h"

static const struct vpr_size sizes[SIZES] = {
    /* tables, inputs, tracks, effort of placement */
    [SIZE_TEST] = {16, 5, 4, 1.0f},
    [SIZE_SMALL] = {110, 14, 8, 1.5f},
    [SIZE_FULL] = {550, 34, 12, 2.0f},
};

static const struct router_options broad = {
    .first_present_factor = 4.0f,
    .present_factor = 8.0f,
    .present_growth = 2.0f,
    .history_factor = 1.0f,
    .iterations = 30,
};

static const struct router_options by_timing = {
    .first_present_factor = 0.5f,
    .present_factor = 4.0f,
    .present_growth = 2.0f,
    .history_factor = 1.0f,
    .direction_factor = 1.2f,
    .by_timing = true,
    .iterations = 30,
};

static void print_route(struct fpga *fpga, const char *name, int iterations)
{
    struct timing *timing = timing_build(fpga);
    for (int net = 0; net < fpga->net_count; net++) {
        if (!fpga->nets[net].global) {
            rc_tree_net_delays(fpga, net);
        }
    }
    float latest = timing_analyze(fpga, timing);
    float difference = latest - timing_longest_path(fpga, timing);
    program_check(difference < 1e-3f && difference > -1e-3f, "the critical path");
    timing_free(timing);
    printf("%s: %d iterations, wire %d, critical path %.3f, %" PRId64 " nodes expanded, "
           "%" PRId64 " entries popped\n",
           name, iterations, check_wire_length(fpga), (double)latest, fpga->expanded,
           fpga->heap.popped);
    fpga->expanded = fpga->heap.popped = 0;
}

/* Returns false if the channels are too narrow for either router. */
static bool route_twice(struct fpga *fpga, uint64_t *digest)
{
    int iterations;
    bool done = route_all(fpga, &broad, &iterations);
    if (done) {
        check_routing(fpga);
        print_route(fpga, "in all directions", iterations);
        *digest = program_mix(*digest, check_digest(fpga));
        trace_free_all(fpga);
        congestion_start(fpga);
        done = route_all(fpga, &by_timing, &iterations);
    }
    if (done) {
        check_routing(fpga);
        print_route(fpga, "by timing", iterations);
        *digest = program_mix(*digest, check_digest(fpga));
    }
    return done;
}

static void route(struct fpga *fpga, int width, uint64_t *digest)
{
    for (bool done = false; !done; width += 2) {
        rr_build(fpga, width);
        rr_check(fpga);
        route_prepare(fpga);
        printf("%d tracks: %d nodes\n", width, fpga->rr_count);
        done = route_twice(fpga, digest);
        if (!done) {
            printf("%d tracks are too few\n", width);
            program_check(width < 60, "the circuit can be routed");
        }
        route_release(fpga);
        rr_free(fpga);
    }
}

int main(int argc, char **argv)
{
    enum study_size size = study_read_size(argc, argv);
    struct fpga fpga = {.random = UINT64_C(0xf96a5eed)};
    char *text = generate_text(&sizes[size], UINT64_C(0x17ce3) + (uint64_t)size);
    netlist_read(&fpga, text);
    free(text);
    grid_build(&fpga);
    printf("%d blocks, %d nets, %d by %d spots\n", fpga.block_count, fpga.net_count, fpga.side,
           fpga.side);
    place(&fpga, sizes[size].place_effort);
    check_placement(&fpga);
    uint64_t digest = 0;
    route(&fpga, sizes[size].width, &digest);
    free(fpga.grid);
    netlist_free(&fpga);
    study_report("vpr", size, digest);
    return 0;
}
