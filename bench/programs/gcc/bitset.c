/* Sets of small numbers, one bit each: live values, interferences, visited blocks. */
#include "base.h"

struct bitset bitset_make(struct arena *arena, int bits)
{
    struct bitset set;
    set.word_count = (bits + 63) / 64;
    set.words = arena_array(arena, set.word_count, sizeof *set.words);
    return set;
}

void bitset_clear(struct bitset *set)
{
    for (int i = 0; i < set->word_count; i++) {
        set->words[i] = 0;
    }
}

void bitset_copy(struct bitset *to, const struct bitset *from)
{
    for (int i = 0; i < to->word_count; i++) {
        to->words[i] = from->words[i];
    }
}

bool bitset_unite(struct bitset *to, const struct bitset *from)
{
    uint64_t grown = 0;
    for (int i = 0; i < to->word_count; i++) {
        grown |= from->words[i] & ~to->words[i];
        to->words[i] |= from->words[i];
    }
    return grown != 0;
}

bool bitset_transfer(struct bitset *to, const struct bitset *use, const struct bitset *from,
                     const struct bitset *defined)
{
    uint64_t changed = 0;
    for (int i = 0; i < to->word_count; i++) {
        uint64_t word = use->words[i] | (from->words[i] & ~defined->words[i]);
        changed |= word ^ to->words[i];
        to->words[i] = word;
    }
    return changed != 0;
}

int bitset_count(const struct bitset *set)
{
    int count = 0;
    for (int i = 0; i < set->word_count; i++) {
        for (uint64_t word = set->words[i]; word != 0; word &= word - 1) {
            count++;
        }
    }
    return count;
}

int bitset_next(const struct bitset *set, int from)
{
    int index = from >> 6;
    if (index >= set->word_count) {
        return -1;
    }
    uint64_t word = set->words[index] & (~UINT64_C(0) << (from & 63));
    while (word == 0) {
        if (++index == set->word_count) {
            return -1;
        }
        word = set->words[index];
    }
    return index * 64 + __builtin_ctzll(word);
}
