/* The iterations of PathFinder: rip up and route every net, until no node is used by more than may. */
#include "vpr.h"

enum { BOX_MARGIN = 3 };

static int terminal_node(const struct fpga *fpga, const struct net *net, int i)
{
    const struct block *block = &fpga->blocks[net->blocks[i]];
    enum rr_kind kind = i == 0 ? RR_SOURCE : RR_SINK;
    return rr_spot_node(fpga, kind, block->x, block->y, block->pad);
}

static struct bounding_box route_box(const struct fpga *fpga, const struct net *net)
{
    struct bounding_box box = box_scan(fpga, net).box;
    return (struct bounding_box){box.left - BOX_MARGIN, box.right + BOX_MARGIN,
                                 box.bottom - BOX_MARGIN, box.top + BOX_MARGIN};
}

static void prepare_net(struct fpga *fpga, int n)
{
    const struct net *net = &fpga->nets[n];
    size_t terminals = (size_t)net->terminals;
    fpga->terminals[n] = program_allocate(terminals, sizeof *fpga->terminals[n]);
    fpga->sink_delays[n] = program_allocate(terminals, sizeof *fpga->sink_delays[n]);
    fpga->criticalities[n] = program_allocate(terminals, sizeof *fpga->criticalities[n]);
    for (int i = 0; i < net->terminals; i++) {
        fpga->terminals[n][i] = terminal_node(fpga, net, i);
    }
    fpga->route_boxes[n] = route_box(fpga, net);
}

void route_prepare(struct fpga *fpga)
{
    size_t nets = (size_t)fpga->net_count;
    size_t nodes = (size_t)fpga->rr_count;
    fpga->info = program_allocate(nodes, sizeof *fpga->info);
    fpga->modified = program_allocate(nodes, sizeof *fpga->modified);
    fpga->routes = program_allocate(nets, sizeof *fpga->routes);
    fpga->route_boxes = program_allocate(nets, sizeof *fpga->route_boxes);
    fpga->terminals = program_allocate(nets, sizeof *fpga->terminals);
    fpga->sink_delays = program_allocate(nets, sizeof *fpga->sink_delays);
    fpga->criticalities = program_allocate(nets, sizeof *fpga->criticalities);
    for (int n = 0; n < fpga->net_count; n++) {
        if (!fpga->nets[n].global) {
            prepare_net(fpga, n);
        }
    }
    congestion_start(fpga);
}

void route_release(struct fpga *fpga)
{
    trace_free_all(fpga);
    for (int n = 0; n < fpga->net_count; n++) {
        free(fpga->terminals[n]);
        free(fpga->sink_delays[n]);
        free(fpga->criticalities[n]);
    }
    free(fpga->info);
    free(fpga->modified);
    free(fpga->routes);
    free(fpga->route_boxes);
    free(fpga->terminals);
    free(fpga->sink_delays);
    free(fpga->criticalities);
    heap_free(&fpga->heap);
}

static bool route_nets(struct fpga *fpga, const struct router_options *options, float factor)
{
    for (int net = 0; net < fpga->net_count; net++) {
        if (fpga->nets[net].global) {
            continue;
        }
        congestion_occupy(fpga, fpga->routes[net].head, -1, factor);
        trace_release(fpga, net);
        bool found =
            options->by_timing ? search_directed(fpga, net, options) : search_broad(fpga, net);
        congestion_occupy(fpga, fpga->routes[net].head, 1, factor);
        if (!found) {
            return false;
        }
        if (options->by_timing) {
            rc_tree_net_delays(fpga, net);
        }
    }
    return true;
}

/* False if the channels are too narrow.  Writes how many iterations were needed. */
bool route_all(struct fpga *fpga, const struct router_options *options, int *iterations)
{
    struct timing *timing = timing_build(fpga);
    float factor = options->first_present_factor;
    bool done = false;
    for (*iterations = 1; !done && *iterations <= options->iterations; ++*iterations) {
        if (!route_nets(fpga, options, factor)) {
            break;
        }
        done = congestion_overused(fpga) == 0;
        factor = *iterations == 1 ? options->present_factor : factor * options->present_growth;
        congestion_update(fpga, factor, options->history_factor);
        if (options->by_timing) {
            timing_analyze(fpga, timing);
        }
    }
    --*iterations;
    timing_free(timing);
    return done;
}
