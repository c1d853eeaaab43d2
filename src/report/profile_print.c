/* Shows what a profile adds up to as a table: the functions and loops with most of it. */
#include "report/profile_sums.h"

#include "base/say.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define PRINTED_FUNCTIONS 12
#define PRINTED_LOOPS 12
#define SOURCE_COLUMNS 22
#define NAME_COLUMNS 68

/* Source and name of the function, or of a loop in it at `address`. */
static void print_place(const struct profile_report *report, struct places *places,
                        uint32_t function, guest_addr address)
{
    char shown[COLUMN_BYTES(NAME_COLUMNS)], source[COLUMN_BYTES(SOURCE_COLUMNS)];
    struct place place;
    profile_find_place(report, places, function, address, &place);
    places_source(&place, source, SOURCE_COLUMNS);
    profile_name_place(report, function, &place, shown, NAME_COLUMNS);
    say(stderr, "  %s %s\n", source, shown);
}

static void print_inclusive(const struct profile_report *report, uint64_t instructions)
{
    if (report->places != NULL) {
        fprintf(stderr, " %8.1f%%", 100 * profile_ratio(instructions, report->instructions));
    }
}

/* What is shown of a function or a loop: of a sampled run the estimate for all of it. */
static uint64_t shown_of(const struct profile_report *report, uint64_t instructions,
                         uint64_t cycles)
{
    return report->cycles == 0 ? instructions : (uint64_t)llround(report->scale * (double)cycles);
}

static void print_more(size_t count, size_t printed)
{
    if (count > printed) {
        say(stderr, "%15s and %zu more (--stats FILE lists all)\n", "...", count - printed);
    }
}

static void print_sum(const struct profile_report *report, uint64_t cycles, uint64_t inclusive,
                      const char *name)
{
    fprintf(stderr, "%15" PRIu64 " %5.1f%%", shown_of(report, report->instructions, cycles),
            100 * profile_share_of(report, report->instructions, cycles));
    print_inclusive(report, inclusive);
    say(stderr, "  %-*s %s\n", SOURCE_COLUMNS, "-", name);
}

/* Of a translated program the sum is less than what was executed for it: the translator's own instructions are not in
 * it, nor what its code in the cache needs more. */
static void print_functions(const struct profile_report *report, struct places *places,
                            bool translated)
{
    const bool cycles = report->cycles != 0;
    size_t count = 0;
    while (count < report->function_count &&
           (cycles ? report->functions[count].cycles : report->functions[count].instructions) > 0) {
        count++;
    }
    say(stderr, "\n%15s %6s%s  %-*s %s\n",
        !cycles                ? "instructions"
        : report->scale == 1.0 ? "cycles"
                               : "est. cycles",
        "share", report->places != NULL ? " inclusive" : "", SOURCE_COLUMNS, "source", "function");
    for (size_t i = 0; i < count && i < PRINTED_FUNCTIONS; i++) {
        const struct function_sum *sum = &report->functions[i];
        fprintf(stderr, "%15" PRIu64 " %5.1f%%", shown_of(report, sum->instructions, sum->cycles),
                100 * profile_share_of(report, sum->instructions, sum->cycles));
        print_inclusive(report, sum->inclusive);
        print_place(report, places, sum->number,
                    function_table_get(report->table, sum->number)->start);
    }
    print_more(count, PRINTED_FUNCTIONS);
    print_sum(report, report->cycles, report->instructions,
              translated ? "all of the program, as it would run alone" : "all of the program");
    if (report->other_cycles > 0) {
        print_sum(report, report->other_cycles, 0, "the translator");
    }
    if (cycles && report->places != NULL) {
        say(stderr, "%15s inclusive: of the program's instructions, with what a function calls\n",
            "");
    }
}

static void print_loops(const struct profile_report *report, struct places *places)
{
    say(stderr, "\n%15s %6s%s  %-14s %-*s %s\n", "turns", "share",
        report->places != NULL ? " inclusive" : "", "head", SOURCE_COLUMNS, "source", "function");
    size_t count = 0;
    while (count < report->loops.count &&
           (report->cycles != 0 ? report->loops.loops[count].cycles
                                : report->loops.loops[count].instructions) > 0) {
        count++;
    }
    for (size_t i = 0; i < count && i < PRINTED_LOOPS; i++) {
        const struct loop_body *loop = &report->loops.loops[i];
        fprintf(stderr, "%15" PRIu64 " %5.1f%%", loop->turns,
                100 * profile_share_of(report, loop->instructions, loop->cycles));
        print_inclusive(report, loop->instructions + loop->called);
        fprintf(stderr, "  0x%-11" PRIx64, loop->head);
        print_place(report, places, loop->function, loop->head);
    }
    print_more(count, PRINTED_LOOPS);
}

void profile_report_print(const struct profile_report *report, struct process *process,
                          bool translated, bool loops)
{
    if (report == NULL || report->instructions == 0) {
        return;
    }
    struct places *places = places_open(process);
    print_functions(report, places, translated);
    if (loops) {
        print_loops(report, places);
    }
    places_close(places);
}
