/* Reads which code in the cache is whose, and adds up what the machine counted there. */
#include "report/trace_code.h"

#include "base/check.h"
#include "machine/units/profile.h"

#include <stdlib.h>

/* A program can write over its translator's memory: a list that is longer than these is not believed. */
#define TRACES_MAX 100000
#define BLOCKS_MAX 256
#define BLOCK_BYTES_MAX 4096

static bool read_blocks(const struct machine *machine, struct trace *trace)
{
    const struct xstrata_trace *told = &trace->told;

    if (told->blocks == 0 || told->blocks > BLOCKS_MAX || told->block_bytes > BLOCK_BYTES_MAX) {
        return false;
    }
    trace->blocks = calloc(told->blocks, sizeof *trace->blocks);
    ASSERT(trace->blocks != NULL);
    for (uint32_t i = 0; i < told->blocks; i++) {
        struct trace_block *block = &trace->blocks[i];
        const guest_addr from = told->first_block + (guest_addr)i * told->block_bytes;
        if (!memory_read(&machine->memory, &block->told, from, sizeof block->told)) {
            free(trace->blocks);
            return false;
        }
        block->known = memory_read(&machine->memory, &block->fragment, block->told.fragment,
                                   sizeof block->fragment) &&
                       block->fragment.start == block->told.start;
    }
    return true;
}

struct trace_code *trace_code_take(const struct machine *machine, guest_addr first)
{
    struct trace_code *code = calloc(1, sizeof *code);
    size_t room = 0;

    ASSERT(code != NULL);
    code->machine = machine;
    code->counts = machine->profile != NULL ? profile_code(machine->profile) : NULL;
    for (guest_addr at = first; at != 0 && code->count < TRACES_MAX;) {
        struct trace trace = {.blocks = NULL};
        if (!memory_read(&machine->memory, &trace.told, at, sizeof trace.told) ||
            !read_blocks(machine, &trace)) {
            break;
        }
        if (code->count == room) {
            room = 2 * room + 16;
            code->traces = realloc(code->traces, room * sizeof *code->traces);
            ASSERT(code->traces != NULL);
        }
        code->traces[code->count++] = trace;
        at = trace.told.next;
    }
    return code;
}

void trace_code_free(struct trace_code *code)
{
    if (code == NULL) {
        return;
    }
    for (size_t i = 0; i < code->count; i++) {
        free(code->traces[i].blocks);
    }
    free(code->traces);
    code_counts_free(code->counts);
    free(code);
}

/* Where the code that checks a target ends: at the fragment's entry, if it stands before that, else behind the jump
 * there. */
static guest_addr end_of_check(const struct trace_code *code, const struct trace *trace,
                               const struct xstrata_fragment *fragment, guest_addr check)
{
    const bool before_entry = check >= fragment->code && check < fragment->entry;
    const guest_addr last = before_entry ? fragment->entry : check + trace->told.check_bytes;
    guest_addr at = check;

    while (at < last) {
        struct rv64_insn insn;
        if (!origins_read(&code->machine->origins, at, &insn)) {
            break;
        }
        at += insn.length;
        if (!before_entry && rv64_row(insn.op)->flags & INSN_JUMP) {
            break;
        }
    }
    return at;
}

/* Cycles of one lookup that finds the fragment; less than 0 if none was measured. */
static double check_cycles(const struct trace_code *code, const struct trace *trace,
                           const struct xstrata_fragment *fragment)
{
    uint64_t cycles = 0, passed = 0;

    for (unsigned i = 0; i < XSTRATA_CHECKS; i++) {
        const guest_addr check = fragment->checks[i];
        bool seen = check == 0;
        for (unsigned k = 0; k < i; k++) {
            seen = seen || fragment->checks[k] == check;
        }
        if (!seen) {
            cycles +=
                code_counts_cycles(code->counts, check, end_of_check(code, trace, fragment, check));
            passed += code_counts_retired(code->counts, check);
        }
    }
    return passed == 0 ? -1 : (double)cycles / (double)passed;
}

/* Adds what the blocks of the trace would have taken as fragments; false if one of them was not measured. */
static bool add_before(const struct trace_code *code, const struct trace *trace, double *sum)
{
    bool looked_up = false; /* the block before this one ends with a lookup */

    for (uint32_t i = 0; i < trace->told.blocks; i++) {
        const struct trace_block *block = &trace->blocks[i];
        const struct xstrata_fragment *fragment = &block->fragment;
        const uint64_t executions = code_counts_retired(code->counts, block->told.at);
        if (executions == 0) {
            continue; /* the program always left before it */
        }
        const uint64_t measured =
            block->known ? code_counts_retired(code->counts, fragment->entry) : 0;
        const double way_in = measured != 0 && looked_up ? check_cycles(code, trace, fragment) : 0;
        if (measured == 0 || way_in < 0) {
            return false;
        }
        const uint64_t cycles = code_counts_cycles(code->counts, fragment->entry, fragment->end);
        *sum += (double)executions * ((double)cycles / (double)measured + way_in);
        looked_up = fragment->exit_count == 0;
    }
    return true;
}

/* The first block of either is counted without what a lookup does that finds it: that is the same for both. */
struct trace_cycles trace_code_cycles(const struct trace_code *code, guest_addr head)
{
    struct trace_cycles cycles = {.before_known = true};
    double before = 0;

    for (size_t i = 0; code->counts != NULL && i < code->count; i++) {
        const struct trace *trace = &code->traces[i];
        if (trace->told.head == head) {
            cycles.after_known = true;
            cycles.after +=
                code_counts_cycles(code->counts, trace->blocks[0].told.at, trace->told.end);
            cycles.before_known = cycles.before_known && add_before(code, trace, &before);
        }
    }
    cycles.before_known = cycles.before_known && cycles.after_known;
    cycles.before = (uint64_t)(before + 0.5);
    return cycles;
}
