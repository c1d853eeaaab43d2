/* Counters at the heads of loops: what they counted, and which loops became hot.
 *
 * A head's counter comes into being when an exit that the placement policy chose
 * is taken for the first time while its target is in the cache.  From then on
 * every execution of the head is counted, whatever way control comes there:
 * hardware and software count the same. */
#ifndef STRATA_TRANSLATOR_COUNT_H
#define STRATA_TRANSLATOR_COUNT_H

/* The table of the paper's software counters; rv64/callback.S knows it, too. */
#define SLOT_BITS 12
#define SLOT_SHIFT 5 /* bytes of a slot, as a power of two */
#define SLOT_HEAD 8

#ifndef __ASSEMBLER__

#include "translator/fragment/fragment.h"

enum counters {
#define COUNTERS(id, name) COUNTERS_##id,
#include "translator/fragment/counters.def"
#undef COUNTERS
};

#define LOOPS 16384
#define LOOP_BUCKETS 4096

/* A head that has or had a counter, by its address in the program. */
struct loop {
    guest_addr head;
    uint64_t executions;       /* counted by counters that are gone */
    struct fragment *fragment; /* with a counter now, or NULL */
    uint8_t *code;             /* of that counter, if it is software */
    uint64_t threshold;        /* that it began with */
    struct loop *next;         /* in the same bucket */
    struct loop *next_tag;     /* hardware: the next with the same hash of its tag */
    struct exit *maker;        /* hardware: the only exit that makes its counter, or NULL */
    struct exit reached;       /* what software leaves through at the threshold */
    bool hot;                  /* all its counters together reached the threshold */
    bool made;                 /* hardware: made by the translator itself, not by `maker` */
    bool evicted;              /* hardware: a counter went with a count that nobody read */
    bool removed;              /* `sw`: counts no longer in this fragment */
};

struct slot {
    uint64_t resets; /* each adds the slot's own address: one instruction does it */
    guest_addr head; /* 0 while empty */
    uint64_t count;
    const void *callback;
};
#define SLOTS (1 << SLOT_BITS)
_Static_assert(sizeof(struct slot) == 1 << SLOT_SHIFT && offsetof(struct slot, head) == SLOT_HEAD,
               "assembly depends on it");

static inline size_t count_slot(guest_addr head)
{
    return head / 2 % SLOTS;
}

struct count_totals {
    uint64_t created;    /* counters, each time that a head gets one */
    uint64_t dropped;    /* by a flush, while they counted */
    uint64_t callbacks;  /* thresholds reached */
    uint64_t collisions; /* sw-paper: slots taken from another head */
    uint64_t evicted;    /* hw: counters that the table no longer has */
    uint64_t unplaced;   /* not made: no room for its code, or too far away */
    uint64_t overflows;  /* not made: no more heads can be remembered */
};

struct counts {
    struct count_totals totals; /* of what is over; count_get_totals adds the rest */
    unsigned loop_count;
    const uint8_t *written; /* counter code that build.c makes visible as something else */
    struct loop loops[LOOPS];
    unsigned placed_count;
    const struct loop *placed[LOOPS]; /* with software counters now, by the address of their code */
    struct loop *buckets[LOOP_BUCKETS];
    struct loop *tags[LOOP_BUCKETS];
    struct slot slots[SLOTS];
};

struct translator;

/* How much memory the cache needs behind its own, where software counters count. */
size_t count_cache_bytes(size_t cache_bytes);

/* When the translator knows what the machine has. */
void count_start(struct translator *translator);

/* A fragment has been built; called if translator->notice_built. */
__attribute__((noinline)) void count_built(struct translator *translator,
                                           struct fragment *fragment);
/* Links an exit whose target shall have a counter.  Returns false if it must
 * come through dispatch first, when it is taken. */
bool count_link(struct translator *translator, struct exit *exit, struct fragment *to);
/* Such an exit has been taken and came to dispatch. */
void count_taken(struct translator *translator, struct exit *exit, struct fragment *to);
/* The program called `to` through a register, and it was in the cache. */
void count_called(struct translator *translator, struct fragment *to);
/* An exit to `to`, which may make its counter, is about to lead elsewhere. */
void count_unlink(struct fragment *to, struct exit *exit);
/* `fragment` goes: its counter is dropped, its count kept. */
void count_drop(struct translator *translator, const struct fragment *fragment);
/* All fragments go: their counters are dropped, their counts kept. */
void count_flush(struct translator *translator);

/* A counter reached the threshold: software's, through its exit; returns where
 * the program goes on, so that it is counted once. */
const uint8_t *count_reached(struct translator *translator, struct fragment *fragment);
/* The same for hardware, called as a callback. */
void count_callback(struct context *context, const uint8_t *tag);

/* Executions until the loop is hot; 0 if it is, or never will be. */
uint64_t count_threshold(const struct translator *translator, const struct loop *loop);

/* The loop whose software counter `code` belongs to, or NULL. */
const struct loop *count_find_code(const struct translator *translator, const uint8_t *code);

/* For statistics.  A loop's executions are those that were counted: with `sw` no
 * more than the threshold.  If hardware evicted a counter of it, they are what
 * is known: it was executed no less often. */
struct loop_counts {
    guest_addr head;
    uint64_t executions;
    bool hot, evicted;
};
void count_each(const struct translator *translator,
                void (*visit)(void *argument, const struct loop_counts *counts), void *argument);
struct count_totals count_get_totals(const struct translator *translator);

#endif
#endif
