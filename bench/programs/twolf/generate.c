/* Writes a circuit as text, as a designer's tool would: cells, each with its pins and their signals. */
#include "twolf.h"
#include "text.h"

/* A pin before the pins are sorted by cell. */
struct plan_pin {
    int cell;
    int net;
};

struct plan {
    struct plan_pin *pins;
    int pin_count, pin_space;
    int side; /* the hidden square in which cells that belong together are near each other */
    int cells;
    uint64_t random;
};

static int plan_below(struct plan *plan, int limit)
{
    return (int)program_random_below(&plan->random, (uint32_t)limit);
}

static void plan_add_pin(struct plan *plan, int cell, int net)
{
    if (plan->pin_count == plan->pin_space) {
        plan->pin_space = plan->pin_space * 2 + 256;
        plan->pins = realloc(plan->pins, (size_t)plan->pin_space * sizeof *plan->pins);
        program_check(plan->pins != NULL, "memory for the circuit's pins");
    }
    plan->pins[plan->pin_count++] = (struct plan_pin){cell, net};
}

/* Most nets have two or three pins; a few, such as resets, have many. */
static int plan_fanout(struct plan *plan)
{
    int chance = plan_below(plan, 100);
    if (chance < 52) {
        return 1;
    }
    if (chance < 74) {
        return 2;
    }
    if (chance < 86) {
        return 3;
    }
    if (chance < 97) {
        return 4 + plan_below(plan, 5);
    }
    return 9 + plan_below(plan, 16);
}

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

/* Short distances are far more likely than long ones, as Rent's rule has it. */
static int plan_neighbour(struct plan *plan, int cell)
{
    int reach = 2;
    while (reach < plan->side && plan_below(plan, 100) < 32) {
        reach *= 2;
    }
    int x = cell % plan->side + plan_below(plan, 2 * reach + 1) - reach;
    int y = cell / plan->side + plan_below(plan, 2 * reach + 1) - reach;
    int near = clamp(y, 0, plan->side - 1) * plan->side + clamp(x, 0, plan->side - 1);
    return near < plan->cells ? near : plan->cells - 1;
}

/* Each cell drives a net; each pad is one more pin of some cell's net. */
static void plan_nets(struct plan *plan, int pads)
{
    for (int cell = 0; cell < plan->cells; cell++) {
        plan_add_pin(plan, cell, cell);
        int fanout = plan_fanout(plan);
        for (int sink = 0; sink < fanout; sink++) {
            plan_add_pin(plan, plan_neighbour(plan, cell), cell);
        }
    }
    for (int pad = 0; pad < pads; pad++) {
        plan_add_pin(plan, plan->cells + pad, plan_below(plan, plan->cells));
    }
}

static int *plan_shuffled(struct plan *plan, int count)
{
    int *order = program_allocate((size_t)count, sizeof *order);
    for (int i = 0; i < count; i++) {
        int j = plan_below(plan, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    return order;
}

/* first[c] to first[c + 1] are the places in `sorted` of the nets of cell c. */
static int *plan_sort_pins(const struct plan *plan, int cells, int *first)
{
    for (int i = 0; i < plan->pin_count; i++) {
        first[plan->pins[i].cell + 1]++;
    }
    for (int cell = 0; cell < cells; cell++) {
        first[cell + 1] += first[cell];
    }
    int *sorted = program_allocate((size_t)plan->pin_count, sizeof *sorted);
    int *next = program_allocate((size_t)cells, sizeof *next);
    for (int i = 0; i < plan->pin_count; i++) {
        int cell = plan->pins[i].cell;
        sorted[first[cell] + next[cell]++] = plan->pins[i].net;
    }
    free(next);
    return sorted;
}

static void write_cell(struct plan *plan, struct text *text, int cell, const int *nets, int pins)
{
    int width = 2 * (4 + 2 * pins + plan_below(plan, 6));
    text_print(text, "cell c%d width %d\n", cell, width);
    for (int pin = 0; pin < pins; pin++) {
        int offset = (pin + 1) * width / (pins + 1) - width / 2;
        text_print(text, "  pin s%d at %d\n", nets[pin], offset);
    }
}

char *generate_text(const struct twolf_size *size, uint64_t seed)
{
    struct plan plan = {.cells = size->cells, .random = seed};
    while (plan.side * plan.side < size->cells) {
        plan.side++;
    }
    plan_nets(&plan, size->pads);
    int all = size->cells + size->pads;
    int *first = program_allocate((size_t)all + 1, sizeof *first);
    int *nets = plan_sort_pins(&plan, all, first);
    int *order = plan_shuffled(&plan, size->cells);
    struct text text = {0};
    text_print(&text, "# %d cells, %d pads, %d pins\n", size->cells, size->pads, plan.pin_count);
    for (int i = 0; i < size->cells; i++) {
        int cell = order[i];
        write_cell(&plan, &text, cell, nets + first[cell], first[cell + 1] - first[cell]);
    }
    for (int pad = 0; pad < size->pads; pad++) {
        text_print(&text, "pad p%d\n  pin s%d at 0\n", pad, nets[first[size->cells + pad]]);
    }
    text_print(&text, "end\n");
    free(order);
    free(nets);
    free(first);
    free(plan.pins);
    return text.bytes;
}
