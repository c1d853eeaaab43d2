/* The simulated processor as a whole: memory, engine, units, and what a program's run on it leaves behind. */
#ifndef STRATA_MACHINE_PROCESSOR_MACHINE_H
#define STRATA_MACHINE_PROCESSOR_MACHINE_H

#include "isa/rv64/xstrata_abi.h"
#include "machine/engine/engine.h"
#include "machine/engine/unit_set.h"
#include "machine/processor/phases.h"
#include "machine/state/memory.h"
#include "machine/units/origins.h"

struct counter_table;
struct replacement;
struct loop_profile;
struct oracle;
struct profile;
struct profile_request;
struct code_classes;
struct parameters;
struct pipeline;
struct seat;
struct alone;
struct sampler_plan;
struct slice_set;

/* The trace's, one that the caller keeps, and that of the view of the pipeline. */
#define OWN_DESCRIPTORS 3

struct machine_options {
    uint64_t counter_entries;                      /* 0: unlimited */
    const struct replacement *counter_replacement; /* NULL: the paper's */
    uint64_t max_instructions;                     /* 0: no limit */
    bool real_time;                        /* the host's clock instead of retired instructions */
    const char *trace_path;                /* NULL: no trace */
    guest_addr trace_low, trace_high;      /* high is exclusive */
    bool strict_reservations;              /* sc fails after any other access since lr */
    bool profile_loops;                    /* count taken backward branches by target */
    bool oracle;                           /* judge a translator's traces */
    bool count_classes;                    /* count instructions by the classes of ic.sync */
    const struct profile_request *profile; /* count instructions by address; NULL: do not */
    const struct parameters *processor;    /* cycle by cycle; NULL: instructions only */
    const char *processor_name;            /* the file that describes the processor, for reports */
    const char *const *processor_sets;     /* parameters that --set gave, SECTION.NAME=VALUE */
    size_t processor_set_count;
    bool count_loads;                /* count what each static load does; needs a processor */
    const guest_addr *perfect_loads; /* addresses of loads that always hit; NULL: none */
    size_t perfect_load_count;
    const char *pipeview_path;   /* where the view of the pipeline goes; NULL: there is none */
    struct phase_options phases; /* which instructions are simulated in cycles */
    const char *const *units;    /* units that --unit chose: NAME[,PARAMETER=VALUE...] */
    size_t unit_count;
    struct seat *seat;  /* the seat at the processor of another process; NULL: it is ours */
    bool beside_others; /* other programs run on the processor, too */
    struct sampler_plan *windows; /* which instructions are sampled; NULL: none */
    const char
        *program; /* the file that a translator loads and runs; NULL: there is no translator */
    int kept_descriptor; /* a descriptor that the program may not close; 0: none */
    enum { DSP_OFF, DSP_SIMPLE, DSP_OPTIMIZED } dsp; /* whether the hardware makes slices */
    bool no_slices;                                  /* slices that a program brings are ignored */
    bool memory_sum;                                 /* the statistics have a sum of its memory */
};

struct machine {
    struct machine_options options;
    struct memory memory;
    struct engine *engine;
    /* Engines for phases without cycles, over the memory of `engine`: they record nothing, or what warming needs.
     * NULL if there are no phases. */
    struct engine *phase_engines[PHASE_DETAIL];
    struct unit_set units, phase_units[PHASE_DETAIL]; /* the units of each engine */
    struct counter_table *counters;                   /* one of the units */
    struct loop_profile *loops;       /* one of the units; NULL: nobody asked for it */
    struct code_classes *classes;     /* one of the units; NULL: nobody asked for it */
    struct profile *profile;          /* one of the units; NULL: nobody asked for it */
    struct oracle *oracle;            /* one of the units; NULL: nobody asked for it */
    struct unit *warm_unit;           /* what warming records; in phase_units only */
    struct origins origins;           /* whose code an instruction is */
    guest_addr last_words;            /* of a translator: struct xstrata_last_words; 0: none */
    struct pipeline *pipeline;        /* NULL: instructions have no cycles */
    struct hart *harts[CONTEXTS_MAX]; /* the hart that last ran on each context of the pipeline */
    struct helpers *helpers; /* what runs on free contexts of the pipeline; NULL: nothing */
    /* Slices of the program that a translator is about to load, whose place is not known yet: NULL if there are
     * none.  `program_loaded` is called when the translator has loaded it. */
    struct slice_set *waiting_slices;
    void (*program_loaded)(struct machine *machine);
    void *loader;      /* whose that function is */
    struct seat *seat; /* at another's processor: `pipeline` is this program alone; or NULL */
    struct pipeline *pipeline_alone; /* of one that has others beside it on `pipeline`; or NULL */
    struct alone *alone;        /* what follows the program on a processor of its own; or NULL */
    bool unobserved;            /* what is executed is not for the pipeline */
    uint64_t counter_threshold; /* CSR ctrthresh: of the core, like the table */
    uint64_t counter_mode;      /* CSR ctrmode */
    struct watch_orders orders; /* CSRs hotcall, hotlow, hothigh and hotmode */
    struct unit *finder;        /* the unit that finds hot spots by itself; NULL: there is none */
    uint64_t instructions;      /* retired by all threads of the program: the virtual clock */
    uint64_t untimed_instructions; /* retired instructions that the pipeline has no cycles for */
    struct phases phases;
    uint64_t idle_nanoseconds; /* virtual time that passed while every thread waited */
    uint64_t ic_sync_calls;
    int own_descriptors[OWN_DESCRIPTORS]; /* of the host, not the program's to close; -1: none */
};

/* Prints its own message and returns false when it cannot. */
bool machine_create(struct machine *machine, const struct machine_options *options);
void machine_destroy(struct machine *machine);

/* Whether the program may not close or replace `fd`. */
static inline bool machine_owns_descriptor(const struct machine *machine, int64_t fd)
{
    return fd >= 0 && (fd == machine->own_descriptors[0] || fd == machine->own_descriptors[1] ||
                       fd == machine->own_descriptors[2]);
}

/* With the pipeline, before anything is executed: slices of a program that stands `bias` above where it was
 * linked.  False if memory runs out. */
bool machine_add_slices(struct machine *machine, const struct slice_set *slices, guest_addr bias);
/* The same in two steps: contexts are made ready for slices before anything is executed, which are added when it
 * is known where the program is. */
bool machine_prepare_slices(struct machine *machine);

/* The program has ended: false if a unit could not write all that it had to. */
bool machine_finish(struct machine *machine);

/* Makes a hart ready to run on this machine, all registers zero. */
void machine_init_hart(struct machine *machine, struct hart *hart);
void machine_release_hart(struct machine *machine, struct hart *hart);

/* Runs `hart` for at most `budget` instructions, or until a counter's callback
 * has ended, or as far as its context of the pipeline has room; handles ENGINE_SYSTEM stops itself and adds to machine->instructions. */
enum engine_stop machine_run(struct machine *machine, struct hart *hart, uint64_t budget);

/* Stores to code become visible, as engine_sync_range and engine_sync_all have it. */
/* Units look anew at the code in a range. */
void machine_rewatch(struct machine *machine, guest_addr start, uint64_t bytes);
void machine_sync_range(struct machine *machine, guest_addr start, uint64_t bytes);
void machine_sync_all(struct machine *machine);
/* What its engines did. */
struct engine_statistics machine_engine_statistics(const struct machine *machine);

/* Whether the pipeline gets what is executed now. */
bool machine_in_detail(const struct machine *machine);
/* How many instructions may run before the way of simulation changes. */
uint64_t machine_phase_left(const struct machine *machine);
/* Changes it, if it is time. */
void machine_advance_phase(struct machine *machine);

/* The clock of a running program: cycles, and a cycle for each instruction that has none; or instructions, as its processor says. */
/* Feature bits of CSR strfeat and of the auxiliary vector. */
uint64_t machine_features(const struct machine *machine);
uint64_t machine_cycles(const struct machine *machine);
/* Virtual time in nanoseconds: one per cycle of the pipeline and per retired instruction that has no
 * cycles, plus idle time. */
uint64_t machine_virtual_time(const struct machine *machine);

#endif
