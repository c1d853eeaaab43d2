/* What the translator keeps for one thread of the program: its registers, and where emitted code finds things.
 *
 * While code in the cache runs, a register of the target's points here all the time, so that the code can
 * save a register without touching the program's stack.  What emitted code uses stands first. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_CONTEXT_H
#define STRATA_TRANSLATOR_FRAGMENT_CONTEXT_H

#include "target_facts.h"

#include <stddef.h>
#include <stdint.h>

/* Addresses of the program.  Code in the cache is a pointer: the compiler then rejects the confusion. */
typedef uint64_t guest_addr;

struct translator;
struct exit;
struct signals;
struct paper_slot;
struct recording;
struct guard_site;
struct arrival;

struct context {
    struct target_registers registers; /* the program's, while it is not in the cache */
    const void *leave;                 /* where trampolines go, to call dispatch */
    void *stack_top;                   /* the translator's own stack */
    guest_addr target; /* of the lookup that failed; in dispatch, where the program goes on */
    uint64_t spare[TARGET_SPARE_WORDS]; /* for registers that emitted code needs for a moment */
    uint32_t pending; /* 1 while a signal waits until the translator leaves for the program */
    struct signals *signals;
    const void *callback;           /* what counters call at their threshold */
    const void *fetch_slot;         /* the routine of `sw-paper` that finds a slot */
    struct paper_slot *slots;       /* the table of `sw-paper` */
    uint64_t threshold;             /* executions that make a loop hot */
    uint64_t builder_cost;          /* instructions that each call of dispatch takes more */
    const void *miss[LOOKUP_KINDS]; /* where lookups of each kind go that fail */
    const struct exit *missed[LOOKUP_KINDS]; /* what lookups of each kind leave through then */
    struct translator *translator;
    struct context *next; /* the next of translator->threads */
    const void *detour;   /* what dispatch goes to instead of a fragment, once, or NULL */
    void *block;          /* the memory that all of the thread's things are in */
    size_t block_bytes;
    uint64_t dispatches; /* not yet among those of translator->statistics */
    uint32_t inside;     /* 1 while the thread is in the cache, or about to be */
    uint32_t borrows;    /* 1 while another process has the context, which borrows the memory */
    uint32_t reading; /* 1 while a fault in the translator is one of reading the program's code */
    uint32_t spoiled; /* 1 if such a fault happened since this was cleared */
    guest_addr unreadable; /* where it happened */
    const struct call
        *call;   /* the system call that the thread makes now, where that matters; or NULL */
    void *words; /* memory that execve needs (execve.c), or NULL */
    size_t words_bytes;
    struct exit *hot; /* of a loop that was found to be hot: what the callback leaves through */
    struct recording *recording; /* the thread's own: which way the program takes (recorder.h) */
    uint64_t scratch;         /* 1 if the translator has a scratch register (target_take_scratch) */
    struct guard_site *guard; /* of a trace, which led elsewhere just now; or NULL */
    struct arrival
        *arrival; /* the thread's own: what hardware has found, and the way out (arrival.h) */
    union target_lookup lookups[]; /* some tables grow from the context downwards instead */
};

#endif
