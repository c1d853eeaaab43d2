/* Predicts that every conditional branch is taken. */
#include "machine/pipeline/direction.h"

#include <stdlib.h>

static bool predict(struct direction *direction, guest_addr pc, uint64_t history, bool taken)
{
    (void)direction;
    (void)pc;
    (void)history;
    (void)taken;
    return true;
}

static void destroy(struct direction *direction)
{
    free(direction);
}

static struct direction *create(const struct parameters *parameters);

const struct direction_kind direction_taken = {
    .name = "taken", .create = create, .predict = predict, .destroy = destroy};

static struct direction *create(const struct parameters *parameters)
{
    struct direction *direction = malloc(sizeof *direction);

    (void)parameters;
    if (direction != NULL) {
        direction->kind = &direction_taken;
    }
    return direction;
}
