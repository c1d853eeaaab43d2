/* What hardware that finds hot spots has found, until the program hears of it.
 *
 * A find waits until its head is about to be executed: the program is called there, where a translator can leave its
 * cache, and reads the find with hot.read.  Only the units that find hot spots hold one of these. */
#ifndef STRATA_MACHINE_UNITS_FINDS_H
#define STRATA_MACHINE_UNITS_FINDS_H

#include "machine/engine/unit.h"

/* Blocks of one find, and finds that wait at the same time: more take the place of those that have waited longest. */
#define FIND_BLOCKS 64
#define FINDS_WAITING 16
/* Addresses that hot.watch has named, of which the hardware remembers the last ones. */
#define FINDS_NAMED 64

/* Finds that the hardware remembers to have told of, by a digest of each: what is found again is no news. */
#define FINDS_TOLD 1024
#define TELL_AGAIN 2 /* no digest is even */

/* Finds that statistics list: of a long run there may be a million. */
#define FINDS_LISTED 1000

/* A way through the program: where its blocks begin, the head first, and where the last one leads; 0 if that is not
 * known.  With one block it is a head alone, whose way the program has to find out itself. */
struct find {
    unsigned count;
    uint64_t next;
    uint64_t blocks[FIND_BLOCKS];
};

struct finds {
    struct unit unit; /* comes first: they are a unit's, which goes on behind them */
    struct find waiting[FINDS_WAITING];
    bool raised[FINDS_WAITING]; /* whether its callback is under way already */
    unsigned count;             /* of those that wait, the first of them longest */
    struct find current;        /* what hot.read reads */
    uint64_t named[FINDS_NAMED];
    unsigned named_count, named_next;
    uint32_t told_digests
        [FINDS_TOLD];   /* by the head; 0: none; TELL_AGAIN: the program had no time for it */
    uint64_t low, high; /* the range of the orders as they were last looked at */
    uint64_t found, told, lost, repeated;
    struct found_path *log; /* what was found first, for statistics only */
    size_t log_count, log_capacity;
};

void finds_start(struct finds *finds);
void finds_release(struct finds *finds);

/* Whether the hardware may look for what begins at `head`: anything, unless the program names the places. */
bool finds_wants(const struct finds *finds, uint64_t head);

/* Whether what begins at `head` is found now, if it has been executed so often and is hot at the threshold.  The program may
 * have had no time for it when it was told (hot.watch): then it is found again whenever the number is a power of two. */
bool finds_is_due(const struct finds *finds, uint64_t head, uint64_t executions,
                  uint64_t threshold);
/* `event` made it clear that this is hot. */
void finds_add(struct finds *finds, const struct watch_event *event, const struct find *find);
/* The program goes on at `address`, by the branch of the event; calls it if a find begins there.  While another callback
 * runs or waits the find goes on waiting: control would be elsewhere by the time that its own could begin. */
void finds_arrive(struct finds *finds, const struct watch_event *event, uint64_t address);
/* For unit_kind, of a unit that begins with its finds: callback_begins, whose argument is the head; found; and told. */
void finds_callback_begins(struct unit *unit, uint64_t head);
uint64_t finds_word(const struct unit *unit, uint64_t number);
void finds_name(struct unit *unit, uint64_t address);
/* `ordered` of the unit: what was told is news again, since other code may stand there.  True if another range of code is looked at from now on: no path from before goes on there. */
bool finds_ordered(struct finds *finds);
/* What it takes to keep finds of at most so many blocks, those that wait and the one that is read, and the addresses
 * that the program names. */
uint64_t finds_storage_bits(unsigned blocks);
uint64_t finds_comparators(void);
/* "found", "told", "lost" and "repeated", and "finds": of the first ones each path with its head, the number of its blocks
 * and their addresses, where it leads, and the number of the instruction at which it was found; and "finds_left_out". */
void finds_report(const struct finds *finds, struct statistics *statistics);

/* Into an object: "head", "blocks", "next" and "path", as in that list. */
void finds_report_path(struct statistics *statistics, const uint64_t *blocks, unsigned count,
                       uint64_t next);

#endif
