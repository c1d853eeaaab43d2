/* Predicts where fetch goes on: directions, targets and returns. */
#include "machine/pipeline/branch.h"

#include <stdlib.h>
#include <string.h>

bool branch_create(struct branch_predictor *predictor, const struct parameters *parameters)
{
    *predictor = (struct branch_predictor){
        .direction = direction_kinds[parameters->branch_predictor]->create(parameters),
        .target_ways = parameters->branch_target_ways,
        .target_mask = parameters->branch_targets / parameters->branch_target_ways - 1,
        .stack_entries = parameters->branch_return_stack,
        .contexts = (unsigned)parameters->core_contexts};
    if (parameters->branch_targets > 0) {
        predictor->targets = calloc(parameters->branch_targets, sizeof *predictor->targets);
    }
    predictor->stacks = calloc(predictor->contexts, sizeof *predictor->stacks);
    if (predictor->direction == NULL || predictor->stacks == NULL ||
        (parameters->branch_targets > 0 && predictor->targets == NULL)) {
        return false;
    }
    for (unsigned i = 0; i < predictor->contexts; i++) {
        predictor->stacks[i].entries =
            calloc(predictor->stack_entries + 1, sizeof *predictor->stacks[i].entries);
        if (predictor->stacks[i].entries == NULL) {
            return false;
        }
    }
    return true;
}

void branch_destroy(struct branch_predictor *predictor)
{
    for (unsigned i = 0; predictor->stacks != NULL && i < predictor->contexts; i++) {
        free(predictor->stacks[i].entries);
    }
    if (predictor->direction != NULL) {
        predictor->direction->kind->destroy(predictor->direction);
    }
    free(predictor->targets);
    free(predictor->stacks);
}

static struct target_entry *target_set(const struct branch_predictor *predictor, guest_addr pc)
{
    return &predictor->targets[(pc >> 1 & predictor->target_mask) * predictor->target_ways];
}

/* Whether the target that was learned is this one; it is from now on. */
static bool target_known(const struct branch_predictor *predictor, guest_addr pc, guest_addr target)
{
    if (predictor->targets == NULL) {
        return true;
    }
    struct target_entry *set = target_set(predictor, pc);
    uint64_t way = 0;
    while (way + 1 < predictor->target_ways && set[way].tag != pc + 1) {
        way++;
    }
    const bool known = set[way].tag == pc + 1 && set[way].target == target;
    memmove(set + 1, set, way * sizeof *set);
    set[0] = (struct target_entry){.tag = pc + 1, .target = target};
    return known;
}

static void push(const struct branch_predictor *predictor, struct return_stack *stack,
                 guest_addr address)
{
    if (predictor->stack_entries > 0) {
        stack->top = (stack->top + 1) % (unsigned)predictor->stack_entries;
        stack->entries[stack->top] = address;
    }
}

static guest_addr pop(const struct branch_predictor *predictor, struct return_stack *stack)
{
    if (predictor->stack_entries == 0) {
        return 0;
    }
    const guest_addr address = stack->entries[stack->top];
    stack->top =
        (stack->top + (unsigned)predictor->stack_entries - 1) % (unsigned)predictor->stack_entries;
    return address;
}

/* The direction was predicted as taken, and is: fetch can go on there if the buffer has the target. */
static enum fetch_outcome predict_target(struct branch_predictor *predictor,
                                         const struct branch_site *site)
{
    const bool known = target_known(predictor, site->pc, site->target);
    predictor->statistics.misfetched += !known;
    return known ? FETCH_PREDICTED : FETCH_MISFETCHED;
}

static enum fetch_outcome predict_conditional(struct branch_predictor *predictor,
                                              struct return_stack *stack,
                                              const struct branch_site *site, guest_addr actual)
{
    predictor->statistics.conditional++;
    if (actual != site->next && actual != site->target) {
        return FETCH_MISPREDICTED;
    }
    const bool taken = actual != site->next;
    const bool predicted =
        predictor->direction->kind->predict(predictor->direction, site->pc, stack->history, taken);
    stack->history = stack->history << 1 | taken;
    if (predicted != taken) {
        predictor->statistics.conditional_wrong++;
        if (taken) {
            target_known(predictor, site->pc, site->target);
        }
        return FETCH_MISPREDICTED;
    }
    return taken ? predict_target(predictor, site) : FETCH_PREDICTED;
}

static enum fetch_outcome predict_direct(struct branch_predictor *predictor,
                                         const struct branch_site *site, guest_addr actual)
{
    return actual == site->target ? predict_target(predictor, site) : FETCH_MISPREDICTED;
}

static enum fetch_outcome predict_register(struct branch_predictor *predictor,
                                           const struct branch_site *site, guest_addr actual)
{
    const bool right = target_known(predictor, site->pc, actual);
    predictor->statistics.indirect++;
    predictor->statistics.indirect_wrong += !right;
    return right ? FETCH_PREDICTED : FETCH_MISPREDICTED;
}

enum fetch_outcome branch_fetch(struct branch_predictor *predictor, unsigned context,
                                const struct branch_site *site, guest_addr actual)
{
    struct return_stack *stack = &predictor->stacks[context];
    switch (site->kind) {
    case BRANCH_CONDITIONAL:
        return predict_conditional(predictor, stack, site, actual);
    case BRANCH_RETURN: {
        const bool right = pop(predictor, stack) == actual;
        predictor->statistics.returns++;
        predictor->statistics.returns_wrong += !right;
        return right ? FETCH_PREDICTED : FETCH_MISPREDICTED;
    }
    case BRANCH_CALL:
        push(predictor, stack, site->next);
        return site->target != 0 ? predict_direct(predictor, site, actual)
                                 : predict_register(predictor, site, actual);
    case BRANCH_INDIRECT:
        return predict_register(predictor, site, actual);
    case BRANCH_JUMP:
        return predict_direct(predictor, site, actual);
    default:
        return actual == site->next ? FETCH_PREDICTED : FETCH_MISPREDICTED;
    }
}
