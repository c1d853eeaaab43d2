/* The annealing: which moves are tried, how far they reach, and how temperature and penalties go on. */
#include "twolf.h"

static int random_below(struct circuit *circuit, int limit)
{
    return (int)program_random_below(&circuit->random, (uint32_t)limit);
}

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

static struct cell *pick_in_bin(struct circuit *circuit, const struct bin *bin)
{
    struct cell *cell = bin->cells;
    for (int skip = random_below(circuit, bin->count); skip > 0; skip--) {
        cell = cell->next_in_bin;
    }
    return cell;
}

/* An empty place takes the cell; from one with cells, one usually comes back in exchange. */
static void try_cell(struct circuit *circuit, struct cell *cell)
{
    int row =
        cell->row + random_below(circuit, 2 * circuit->window_rows + 1) - circuit->window_rows;
    int x = cell->x + random_below(circuit, 2 * circuit->window_x + 1) - circuit->window_x;
    row = clamp(row, 0, circuit->row_count - 1);
    x = clamp(x, 0, circuit->row_length - 1);
    struct bin *bin = bin_at(circuit, row, x);
    if (bin->count == 0 || random_below(circuit, 3) == 0) {
        if (!move_displace(circuit, cell, row, x)) {
            move_mirror(circuit, cell);
        }
        return;
    }
    struct cell *other = pick_in_bin(circuit, bin);
    if (other == cell) {
        move_mirror(circuit, cell);
    } else if (!move_exchange(circuit, cell, other) && random_below(circuit, 8) == 0) {
        move_mirror(circuit, other);
    }
}

static void try_pads(struct circuit *circuit)
{
    struct cell **pads = circuit->cells + circuit->standard_cells;
    int a = random_below(circuit, circuit->pads);
    int b = random_below(circuit, circuit->pads);
    if (a != b) {
        move_pads(circuit, pads[a], pads[b]);
    }
}

static double accepted_share(const struct move_counts *counts)
{
    int tried = counts->tried[MOVE_DISPLACE] + counts->tried[MOVE_EXCHANGE];
    int accepted = counts->accepted[MOVE_DISPLACE] + counts->accepted[MOVE_EXCHANGE];
    return tried == 0 ? 0.0 : (double)accepted / tried;
}

/* Much at first, a long time the share at which most is learnt, and almost nothing at the end. */
static double wanted_share(double progress)
{
    static const struct {
        double progress, share;
    } curve[] = {{0.0, 0.95}, {0.12, 0.60}, {0.25, 0.44}, {0.55, 0.44}, {0.8, 0.16}, {1.0, 0.01}};
    int i = 1;
    while (progress > curve[i].progress) {
        i++;
    }
    double part = (progress - curve[i - 1].progress) / (curve[i].progress - curve[i - 1].progress);
    return curve[i - 1].share + part * (curve[i].share - curve[i - 1].share);
}

/* The range limiter: from the whole layout down to a few cells and the next row. */
static void set_window(struct circuit *circuit, double progress)
{
    double part = progress < 0.75 ? 1.0 - progress / 0.75 : 0.0;
    int cell_width = circuit->bin_width / 3;
    circuit->window_x = 3 * cell_width + (int)(part * (circuit->row_length - 3 * cell_width));
    circuit->window_rows = 1 + (int)(part * (circuit->row_count - 1));
}

/* Holds overlap and row length to a line that falls to nothing, by raising what they cost. */
static void steer_penalties(struct circuit *circuit, double progress, double first_bins,
                            double first_rows)
{
    double wanted_bins = first_bins * (1.0 - progress);
    double wanted_rows = first_rows * (1.0 - progress) * 0.5;
    double bins = ((double)circuit->bin_penalty - wanted_bins) / (first_bins + 1.0);
    double rows = ((double)circuit->row_penalty - wanted_rows) / (first_rows + 1.0);
    circuit->bin_factor = circuit->bin_factor * (1.0 + 0.6 * bins) + 0.02;
    circuit->row_factor = circuit->row_factor * (1.0 + 0.6 * rows) + 0.02;
    if (circuit->bin_factor > 12.0) {
        circuit->bin_factor = 12.0;
    }
    if (circuit->row_factor > 12.0) {
        circuit->row_factor = 12.0;
    }
}

/* So high that what is typical for a net is accepted almost always. */
static double first_temperature(const struct circuit *circuit)
{
    return 12.0 * (double)circuit->wire / circuit->net_count;
}

static void run_iteration(struct circuit *circuit, int moves)
{
    memset(&circuit->counts, 0, sizeof circuit->counts);
    for (int move = 0; move < moves; move++) {
        try_cell(circuit, circuit->cells[random_below(circuit, circuit->standard_cells)]);
        if (move % 16 == 0) {
            try_pads(circuit);
        }
    }
}

static void cool(struct circuit *circuit, double progress)
{
    double wanted = wanted_share(progress);
    double factor = 1.0 - 0.6 * (accepted_share(&circuit->counts) - wanted) / (wanted + 0.05);
    if (factor < 0.5) {
        factor = 0.5;
    } else if (factor > 1.15) {
        factor = 1.15;
    }
    circuit->temperature *= factor;
}

void anneal(struct circuit *circuit, const struct twolf_size *size)
{
    double first_bins = (double)circuit->bin_penalty;
    double first_rows = (double)circuit->row_penalty;
    circuit->bin_factor = 1.0;
    circuit->row_factor = 1.0;
    circuit->temperature = first_temperature(circuit);
    for (int i = 0; i < size->iterations; i++) {
        double progress = (double)i / (size->iterations - 1);
        set_window(circuit, progress);
        run_iteration(circuit, size->moves_per_cell * circuit->standard_cells);
        check_costs(circuit);
        if (i % 10 == 0 || i == size->iterations - 1) {
            printf("iteration %d: wire %" PRId64 ", overlap %" PRId64 ", rows %" PRId64
                   ", accepted %d in 1000\n",
                   i, circuit->wire, circuit->bin_penalty, circuit->row_penalty,
                   (int)(accepted_share(&circuit->counts) * 1000));
        }
        cool(circuit, progress);
        steer_penalties(circuit, progress, first_bins, first_rows);
    }
}
