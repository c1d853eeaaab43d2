/* Fragments of the program in the cache, and the ways out of them. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_H
#define STRATA_TRANSLATOR_FRAGMENT_H

#include "translator/fragment/context.h"

#include <stdbool.h>

enum exit_kind {
    EXIT_DIRECT,       /* to `target`, which is known */
    EXIT_INDIRECT,     /* to context->target: a lookup failed */
    EXIT_CODE_CHANGED, /* the program said so: what has is translated anew */
    EXIT_RESUME,       /* to context->target: after a signal */
    EXIT_SYSTEM_CALL,  /* the program's system call, then on to `target` */
    EXIT_HOT,          /* the counter of `target` reached its threshold */
};

/* One way out of a fragment.  The jump at `site` goes either to this exit's own
 * trampoline or straight into `to`; never anywhere else. */
struct exit {
    enum exit_kind kind;
    uint8_t lookup;      /* of EXIT_INDIRECT: the kind of the lookup that failed */
    bool counts;         /* its target shall get a counter when it is taken */
    guest_addr target;   /* where the program goes on */
    uint8_t *site;       /* the jump to patch, if it is ever linked */
    uint8_t *trampoline; /* where it goes while unlinked; the way to a target that is too far */
    uint8_t *branch;     /* a conditional branch that leads to `site`, or NULL */
    struct fragment *to; /* NULL while unlinked */
    struct exit *next;   /* the next exit that waits for, or is linked to, the same fragment */
    uint8_t *counter;    /* a trampoline that makes a counter, in `trampoline`'s place; or NULL */
};

/* A branch in the middle of a fragment, whose exit follows behind its end. */
struct side {
    uint8_t *branch;
    guest_addr from, target;
    unsigned held; /* as in a mark (state.h): the exit gives it back first */
};
#define FRAGMENT_SIDES 16

/* Straight code is cut here, so that one fragment always fits an empty chunk. */
#define FRAGMENT_INSTRUCTIONS 128

struct fragment {
    guest_addr start;
    uint8_t *entry;   /* for jumps from other fragments, with all registers the program's */
    uint8_t *landing; /* where those jumps go: the entry, or a counter in front of it */
    uint8_t
        *code; /* where all of it begins, with what checks the target of a lookup, if anything */
    const uint8_t *check[LOOKUP_KINDS]; /* what does that for lookups of each kind, or NULL */
    uint8_t *end;
    struct exit *incoming;
    struct loop *loop;     /* of its counter, or NULL */
    struct fragment *next; /* in the same bucket */
};

#endif
