/* Puts memory, engine and units together into a machine, and runs a hart on it. */
#include "machine/processor/machine.h"

#include "base/check.h"
#include "base/say.h"
#include "machine/engine/callbacks.h"
#include "machine/helpers/capture.h"
#include "machine/helpers/helpers.h"
#include "machine/pipeline/pipeline.h"
#include "machine/pipeline/pipeview.h"
#include "machine/processor/seat.h"
#include "slice/section.h"
#include "machine/processor/core_insn.h"
#include "machine/units/chosen.h"
#include "machine/units/code_classes.h"
#include "machine/units/counter_table.h"
#include "machine/units/loop_profile.h"
#include "machine/units/oracle.h"
#include "machine/units/profile.h"
#include "machine/units/replacement.h"
#include "machine/units/reservation.h"
#include "machine/units/trace.h"
#include "machine/units/window_sampler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void machine_rewatch(struct machine *machine, guest_addr start, uint64_t bytes)
{
    engine_rewatch(machine->engine, start, bytes);
    for (unsigned i = 0; i < PHASE_DETAIL && machine->phase_engines[i] != NULL; i++) {
        engine_rewatch(machine->phase_engines[i], start, bytes);
    }
}

static void rewatch(void *machine, uint64_t start, uint64_t bytes)
{
    machine_rewatch(machine, start, bytes);
}

/* What has a cycle is told later than it was executed: the context's hart has gone on by then. */
static void raise_callback(void *context, struct unit *unit, const struct watch_event *event,
                           uint64_t callback, uint64_t argument)
{
    const struct machine *machine = context;
    struct hart *hart = event->hart != NULL ? event->hart : machine->harts[event->context];
    if (hart != NULL) {
        callbacks_raise(hart, unit, callback, argument);
    }
}

static const struct engine *running_engine(const struct machine *machine)
{
    const unsigned phase = machine->phases.now;
    const bool fast = machine->pipeline != NULL && !machine->unobserved && phase < PHASE_DETAIL;

    return fast ? machine->phase_engines[phase] : machine->engine;
}

static uint64_t executed(const void *context, const struct watch_event *event)
{
    const struct machine *machine = context;
    const bool running = event->cycle == UNIT_NO_CYCLE;

    return machine->instructions + (running ? engine_executed(running_engine(machine)) : 0);
}

static struct unit_host host_of(struct machine *machine)
{
    return (struct unit_host){.orders = &machine->orders,
                              .rewatch = rewatch,
                              .raise = raise_callback,
                              .machine = machine,
                              .executed = executed};
}

void machine_sync_range(struct machine *machine, guest_addr start, uint64_t bytes)
{
    engine_sync_range(machine->engine, start, bytes);
    for (unsigned i = 0; i < PHASE_DETAIL && machine->phase_engines[i] != NULL; i++) {
        engine_sync_range(machine->phase_engines[i], start, bytes);
    }
}

void machine_sync_all(struct machine *machine)
{
    engine_sync_all(machine->engine);
    for (unsigned i = 0; i < PHASE_DETAIL && machine->phase_engines[i] != NULL; i++) {
        engine_sync_all(machine->phase_engines[i]);
    }
}

static void code_changed(void *machine, guest_addr start, uint64_t bytes)
{
    machine_sync_range(machine, start, bytes);
}

struct engine_statistics machine_engine_statistics(const struct machine *machine)
{
    struct engine_statistics sum = *engine_statistics(machine->engine);
    for (unsigned i = 0; i < PHASE_DETAIL && machine->phase_engines[i] != NULL; i++) {
        const struct engine_statistics *other = engine_statistics(machine->phase_engines[i]);
        sum.blocks_decoded += other->blocks_decoded;
        sum.instructions_decoded += other->instructions_decoded;
        sum.blocks_compared += other->blocks_compared;
        sum.blocks_marked += other->blocks_marked;
        sum.lookups += other->lookups;
        sum.flushes += other->flushes;
    }
    return sum;
}

static void add_unit(struct unit_set *set, struct unit *unit)
{
    ASSERT(unit_set_add(set, unit));
}

/* All engines count in the same cells and totals: it does not matter which of them runs. */
static void add_unit_to_all(struct machine *machine, struct unit *unit)
{
    add_unit(&machine->units, unit);
    for (unsigned i = 0; i < PHASE_DETAIL; i++) {
        add_unit(&machine->phase_units[i], unit);
    }
}

/* What is asked of the pipeline besides its cycles. */
static bool watch_pipeline(struct machine *machine)
{
    const struct machine_options *options = &machine->options;
    bool enough = true;
    if (options->count_loads) {
        struct unit *loads = pipeline_count_loads(machine->pipeline, &machine->origins);
        enough = loads != NULL;
        if (enough) {
            add_unit(&machine->units, loads);
        }
    }
    for (size_t i = 0; enough && i < options->perfect_load_count; i++) {
        enough =
            pipeline_make_perfect(machine->pipeline, options->perfect_loads[i], &machine->origins);
    }
    if (!enough) {
        fprintf(stderr, "strata: not enough memory to count loads\n");
        return false;
    }
    if (options->pipeview_path != NULL) {
        struct unit *view =
            pipeview_open(options->pipeview_path, machine->pipeline, &machine->own_descriptors[2]);
        if (view == NULL) {
            say(stderr, "strata: cannot write the view of the pipeline %s: %s\n",
                options->pipeview_path, strerror(errno));
            return false;
        }
        add_unit(&machine->units, view);
    }
    return true;
}

/* A program beside others is also followed on a processor of its own.  A companion has only that one. */
static bool share_pipeline(struct machine *machine)
{
    const struct machine_options *options = &machine->options;
    size_t bytes;
    if (options->seat == NULL && !options->beside_others) {
        return true;
    }
    machine->seat = options->seat;
    if (machine->seat != NULL) {
        void *arena = seat_arena(machine->seat, &bytes);
        pipeline_set_arena(machine->pipeline, arena, bytes);
    } else {
        machine->pipeline_alone = pipeline_create(options->processor);
    }
    struct pipeline *own = machine->seat != NULL ? machine->pipeline : machine->pipeline_alone;
    machine->alone = own != NULL ? alone_create(own) : NULL;
    if (machine->alone == NULL) {
        fprintf(stderr, "strata: not enough memory for the pipelines\n");
    }
    return machine->alone != NULL;
}

/* Contexts that no thread uses run slices from now on; nothing has been executed yet. */
static bool add_helpers(struct machine *machine)
{
    const struct unit_host host = host_of(machine);
    if (machine->options.program != NULL) {
        pipeline_set_origins(machine->pipeline, &machine->origins);
    }
    machine->helpers = helpers_create(machine->pipeline, &machine->memory, &machine->origins);
    struct unit *unit =
        machine->helpers != NULL ? capture_unit_create(machine->helpers, host) : NULL;
    if (unit != NULL) {
        add_unit(&machine->units, unit);
    }
    return unit != NULL;
}

bool machine_prepare_slices(struct machine *machine)
{
    return machine->helpers != NULL || add_helpers(machine);
}

bool machine_add_slices(struct machine *machine, const struct slice_set *slices, guest_addr bias)
{
    if (!machine_prepare_slices(machine)) {
        return false;
    }
    for (unsigned i = 0; i < slices->count; i++) {
        helpers_add_own(machine->helpers, &slices->slices[i], bias);
    }
    return true;
}

/* Slices that the hardware makes, if it is to. */
static bool add_dsp(struct machine *machine)
{
    const bool wanted = machine->options.dsp != DSP_OFF;
    const bool optimize = machine->options.dsp == DSP_OPTIMIZED;
    if (!wanted) {
        return true;
    }
    struct unit *unit =
        add_helpers(machine) ? helpers_make_slices(machine->helpers, optimize) : NULL;
    if (unit == NULL) {
        fprintf(stderr, "strata: not enough memory for slices\n");
        return false;
    }
    add_unit(&machine->units, unit);
    return true;
}

static bool add_units(struct machine *machine)
{
    const struct machine_options *options = &machine->options;
    const struct unit_host host = host_of(machine);
    const struct replacement *replacement = options->counter_replacement != NULL
                                                ? options->counter_replacement
                                                : replacement_find(NULL);
    machine->counters = counter_table_create(options->counter_entries, replacement, host);
    if (machine->counters == NULL) {
        fprintf(stderr, "strata: not enough memory for %llu counters\n",
                (unsigned long long)options->counter_entries);
        return false;
    }
    add_unit_to_all(machine, counter_table_unit(machine->counters));
    if (options->strict_reservations) {
        struct unit *unit = reservation_unit_create(host);
        if (unit == NULL) {
            fprintf(stderr, "strata: not enough memory for the reservations\n");
            return false;
        }
        add_unit_to_all(machine, unit);
    }
    if (options->profile_loops) {
        machine->loops = loop_profile_create(host);
        if (machine->loops == NULL) {
            fprintf(stderr, "strata: not enough memory for the loop profile\n");
            return false;
        }
        add_unit_to_all(machine, loop_profile_unit(machine->loops));
    }
    if (options->count_classes) {
        machine->classes = code_classes_create(host);
        if (machine->classes == NULL) {
            fprintf(stderr, "strata: not enough memory for the classes of code\n");
            return false;
        }
        add_unit_to_all(machine, code_classes_unit(machine->classes));
    }
    machine->origins = (struct origins){.memory = &machine->memory, .classes = machine->classes};
    counter_table_name_by(machine->counters, &machine->origins);
    if (options->profile != NULL) {
        machine->profile =
            profile_create(host, &machine->origins, options->profile, options->processor != NULL);
        if (machine->profile == NULL) {
            fprintf(stderr, "strata: not enough memory for the profile\n");
            return false;
        }
        add_unit_to_all(machine, profile_unit(machine->profile));
    }
    if (options->oracle) {
        machine->oracle = oracle_create(host, &machine->origins);
        if (machine->oracle == NULL) {
            fprintf(stderr, "strata: not enough memory for the oracle\n");
            return false;
        }
        add_unit_to_all(machine, oracle_unit(machine->oracle));
    }
    if (options->processor != NULL) {
        machine->pipeline = pipeline_create(options->processor);
        struct unit *unit =
            machine->pipeline != NULL ? pipeline_unit_create(machine->pipeline, host) : NULL;
        machine->warm_unit =
            unit != NULL ? pipeline_warm_unit_create(machine->pipeline, host) : NULL;
        if (machine->warm_unit == NULL) {
            fprintf(stderr, "strata: not enough memory for the pipeline\n");
            return false;
        }
        add_unit(&machine->units, unit);
        add_unit(&machine->phase_units[PHASE_WARM], machine->warm_unit);
        if (!watch_pipeline(machine) || !add_dsp(machine) || !share_pipeline(machine)) {
            return false;
        }
    }
    if (options->windows != NULL) {
        struct unit *unit = window_sampler_create(options->windows, host);
        if (unit == NULL) {
            fprintf(stderr, "strata: not enough memory to sample windows\n");
            return false;
        }
        add_unit_to_all(machine, unit);
    }
    if (options->trace_path != NULL) {
        struct unit *trace = trace_create(options->trace_path, options->trace_low,
                                          options->trace_high, host, &machine->own_descriptors[0]);
        if (trace == NULL) {
            say(stderr, "strata: cannot write the trace %s: %s\n", options->trace_path,
                strerror(errno));
            return false;
        }
        add_unit_to_all(machine, trace);
    }
    for (size_t i = 0; i < options->unit_count; i++) {
        struct unit *unit = chosen_create(options->units[i], machine->pipeline != NULL);
        if (unit == NULL) {
            return false;
        }
        unit->host = host;
        add_unit_to_all(machine, unit);
        if (unit->kind->found != NULL && machine->finder != NULL) {
            fprintf(stderr,
                    "strata: --unit %s and --unit %s both find hot spots: only one of them can be "
                    "there\n",
                    machine->finder->kind->name, unit->kind->name);
            return false;
        }
        machine->finder = unit->kind->found != NULL ? unit : machine->finder;
    }
    if (machine->pipeline != NULL) {
        machine->units.timed = true;
        for (unsigned i = 0; i < PHASE_DETAIL; i++) {
            machine->phase_units[i].timed = true;
        }
        counter_table_take_times(machine->counters);
        pipeline_tell(machine->pipeline, &machine->units);
    }
    return true;
}

bool machine_create(struct machine *machine, const struct machine_options *options)
{
    memset(machine, 0, sizeof *machine);
    machine->options = *options;
    machine->own_descriptors[0] = machine->own_descriptors[2] = -1;
    machine->own_descriptors[1] = options->kept_descriptor != 0 ? options->kept_descriptor : -1;
    if (!memory_create(&machine->memory)) {
        fprintf(
            stderr,
            "strata: cannot reserve %llu GB of address space: %s; raise the limit (ulimit -v)\n",
            (unsigned long long)(GUEST_SPACE_BYTES >> 30), strerror(errno));
        return false;
    }
    const struct phase_options *phases = &options->phases;
    const bool planned = phases->interval || phases->regions || phases->period != 0;
    machine->engine = engine_create(&machine->memory, &machine->units);
    bool created = machine->engine != NULL;
    for (unsigned i = 0; i < PHASE_DETAIL && planned && created; i++) {
        machine->phase_engines[i] = engine_create(&machine->memory, &machine->phase_units[i]);
        created = machine->phase_engines[i] != NULL;
    }
    if (!created) {
        fprintf(stderr, "strata: not enough memory for the engine: %s\n", strerror(errno));
        return false;
    }
    machine->memory.code_changed = code_changed;
    machine->memory.code_changed_context = machine;
    if (!add_units(machine)) {
        return false;
    }
    phases_begin(&machine->phases, phases, machine->pipeline,
                 machine->pipeline != NULL ? options->processor->core_reorder_buffer : 0);
    return true;
}

void machine_destroy(struct machine *machine)
{
    for (unsigned i = 0; i < machine->units.count; i++) {
        machine->units.units[i]->kind->destroy(machine->units.units[i]);
    }
    helpers_destroy(machine->helpers);
    if (machine->waiting_slices != NULL) {
        slice_set_free(machine->waiting_slices);
        free(machine->waiting_slices);
    }
    alone_destroy(machine->alone);
    pipeline_destroy(machine->pipeline_alone);
    pipeline_destroy(machine->pipeline);
    engine_destroy(machine->engine);
    for (unsigned i = 0; i < PHASE_DETAIL; i++) {
        engine_destroy(machine->phase_engines[i]);
    }
    if (machine->warm_unit != NULL) {
        machine->warm_unit->kind->destroy(machine->warm_unit);
    }
    memory_destroy(&machine->memory);
}

bool machine_finish(struct machine *machine)
{
    bool complete = true;
    if (machine->pipeline != NULL) {
        phases_end(&machine->phases, machine->pipeline, machine->instructions);
        pipeline_drain(machine->pipeline);
    }
    for (unsigned i = 0; i < machine->units.count; i++) {
        struct unit *unit = machine->units.units[i];
        complete &= unit->kind->finish == NULL || unit->kind->finish(unit);
    }
    return complete;
}

void machine_init_hart(struct machine *machine, struct hart *hart)
{
    memset(hart, 0, sizeof *hart);
    hart->memory_base = machine->memory.base;
    hart->skip_count_at = HART_NO_ADDRESS;
}

void machine_release_hart(struct machine *machine, struct hart *hart)
{
    for (unsigned i = 0; i < CONTEXTS_MAX; i++) {
        if (machine->harts[i] == hart) {
            machine->harts[i] = NULL;
        }
    }
    if (machine->profile != NULL) {
        profile_forget(machine->profile, hart);
    }
    if (machine->oracle != NULL) {
        oracle_forget(machine->oracle, hart);
    }
    callbacks_release(hart);
}

bool machine_in_detail(const struct machine *machine)
{
    return machine->pipeline != NULL && !machine->unobserved && phases_in_detail(&machine->phases);
}

uint64_t machine_phase_left(const struct machine *machine)
{
    if (machine->pipeline == NULL || machine->unobserved) {
        return PHASE_FOREVER;
    }
    const uint64_t ends = machine->phases.ends;
    return ends > machine->instructions ? ends - machine->instructions : 0;
}

void machine_advance_phase(struct machine *machine)
{
    if (machine_phase_left(machine) == 0) {
        phases_advance(&machine->phases, machine->pipeline, machine->instructions);
    }
}

/* Instructions that a hart may execute before the pipeline must have cycles. */
static unsigned room_for(const struct machine *machine, const struct hart *hart)
{
    return machine->seat != NULL ? machine->seat->room - machine->seat->count
                                 : pipeline_room(machine->pipeline, hart->context);
}

static void give(struct machine *machine, const struct hart *hart, const struct record *records,
                 unsigned count)
{
    if (machine->seat != NULL) {
        memcpy(machine->seat->records + machine->seat->count, records, count * sizeof *records);
        machine->seat->count += count;
        return;
    }
    pipeline_give(machine->pipeline, hart->context, records, count);
    if (machine->alone != NULL) {
        alone_give(machine->alone, records, count, true);
    }
}

/* Executes as much as the context can take of it. */
static enum engine_stop run_recorded(struct machine *machine, struct hart *hart, uint64_t budget)
{
    struct record records[STREAM_RECORDS];
    unsigned count;
    const unsigned room = room_for(machine, hart);
    if (machine->helpers != NULL) {
        helpers_follow(machine->helpers);
    }
    machine->harts[hart->context] = hart;
    const enum engine_stop stop =
        engine_run_recorded(machine->engine, hart, budget, records, room, &count);
    give(machine, hart, records, count);
    return stop;
}

/* Records at a time: as many as stay in the host's first-level cache. */
#define WARM_RECORDS 1024

static enum engine_stop run_warm(struct machine *machine, struct hart *hart, uint64_t budget)
{
    struct record records[WARM_RECORDS];
    unsigned count;
    const enum engine_stop stop = engine_run_recorded(machine->phase_engines[PHASE_WARM], hart,
                                                      budget, records, WARM_RECORDS, &count);
    pipeline_warm(machine->pipeline, hart->context, records, count, hart->pc);
    return stop;
}

/* What a child of vfork executes is nobody's to follow. */
static enum engine_stop run_unobserved(struct machine *machine, struct hart *hart, uint64_t budget)
{
    struct record records[STREAM_RECORDS];
    unsigned count;
    return engine_run_recorded(machine->engine, hart, budget, records, STREAM_RECORDS, &count);
}

static enum engine_stop run_phase(struct machine *machine, struct hart *hart, uint64_t budget)
{
    if (machine->pipeline == NULL) {
        return engine_run(machine->engine, hart, budget);
    }
    if (machine->unobserved) {
        return run_unobserved(machine, hart, budget);
    }
    switch (machine->phases.now) {
    case PHASE_FAST:
        return engine_run(machine->phase_engines[PHASE_FAST], hart, budget);
    case PHASE_WARM:
        return run_warm(machine, hart, budget);
    default:
        return run_recorded(machine, hart, budget);
    }
}

/* After a system instruction: it may have ended the phase, or filled the context. */
static bool may_go_on(const struct machine *machine, const struct hart *hart)
{
    return machine_phase_left(machine) > 0 &&
           (!machine_in_detail(machine) || room_for(machine, hart) > 0);
}

static enum engine_stop run_budget(struct machine *machine, struct hart *hart, uint64_t budget)
{
    const uint64_t end = hart->instructions + budget;
    enum engine_stop stop;
    do {
        const uint64_t counted = hart->instructions;
        stop = run_phase(machine, hart, end - counted);
        machine->instructions += hart->instructions - counted;
        if (stop == ENGINE_SYSTEM) {
            const bool was_in_callback = hart->in_callback;
            if (!core_insn_execute(machine, hart)) {
                /* It did not retire after all. */
                hart->instructions--;
                machine->instructions--;
                if (machine->classes != NULL) {
                    code_classes_take_back(machine->classes, hart->pc);
                }
                if (machine->profile != NULL) {
                    profile_take_back(machine->profile, hart->pc);
                }
                return ENGINE_ILLEGAL;
            }
            if (was_in_callback && !hart->in_callback) {
                return ENGINE_BUDGET; /* what had to wait for its end may go on */
            }
        }
    } while ((stop == ENGINE_SYSTEM || (stop == ENGINE_BUDGET && callbacks_due(hart))) &&
             hart->instructions < end && may_go_on(machine, hart));
    return stop == ENGINE_SYSTEM ? ENGINE_BUDGET : stop;
}

enum engine_stop machine_run(struct machine *machine, struct hart *hart, uint64_t budget)
{
    const uint64_t before = machine->instructions;
    const bool timed = machine_in_detail(machine) || machine->unobserved;
    if (machine->profile != NULL) {
        profile_resume(machine->profile, hart);
    }
    const enum engine_stop stop = run_budget(machine, hart, budget);
    machine->untimed_instructions += timed ? 0 : machine->instructions - before;
    return stop;
}

uint64_t machine_features(const struct machine *machine)
{
    return UINT64_C(0) | XSTRATA_COUNTERS | XSTRATA_LAST_WORDS | XSTRATA_EVICTIONS |
           (machine->pipeline != NULL ? XSTRATA_TIMES : 0) |
           (machine->finder != NULL ? XSTRATA_FINDS : 0);
}

uint64_t machine_cycles(const struct machine *machine)
{
    return machine->seat != NULL ? machine->seat->cycles
           : machine->pipeline != NULL && pipeline_is_clock(machine->pipeline)
               ? pipeline_cycles(machine->pipeline) + machine->untimed_instructions
               : machine->instructions;
}

uint64_t machine_virtual_time(const struct machine *machine)
{
    const uint64_t busy =
        machine->seat != NULL ? machine->seat->nanoseconds : machine_cycles(machine);
    return busy + machine->idle_nanoseconds;
}
