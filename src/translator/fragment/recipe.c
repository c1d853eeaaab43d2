/* Decides what a loop is worth. */
#include "translator/fragment/recipe.h"

#include "translator/fragment/ahead.h"
#include "translator/fragment/effort.h"
#include "translator/fragment/translator.h"
#include "translator/fragment/trial.h"
#include "translator/fragment/unroll.h"

/* What passes cost for each instruction of a trace, about; and that they should bring this many times as much. */
#define PASSES_COST 600
#define PASSES_MARGIN 2
/* So many times as many executions make a loop worth a trace that only measures it. */
#define MEASURED_TIMES 4

/* So often the head of a loop must have been looked at before registers are taken for constants: when it was recorded, and
 * after 1000, 8000 and 64 000 executions more. */
#define LOOKS_ENOUGH 4
/* To find out whether that brings anything costs about 300 instructions for each one of the trace, and mostly it does not: so
 * often the loop must have been executed, that it is a thousandth part at the most. */
#define SPECIAL_EXECUTIONS 300000

uint64_t recipe_executions(const struct optimizer *optimizer, bool measured)
{
    return PASSES_COST * PASSES_MARGIN * (optimizer->passed + 1) / (optimizer->left_out + 1) *
           (measured ? MEASURED_TIMES : 1);
}

/* Whether so many executions of the loop are known. */
static bool has_executed(const struct translator *translator, const struct loop *loop,
                         uint64_t executions)
{
    return translator->options.max_loss >= 100 ||
           translator->counts->kind->read(translator, loop).executions >= executions;
}

static bool wants_passes(const struct translator *translator, const struct loop *loop)
{
    return translator->options.passes != 0 &&
           has_executed(translator, loop, recipe_executions(translator->optimizer, false));
}

static bool wants_unrolling(const struct translator *translator, const struct loop *loop,
                            const struct path *path)
{
    const unsigned passes = translator->options.passes & effort_get_passes(effort_level(loop));

    return (passes >> PASS_UNROLL & 1) != 0 && unroll_can(path) &&
           has_executed(translator, loop,
                        UNROLL_TURNS * recipe_executions(translator->optimizer, false));
}

/* A trace that gains nothing else costs something. */
static bool wants_measuring(const struct translator *translator, const struct loop *loop)
{
    return ahead_measures(translator) &&
           has_executed(translator, loop, recipe_executions(translator->optimizer, true));
}

bool recipe_wants_looks(const struct translator *translator)
{
    return (translator->options.passes >> PASS_SPECIALIZE & 1) != 0 && ledger_counts(translator);
}

bool recipe_wants_special(const struct translator *translator, const struct loop *loop)
{
    const struct trial *trial = loop->versions;

    if (!recipe_wants_looks(translator) || trial == NULL || trial->runs.trace == NULL ||
        !trial->runs.recipe.passes || trial->runs.recipe.ahead || trial->specialized ||
        loop->few_turns || trial->looks.same == 0) {
        return false;
    }
    return translator->options.max_loss >= 100 ||
           (trial->looks.count >= LOOKS_ENOUGH &&
            has_executed(translator, loop, SPECIAL_EXECUTIONS));
}

struct recipe recipe_choose(const struct translator *translator, const struct loop *loop,
                            const struct path *path)
{
    const bool passes = wants_passes(translator, loop);

    return (struct recipe){.passes = passes,
                           .unrolled = passes && wants_unrolling(translator, loop, path),
                           .spares = passes && !loop->few_turns,
                           .ahead = passes && translator->options.prefetch_all,
                           .measured = passes && wants_measuring(translator, loop)};
}

bool recipe_is_same(struct recipe a, struct recipe b)
{
    return a.passes == b.passes && a.unrolled == b.unrolled && a.spares == b.spares &&
           a.special == b.special;
}
