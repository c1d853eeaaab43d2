/* The pipeline: takes what was executed, context by context, and says in which cycle. */
#ifndef STRATA_MACHINE_PIPELINE_H
#define STRATA_MACHINE_PIPELINE_H

#include "machine/exec/record.h"
#include "machine/pipeline/parameters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct helper_hooks;
struct helpers;
struct loads;
struct origins;
struct pipeline;
struct rv64_insn;
struct unit;
struct unit;
struct unit_host;
struct unit_set;
struct statistics;

/* What keeps an instruction from retiring. */
enum cause {
#define CAUSE(name, meaning) CAUSE_##name,
#include "machine/pipeline/stack.def"
#undef CAUSE
    CAUSE_COUNT
};

/* What an instruction is in the instruction mix. */
enum mix {
#define MIX(name, meaning) MIX_##name,
#include "machine/pipeline/mix.def"
#undef MIX
    MIX_COUNT
};

struct context_statistics {
    uint64_t instructions;        /* retired, of threads */
    uint64_t helper_instructions; /* retired, of slices */
    uint64_t mix[MIX_COUNT + 1];  /* of threads, by what they are; the last: of slices */
    uint64_t slots[CAUSE_COUNT];  /* of commit_width in each cycle */
};

struct pipeline_statistics {
    uint64_t cycles;
    /* Occupied places, summed over cycles. */
    uint64_t occupied_entries, occupied_queue, occupied_memory, occupied_fetch;
    /* Places and contexts that slices occupied, summed over cycles. */
    uint64_t slice_entries, slice_queue, slice_memory, slice_contexts;
    uint64_t prefetches; /* prefetch instructions issued */
};

#define STREAM_RECORDS 256 /* that a context takes at a time */

/* NULL if memory runs out. */
struct pipeline *pipeline_create(const struct parameters *parameters);
void pipeline_destroy(struct pipeline *pipeline);

/* A unit that counts what each load does; NULL if memory runs out. */
struct unit *pipeline_count_loads(struct pipeline *pipeline, const struct origins *origins);
/* From now on it is noted of each instruction which one of the program it is; pipeline_count_loads and
 * pipeline_make_perfect do so, too. */
void pipeline_set_origins(struct pipeline *pipeline, const struct origins *origins);
/* Whether that is noted. */
bool pipeline_knows_origins(const struct pipeline *pipeline);
/* Instructions that are decoded in this range from now on are others of the program than before. */
void pipeline_forget_origins(struct pipeline *pipeline, guest_addr start, uint64_t bytes);
/* Before the first cycle: the loads at an address of the program always hit the first level.  False if memory runs
 * out. */
bool pipeline_make_perfect(struct pipeline *pipeline, guest_addr pc, const struct origins *origins);
/* Contexts that no thread uses may run slices: whom to tell of what happens, and how. */
void pipeline_set_helpers(struct pipeline *pipeline, struct helpers *helpers,
                          const struct helper_hooks *hooks);
/* The units that hear what happens in it: all that there are. */
void pipeline_tell(struct pipeline *pipeline, struct unit_set *units);

/* Gives a context what its thread executed next; as many as there is room for (pipeline_room). */
unsigned pipeline_room(const struct pipeline *pipeline, unsigned context);
void pipeline_give(struct pipeline *pipeline, unsigned context, const struct record *records,
                   unsigned count);
/* Contexts that threads may have. */
unsigned pipeline_thread_contexts(const struct pipeline *pipeline);
/* Whether the program's time counts cycles. */
bool pipeline_is_clock(const struct pipeline *pipeline);
/* Whether the context has fewer records than it may fetch in a cycle. */
bool pipeline_wants(const struct pipeline *pipeline, unsigned context);
/* Which program's addresses the context uses, 0 unless set. */
void pipeline_set_space(struct pipeline *pipeline, unsigned context, unsigned space);
/* Whether a thread runs on the context: if not, it has no more to give for now. */
void pipeline_set_active(struct pipeline *pipeline, unsigned context, bool active);

/* Runs until an active context has fewer records than it may fetch in a cycle, or nothing is left in
 * flight; with no active one, nothing but slices. */
void pipeline_run(struct pipeline *pipeline);
/* Runs as pipeline_run does, but no longer than until the context has retired `instructions` since the first
 * cycle. */
void pipeline_run_to(struct pipeline *pipeline, unsigned context, uint64_t instructions);
/* Runs until nothing is left in flight. */
void pipeline_drain(struct pipeline *pipeline);

/* What a thread on the context executed touches caches, translation buffers and predictors, and takes
 * no time; `next` is where it goes on.  The records are those of pipeline_warm_unit_create, and nothing of the context is in flight. */
void pipeline_warm(struct pipeline *pipeline, unsigned context, const struct record *records,
                   unsigned count, guest_addr next);

/* What makes the engine record instructions for it. */
struct unit *pipeline_unit_create(struct pipeline *pipeline, struct unit_host host);
/* What makes the engine record for pipeline_warm: what touches something, and the first instruction of each
 * block. */
struct unit *pipeline_warm_unit_create(struct pipeline *pipeline, struct unit_host host);
void pipeline_report(const struct pipeline *pipeline, struct statistics *statistics);
/* For the user, in a few lines: all but how many cycles there were, which the samples of a run do not say. */
void pipeline_print_summary(const struct pipeline *pipeline, FILE *file);
/* Of all contexts together. */
void pipeline_mix(const struct pipeline *pipeline, uint64_t mix[MIX_COUNT]);
/* NULL unless pipeline_count_loads. */
const struct loads *pipeline_loads(const struct pipeline *pipeline);
/* Retirement slots in which nothing retired although there was something to run. */
uint64_t pipeline_stall_slots(const struct pipeline *pipeline);
/* Slots of a cycle, and which levels of data caches there are. */
uint64_t pipeline_commit_width(const struct pipeline *pipeline);
bool pipeline_has_level(const struct pipeline *pipeline, unsigned level);
uint64_t pipeline_cycles(const struct pipeline *pipeline);

/* How far a context has come. */
struct progress {
    uint64_t given;        /* instructions, to the context */
    uint64_t instructions; /* how many of those have retired */
    uint64_t cycles;       /* in which it was not idle */
};
struct progress pipeline_progress(const struct pipeline *pipeline, unsigned context);

/* Before the first instruction: what the pipeline must know of instructions goes to `bytes` at `arena`, which
 * other pipelines may read; what the loads among them do is not counted by any.  NULL: it is the pipeline's own
 * again from now on. */
void pipeline_set_arena(struct pipeline *pipeline, void *arena, size_t bytes);
/* Whether there was an instruction for which the arena had no room: the pipeline took another for it. */
bool pipeline_arena_full(const struct pipeline *pipeline);

#endif
