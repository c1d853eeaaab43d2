/* Counters at the heads of loops: what they counted, and which loops became hot.
 *
 * A head's counter comes into being when an exit that the placement policy chose
 * is taken for the first time while its target is in the cache.  From then on
 * every execution of the head is counted, whatever way control comes there:
 * hardware and software count the same.  Each kind of counter is a file of its own. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_COUNT_H
#define STRATA_TRANSLATOR_FRAGMENT_COUNT_H

#include "translator/fragment/fragment.h"
#include "translator/fragment/ledger.h"
#include "translator/fragment/paper_slot.h"

enum counters {
#define COUNTERS(id, name) COUNTERS_##id,
#include "translator/fragment/counters.def"
#undef COUNTERS
};

#define LOOPS (1u << 16)
#define LOOP_BUCKETS (1u << 16)

/* A head that has or had a counter, by its address in the program. */
struct loop {
    guest_addr head;
    uint64_t executions;       /* counted by counters that are gone */
    uint64_t executions_alone; /* of all, before other blocks of its procedure were counted, too */
    struct fragment *fragment; /* with a counter now, or NULL */
    uint8_t *code;             /* of that counter, if it is software */
    uint64_t threshold;        /* that the counter began with */
    struct loop *next;         /* in the same bucket */
    struct loop *next_tag;     /* hardware: the next with the same hash of its tag */
    struct exit *maker;        /* hardware: the only exit that makes its counter, or NULL */
    struct exit reached;       /* what software leaves through at the threshold */
    bool hot;                  /* all its counters together reached the threshold */
    bool made;                 /* hardware: made by the translator itself, not by `maker` */
    uint32_t waits;            /* hardware: in the list counts->waiting, */
    struct loop *next_waiting; /* where this is the next one, */
    uint64_t gone;             /* for what its evicted counters had counted */
    bool evicted;              /* hardware: a counter went with a count that nobody read */
    bool removed;              /* `sw`: counts no longer, or not yet, in this fragment */
    bool profiled;             /* its path is known, or never will be */
    bool traced;               /* its fragment leads to a trace of that path */
    bool optimized;            /* passes have gone over that, or found nothing to do */
    bool few_turns;            /* it is left after few of them in the mean */
    bool hidden;               /* it is no loop, only where traces are left to */
    uint64_t unseen;           /* executions while it was hidden */
    struct passage *passages;  /* hardware: where else it is counted */
    uint64_t patience;         /* executions that it waits if it cannot be recorded yet */
    struct ledger *ledger;     /* of the trace that it has now, or NULL */
    uint64_t trial;            /* executions of its trace until that is looked at again */
    struct trial *versions;    /* traces that it has now, or NULL */
    unsigned tries;            /* traces of it that did not pay, and were not known to */
    unsigned made_traces;      /* how many it had, */
    unsigned undone_traces;    /* how often one did not pay and was taken away, */
    unsigned again;            /* and how often it was led to one again that it had left */
    unsigned effort;           /* that went into its last path */
    struct account account;    /* of traces that are gone, and what all have cost */
    struct shares shares;      /* of traces that are gone */
    bool passed;               /* it was executed in traces, where nothing counted it */
    uint32_t needs;            /* executions that --threshold float asked for last */
};

/* The code of a software counter, and whose it is; NULL if the counter has gone. */
struct placed {
    const uint8_t *code;
    struct loop *loop;
};

struct count_totals {
    uint64_t created;    /* counters, each time that a head gets one */
    uint64_t dropped;    /* with their fragments, while they counted */
    uint64_t callbacks;  /* thresholds reached */
    uint64_t collisions; /* of the paper: slots taken from another head */
    uint64_t evicted;    /* hw: counters that the table no longer has */
    uint64_t rearmed;    /* hw: of their loops, those that get another one when taken */
    uint64_t unplaced;   /* not made: no room for its code, or too far away */
    uint64_t overflows;  /* not made: no more heads can be remembered */
};

/* What a loop's counters have counted. */
struct reading {
    uint64_t executions; /* of the loop, with those of counters that are gone */
    bool made;           /* hardware: there is a counter, or was one that is not closed yet */
    bool evicted;        /* hardware: it is gone */
    bool partial;        /* the loop was executed more often, or may have been */
};

/* What a kind of counter does; one of these is in each of hw_counter.c, sw_counter.c, paper_counter.c,
 * taken_counter.c. */
struct counter_kind {
    /* Gives `fragment` a counter at once, if it has none and can have one. */
    void (*make)(struct translator *translator, struct fragment *fragment);
    /* Links an exit whose target shall have a counter, or lets it wait; or leaves it as it is: then it comes
     * through dispatch when it is taken, which makes the counter. */
    void (*link)(struct translator *translator, struct exit *exit);
    /* An exit whose target shall have a counter was taken and came to dispatch; `to` is its target. */
    void (*taken)(struct translator *translator, struct exit *exit, struct fragment *to);
    struct reading (*read)(const struct translator *translator, const struct loop *loop);
    /* The loop's fragment goes: its counter is dropped, its count kept. */
    void (*drop)(struct translator *translator, struct loop *loop);
    /* The exit's own fragment goes.  NULL where exits have nothing that counts. */
    void (*drop_exit)(struct translator *translator, const struct exit *exit);
    /* The counter reached the threshold, and left through loop->reached.  Returns where the program goes on,
     * so that this execution is counted once. */
    const uint8_t *(*reached)(struct translator *translator, struct loop *loop);
    /* The counter reached the threshold, but has gone before the program came to dispatch. */
    void (*reached_late)(struct translator *translator, struct loop *loop);
    /* For the optimizer; NULL where it does not go with the kind.  With it `reached` counts the execution that the
     * counter reached its threshold with, though that has not happened yet; and then the counter reaches its threshold
     * again after so many `executions`, or never again. */
    void (*again)(struct translator *translator, struct loop *loop, uint64_t executions);
    void (*calm)(struct translator *translator, struct loop *loop);
    /* That execution will be counted again. */
    void (*uncount)(struct translator *translator, struct loop *loop);
    /* A trace passes the loop's head.  NULL where that is not counted. */
    void (*pass)(struct translator *translator, struct loop *loop, struct passage *passage);
    /* All that leads to the loop's head leads to `trace`, or to its own fragment if that is NULL, and what is executed
     * there is counted.  False if it is out of reach. */
    bool (*lead)(struct translator *translator, struct loop *loop, struct fragment *trace);
};

struct counts {
    const struct counter_kind *kind;   /* whose functions are called: those of the chosen one, */
    const struct counter_kind *chosen; /* unless something stands before them (detect/limits.c) */
    struct count_totals totals;        /* of what is over; count_get_totals adds the rest */
    struct {
        const struct loop *loop; /* whose count is on its way from a counter to the loop, or NULL */
        uint64_t executions;     /* that it has, wherever they are now */
    } settling;
    unsigned loop_count;
    unsigned placed_count;
    struct loop *waiting; /* loops whose counters were evicted, until a thread has the lock */
    struct loop *buckets[LOOP_BUCKETS];
    struct loop *tags[LOOP_BUCKETS];
    struct paper_slot slots[PAPER_SLOTS];
    struct loop loops[LOOPS];
    struct placed placed[LOOPS]; /* software counters, by the address of their code */
};

/* Chooses the kind of counters, when the translator knows what the machine has. */
void count_start(struct translator *translator);

/* A fragment has been built, and the policy wants a counter at each. */
void count_built(struct translator *translator, struct fragment *fragment);
/* An exit that counts has been taken and came to dispatch. */
void count_taken(struct translator *translator, struct exit *exit, struct fragment *to);
/* The program called `to` through a register, and it was in the cache. */
void count_called(struct translator *translator, struct fragment *to);
/* An exit to `to`, which may make its counter, is about to lead elsewhere. */
void count_unlink(struct fragment *to, struct exit *exit);
/* `fragment` goes: its counter is dropped, its count kept. */
void count_drop(struct translator *translator, const struct fragment *fragment);
/* All fragments go: their counters are dropped, their counts kept. */
void count_flush(struct translator *translator);
/* The software counter of `fragment` reached the threshold; returns where the program goes on. */
const uint8_t *count_reached(struct translator *translator, struct fragment *fragment);
/* The software counter of `head` reached the threshold, but has gone: another thread emptied the cache. */
void count_reached_late(struct translator *translator, guest_addr head);

/* For the kinds of counters. */

/* Links an exit to a head that has its counter. */
void count_link(struct translator *translator, struct exit *exit);
/* The exit's target gets its counter now, and the exit leads there. */
void count_make_when_taken(struct translator *translator, struct exit *exit, struct fragment *to);
/* The record of `head`, which is made if there is none; NULL if there are too many: it is never counted. */
struct loop *count_get_loop(struct counts *counts, guest_addr head);
/* The beginning of `fragment` gets a counter for the optimizer only, if it has none. */
void count_grown(struct translator *translator, struct fragment *fragment);
/* A trace passes the head of the loop. */
void count_passed(struct translator *translator, struct loop *loop, struct passage *passage);
/* Whether `head` has been counted, be it for the optimizer only. */
bool count_knows(struct counts *counts, guest_addr head);
/* The placement policy wants the loop to be counted, from now on if it was hidden. */
void count_show(struct translator *translator, struct loop *loop);
/* Connects the record of fragment's head with it; false if there is none. */
bool count_attach(struct counts *counts, struct fragment *fragment);
void count_detach(struct loop *loop);
/* What the loop's counter has counted becomes the loop's, since the counter goes; count_settled, when it has
 * gone.  In between, report_last_words may want to know what was counted. */
void count_settle(struct counts *counts, struct loop *loop, uint64_t executions);
void count_settled(struct counts *counts);
/* Whether the optimizer wants to know the loop's path, if it is hot; and whether it wants to have the loop now: for that,
 * or to look at its trace. */
bool count_may_want_path(const struct translator *translator, const struct loop *loop);
bool count_wants_path(const struct translator *translator, const struct loop *loop);
/* Executions until the loop is hot, or wanted by the optimizer; 0 if it never will be. */
uint64_t count_threshold(const struct translator *translator, const struct loop *loop);
/* Again after a handler that came in between, or, with `sw-paper`, from 0 on. */
void count_note_hot(struct counts *counts, struct loop *loop);
/* How often `amount` was added to get `sum`, from 0 on and modulo 2^64. */
uint64_t count_additions(uint64_t sum, uint64_t amount);
extern const struct counter_kind hw_counter, sw_counter, paper_counter, taken_counter;
/* The processor calls it at the threshold, with the tag of the counter.  The program goes on where it is, unless the
 * optimizer wants to have the loop: then it leaves through context->hot. */
void hw_counter_callback(struct context *context, const uint8_t *tag);
/* With --evicted again: the processor calls it when the counter with the tag has been evicted.  The exit that made it makes
 * another one when it is taken next, with what is left of the threshold. */
void hw_counter_evicted(struct context *context, const uint8_t *tag);
/* Does that for loops whose eviction was told to threads that did not have the lock. */
void hw_counter_catch_up(struct translator *translator);
/* An execution was counted that has not happened: other threads may count in the same place. */
void sw_counter_take_back(const struct translator *translator, const struct loop *loop);
void paper_counter_take_back(const struct translator *translator, const struct loop *loop);
/* What the slot of the loop's head has, if it is the head's at the moment. */
struct reading paper_counter_read(const struct translator *translator, const struct loop *loop);
/* How far code that counts one execution in a slot has come. */
enum paper_progress {
    PAPER_BEGUN,
    PAPER_RESET_NOTED, /* the slot is another head's, and slot->resets says so */
    PAPER_SLOT_TAKEN,  /* the slot is the head's */
    PAPER_COUNTED,
};
/* Does what is left of it: the execution has been counted once then. */
void paper_counter_finish(const struct translator *translator, struct loop *loop,
                          enum paper_progress progress);
/* How often a slot was taken from another head. */
uint64_t paper_counter_collisions(const struct counts *counts);

/* For statistics.  A loop's executions are those that were counted.  Where `partial`
 * is set they are what is certain, and it was executed no less often: hardware evicted
 * a counter of it, `sw` stopped at the threshold, or a slot of `sw-paper` changed hands. */
struct loop_counts {
    guest_addr head;
    uint64_t executions;
    bool hot, evicted, partial;
};
void count_each(const struct translator *translator,
                void (*visit)(void *argument, const struct loop_counts *counts), void *argument);
struct count_totals count_get_totals(const struct translator *translator);

#endif
