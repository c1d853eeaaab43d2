/* Prints plans: a line for each step, with what is known of it without knowing the target. */
#include "translator/tell/plan_text.h"

#define NAME_COLUMN 16

static size_t length_of(const char *string)
{
    size_t length = 0;

    while (string[length] != '\0') {
        length++;
    }
    return length;
}

static void put_value(struct output *output, const char *what, uint64_t value)
{
    output_string(output, what);
    output_address(output, value);
}

/* Where the step leads, or what it makes. */
static void put_meaning(struct output *output, const struct step *step)
{
    switch (step->kind) {
    case STEP_CONSTANT:
        put_value(output, ", value ", step->value);
        break;
    case STEP_BRANCH:
        put_value(output, ", to ", step->value);
        put_value(output, ", else ", step_end(step));
        output_string(output, (step->flags & STEP_TURNED) != 0 ? ", turned" : "");
        break;
    case STEP_JUMP:
    case STEP_CALL:
        put_value(output, ", to ", step->value);
        output_string(output, (step->flags & STEP_LEAVES) != 0 ? ", leaves" : ", followed");
        break;
    case STEP_GUARD:
        put_value(output, ", leaves to ", step->value);
        output_string(output, (step->flags & STEP_TURNED) != 0 ? ", turned" : "");
        break;
    case STEP_GUARD_TARGET:
        put_value(output, ", on at ", step->value);
        output_string(output, (step->flags & STEP_KNOWN) != 0 ? ", known" : ", compared");
        break;
    case STEP_SIDE:
    case STEP_SECOND_TARGET:
    case STEP_ON:
        put_value(output, ", to ", step->value);
        break;
    default:
        break;
    }
}

static void put_step(struct output *output, const struct step *step)
{
    const char *name = step_name(step->kind);

    output_string(output, "  ");
    output_string(output, name);
    output_pad(output, 2 + length_of(name), NAME_COLUMN);
    output_address(output, step->pc);
    output_string(output, ", ");
    output_unsigned(output, step->bytes);
    output_string(output, " bytes");
    put_meaning(output, step);
    output_string(output, "\n");
}

void plan_text_put(struct output *output, const struct plan *plan)
{
    output_string(output, "plan of ");
    output_unsigned(output, plan->instructions);
    output_string(output, " instructions\n");
    for (const struct step *step = plan->steps; step != plan->end; step++) {
        put_step(output, step);
    }
}
