/* What is told of a program's run: the statistics file, the loop profile and the summary. */
#include "report/run_report.h"

#include "base/say.h"
#include "base/sha256.h"
#include "machine/helpers/helpers.h"
#include "machine/linux/layout.h"
#include "machine/pipeline/pipeline.h"
#include "machine/units/counter_table.h"
#include "machine/units/replacement.h"
#include "machine/units/loop_profile.h"
#include "machine/units/oracle.h"
#include "report/earlier.h"
#include "report/hotspots.h"
#include "report/ledger_report.h"
#include "report/json_statistics.h"
#include "report/loads_report.h"
#include "report/slices_report.h"
#include "report/phases_report.h"
#include "report/places.h"
#include "report/profile_report.h"
#include "report/oracle_print.h"
#include "report/regions_report.h"
#include "report/together_report.h"
#include "report/translator_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A fault so close below the first stack is taken for its overflow. */
#define STACK_OVERRUN_BYTES UINT64_C(65536)
#define NAME_COLUMNS 100

/* What ended the program. */
static const char *end_of(const struct process *process)
{
    return process->replaced           ? "execve"
           : process->limit_reached    ? "limit"
           : process->exit_signal != 0 ? "signal"
                                       : "exit";
}

static void report_program(struct statistics *s, const struct process *process,
                           const struct run_description *run)
{
    char digest[SHA256_TEXT_BYTES];
    s->begin(s, "program");
    s->text(s, "path", run->path);
    /* Not run->path: the program may have changed the working folder. */
    const char *file = run->file != NULL ? run->file : process->executable;
    if (file != NULL && sha256_file(file, digest)) {
        s->text(s, "sha256", digest);
    } else {
        s->nothing(s, "sha256"); /* it has removed itself */
    }
    s->begin_list(s, "arguments");
    for (char **argument = run->arguments; *argument != NULL; argument++) {
        s->text(s, NULL, *argument);
    }
    s->end(s);
    if (process->exit_signal != 0 || process->replaced) {
        s->nothing(s, "exit_status");
    } else {
        s->number(s, "exit_status", (uint64_t)process->exit_status);
    }
    if (process->exit_signal != 0) {
        s->number(s, "signal", (uint64_t)process->exit_signal);
    } else {
        s->nothing(s, "signal");
    }
    s->text(s, "ended", end_of(process));
    s->end(s);
}

static void report_config(struct statistics *s, const struct process *process,
                          const struct run_description *run)
{
    const struct machine_options *options = &process->machine.options;
    s->begin(s, "config");
    s->text(s, "engine", options->processor != NULL ? "pipeline" : "functional");
    if (options->processor != NULL) {
        s->text(s, "machine", options->processor_name);
        s->begin_list(s, "set");
        for (size_t i = 0; i < options->processor_set_count; i++) {
            s->text(s, NULL, options->processor_sets[i]);
        }
        s->end(s);
    } else {
        s->nothing(s, "machine");
    }
    if (options->counter_entries == COUNTER_UNLIMITED) {
        s->text(s, "counter_entries", "unlimited");
    } else {
        s->number(s, "counter_entries", options->counter_entries);
    }
    s->text(s, "counter_replacement", options->counter_replacement->name);
    s->truth(s, "real_time", options->real_time);
    if (options->max_instructions == 0) {
        s->nothing(s, "max_instructions");
    } else {
        s->number(s, "max_instructions", options->max_instructions);
    }
    phases_report_config(s, &process->machine);
    if (process->sysroot == NULL) {
        s->nothing(s, "sysroot");
    } else {
        s->text(s, "sysroot", process->sysroot);
    }
    if (run->translator != NULL) {
        s->begin_list(s, "translator_options");
        for (char **option = run->translator_options; *option != NULL; option++) {
            s->text(s, NULL, *option);
        }
        s->end(s);
    }
    s->end(s);
}

static void report_machine(struct statistics *s, const struct process *process)
{
    const struct machine *machine = &process->machine;
    const struct engine_statistics engine = machine_engine_statistics(machine);
    char hash[24];
    snprintf(hash, sizeof hash, "0x%016" PRIx64, process->schedule.hash);
    s->begin(s, "machine");
    s->number(s, "instructions", machine->instructions);
    phases_report_cycles(s, machine);
    s->number(s, "threads", process->threads_started);
    s->number(s, "thread_switches", process->schedule.switches);
    s->text(s, "schedule_hash", hash);
    s->number(s, "system_calls", process->syscalls);
    s->number(s, "virtual_nanoseconds", machine_virtual_time(machine));
    s->number(s, "ic_sync_calls", machine->ic_sync_calls);
    phases_report_machine(s, machine);
    s->begin(s, "memory");
    s->number(s, "mapped_bytes", machine->memory.mapped_bytes);
    s->number(s, "peak_bytes", machine->memory.peak_bytes);
    s->number(s, "resident_peak_bytes", machine->memory.resident_peak_bytes);
    if (machine->options.memory_sum) {
        snprintf(hash, sizeof hash, "0x%016" PRIx64, memory_checksum(&machine->memory));
        s->text(s, "checksum", hash);
    } else {
        s->nothing(s, "checksum");
    }
    s->end(s);
    s->begin(s, "engine");
    s->number(s, "blocks_decoded", engine.blocks_decoded);
    s->number(s, "instructions_decoded", engine.instructions_decoded);
    s->number(s, "blocks_compared", engine.blocks_compared);
    s->number(s, "blocks_marked", engine.blocks_marked);
    s->number(s, "lookups", engine.lookups);
    s->number(s, "flushes", engine.flushes);
    s->end(s);
    s->end(s);
}

/* The counter table reports its own. */
static void report_cost(const struct unit *unit, struct statistics *s)
{
    if (unit->kind->cost != NULL) {
        const struct unit_cost cost = unit->kind->cost(unit);
        s->number(s, "storage_bits", cost.storage_bits);
        s->number(s, "comparators", cost.comparators);
        s->number(s, "adders", cost.adders);
    }
}

static void gather_statistics(struct process *process, const struct run_description *run,
                              struct json_statistics *json)
{
    struct statistics *s = &json->sink;
    memory_sample_resident(&process->machine.memory);
    json_statistics_begin(json);
    s->text(s, "schema", "strata.stats/1");
    report_program(s, process, run);
    report_config(s, process, run);
    report_machine(s, process);
    if (run->translator != NULL) {
        translator_report_statistics(run->translator, &process->machine, s);
        ledger_report_statistics(run, process, s);
        regions_report_statistics(run->translator, s);
    }
    struct hotspots hotspots = hotspots_take(process, run->translator, run->profile);
    hotspots_report(&hotspots, process, s);
    hotspots_free(&hotspots);
    profile_report_statistics(run->profile, process, s);
    if (process->machine.oracle != NULL) {
        s->begin(s, "oracle");
        oracle_report(process->machine.oracle, s);
        s->end(s);
    }
    s->begin(s, "units");
    for (unsigned i = 0; i < process->machine.units.count; i++) {
        const struct unit *unit = process->machine.units.units[i];
        if (unit->kind->report != NULL) {
            s->begin(s, unit->kind->name);
            unit->kind->report(unit, s);
            report_cost(unit, s);
            s->end(s);
        }
    }
    s->end(s);
    if (process->machine.pipeline != NULL && !phases_measured(&process->machine.phases)) {
        s->nothing(s, "pipeline");
    } else if (process->machine.pipeline != NULL) {
        s->begin(s, "pipeline");
        pipeline_report(process->machine.pipeline, s);
        if (process->machine.helpers != NULL) {
            helpers_report(process->machine.helpers, s);
        }
        phases_report_sampling(s, &process->machine);
        together_report(process->schedule.together, s);
        loads_report(process, s);
        s->end(s);
        slices_report(process, s);
    }
}

bool run_report_statistics(struct process *process, const struct run_description *run,
                           const char *path)
{
    struct json_statistics json;
    gather_statistics(process, run, &json);
    if (run->earlier != NULL) {
        earlier_report_statistics(run->earlier, &json);
    }
    return json_statistics_write(&json, "statistics", path);
}

static void gather_profile(struct process *process, struct json_statistics *json)
{
    struct statistics *s = &json->sink;
    size_t count;
    const struct loop_count *loops = loop_profile_loops(process->machine.loops, &count);
    struct places *places = places_open(process);
    json_statistics_begin(json);
    s->text(s, "schema", "strata.profile/1");
    s->begin_list(s, "loops");
    for (size_t i = 0; i < count; i++) {
        s->begin(s, NULL);
        places_report_address(s, "pc", loops[i].head);
        places_report(places, s, loops[i].head);
        s->number(s, "executions", loops[i].executions);
        s->number(s, "turns", loops[i].turns);
        s->end(s);
    }
    s->end(s);
    places_close(places);
}

bool run_report_profile(struct process *process, const struct run_description *run,
                        const char *path)
{
    struct json_statistics json;
    gather_profile(process, &json);
    if (run->earlier != NULL) {
        earlier_report_profile(run->earlier, &json);
    }
    return json_statistics_write(&json, "profile", path);
}

void run_report_leave(struct process *process, const struct run_description *run, bool profile,
                      struct earlier *earlier)
{
    struct json_statistics statistics, loops;
    gather_statistics(process, run, &statistics);
    if (profile) {
        gather_profile(process, &loops);
    }
    earlier_add(earlier, json_statistics_take(&statistics),
                profile ? json_statistics_take(&loops) : NULL);
}

/* What the numbers below it are of, if it is less than a whole run. */
static void print_end(const struct process *process)
{
    if (process->replaced) {
        fputs(", up to its execve of another program", stderr);
    } else if (process->limit_reached) {
        fputs(", up to the limit of --max-instructions", stderr);
    } else if (process->exit_signal != 0) {
        const char *name = sigabbrev_np(process->exit_signal);
        fprintf(stderr, ", up to its end by signal %d", process->exit_signal);
        if (name != NULL) {
            fprintf(stderr, " (SIG%s)", name);
        }
    }
}

void run_report_summary(struct process *process, const struct run_description *run)
{
    const struct machine *machine = &process->machine;
    struct hotspots hotspots = hotspots_take(process, run->translator, run->profile);
    say(stderr, "strata: %s", run->path);
    print_end(process);
    fputc('\n', stderr);
    fprintf(stderr, "  instructions   %15" PRIu64 "\n", machine->instructions);
    if (run->translator != NULL) {
        translator_report_print(run->translator, machine);
    }
    phases_report_print(machine, process->schedule.together != NULL);
    if (machine->pipeline != NULL) {
        pipeline_print_summary(machine->pipeline, stderr);
    }
    fprintf(stderr, "  system calls   %15" PRIu64 "\n", process->syscalls);
    fprintf(stderr, "  threads        %15" PRIu64 "   switches %" PRIu64 "\n",
            process->threads_started, process->schedule.switches);
    hotspots_print_counters(&hotspots, process);
    oracle_print(machine->oracle);
    regions_report_print(run->translator);
    profile_report_print(run->profile, process, run->translator != NULL, hotspots.count == 0);
    hotspots_print(&hotspots, process);
    if (run->translator != NULL) {
        ledger_report_print(run, machine);
    }
    hotspots_free(&hotspots);
    loads_report_print(process);
    slices_report_print(process);
    together_report_print(process->schedule.together);
}

/* What the program did that it could not survive; NULL if it was no fault. */
static const char *fault_of(enum engine_stop reason)
{
    switch (reason) {
    case ENGINE_ILLEGAL:
        return "illegal instruction";
    case ENGINE_EBREAK:
        return "breakpoint (ebreak)";
    case ENGINE_FETCH_FAULT:
        return "no code to execute at";
    case ENGINE_LOAD_FAULT:
        return "read from address";
    case ENGINE_STORE_FAULT:
        return "write to address";
    case ENGINE_BUS_FAULT:
        return "access behind the end of a mapped file, address";
    case ENGINE_MISALIGNED:
        return "misaligned atomic access to address";
    case ENGINE_BUDGET:
    case ENGINE_ECALL:
    case ENGINE_SYSTEM:
        break;
    }
    return NULL;
}

void run_report_death(struct process *process, const struct run_description *run)
{
    const struct last_stop *stop = &process->last_stop;
    const char *fault = fault_of(stop->reason);
    if (process->exit_signal == 0 || fault == NULL) {
        return;
    }
    struct places *places = places_open(process);
    struct place place;
    char number[24] = "";
    if (stop->reason != ENGINE_EBREAK) {
        snprintf(number, sizeof number, " 0x%" PRIx64, stop->address);
    }
    say(stderr, "strata: %s: killed by SIG%s: %s%s, pc 0x%" PRIx64, run->path,
        sigabbrev_np(process->exit_signal), fault, number, stop->pc);
    if (places_find(places, stop->pc, &place)) {
        char name[COLUMN_BYTES(NAME_COLUMNS)];
        places_name(&place, name, NAME_COLUMNS);
        say(stderr, " in %s", name);
    }
    if (place.symbol.file != NULL) {
        say(stderr, " (%s:%u)", place.symbol.file, place.symbol.line);
    }
    if (LAYOUT_STACK_TOP - LAYOUT_STACK_BYTES - stop->address <= STACK_OVERRUN_BYTES) {
        fprintf(stderr, "; the stack is full (%u MB)", (unsigned)(LAYOUT_STACK_BYTES >> 20));
    }
    fputc('\n', stderr);
    places_close(places);
}
