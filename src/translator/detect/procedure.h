/* Procedures: which blocks of the program one has, how often each was executed, and the traces that cover it. */
#ifndef STRATA_TRANSLATOR_DETECT_PROCEDURE_H
#define STRATA_TRANSLATOR_DETECT_PROCEDURE_H

#include "translator/fragment/optimizer.h"

/* Procedures that can be remembered, by where they begin; of others the blocks belong to the one before. */
#define PROCEDURES 8192
/* Blocks of one procedure that are looked at together.  Of a procedure that has more only those count that are not covered
 * yet, so a few looks cover all of it: a trace does not go from one look's blocks on to those of another. */
#define PROCEDURE_BLOCKS 512

struct procedure {
    guest_addr entry;
    bool counted; /* its blocks have counters */
};

struct procedures {
    unsigned count;
    struct procedure of[PROCEDURES]; /* in the order of their addresses */
};

struct procedure_block {
    struct fragment *fragment;
    uint64_t executions;
    guest_addr
        ways[2]; /* where it goes on in the procedure, 0: nowhere; of a branch, one for each way */
    guest_addr call; /* the procedure that it calls at its end, or 0 */
    unsigned before; /* how many blocks lead to it */
    bool branches, returns;
    bool head;    /* of a loop: what it leads to comes back to it */
    bool covered; /* it is in a trace already, or needs none */
    /* While heads are looked for: how many of its ways have been followed; whether any way has come to it; and whether the
     * way that is followed now leads through it. */
    unsigned followed;
    bool seen, open;
};

struct procedure_blocks {
    guest_addr entry;
    unsigned count;
    struct fragment *fragments[PROCEDURE_BLOCKS];    /* while they are being put in order */
    struct procedure_block *way[PROCEDURE_BLOCKS];   /* that is followed to find heads */
    struct procedure_block blocks[PROCEDURE_BLOCKS]; /* in the order of their addresses */
};

/* The program calls what begins at `entry`. */
void procedures_note(struct procedures *procedures, guest_addr entry);
/* The one that `pc` is in; NULL if none begins before it. */
struct procedure *procedures_find(struct procedures *procedures, guest_addr pc);
/* The fragment of the next block of it that has been executed; the one of the block executed last for NULL, and NULL behind
 * the one of the first. */
struct fragment *procedure_next(const struct translator *translator,
                                const struct procedures *procedures,
                                const struct procedure *procedure, const struct fragment *fragment);
/* The blocks of it that have been executed. */
void procedure_read(struct context *context, const struct procedures *procedures,
                    const struct procedure *procedure, struct procedure_blocks *blocks);
/* Finds out which blocks are heads of loops; their ways are known.  procedure_read does it. */
void procedure_find_heads(struct procedure_blocks *blocks);
/* The next trace that is needed to cover the procedure: from its beginning, or from the block that was executed most often
 * of those that are not covered, along the most frequent fork, to the end, to a block that is covered, or to the head of a
 * loop, where the loop's own trace begins.  NULL if all are covered.  All blocks of it are covered then. */
struct procedure_block *procedure_cover(struct procedure_blocks *blocks, struct path *path);

#endif
