/* The rules of --threshold, and the one that goes by what a loop's trace would cost and bring. */
#include "translator/fragment/threshold.h"

#include "translator/fragment/translator.h"

static const struct {
    const char *name;
    threshold_rule *rule;
} table[] = {
#define THRESHOLD_RULE(id, name) {name, threshold_##id},
#include "translator/fragment/threshold.def"
#undef THRESHOLD_RULE
};

const char threshold_rules[] =
#define THRESHOLD_RULE(id, name) ", " name
#include "translator/fragment/threshold.def"
#undef THRESHOLD_RULE
    ;

static bool equals(const char *text, const char *name)
{
    while (*name != '\0' && *text == *name) {
        text++;
        name++;
    }
    return *text == *name;
}

threshold_rule *threshold_find_rule(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (equals(name, table[i].name)) {
            return table[i].rule;
        }
    }
    return NULL;
}

/* As if so many instructions of first fragments had been executed, of each of which a trace saved a quarter: the paper's
 * assumption of what optimizing gains. */
#define PRIOR_HEADS 1000000
#define PRIOR_GAIN (PRIOR_HEADS / 4)
#define NEEDS_MOST UINT32_MAX

/* By the paper's T_gained = (T_old - T_new) * x - T_opt > 0, so that x > T_opt / (T_old - T_new).  T_opt is what traces have
 * cost in the mean in this run, and T_old - T_new the length times what traces have saved for each instruction of theirs;
 * before any has, what is taken for granted is a part of both. */
uint32_t threshold_float(const struct translator *translator, const struct loop *loop,
                         uint64_t length)
{
    const struct optimizer *optimizer = translator->optimizer;
    const uint64_t heads = optimizer->heads + PRIOR_HEADS;
    const uint64_t gain = (uint64_t)optimizer->gain + PRIOR_GAIN;
    /* Time, which is no measure of instructions, says nothing. */
    const uint64_t cost =
        ledger_counts(translator)
            ? (optimizer->spent - optimizer->asked + TRACE_COST) / (optimizer->totals.traces + 1)
            : TRACE_COST;
    /* Saved by one execution, in 1024ths of an instruction. */
    const uint64_t saved = (length != 0 ? length : 1) * (gain / (heads / 1024));
    const uint64_t needs = saved != 0 ? cost * 1024 / saved + 1 : NEEDS_MOST;

    (void)loop;
    return needs < NEEDS_MOST ? (uint32_t)needs : NEEDS_MOST;
}
