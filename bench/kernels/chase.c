/* Bench kernel: pointer chasing over 64 MB.
 *
 * Builds 1 Mi nodes of 64 bytes linked into one random ring, walks the ring one load at a time
 * (each address depends on the load before), then walks it with four cursors at once (independent
 * chains).  Exercises data-cache and TLB misses, with almost no other work.  The scale is the
 * number of walks of 256 Ki nodes of each kind; the memory stays 64 MB. */
#include "kernel.h"

#define SCALE_DEFAULT 8u
#define NODES (UINT32_C(1) << 20)
#define WALK (UINT32_C(1) << 18)
#define CURSORS 4u

struct node {
    struct node *next;
    uint64_t value;
    uint32_t visits;
    uint32_t index;
    uint64_t unused[5]; /* one cache line for each node */
};

/* Sattolo's shuffle: exchanging only with an earlier item leaves one ring through all of them. */
static void ring_build(struct node *nodes, uint64_t *random)
{
    for (uint32_t i = 0; i < NODES; i++) {
        nodes[i].next = &nodes[i];
        nodes[i].value = program_random(random);
        nodes[i].visits = 0;
        nodes[i].index = i;
    }
    for (uint32_t i = NODES - 1; i > 0; i--) {
        uint32_t other = (uint32_t)(((uint64_t)program_random(random) * i) >> 32);
        struct node *saved = nodes[i].next;
        nodes[i].next = nodes[other].next;
        nodes[other].next = saved;
    }
}

static struct node *ring_walk(struct node *at, uint32_t steps, uint64_t *total)
{
    uint64_t found = 0;
    for (uint32_t step = 0; step < steps; step++) {
        found += at->value;
        at->visits++;
        at = at->next;
    }
    *total += found;
    return at;
}

static void ring_walk_many(struct node *cursors[CURSORS], uint32_t steps, uint64_t *total)
{
    uint64_t found = 0;
    for (uint32_t step = 0; step < steps; step += CURSORS) {
        for (uint32_t c = 0; c < CURSORS; c++) {
            struct node *at = cursors[c];
            if ((at->value & 1) != 0) {
                found += at->value;
            } else {
                found ^= at->value;
            }
            at->visits++;
            cursors[c] = at->next;
        }
    }
    *total += found;
}

int main(int argc, char **argv)
{
    uint32_t scale = kernel_scale(argc, argv, SCALE_DEFAULT);
    struct node *nodes = kernel_alloc(NODES * sizeof(*nodes));
    uint64_t random = 65537;
    uint64_t sum = 0;
    ring_build(nodes, &random);

    struct node *at = nodes;
    struct node *cursors[CURSORS];
    for (uint32_t c = 0; c < CURSORS; c++) {
        cursors[c] = &nodes[c * (NODES / CURSORS)];
    }
    for (uint32_t round = 0; round < scale; round++) {
        uint64_t total = 0;
        at = ring_walk(at, WALK, &total);
        sum = program_mix(sum, at->index);
        ring_walk_many(cursors, WALK, &total);
        for (uint32_t c = 0; c < CURSORS; c++) {
            sum = program_mix(sum, cursors[c]->index);
        }
        sum = program_mix(sum, total);
    }

    uint64_t visits = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        visits += nodes[i].visits;
    }
    program_check(visits == (uint64_t)scale * 2 * WALK, "visits");
    kernel_report("chase", scale, sum);
    free(nodes);
    return 0;
}
