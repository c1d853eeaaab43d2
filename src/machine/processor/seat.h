/* A program's seat at a processor that another process simulates: what the two processes share.
 *
 * Each program runs in a process of its own; the first one's, the lead, also has the pipeline.  The others,
 * the companions, execute when the lead says so, and leave it a record of each instruction.  Only one of the two
 * processes at a time may touch a seat: whose turn it is. */
#ifndef STRATA_MACHINE_PROCESSOR_SEAT_H
#define STRATA_MACHINE_PROCESSOR_SEAT_H

#include "machine/pipeline/alone.h"

#include <sys/types.h>

enum seat_state {
    SEAT_STARTS, /* the program is being loaded */
    SEAT_RUNS,   /* it has more to execute */
    SEAT_WAITS,  /* all its threads wait */
    SEAT_ENDED,
};

enum seat_turn { SEAT_LEAD, SEAT_COMPANION };

struct seat {
    uint32_t turn; /* enum seat_turn; a futex */
    pid_t pid;     /* of the companion; 0: it has ended */
    pid_t parent;  /* what the companion shall see as its parent */

    /* The lead's to write. */
    bool closed;          /* there will be no further turn */
    uint64_t nanoseconds; /* the virtual clock */
    uint64_t cycles;
    uint64_t retired; /* of what the companion has given */
    uint64_t end;     /* the instruction at which the measure ends, or ALONE_NO_END */
    unsigned room;    /* for records */

    /* The companion's to write. */
    enum seat_state state;
    uint64_t deadline; /* if it waits: the next one, in virtual nanoseconds; UINT64_MAX: none */
    bool awaits_host;  /* if it waits: what ends that takes real time */
    int exit_status, exit_signal;
    struct alone_result alone;
    unsigned count; /* of records in this turn */
    struct record records[STREAM_RECORDS];
};

/* In memory that processes share which are forked from now on, with an arena for what the pipeline must know of its
 * instructions (seat_arena).  NULL if there is none. */
struct seat *seat_create(void);
void seat_destroy(struct seat *seat);
void *seat_arena(struct seat *seat, size_t *bytes);

/* Gives the turn to the other process. */
void seat_pass(struct seat *seat, enum seat_turn to);
/* The companion waits for its turn. */
void seat_await_lead(struct seat *seat);
/* The lead waits for its turn.  It is also its turn if the companion's process has ended: its state is then
 * SEAT_ENDED. */
void seat_await_companion(struct seat *seat);
/* The companion's process is about to end: waits for that. */
void seat_reap(struct seat *seat);

#endif
