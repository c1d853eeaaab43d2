/* The placement by annealing: exchanges within a range that shrinks, a schedule that follows acceptance. */
#include "vpr.h"

struct placer {
    struct fpga *fpga;
    struct net_box *boxes;
    struct net_box *new_boxes;
    double *costs;
    double *new_costs;
    int *touched; /* the nets of the move that is tried */
    int touched_count;
    bool *is_touched;
    bool *must_scan;
    double cost;
    double temperature;
    int range;
};

static int random_below(struct placer *placer, int limit)
{
    return (int)program_random_below(&placer->fpga->random, (uint32_t)limit);
}

/* (1 + x/1024)^-1024, near enough to exp(-x) and the same on every host. */
static double decay(double x)
{
    double value = 1.0 / (1.0 + x / 1024);
    for (int i = 0; i < 10; i++) {
        value *= value;
    }
    return value;
}

static bool accepts(struct placer *placer, double change)
{
    if (change <= 0) {
        return true;
    }
    if (placer->temperature <= 0 || change > 16 * placer->temperature) {
        return false;
    }
    return program_random(&placer->fpga->random) <
           decay(change / placer->temperature) * 4294967296.0;
}

static double total_cost(struct placer *placer)
{
    double cost = 0;
    for (int n = 0; n < placer->fpga->net_count; n++) {
        const struct net *net = &placer->fpga->nets[n];
        if (!net->global) {
            struct net_box box = box_scan(placer->fpga, net);
            cost += box_cost(&box, net->terminals);
        }
    }
    return cost;
}

static void placer_start(struct placer *placer, struct fpga *fpga)
{
    size_t nets = (size_t)fpga->net_count;
    *placer = (struct placer){.fpga = fpga, .range = fpga->side};
    placer->boxes = program_allocate(nets, sizeof *placer->boxes);
    placer->new_boxes = program_allocate(nets, sizeof *placer->new_boxes);
    placer->costs = program_allocate(nets, sizeof *placer->costs);
    placer->new_costs = program_allocate(nets, sizeof *placer->new_costs);
    placer->touched = program_allocate(nets, sizeof *placer->touched);
    placer->is_touched = program_allocate(nets, sizeof *placer->is_touched);
    placer->must_scan = program_allocate(nets, sizeof *placer->must_scan);
    for (int n = 0; n < fpga->net_count; n++) {
        if (!fpga->nets[n].global) {
            placer->boxes[n] = box_scan(fpga, &fpga->nets[n]);
            placer->costs[n] = box_cost(&placer->boxes[n], fpga->nets[n].terminals);
            placer->cost += placer->costs[n];
        }
    }
}

static void placer_free(struct placer *placer)
{
    free(placer->boxes);
    free(placer->new_boxes);
    free(placer->costs);
    free(placer->new_costs);
    free(placer->touched);
    free(placer->is_touched);
    free(placer->must_scan);
}

/* The block is already at its new spot. */
static void touch_nets(struct placer *placer, const struct block *block, int old_x, int old_y)
{
    for (int pin = 0; pin < BLOCK_PINS; pin++) {
        int net = block->nets[pin];
        if (net == NONE || placer->fpga->nets[net].global) {
            continue;
        }
        if (!placer->is_touched[net]) {
            placer->is_touched[net] = true;
            placer->must_scan[net] = false;
            placer->new_boxes[net] = placer->boxes[net];
            placer->touched[placer->touched_count++] = net;
        }
        if (!placer->must_scan[net] &&
            !box_shift(&placer->new_boxes[net], old_x, old_y, block->x, block->y)) {
            placer->must_scan[net] = true;
        }
    }
}

static double touched_change(struct placer *placer)
{
    double change = 0;
    for (int i = 0; i < placer->touched_count; i++) {
        int n = placer->touched[i];
        const struct net *net = &placer->fpga->nets[n];
        if (placer->must_scan[n]) {
            placer->new_boxes[n] = box_scan(placer->fpga, net);
        }
        placer->new_costs[n] = box_cost(&placer->new_boxes[n], net->terminals);
        change += placer->new_costs[n] - placer->costs[n];
    }
    return change;
}

static void finish_touched(struct placer *placer, bool accepted)
{
    while (placer->touched_count > 0) {
        int net = placer->touched[--placer->touched_count];
        placer->is_touched[net] = false;
        if (accepted) {
            placer->boxes[net] = placer->new_boxes[net];
            placer->costs[net] = placer->new_costs[net];
        }
    }
}

static int pick_near(struct placer *placer, int from, int low, int high)
{
    low = from - placer->range > low ? from - placer->range : low;
    high = from + placer->range < high ? from + placer->range : high;
    return low + random_below(placer, high - low + 1);
}

/* Logic goes to logic, pads go along their own side or to any pad spot while the range is wide. */
static bool pick_spot(struct placer *placer, const struct block *block, int *x, int *y, int *pad)
{
    int side = placer->fpga->side;
    *pad = 0;
    if (block->kind == BLOCK_LOGIC) {
        *x = pick_near(placer, block->x, 1, side);
        *y = pick_near(placer, block->y, 1, side);
    } else {
        *pad = random_below(placer, PADS_PER_SPOT);
        if (placer->range >= side && random_below(placer, 2) == 0) {
            bool vertical = random_below(placer, 2);
            int edge = random_below(placer, 2) * (side + 1);
            int along = 1 + random_below(placer, side);
            *x = vertical ? edge : along;
            *y = vertical ? along : edge;
        } else if (block->x == 0 || block->x == side + 1) {
            *x = block->x;
            *y = pick_near(placer, block->y, 1, side);
        } else {
            *x = pick_near(placer, block->x, 1, side);
            *y = block->y;
        }
    }
    return *x != block->x || *y != block->y;
}

static void put(struct fpga *fpga, int b, int x, int y, int pad)
{
    if (b != NONE) {
        fpga->blocks[b].x = x;
        fpga->blocks[b].y = y;
        fpga->blocks[b].pad = pad;
    }
    grid_at(fpga, x, y)->blocks[pad] = b;
}

static bool try_swap(struct placer *placer)
{
    struct fpga *fpga = placer->fpga;
    int b = random_below(placer, fpga->block_count);
    int x, y, pad;
    if (!pick_spot(placer, &fpga->blocks[b], &x, &y, &pad)) {
        return false;
    }
    int old_x = fpga->blocks[b].x, old_y = fpga->blocks[b].y, old_pad = fpga->blocks[b].pad;
    int other = grid_at(fpga, x, y)->blocks[pad];
    put(fpga, b, x, y, pad);
    put(fpga, other, old_x, old_y, old_pad);
    touch_nets(placer, &fpga->blocks[b], old_x, old_y);
    if (other != NONE) {
        touch_nets(placer, &fpga->blocks[other], x, y);
    }
    double change = touched_change(placer);
    bool accepted = accepts(placer, change);
    if (accepted) {
        placer->cost += change;
    } else {
        put(fpga, b, old_x, old_y, old_pad);
        put(fpga, other, x, y, pad);
    }
    finish_touched(placer, accepted);
    return accepted;
}

static double run_moves(struct placer *placer, int moves)
{
    int accepted = 0;
    for (int i = 0; i < moves; i++) {
        accepted += try_swap(placer);
    }
    return (double)accepted / moves;
}

/* Hot enough to accept nearly all: a multiple of how much the cost varies. */
static double first_temperature(struct placer *placer)
{
    double sum = 0, squares = 0;
    int moves = placer->fpga->block_count < 100 ? placer->fpga->block_count : 100;
    placer->temperature = 1e30;
    for (int i = 0; i < moves; i++) {
        double before = placer->cost;
        try_swap(placer);
        double change = placer->cost - before;
        sum += change;
        squares += change * change;
    }
    double mean = sum / moves;
    double variance = squares / moves - mean * mean;
    double deviation = 0.01;
    while (deviation * deviation < variance) {
        deviation *= 1.25;
    }
    return 20 * deviation;
}

/* Slowly where about as many moves are accepted as refused. */
static double cooling_factor(double accepted)
{
    if (accepted > 0.96) {
        return 0.5;
    }
    if (accepted > 0.8) {
        return 0.9;
    }
    return accepted > 0.15 ? 0.95 : 0.8;
}

static void set_range(struct placer *placer, double accepted)
{
    double range = placer->range * (1.0 - 0.44 + accepted);
    int rounded = (int)(range + 0.5);
    int side = placer->fpga->side;
    placer->range = rounded < 1 ? 1 : rounded > side ? side : rounded;
}

static void check_cost(struct placer *placer)
{
    double again = total_cost(placer);
    double difference = again - placer->cost;
    program_check(difference < again * 1e-7 && -difference < again * 1e-7, "the placement's cost");
    placer->cost = again;
}

void place(struct fpga *fpga, float effort)
{
    struct placer placer;
    grid_place_first(fpga);
    placer_start(&placer, fpga);
    double first = placer.cost;
    placer.temperature = first_temperature(&placer);
    int moves = (int)(effort * (float)fpga->block_count);
    int temperatures = 0;
    while (placer.temperature > 0.005 * placer.cost / fpga->net_count) {
        double accepted = run_moves(&placer, moves);
        check_cost(&placer);
        placer.temperature *= cooling_factor(accepted);
        set_range(&placer, accepted);
        temperatures++;
    }
    placer.temperature = 0;
    run_moves(&placer, moves);
    check_cost(&placer);
    program_check(placer.cost < first, "annealing makes the placement better");
    printf("placement: cost %.3f after %d temperatures, %.3f at first\n", placer.cost, temperatures,
           first);
    placer_free(&placer);
}
