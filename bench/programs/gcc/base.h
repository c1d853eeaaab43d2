/* Memory, growing lists and bit sets that all parts of the compiler share. */
#ifndef GCC_BASE_H
#define GCC_BASE_H

#include <stdbool.h>

#include "program.h"

struct chunk;

struct arena {
    struct chunk *chunks;
    char *next;
    char *limit;
    size_t total;
};

/* Zeroed, aligned for everything that the compiler keeps. */
void *arena_take(struct arena *arena, size_t bytes);
void *arena_array(struct arena *arena, int count, size_t bytes);
char *arena_copy_text(struct arena *arena, const char *text, int length);
void arena_release(struct arena *arena);

#define LIST_OF(type)                                                                              \
    struct {                                                                                       \
        type *items;                                                                               \
        int count;                                                                                 \
        int capacity;                                                                              \
    }

void *list_grow(struct arena *arena, void *items, int *capacity, size_t bytes);

#define list_push(arena, list, item)                                                               \
    do {                                                                                           \
        if ((list)->count == (list)->capacity) {                                                   \
            (list)->items =                                                                        \
                list_grow(arena, (list)->items, &(list)->capacity, sizeof *(list)->items);         \
        }                                                                                          \
        (list)->items[(list)->count++] = (item);                                                   \
    } while (0)

struct bitset {
    uint64_t *words;
    int word_count;
};

struct bitset bitset_make(struct arena *arena, int bits);
void bitset_clear(struct bitset *set);
void bitset_copy(struct bitset *to, const struct bitset *from);
/* Says whether the target grew. */
bool bitset_unite(struct bitset *to, const struct bitset *from);
/* to = use | (from & ~defined): the transfer function of a backward problem. */
bool bitset_transfer(struct bitset *to, const struct bitset *use, const struct bitset *from,
                     const struct bitset *defined);
int bitset_count(const struct bitset *set);
/* The first member from `from` on, or -1. */
int bitset_next(const struct bitset *set, int from);

static inline bool bitset_has(const struct bitset *set, int bit)
{
    return (set->words[bit >> 6] >> (bit & 63) & 1) != 0;
}

static inline void bitset_add(struct bitset *set, int bit)
{
    set->words[bit >> 6] |= UINT64_C(1) << (bit & 63);
}

static inline void bitset_remove(struct bitset *set, int bit)
{
    set->words[bit >> 6] &= ~(UINT64_C(1) << (bit & 63));
}

/* Two's complement arithmetic without undefined behaviour. */
static inline int wrap(int64_t value)
{
    return (int)(int32_t)(uint32_t)(uint64_t)value;
}

#endif
