/* Keeps which registers hold the same each time that the head of a loop is looked at.
 *
 * A loop's counter brings the program to dispatch now and then anyway, ever more seldom: when it is recorded, and at each
 * look at its trace.  Between two such looks there are thousands of executions, so they say more of what stays than
 * iterations that follow each other would. */
#include "translator/fragment/looks.h"

#include "translator/fragment/target.h"

static void add(struct looks *looks, uint32_t same, const uint64_t values[OPS_REGISTERS])
{
    for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
        if (looks->count == 0) {
            looks->values[reg] = values[reg];
        } else if (looks->values[reg] != values[reg]) {
            same &= ~(UINT32_C(1) << reg);
        }
    }
    looks->same = looks->count == 0 ? same : looks->same & same;
}

void looks_take(struct looks *looks, const struct context *context)
{
    uint64_t values[OPS_REGISTERS];

    for (unsigned reg = 0; reg < OPS_REGISTERS; reg++) {
        values[reg] = target_register(context, reg);
    }
    add(looks, UINT32_MAX, values);
    looks->count++;
}

void looks_join(struct looks *looks, const struct looks *more)
{
    if (more->count != 0) {
        add(looks, more->same, more->values);
        looks->count += more->count;
    }
}
