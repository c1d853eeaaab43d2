/* Chooses a trigger and a slice for a delinquent load from windows of a program's run, in two passes. */
#include "slice/choose.h"

#include "isa/rv64/decode.h"

#include <stdlib.h>

static bool alike(const struct slice *a, const struct slice *b)
{
    if (a->length != b->length || a->prologue != b->prologue || a->kind != b->kind ||
        a->guard != b->guard) {
        return false;
    }
    unsigned i = 0;
    while (i < a->length && a->instructions[i].pc == b->instructions[i].pc &&
           a->instructions[i].word == b->instructions[i].word) {
        i++;
    }
    return i == a->length;
}

/* Slices that windows gave, and how often each. */
struct variants {
    struct slice *slices;
    unsigned *window; /* the first that gave it */
    unsigned count;
};

static bool variants_begin(struct variants *variants, unsigned capacity)
{
    variants->count = 0;
    variants->slices = calloc(capacity + 1u, sizeof *variants->slices);
    variants->window = calloc(capacity + 1u, sizeof *variants->window);
    return variants->slices != NULL && variants->window != NULL;
}

static void variants_end(struct variants *variants)
{
    free(variants->slices);
    free(variants->window);
}

static void variants_add(struct variants *variants, const struct slice *slice, unsigned window)
{
    unsigned i = 0;
    while (i < variants->count && !alike(&variants->slices[i], slice)) {
        i++;
    }
    struct slice *variant = &variants->slices[i];
    if (i == variants->count) {
        variants->window[variants->count++] = window;
        *variant = *slice;
        variant->origin = (struct slice_origin){0};
    }
    variant->origin.alike++;
    variant->origin.traced += slice->origin.traced;
}

/* The index of the one that was there most often. */
static unsigned variants_best(const struct variants *variants)
{
    unsigned best = 0;
    for (unsigned i = 1; i < variants->count; i++) {
        if (variants->slices[i].origin.alike > variants->slices[best].origin.alike) {
            best = i;
        }
    }
    return best;
}

/* The instance of `pc` before instruction `at`; `at` itself if there is none. */
static unsigned instance_before(const struct slice_window *window, unsigned at, uint64_t pc)
{
    for (unsigned i = at; i-- > 0;) {
        if (window->retired[i].pc == pc) {
            return i;
        }
    }
    return at;
}

static bool build_from(struct slice *slice, const struct slice_retired *retired, unsigned count,
                       unsigned turn, uint64_t load, const struct slice_pcs *others,
                       const struct slice_rules *rules, enum slice_built *built)
{
    struct slice_trace trace;
    *built = SLICE_BUILT_NO_MEMORY;
    if (slice_trace_read(&trace, retired, count, rules->through_stack)) {
        *built = slice_build(slice, &trace, turn, load, others, rules);
        slice_trace_free(&trace);
    }
    return *built == SLICE_BUILT_OK;
}

static uint64_t count_instances(const struct choose_windows *windows, uint64_t pc)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < windows->count; i++) {
        const struct slice_window *window = &windows->windows[i];
        for (unsigned k = 0; k < window->before; k++) {
            count += window->retired[k].pc == pc;
        }
    }
    return count;
}

/* The share of the load's instances that the slice works for: its trigger may stand on a path that is seldom
 * taken, or in an outer loop. */
static double coverage(const struct slice *slice, uint64_t load, uint64_t triggers, uint64_t loads)
{
    uint64_t instances = 0;
    for (unsigned i = 0; i < slice->length; i++) {
        instances += slice->instructions[i].pc == load;
    }
    const double share = (double)(instances * triggers) / (double)(loads > 0 ? loads : 1);
    return share < 1 ? share : 1;
}

/* What a slice is good for less what it costs.  To do for another load that misses as often as the one that it is
 * made for is worth 20 instructions; a load in the prologue, which all later slices of a chain wait for, costs as
 * much as five. */
static double value_of(const struct slice *slice, uint64_t load, const struct slice_pcs *loads,
                       double covered)
{
    uint64_t own = 1;
    for (size_t i = 0; i < loads->count; i++) {
        own = loads->pcs[i] == load && loads->misses != NULL ? loads->misses[i] : own;
    }
    double value =
        20.0 * covered * (double)slice_pcs_worth(loads, slice) / (double)own - slice->length;
    for (unsigned i = 0; i < slice->prologue; i++) {
        struct rv64_insn insn;
        rv64_decode(slice->instructions[i].word, &insn);
        value -= rv64_row(insn.op)->flags & INSN_LOAD ? 4 : 0;
    }
    return value;
}

static unsigned next_instance(const struct slice_window *window, unsigned at)
{
    for (unsigned i = at + 1; i < window->count; i++) {
        if (window->retired[i].pc == window->retired[at].pc) {
            return i - at;
        }
    }
    return 0;
}

/* Of all instructions in the window that come back in it, the one that is the best trigger of a loop; among
 * equals the one that is furthest before the load. */
static uint64_t best_trigger(const struct choose_windows *windows,
                             const struct slice_window *window, uint64_t load,
                             const struct slice_pcs *others, const struct slice_rules *rules)
{
    const uint64_t loads = count_instances(windows, load);
    struct slice best = {.trigger = load};
    double most = 0;
    for (unsigned i = 0; i < window->before; i++) {
        const unsigned turn = next_instance(window, i), rest = window->count - i;
        struct slice slice = {0};
        enum slice_built built;
        if (turn == 0 ||
            !build_from(&slice, window->retired + i, turn + 2 < rest ? turn + 2 : rest, turn, load,
                        others, rules, &built) ||
            slice.prologue == 0) {
            continue;
        }
        const double covered =
            coverage(&slice, load, count_instances(windows, slice.trigger), loads);
        const double value = value_of(&slice, load, others, covered);
        if (best.length == 0 || value > most ||
            (value >= most && slice.origin.traced > best.origin.traced)) {
            best = slice;
            most = value;
        }
    }
    return best.trigger;
}

/* The instructions since the load's last instance, and its simple slice of these; 0 if there is none. */
static unsigned last_turn(const struct slice_window *window, uint64_t load, struct slice *slice)
{
    const unsigned last = instance_before(window, window->before, load);
    const unsigned turn = window->before - last;
    return turn != 0 && slice_build_between(slice, window->retired + last, turn + 1,
                                            &slice_rules_simple) == SLICE_BUILT_OK
               ? turn
               : 0;
}

/* The windows that give the commonest slice tell the loop's usual path. */
static uint64_t trigger_in_loop(const struct choose_windows *windows, uint64_t load,
                                const struct slice_pcs *others, const struct slice_rules *rules)
{
    struct variants variants;
    if (!variants_begin(&variants, windows->count)) {
        variants_end(&variants);
        return load;
    }
    for (unsigned i = 0; i < windows->count; i++) {
        struct slice slice = {0};
        if (last_turn(&windows->windows[i], load, &slice) != 0) {
            variants_add(&variants, &slice, i);
        }
    }
    uint64_t trigger = load;
    const unsigned best = variants_best(&variants);
    for (unsigned i = variants.window[best]; variants.count > 0 && i < windows->count; i++) {
        const struct slice_window *window = &windows->windows[i];
        struct slice slice = {0};
        const unsigned turn = last_turn(window, load, &slice);
        if (turn != 0 && alike(&slice, &variants.slices[best])) {
            trigger = best_trigger(windows, window, load, others, rules);
            break;
        }
    }
    variants_end(&variants);
    return trigger;
}

static bool has_before(const struct slice_window *window, uint64_t pc, unsigned low, unsigned high)
{
    for (unsigned distance = low; distance <= high && distance <= window->before; distance++) {
        if (window->retired[window->before - distance].pc == pc) {
            return true;
        }
    }
    return false;
}

/* Of the instructions that are about so far before the load, the one that is there in most windows, and
 * nearest to the distance among these. */
static uint64_t trigger_at_distance(const struct choose_windows *windows, uint64_t load,
                                    unsigned distance)
{
    const unsigned low = distance / 2, high = distance + distance / 2;
    uint64_t trigger = 0;
    unsigned most = 0, nearest = UINT32_MAX;
    for (unsigned i = 0; i < windows->count && i < 4; i++) {
        const struct slice_window *window = &windows->windows[i * windows->count / 4];
        for (unsigned d = low; d <= high && d <= window->before; d++) {
            const uint64_t pc = window->retired[window->before - d].pc;
            const unsigned off = d > distance ? d - distance : distance - d;
            unsigned there = 0;
            for (unsigned k = 0; k < windows->count; k++) {
                there += has_before(&windows->windows[k], pc, low, high);
            }
            if (pc != load && (there > most || (there == most && off < nearest))) {
                trigger = pc;
                most = there;
                nearest = off;
            }
        }
    }
    return trigger;
}

uint64_t choose_trigger(const struct choose_windows *before, uint64_t load,
                        const struct slice_pcs *others, const struct slice_rules *rules,
                        unsigned distance)
{
    unsigned again = 0;
    for (unsigned i = 0; i < before->count; i++) {
        const struct slice_window *window = &before->windows[i];
        again += instance_before(window, window->before, load) < window->before;
    }
    if (before->count == 0) {
        return 0;
    }
    return 2 * again >= before->count ? trigger_in_loop(before, load, others, rules)
                                      : trigger_at_distance(before, load, distance);
}

static unsigned next_load(const struct slice_window *window, uint64_t pc)
{
    for (unsigned i = window->before + 1; i < window->count; i++) {
        if (window->retired[i].pc == pc) {
            return i - window->before;
        }
    }
    return 0;
}

enum choose_result choose_slice(struct slice *slice, const struct choose_windows *after,
                                uint64_t load, const struct slice_pcs *others,
                                const struct slice_rules *rules, unsigned window,
                                enum slice_built *built)
{
    struct variants variants;
    unsigned followed = 0;
    *built = SLICE_BUILT_NO_LOAD;
    if (!variants_begin(&variants, after->count)) {
        variants_end(&variants);
        *built = SLICE_BUILT_NO_MEMORY;
        return CHOOSE_NONE;
    }
    for (unsigned i = 0; i < after->count; i++) {
        const struct slice_window *w = &after->windows[i];
        const struct slice_retired *trigger = w->retired + w->before;
        const unsigned reached = next_load(w, load);
        const unsigned found = next_instance(w, w->before);
        const unsigned turn = found >= reached ? found : 0;
        const unsigned rest = w->count - w->before;
        const unsigned count = turn != 0 ? turn + 2 : window + 1;
        if (reached == 0 || reached > window) {
            continue;
        }
        followed++;
        struct slice variant = {0};
        enum slice_built result;
        if (build_from(&variant, trigger, count < rest ? count : rest, turn, load, others, rules,
                       &result)) {
            variants_add(&variants, &variant, i);
        } else {
            *built = result;
        }
    }
    enum choose_result chosen = CHOOSE_NONE;
    if (followed < CHOOSE_FOLLOWED * after->count) {
        chosen = CHOOSE_SELDOM;
    } else if (variants.count > 0) {
        const uint64_t misses = slice->origin.misses;
        *slice = variants.slices[variants_best(&variants)];
        slice->origin.misses = misses;
        slice->origin.triggers = after->count;
        slice->origin.followed = followed;
        chosen = CHOOSE_OK;
    }
    variants_end(&variants);
    return chosen;
}
