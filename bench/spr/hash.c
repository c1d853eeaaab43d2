/* Look-ups in a hash table with chains, as in mst: many short lists. */
#include "kernels.h"
#include "program.h"

#define NODES_PER_CHAIN 4
#define KEY_FACTOR UINT32_C(0x9e3779b1)
#define CHAIN_FACTOR UINT32_C(0x85ebca77)
#define CHAINS_AT_ONCE 8 /* that the helper follows */

struct hash_node {
    const struct hash_node *next;
    uint64_t key, value, rest[5];
};

/* An item is a look-up of a key that is there. */
struct hash {
    struct kernel_plan plan;
    const struct hash_node **chains;
    unsigned chain_shift;
    uint32_t *keys;
    uint64_t sum;
};

static inline uint32_t hash_chain(const struct hash *hash, uint32_t key)
{
    return key * CHAIN_FACTOR >> hash->chain_shift;
}

static void *hash_make(const struct kernel_plan *plan)
{
    struct hash *hash = program_allocate(1, sizeof *hash);
    const size_t count = kernel_line_count(plan);
    struct hash_node *nodes = kernel_lines(count);
    uint64_t random = 3;
    hash->plan = *plan;
    hash->chain_shift = 32 - (unsigned)__builtin_ctzll(count / NODES_PER_CHAIN);
    hash->chains = program_allocate(count / NODES_PER_CHAIN, sizeof *hash->chains);
    hash->keys = program_allocate(plan->items + plan->ahead + 1, sizeof *hash->keys);
    for (size_t i = 0; i < count; i++) {
        const uint32_t key = (uint32_t)i * KEY_FACTOR, chain = hash_chain(hash, key);
        nodes[i].key = key;
        nodes[i].value = i;
        nodes[i].next = hash->chains[chain];
        hash->chains[chain] = &nodes[i];
    }
    for (size_t i = 0; i < plan->items + plan->ahead; i++) {
        hash->keys[i] = program_random_below(&random, (uint32_t)count) * KEY_FACTOR;
    }
    return hash;
}

static void hash_work(void *data, size_t begin, size_t end)
{
    struct hash *hash = data;
    const uint32_t *keys = hash->keys;
    const unsigned work = hash->plan.work;
    uint64_t sum = hash->sum;
    for (size_t j = begin; j < end; j++) {
        const struct hash_node *node = hash->chains[hash_chain(hash, keys[j])];
        while (node->key != keys[j]) {
            node = node->next;
        }
        sum = kernel_compute(sum, node->value, work);
    }
    hash->sum = sum;
}

/* Further nodes of a chain are not known without waiting for the first. */
static void hash_work_inline(void *data, size_t begin, size_t end)
{
    struct hash *hash = data;
    const uint32_t *keys = hash->keys, *ahead = keys + hash->plan.ahead;
    const unsigned work = hash->plan.work;
    uint64_t sum = hash->sum;
    for (size_t j = begin; j < end; j++) {
        kernel_prefetch(hash->chains[hash_chain(hash, ahead[j])]);
        const struct hash_node *node = hash->chains[hash_chain(hash, keys[j])];
        while (node->key != keys[j]) {
            node = node->next;
        }
        sum = kernel_compute(sum, node->value, work);
    }
    hash->sum = sum;
}

/* Several chains at once: a chain's nodes must be waited for one after the other, but chains need not.  So
 * nodes are touched before any of them is looked at, and no branch depends on one. */
static void hash_help(void *data, const struct spr_ahead *ahead)
{
    static const struct hash_node none = {.next = &none, .key = UINT64_MAX};
    const struct hash *hash = data;
    for (size_t j = ahead->begin; j < ahead->end; j += CHAINS_AT_ONCE) {
        const struct hash_node *nodes[CHAINS_AT_ONCE];
        const uint32_t *keys = hash->keys + j;
        const size_t left = ahead->end - j;
        const unsigned count = left < CHAINS_AT_ONCE ? (unsigned)left : CHAINS_AT_ONCE;
        uintptr_t others = 1;
        for (unsigned i = 0; i < count; i++) {
            nodes[i] = hash->chains[hash_chain(hash, keys[i])];
            kernel_touch(nodes[i], hash->plan.loads);
        }
        while (others != 0) {
            others = 0;
            for (unsigned i = 0; i < count; i++) {
                const uintptr_t next = (uintptr_t)nodes[i]->next;
                const uintptr_t found = -(uintptr_t)(nodes[i]->key == keys[i]);
                const uintptr_t node = (next & ~found) | ((uintptr_t)&none & found);
                others |= node ^ (uintptr_t)&none;
                nodes[i] = (const struct hash_node *)node;
            }
            for (unsigned i = 0; i < count; i++) {
                kernel_touch(nodes[i], hash->plan.loads);
            }
        }
    }
}

static uint64_t hash_digest(const void *data)
{
    return ((const struct hash *)data)->sum;
}

const struct kernel kernel_hash = {.name = "hash",
                                   .what = "look-ups in a hash table with chains",
                                   .make = hash_make,
                                   .work = hash_work,
                                   .work_inline = hash_work_inline,
                                   .help = hash_help,
                                   .digest = hash_digest};
