/* Fragments of the program in the cache, and the ways out of them. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_FRAGMENT_H
#define STRATA_TRANSLATOR_FRAGMENT_FRAGMENT_H

#include "translator/fragment/context.h"

#include <stdbool.h>

enum exit_kind {
    EXIT_DIRECT,       /* to `target`, which is known */
    EXIT_INDIRECT,     /* to context->target: a lookup failed */
    EXIT_CODE_CHANGED, /* the program said so: what has is translated anew */
    EXIT_RESUME,       /* to context->target: after a signal */
    EXIT_SYSTEM_CALL,  /* the program's system call, then on to `target` */
    EXIT_STORE,  /* a store at context->target faulted, to `target`, where code is protected */
    EXIT_HOT,    /* the counter of `target` reached its threshold */
    EXIT_FOUND,  /* hardware found a path that begins at `target` (arrival.h) */
    EXIT_RECORD, /* to `target`, from a fragment that records the way that the program takes */
    EXIT_RECORD_INDIRECT, /* to context->target, from one that records */
    EXIT_DIFFERS, /* to `target`, from a trace that is entered with other registers than it was made for */
    EXIT_NEVER, /* a guard that certainly holds: there is no such way */
};

/* One way out of a fragment.  The jump at `site` goes either to this exit's own trampoline or straight into
 * `to`; never anywhere else. */
struct exit {
    uint8_t kind;            /* enum exit_kind */
    uint8_t lookup;          /* of EXIT_INDIRECT: the kind of the lookup that failed */
    bool counts;             /* its target shall get a counter when it is taken */
    bool dead;               /* its fragment has gone: who finds it in a list takes it out */
    bool grows;              /* it counts for the optimizer only: it leaves a trace */
    guest_addr target;       /* where the program goes on */
    struct target_site site; /* the jump to patch, if it is ever linked */
    struct fragment *to;     /* NULL while unlinked */
    struct exit *next;       /* the next exit that waits for, or is linked to, the same fragment */
};

/* Where a trace passes the head of a loop that is not its own. */
struct passage {
    const uint8_t *tag;
    uint64_t before;      /* that it was passed there, before the head was counted */
    struct passage *next; /* of the same loop */
};

/* What a trace does first that takes registers for constants (passes/specialize.c): it compares them. */
struct entrance {
    struct exit exit; /* EXIT_DIFFERS: one of them holds something else */
    unsigned length;  /* instructions of the comparisons, */
    unsigned saves;   /* and how many fewer each execution of the trace takes because of them */
    uint64_t failed;  /* how often they failed */
};

/* A trace that has the code of a fragment in it. */
struct holder {
    struct fragment *head; /* which leads to the trace */
    const struct fragment *trace;
    struct passage
        passage; /* where the fragment's code begins in the trace; no tag: it is the head */
    struct holder *next;
};

struct fragment {
    guest_addr start;
    uint8_t *entry;   /* for jumps from other fragments, with all registers the program's */
    uint8_t *landing; /* where those jumps go: the entry, or a counter in front of it */
    uint8_t
        *code; /* where all of it begins, with what checks the target of a lookup, if anything */
    uint8_t *end;
    struct exit *exits; /* its ways out */
    uint64_t exit_count;
    struct target_checks checks; /* what leads lookups to it */
    struct exit *incoming;       /* exits that are linked to it */
    struct loop *loop;           /* of its counter, or NULL */
    struct fragment *trace;      /* what the program executes in its place, or NULL */
    struct holder *holders;      /* of its code */
    const struct path *path;     /* of a trace: what it was made of; else NULL */
    const uint8_t *
        hot; /* of a trace that has put registers away: how a callback at its entry leaves; or NULL */
    struct entrance *entrance; /* of a trace that compares registers where it is entered; or NULL */
    struct original *original; /* the code that it was made from, where that is kept; or NULL */
    bool
        guarded; /* that code is compared each time before it is entered, so nothing leads to it but
                   * dispatch */
    uint16_t
        instructions; /* of the program, where the fragment records; of a turn, where passes have gone over a
                            * trace; else 0 */
    struct fragment *next;   /* in the same bucket of the index */
    struct fragment *before; /* the one that was built before it; NULL for the first */
};

/* Where each execution of the code that stands for `fragment` passes: the tag of its counter.  Who goes around in a trace
 * does not pass its landing. */
static inline const uint8_t *fragment_tag(const struct fragment *fragment)
{
    return fragment->trace != NULL ? fragment->trace->entry : fragment->landing;
}

/* Where control enters `fragment` from dispatch or from an indirect jump. */
static inline const uint8_t *fragment_indirect_entry(const struct fragment *fragment)
{
    return fragment->entry - TARGET_INDIRECT_ENTRY_BYTES;
}

#endif
