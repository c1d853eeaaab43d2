/* Which branches always go the same way: the bias tables of rePLay. */
#include "machine/units/frames_bias.h"

#include "machine/units/bits.h"

#include <stdlib.h>

struct bias_entry {
    uint64_t tag;
    uint64_t way;
    uint64_t same; /* times in a row, up to the number that promotes; 0: the entry is free */
    uint64_t used;
};

bool frames_bias_create(struct frames_bias *bias, const struct frames_bias_sizes *sizes)
{
    *bias = (struct frames_bias){.sizes = *sizes};
    bias->entries = calloc(sizes->sets * sizes->ways, sizeof *bias->entries);
    return bias->entries != NULL;
}

void frames_bias_destroy(struct frames_bias *bias)
{
    free(bias->entries);
}

/* The entry of the key, a free one, or that which was not used for longest. */
static struct bias_entry *place_of(const struct frames_bias *bias, uint64_t key)
{
    struct bias_entry *set = &bias->entries[key % bias->sizes.sets * bias->sizes.ways];
    const uint64_t tag = key / bias->sizes.sets;
    struct bias_entry *oldest = set;

    for (uint64_t i = 0; i < bias->sizes.ways; i++) {
        if (set[i].same != 0 && set[i].tag == tag) {
            return &set[i];
        }
        oldest = set[i].used < oldest->used ? &set[i] : oldest;
    }
    return oldest;
}

bool frames_bias_branch(struct frames_bias *bias, uint64_t key, uint64_t way)
{
    const uint64_t promote = bias->sizes.promote, tag = key / bias->sizes.sets;
    struct bias_entry *entry = place_of(bias, key);
    const bool promoted = entry->same == promote;

    entry->used = ++bias->time;
    if (promoted && entry->tag == tag && entry->way == way) {
        return true;
    }
    if (entry->same == 0 || entry->tag != tag || entry->way != way) {
        bias->counts.lost += promoted && entry->tag != tag;
        bias->counts.demoted += promoted && entry->tag == tag;
        entry->tag = tag;
        entry->way = way;
        entry->same = 0;
    }
    bias->counts.promoted += ++entry->same == promote;
    return false;
}

/* An entry has its tag, the way, the number of times, and its place in the order of use.  A look-up compares the tags
 * of one set, then the way, and the number with the one that promotes. */
struct unit_cost frames_bias_cost(const struct frames_bias *bias)
{
    const struct frames_bias_sizes *sizes = &bias->sizes;
    const uint64_t entry_bits = HALFWORD_BITS + sizes->history_bits - bits_for(sizes->sets - 1) +
                                sizes->way_bits + bits_for(sizes->promote) +
                                bits_for(sizes->ways - 1);

    return (struct unit_cost){.storage_bits = sizes->sets * sizes->ways * entry_bits,
                              .comparators = sizes->ways + 2,
                              .adders = 1};
}
