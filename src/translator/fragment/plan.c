/* What can be said of a plan without knowing the target. */
#include "translator/fragment/plan.h"

static const struct {
    const char *name;
    unsigned exits;
    bool ends;
} kinds[] = {
#define STEP(id, name, exits, ends) {name, exits, ends},
#include "translator/fragment/step.def"
#undef STEP
};

const char *step_name(enum step_kind kind)
{
    return kinds[kind].name;
}

static bool is_followed(const struct step *step)
{
    return (step->kind == STEP_JUMP || step->kind == STEP_CALL) && (step->flags & STEP_LEAVES) == 0;
}

unsigned step_exits(const struct step *step)
{
    return is_followed(step) ? 0 : kinds[step->kind].exits;
}

bool step_ends(const struct step *step)
{
    return !is_followed(step) && kinds[step->kind].ends;
}

static bool step_equals(const struct step *a, const struct step *b)
{
    return a->kind == b->kind && a->flags == b->flags && a->bytes == b->bytes &&
           a->detail == b->detail && a->pc == b->pc && a->value == b->value;
}

bool plan_equals(const struct plan *a, const struct plan *b)
{
    const size_t code_bytes = (size_t)(a->code_end - a->code);
    const struct step *of_b = b->steps;

    if (a->start != b->start || a->pc != b->pc || a->end - a->steps != b->end - b->steps ||
        code_bytes != (size_t)(b->code_end - b->code) || a->instructions != b->instructions) {
        return false;
    }
    for (const struct step *of_a = a->steps; of_a != a->end; of_a++, of_b++) {
        if (!step_equals(of_a, of_b)) {
            return false;
        }
    }
    return __builtin_memcmp(a->code, b->code, code_bytes) == 0;
}
