/* Predicts where fetch goes on: directions, targets and returns. */
#include "machine/pipeline/branch.h"

#include <stdlib.h>
#include <string.h>

bool branch_create(struct branch_predictor *predictor, const struct parameters *parameters)
{
    *predictor = (struct branch_predictor){
        .kind = parameters->branch_predictor,
        .history_mask = (UINT64_C(1) << parameters->branch_history) - 1,
        .table_mask = parameters->branch_table - 1,
        .target_ways = parameters->branch_target_ways,
        .target_mask = parameters->branch_targets / parameters->branch_target_ways - 1,
        .stack_entries = parameters->branch_return_stack,
        .contexts = (unsigned)parameters->core_contexts};
    predictor->counters = malloc(parameters->branch_table);
    predictor->targets = calloc(parameters->branch_targets, sizeof *predictor->targets);
    predictor->stacks = calloc(predictor->contexts, sizeof *predictor->stacks);
    if (predictor->counters == NULL || predictor->targets == NULL || predictor->stacks == NULL) {
        return false;
    }
    memset(predictor->counters, 1, parameters->branch_table); /* weakly not taken */
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
    free(predictor->counters);
    free(predictor->targets);
    free(predictor->stacks);
}

static uint8_t *counter_of(const struct branch_predictor *predictor, guest_addr pc,
                           uint64_t history)
{
    const uint64_t mixed =
        predictor->kind == PREDICT_GSHARE ? pc >> 1 ^ (history & predictor->history_mask) : pc >> 1;
    return &predictor->counters[mixed & predictor->table_mask];
}

static struct target_entry *target_set(const struct branch_predictor *predictor, guest_addr pc)
{
    return &predictor->targets[(pc >> 1 & predictor->target_mask) * predictor->target_ways];
}

/* The target that was learned; 0 if there is none. */
static guest_addr target_find(const struct branch_predictor *predictor, guest_addr pc)
{
    const struct target_entry *set = target_set(predictor, pc);
    for (uint64_t i = 0; i < predictor->target_ways; i++) {
        if (set[i].tag == pc + 1) {
            return set[i].target;
        }
    }
    return 0;
}

static void target_learn(const struct branch_predictor *predictor, guest_addr pc, guest_addr target)
{
    struct target_entry *set = target_set(predictor, pc);
    uint64_t way = 0;
    while (way + 1 < predictor->target_ways && set[way].tag != pc + 1) {
        way++;
    }
    memmove(set + 1, set, way * sizeof *set);
    set[0] = (struct target_entry){.tag = pc + 1, .target = target};
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

static bool predict_direction(struct branch_predictor *predictor, struct return_stack *stack,
                              const struct branch_site *site, bool taken)
{
    uint8_t *counter = counter_of(predictor, site->pc, stack->history);
    const bool predicted = predictor->kind == PREDICT_TAKEN || *counter >= 2;
    if (taken && *counter < 3) {
        ++*counter;
    } else if (!taken && *counter > 0) {
        --*counter;
    }
    stack->history = stack->history << 1 | taken;
    predictor->statistics.conditional++;
    predictor->statistics.conditional_wrong += predicted != taken;
    return predicted == taken;
}

static bool predict_register(struct branch_predictor *predictor, const struct branch_site *site,
                             guest_addr actual)
{
    const bool right = target_find(predictor, site->pc) == actual;
    target_learn(predictor, site->pc, actual);
    predictor->statistics.indirect++;
    predictor->statistics.indirect_wrong += !right;
    return right;
}

bool branch_predicted(struct branch_predictor *predictor, unsigned context,
                      const struct branch_site *site, guest_addr actual)
{
    struct return_stack *stack = &predictor->stacks[context];
    switch (site->kind) {
    case BRANCH_CONDITIONAL:
        return predict_direction(predictor, stack, site, actual != site->next);
    case BRANCH_RETURN: {
        const bool right = pop(predictor, stack) == actual;
        predictor->statistics.returns++;
        predictor->statistics.returns_wrong += !right;
        return right;
    }
    case BRANCH_CALL:
        push(predictor, stack, site->next);
        return site->target != 0 || predict_register(predictor, site, actual);
    case BRANCH_INDIRECT:
        return predict_register(predictor, site, actual);
    default:
        return true;
    }
}
