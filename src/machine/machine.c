/* Puts memory, engine and units together into a machine, and runs a hart on it. */
#include "machine/machine.h"

#include "base/check.h"
#include "machine/pipeline/pipeline.h"
#include "machine/pipeline/pipeview.h"
#include "machine/system.h"
#include "machine/units/code_classes.h"
#include "machine/units/counter_table.h"
#include "machine/units/loop_profile.h"
#include "machine/units/reservation.h"
#include "machine/units/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void rewatch(void *machine, guest_addr start, uint64_t bytes)
{
    engine_rewatch(((struct machine *)machine)->engine, start, bytes);
}

static void code_changed(void *machine, guest_addr start, uint64_t bytes)
{
    engine_sync_range(((struct machine *)machine)->engine, start, bytes);
}

static void add_unit(struct machine *machine, struct unit *unit)
{
    ASSERT(machine->units.count < UNITS_MAX);
    machine->units.units[machine->units.count++] = unit;
}

/* What is asked of the pipeline besides its cycles. */
static bool watch_pipeline(struct machine *machine)
{
    const struct machine_options *options = &machine->options;
    bool enough = !options->count_loads || pipeline_count_loads(machine->pipeline);
    for (size_t i = 0; enough && i < options->perfect_load_count; i++) {
        enough = pipeline_make_perfect(machine->pipeline, options->perfect_loads[i]);
    }
    if (!enough) {
        fprintf(stderr, "strata: not enough memory to count loads\n");
        return false;
    }
    if (options->pipeview_path != NULL) {
        struct pipeview *view = pipeview_open(options->pipeview_path, &machine->own_descriptors[2]);
        if (view == NULL) {
            fprintf(stderr, "strata: cannot write the view of the pipeline %s: %s\n",
                    options->pipeview_path, strerror(errno));
            return false;
        }
        pipeline_set_view(machine->pipeline, view);
    }
    return true;
}

static bool add_units(struct machine *machine)
{
    const struct machine_options *options = &machine->options;
    const struct unit_host host = {.rewatch = rewatch, .machine = machine};
    machine->counters = counter_table_create(options->counter_entries, host);
    if (machine->counters == NULL) {
        fprintf(stderr, "strata: not enough memory for %llu counters\n",
                (unsigned long long)options->counter_entries);
        return false;
    }
    add_unit(machine, counter_table_unit(machine->counters));
    if (options->strict_reservations) {
        struct unit *unit = reservation_unit_create(host);
        if (unit == NULL) {
            fprintf(stderr, "strata: not enough memory for the reservations\n");
            return false;
        }
        add_unit(machine, unit);
    }
    if (options->profile_loops) {
        machine->loops = loop_profile_create(host);
        if (machine->loops == NULL) {
            fprintf(stderr, "strata: not enough memory for the loop profile\n");
            return false;
        }
        add_unit(machine, loop_profile_unit(machine->loops));
    }
    if (options->count_classes) {
        machine->classes = code_classes_create(host);
        if (machine->classes == NULL) {
            fprintf(stderr, "strata: not enough memory for the classes of code\n");
            return false;
        }
        add_unit(machine, code_classes_unit(machine->classes));
    }
    if (options->processor != NULL) {
        machine->pipeline = pipeline_create(options->processor);
        struct unit *unit =
            machine->pipeline != NULL ? pipeline_unit_create(machine->pipeline, host) : NULL;
        if (unit == NULL) {
            fprintf(stderr, "strata: not enough memory for the pipeline\n");
            return false;
        }
        add_unit(machine, unit);
        if (!watch_pipeline(machine)) {
            return false;
        }
    }
    if (options->trace_path != NULL) {
        struct unit *trace = trace_create(options->trace_path, options->trace_low,
                                          options->trace_high, host, &machine->own_descriptors[0]);
        if (trace == NULL) {
            fprintf(stderr, "strata: cannot write the trace %s: %s\n", options->trace_path,
                    strerror(errno));
            return false;
        }
        add_unit(machine, trace);
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
    machine->engine = engine_create(&machine->memory, &machine->units);
    if (machine->engine == NULL) {
        fprintf(stderr, "strata: not enough memory for the engine: %s\n", strerror(errno));
        return false;
    }
    machine->memory.code_changed = code_changed;
    machine->memory.code_changed_context = machine;
    return add_units(machine);
}

void machine_destroy(struct machine *machine)
{
    for (unsigned i = 0; i < machine->units.count; i++) {
        machine->units.units[i]->kind->destroy(machine->units.units[i]);
    }
    pipeline_destroy(machine->pipeline);
    engine_destroy(machine->engine);
    memory_destroy(&machine->memory);
}

bool machine_finish(struct machine *machine)
{
    bool complete = true;
    if (machine->pipeline != NULL) {
        pipeline_drain(machine->pipeline);
        complete = pipeline_finish_view(machine->pipeline);
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

void machine_release_hart(struct hart *hart)
{
    free(hart->pending);
    hart->pending = NULL;
    hart->pending_count = hart->pending_capacity = 0;
}

/* Executes as much as the context can take of it. */
static enum engine_stop run_recorded(struct machine *machine, struct hart *hart, uint64_t budget)
{
    struct record records[STREAM_RECORDS];
    unsigned count;
    const unsigned room =
        machine->unobserved ? STREAM_RECORDS : pipeline_room(machine->pipeline, hart->context);
    const enum engine_stop stop =
        engine_run_recorded(machine->engine, hart, budget < room ? budget : room, records, &count);
    if (!machine->unobserved) {
        pipeline_give(machine->pipeline, hart->context, records, count);
    }
    return stop;
}

enum engine_stop machine_run(struct machine *machine, struct hart *hart, uint64_t budget)
{
    const uint64_t before = hart->instructions;
    const uint64_t end = before + budget;
    enum engine_stop stop;
    do {
        const uint64_t counted = hart->instructions;
        stop = machine->pipeline != NULL ? run_recorded(machine, hart, end - counted)
                                         : engine_run(machine->engine, hart, end - counted);
        machine->instructions += hart->instructions - counted;
        if (stop == ENGINE_SYSTEM) {
            const bool was_in_callback = hart->in_callback;
            if (!system_execute(machine, hart)) {
                /* It did not retire after all. */
                hart->instructions--;
                machine->instructions--;
                if (machine->classes != NULL) {
                    code_classes_take_back(machine->classes, hart->pc);
                }
                return ENGINE_ILLEGAL;
            }
            if (was_in_callback && !hart->in_callback) {
                return ENGINE_BUDGET; /* what had to wait for its end may go on */
            }
        }
    } while (stop == ENGINE_SYSTEM && hart->instructions < end &&
             (machine->pipeline == NULL || pipeline_room(machine->pipeline, hart->context) > 0));
    return stop == ENGINE_SYSTEM ? ENGINE_BUDGET : stop;
}

uint64_t machine_virtual_time(const struct machine *machine)
{
    const uint64_t busy =
        machine->pipeline != NULL ? pipeline_cycles(machine->pipeline) : machine->instructions;
    return busy + machine->idle_nanoseconds;
}
