/* Two-bit counters, chosen by a branch's address alone (bimodal), or mixed with which way the last ones went (gshare). */
#include "machine/pipeline/direction.h"

#include <stdlib.h>
#include <string.h>

#define WEAKLY_NOT_TAKEN 1
#define WEAKLY_TAKEN 2
#define STRONGLY_TAKEN 3

struct counters {
    struct direction direction;
    uint64_t history_mask, table_mask;
    uint8_t table[];
};

static struct direction *create(const struct direction_kind *kind,
                                const struct parameters *parameters, uint64_t history_bits)
{
    struct counters *own = malloc(sizeof *own + parameters->branch_table);

    if (own == NULL) {
        return NULL;
    }
    *own = (struct counters){.direction = {.kind = kind},
                             .history_mask = (UINT64_C(1) << history_bits) - 1,
                             .table_mask = parameters->branch_table - 1};
    memset(own->table, WEAKLY_NOT_TAKEN, parameters->branch_table);
    return &own->direction;
}

static bool predict(struct direction *direction, guest_addr pc, uint64_t history, bool taken)
{
    struct counters *own = (struct counters *)(void *)direction;
    uint8_t *counter = &own->table[(pc >> 1 ^ (history & own->history_mask)) & own->table_mask];
    const bool predicted = *counter >= WEAKLY_TAKEN;

    if (taken && *counter < STRONGLY_TAKEN) {
        ++*counter;
    } else if (!taken && *counter > 0) {
        --*counter;
    }
    return predicted;
}

static void destroy(struct direction *direction)
{
    free(direction);
}

static struct direction *create_bimodal(const struct parameters *parameters);
static struct direction *create_gshare(const struct parameters *parameters);

const struct direction_kind direction_bimodal = {
    .name = "bimodal", .create = create_bimodal, .predict = predict, .destroy = destroy};
const struct direction_kind direction_gshare = {
    .name = "gshare", .create = create_gshare, .predict = predict, .destroy = destroy};

static struct direction *create_bimodal(const struct parameters *parameters)
{
    return create(&direction_bimodal, parameters, 0);
}

static struct direction *create_gshare(const struct parameters *parameters)
{
    return create(&direction_gshare, parameters, parameters->branch_history);
}
