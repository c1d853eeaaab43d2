/* The pipeline from inside: contexts, instructions in flight, and what the stages share.
 *
 * Instructions come as a stream of what was executed (struct record); the stages say when.  A cycle
 * runs from the end to the beginning: commit, complete, issue, dispatch, fetch. */
#ifndef STRATA_MACHINE_PIPELINE_WINDOW_H
#define STRATA_MACHINE_PIPELINE_WINDOW_H

#include "base/check.h"
#include "machine/pipeline/cache.h"
#include "machine/pipeline/loads.h"
#include "machine/pipeline/pipeline.h"
#include "machine/pipeline/prefetch.h"
#include "machine/engine/unit_set.h"
#include "machine/pipeline/static_insn.h"

#define NO_ENTRY UINT32_MAX
#define NO_CYCLE UINT64_MAX

/* What an instruction may wait for: three registers, and the store that its load reads from. */
#define OPERANDS 4
#define OPERAND_ADDRESS 0
#define OPERAND_MEMORY 3

enum entry_state { ENTRY_WAITS, ENTRY_READY, ENTRY_ISSUED, ENTRY_DONE };

/* An instruction between dispatch and retirement: one line of the host's cache. */
struct entry {
    struct static_insn *insn;
    guest_addr address;
    uint64_t done;       /* the cycle in which its result is there, once it is issued */
    uint64_t translated; /* the cycle from which its address is translated; 0: not asked yet */
    uint32_t links
        [OPERANDS]; /* the next one that waits for the same instruction: entry * OPERANDS + operand */
    uint32_t dependents; /* the first one that waits for this */
    uint32_t next_event; /* in the same cycle of the wheel */
    uint8_t waiting;     /* operands that are not there yet */
    uint8_t state;       /* enum entry_state */
    uint8_t cause;       /* enum cause: what it waits for while it is executed */
    bool mispredicted;   /* fetch waits for it */
    bool forwarded;      /* its data comes from a store */
    bool address_known;  /* of a store */
};
_Static_assert(sizeof(struct entry) == 64, "an entry is a line");

/* Of an entry, for the view of the pipeline alone: cycles. */
struct entry_times {
    uint64_t fetched, dispatched, issued;
};

/* An instruction from its execution to dispatch. */
struct incoming {
    struct record record;
    uint64_t
        awaited; /* the store of another context that it reads from, as in store_seen; 0: none */
    /* Once it is fetched. */
    uint64_t cycle;
    uint8_t outcome; /* enum fetch_outcome */
};

/* What a context has executed and not fetched, and what it has fetched and not dispatched: a ring. */
#define INCOMING (2 * STREAM_RECORDS)

/* A store that has not retired. */
struct pending_store {
    guest_addr address;
    uint32_t id;
    uint32_t bytes;
};

/* Stores in flight by the 16 bytes that they begin and end in: most loads find that there are none. */
#define STORE_FILTER 256

static inline unsigned filter_place(guest_addr address)
{
    return address / 16 % STORE_FILTER;
}

/* A store that has retired, on its way to the cache. */
struct leaving_store {
    guest_addr address;
    uint64_t translated; /* as in struct entry */
    unsigned context;
};

/* The statistics of measured intervals, while others run on: measure.c. */
#define KEPT_CACHES 6
struct kept_statistics {
    struct context_statistics contexts[CONTEXTS_MAX];
    struct pipeline_statistics pipeline;
    struct cache_statistics caches[KEPT_CACHES];
    struct branch_statistics branches;
    uint64_t prefetches_issued, prefetches_dropped;
};

#define EVENT_CYCLES 2048 /* of the wheel: longer waits go around */

/* The last store to eight bytes, of those that contexts were given.  A number is that of the record, of its context,
 * times CONTEXTS_MAX, and the context. */
struct store_seen {
    uint64_t place, number;
};
#define STORES_SEEN 8192 /* one of each hash: a collision forgets the older one */

/* Places in the reorder buffer, the issue queue and the load/store queue. */
struct queue_use {
    unsigned entries, queue, memory;
};

struct context {
    struct incoming *incoming;          /* a ring */
    unsigned stream_head, stream_count; /* executed, not fetched */
    unsigned queue_count;               /* before these: fetched, not dispatched */
    uint64_t given, retired;            /* records */
    uint64_t last_retired; /* the cycle in which an instruction of its thread last did */
    bool active;           /* a thread runs on it */
    uint64_t space;        /* of the program that runs on it, above its addresses */
    uint8_t slice;         /* the number of the one that runs on it; 0: none */
    uint8_t slice_chain;   /* which chain of these it belongs to */
    bool slice_guarded;    /* its guard ends it, maybe where it would start the next one */
    unsigned
        slice_left; /* its instructions that have not retired; a thread's may come behind them */

    uint64_t fetch_from;       /* the cycle from which fetch may go on */
    uint8_t fetch_cause;       /* enum cause: what it waits for until then */
    bool fetch_blocked;        /* by a branch, until it is decoded or executed */
    guest_addr fetch_line;     /* the line that the last instruction came from, plus 1 */
    uint64_t refused_since;    /* the cycle in which a fetch first found no MSHR */
    uint64_t fetch_translated; /* of the next line, as in struct entry */

    unsigned head, count; /* of its entries: a ring of window->ring */
    unsigned unissued;    /* in order: the number of entries that were issued, from the head on */
    uint64_t *ready;      /* bits of entries that may issue */
    unsigned ready_words; /* bits of its words that are not 0 */
    uint64_t *parked;     /* bits of loads that wait for older stores' addresses */
    uint32_t writers[REGISTERS];  /* the last entry that writes a register */
    struct pending_store *stores; /* in order; a ring */
    uint16_t store_filter[STORE_FILTER];
    unsigned store_head, store_count;
    unsigned stores_known; /* how many stores, from the head on, have a known address */
    unsigned in_queues;    /* dispatched and not issued */
    uint64_t alone_until;  /* the cycle in which an instruction that runs alone ends */

    uint64_t chain_values[32]; /* registers that the next slice starts with */

    struct context_statistics statistics;
};

struct pipeline {
    struct parameters parameters;
    struct context *contexts;
    unsigned context_count;
    unsigned ring; /* entries of a context's ring: a power of two */
    unsigned ring_shift, ring_words;
    struct entry *entries;     /* by context */
    struct entry_times *times; /* of each */
    uint64_t now;
    unsigned in_flight, waiting, memory_in_flight; /* entries, unissued ones, loads and stores */
    unsigned queued;                               /* fetched and not dispatched */
    struct queue_use slice_use, slice_limit; /* places that slices use, and may use at the most */
    unsigned slices;                         /* bits of contexts that slices have */
    unsigned turn;                           /* the context that comes first in this cycle */
    unsigned live;                           /* bits of contexts that have something to do */
    unsigned refused;                        /* bits of contexts whose fetch found no free MSHR */
    bool fetch_first;                        /* one of them has waited too long */
    bool busy;                               /* a load found no free MSHR in this cycle */
    bool hungry;                             /* an active context has too few records */

    uint32_t wheel[EVENT_CYCLES];
    uint64_t wheel_used[EVENT_CYCLES / 64];

    uint64_t unit_counts[CLASS_COUNT];
    uint64_t unit_free[CLASS_COUNT][16]; /* the cycle from which each takes another */
    uint8_t unit_next[CLASS_COUNT];      /* those before it are not free in this cycle */
    uint64_t units_until;                /* no unit is busy for longer */

    struct store_seen *seen; /* NULL if there is one context */

    struct leaving_store *leaving; /* a ring */
    unsigned leaving_head, leaving_count, leaving_mask;
    unsigned store_waiters;            /* contexts whose store finds no room in it, */
    uint8_t store_order[CONTEXTS_MAX]; /* in the order in which they came */

    struct static_insns *static_insns;
    struct branch_predictor predictor;
    struct memory_bus bus;
    struct cache l1i, l1d, l2, l3, itlb, dtlb;
    struct prefetcher prefetcher;
    struct unit_set *units;           /* who hears what happens; NULL: nobody */
    unsigned told;                    /* enum watch: what any of them may want to hear */
    unsigned told_always;             /* enum watch: what some want to hear of all instructions */
    struct watch_site *sites;         /* what instructions have of what others want to hear */
    struct loads *loads;              /* NULL unless asked for */
    struct helpers *helpers;          /* NULL unless there may be slices */
    const struct helper_hooks *hooks; /* how they are told; NULL if there are none */
    struct pipeline_statistics statistics;

    bool measuring;                          /* what happens counts */
    uint64_t measure_start, measured_cycles; /* of the interval under way, and of those before it */
    struct kept_statistics kept;
    const struct origins *origins; /* of loads; NULL if they are not asked for */
};

static inline struct entry *entry_of(struct pipeline *pipeline, uint32_t id)
{
    return &pipeline->entries[id];
}

static inline unsigned context_of(const struct pipeline *pipeline, uint32_t id)
{
    return id >> pipeline->ring_shift;
}

/* The entry at a place from the head on. */
static inline uint32_t entry_at(const struct pipeline *pipeline, unsigned context, unsigned place)
{
    const struct context *c = &pipeline->contexts[context];
    return (context << pipeline->ring_shift) + ((c->head + place) & (pipeline->ring - 1));
}

/* The oldest instruction that is fetched and not dispatched. */
static inline struct incoming *first_in_queue(const struct context *context)
{
    return &context->incoming[(context->stream_head - context->queue_count) % INCOMING];
}

/* Programs have addresses of their own, the threads of one share them. */
static inline uint64_t context_address(const struct pipeline *pipeline, unsigned context,
                                       guest_addr address)
{
    return address | pipeline->contexts[context].space;
}

/* Whether just one context has something to do, as it mostly is: then there is nothing to choose. */
static inline bool one_lives(const struct pipeline *pipeline)
{
    return pipeline->live != 0 && (pipeline->live & (pipeline->live - 1)) == 0;
}

/* Contexts, as bits, from one of them on: bit i is context_from(first, i). */
static inline unsigned from_context(const struct pipeline *pipeline, unsigned contexts,
                                    unsigned first)
{
    const unsigned all = (1u << pipeline->context_count) - 1;
    return (contexts >> first | contexts << (pipeline->context_count - first)) & all;
}

static inline unsigned context_from(const struct pipeline *pipeline, unsigned first, unsigned place)
{
    const unsigned number = first + place;
    return number < pipeline->context_count ? number : number - pipeline->context_count;
}

/* Whether the instruction reads what another context has not stored yet: threads are executed one after the
 * other, before it is known when. */
static inline bool awaits_store(const struct pipeline *pipeline, const struct incoming *incoming)
{
    const uint64_t number = incoming->awaited;
    return UNLIKELY(number != 0) &&
           pipeline->contexts[number % CONTEXTS_MAX].retired < number / CONTEXTS_MAX;
}

/* Whether the next instruction to be fetched does. */
static inline bool next_awaits_store(const struct pipeline *pipeline, const struct context *context)
{
    return context->stream_count > 0 &&
           awaits_store(pipeline, &context->incoming[context->stream_head % INCOMING]);
}

/* Those of some contexts, as bits, that come first: threads, if any of them has one and they have precedence from
 * `least` on. */
static inline unsigned with_precedence(const struct pipeline *pipeline, unsigned contexts,
                                       enum slice_precedence least)
{
    const unsigned threads = contexts & ~pipeline->slices;
    return threads != 0 && pipeline->parameters.slices_precedence >= least ? threads : contexts;
}

/* Contexts that have something to do, from the one whose turn it is on: bit i is context_in_turn(i). */
static inline unsigned live_in_turn(const struct pipeline *pipeline)
{
    return from_context(pipeline, pipeline->live, pipeline->turn);
}

static inline unsigned context_in_turn(const struct pipeline *pipeline, unsigned place)
{
    return context_from(pipeline, pipeline->turn, place);
}

static inline void set_bit(uint64_t *words, unsigned bit)
{
    words[bit / 64] |= UINT64_C(1) << bit % 64;
}

static inline void clear_bit(uint64_t *words, unsigned bit)
{
    words[bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

/* Each stage does the work of one cycle and says whether there was any. */
bool commit_stage(struct pipeline *pipeline);
void commit_account(struct pipeline *pipeline, uint64_t cycles);
void commit_take_back(struct pipeline *pipeline);
bool complete_stage(struct pipeline *pipeline);
bool issue_stage(struct pipeline *pipeline);
bool dispatch_stage(struct pipeline *pipeline);
bool fetch_stage(struct pipeline *pipeline);
/* Before the cycle's loads and stores: those whose line found no MSHR. */
bool fetch_again(struct pipeline *pipeline);

/* fetch.c: it is known where the context's fetch goes on. */
void fetch_redirect(struct pipeline *pipeline, struct context *context);
/* Which of some contexts, as bits, comes first by a policy. */
unsigned fetch_choose(const struct pipeline *pipeline, unsigned candidates, uint64_t policy);
/* issue.c: the instruction may issue from now on. */
void issue_make_ready(struct pipeline *pipeline, uint32_t id);
/* A store's address is known. */
void issue_store_known(struct pipeline *pipeline, uint32_t id);
/* complete.c: the instruction's result is there in cycle `done`. */
void complete_at(struct pipeline *pipeline, uint32_t id, uint64_t done);
/* The next cycle in which a result comes; NO_CYCLE if none does. */
uint64_t complete_next(const struct pipeline *pipeline);

#endif
