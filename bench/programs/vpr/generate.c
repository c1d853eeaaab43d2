/* Writes a circuit of lookup tables as text: pads and logic blocks, each with the nets at its pins. */
#include "vpr.h"
#include "text.h"

/* A signal: of an input pad or of a table, at a hidden place; near ones are more likely connected. */
struct signal {
    int x, y;
    bool early; /* a pad or a register: may feed any table without closing a loop */
    int fanout;
};

struct plan {
    uint64_t random;
    struct signal *signals; /* the inputs first */
    int inputs, luts;
};

static int plan_below(struct plan *plan, int limit)
{
    return (int)program_random_below(&plan->random, (uint32_t)limit);
}

static int signal_distance(const struct signal *a, const struct signal *b)
{
    return abs(a->x - b->x) + abs(a->y - b->y);
}

static bool is_among(const int *values, int count, int value)
{
    for (int i = 0; i < count; i++) {
        if (values[i] == value) {
            return true;
        }
    }
    return false;
}

/* The nearest of several that were drawn, so that the share of long nets does not grow with the circuit. */
static int plan_pick_input(struct plan *plan, int signal, const int *chosen, int count)
{
    int all = plan->inputs + plan->luts;
    int draws = 4 + plan_below(plan, 4 + all / 4);
    int best = NONE;
    for (int draw = 0; draw < draws || best == NONE; draw++) {
        int candidate = plan_below(plan, all);
        const struct signal *from = &plan->signals[candidate];
        if (candidate == signal || from->fanout > 24 || is_among(chosen, count, candidate) ||
            (!from->early && candidate > signal)) {
            continue;
        }
        if (best == NONE || signal_distance(from, &plan->signals[signal]) <
                                signal_distance(&plan->signals[best], &plan->signals[signal])) {
            best = candidate;
        }
    }
    return best;
}

static void plan_signals(struct plan *plan, int inputs, int luts)
{
    plan->inputs = inputs;
    plan->luts = luts;
    plan->signals = program_allocate((size_t)inputs + (size_t)luts, sizeof *plan->signals);
    for (int i = 0; i < inputs + luts; i++) {
        struct signal *signal = &plan->signals[i];
        signal->x = plan_below(plan, 1000);
        signal->y = plan_below(plan, 1000);
        signal->early = i < inputs || plan_below(plan, 4) == 0;
    }
}

static void write_lut(struct plan *plan, struct text *text, int signal)
{
    int chosen[LUT_INPUTS];
    int inputs = plan_below(plan, 10) < 6 ? 4 : 2 + plan_below(plan, 2);
    text_print(text, ".clb b%d\n pinlist:", signal);
    for (int i = 0; i < LUT_INPUTS; i++) {
        if (i < inputs) {
            chosen[i] = plan_pick_input(plan, signal, chosen, i);
            plan->signals[chosen[i]].fanout++;
            text_print(text, " n%d", chosen[i]);
        } else {
            text_print(text, " open");
        }
    }
    text_print(text, " n%d %s\n", signal, plan->signals[signal].early ? "clk" : "open");
}

char *generate_text(const struct vpr_size *size, uint64_t seed)
{
    struct plan plan = {.random = seed};
    struct text text = {0};
    plan_signals(&plan, size->inputs, size->luts);
    text_print(&text, "# %d tables, %d inputs\n.global clk\n.input clock\n pinlist: clk\n",
               size->luts, size->inputs);
    for (int i = 0; i < size->inputs; i++) {
        text_print(&text, ".input i%d\n pinlist: n%d\n", i, i);
    }
    for (int i = 0; i < size->luts; i++) {
        write_lut(&plan, &text, size->inputs + i);
    }
    for (int i = 0; i < size->inputs + size->luts; i++) {
        if (plan.signals[i].fanout == 0 || (i >= size->inputs && plan_below(&plan, 24) == 0)) {
            text_print(&text, ".output o%d\n pinlist: n%d\n", i, i);
        }
    }
    free(plan.signals);
    return text.bytes;
}
