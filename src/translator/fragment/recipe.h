/* What is done to the path of a hot loop, besides making a trace of it: more where the loop has executed more. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_RECIPE_H
#define STRATA_TRANSLATOR_FRAGMENT_RECIPE_H

#include "translator/fragment/optimizer.h"

/* What is done to a path. */
struct recipe {
    bool passes;
    bool unrolled; /* several turns of it become one trace, which only passes make worth it */
    bool spares;   /* passes may put registers away, which pays where the loop has many turns */
    bool ahead;    /* what loads miss is fetched ahead */
    bool measured; /* it is worth having a trace only to measure what its loads miss */
    bool
        special; /* registers that always held the same are taken for constants, if that brings enough */
};

/* What the loop is worth by now. */
struct recipe recipe_choose(const struct translator *translator, const struct loop *loop,
                            const struct path *path);
bool recipe_is_same(struct recipe a, struct recipe b);
/* Whether the loop's trace, which passes have gone over, is made once more with registers for constants.  That is tried
 * once. */
bool recipe_wants_special(const struct translator *translator, const struct loop *loop);
/* Whether anybody wants to know what registers hold at the heads of loops. */
bool recipe_wants_looks(const struct translator *translator);
/* Executions that let expect as many more, so that passes over a trace pay, if they leave out as large a part of it as
 * they did in this program so far; or `measured`, a trace of which only that is gained. */
uint64_t recipe_executions(const struct optimizer *optimizer, bool measured);

#endif
