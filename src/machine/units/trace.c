/* Writes each retired instruction, disassembled, to a file: address, word, text, and what it wrote. */
#include "machine/units/trace.h"

#include "base/say.h"
#include "isa/rv64/disassemble.h"
#include "machine/state/high_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trace {
    struct unit unit;
    const char *path;
    FILE *file; /* NULL once finished */
    guest_addr low, high;
};

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    const struct trace *trace = (const struct trace *)(void *)unit;
    const bool inside = instruction->pc >= trace->low && instruction->pc < trace->high;
    return (struct watch_request){.events = inside ? WATCH_EXECUTED : 0u};
}

/* Jumps and system instructions are reported before they write anything. */
static void print_result(FILE *file, const struct hart *hart, const struct rv64_insn *insn)
{
    const uint32_t flags = rv64_row(insn->op)->flags;
    if (flags & (INSN_JUMP | INSN_SYSTEM)) {
        return;
    }
    if (flags & INSN_RD_INT && insn->rd != 0) {
        fprintf(file, "\tx%u=0x%" PRIx64, insn->rd, hart->x[insn->rd]);
    } else if (flags & INSN_RD_FLOAT) {
        fprintf(file, "\tf%u=0x%" PRIx64, insn->rd, hart->f[insn->rd]);
    }
}

static void on_executed(struct unit *unit, const struct watch_event *event)
{
    struct trace *trace = (struct trace *)(void *)unit;
    const struct watch_instruction *instruction = event->instruction;
    char text[96];
    rv64_disassemble(instruction->insn, instruction->pc, text, sizeof text);
    fprintf(trace->file, "%" PRIx64 ":\t%0*" PRIx32 "\t%s", instruction->pc, instruction->bytes * 2,
            instruction->word, text);
    print_result(trace->file, event->hart, instruction->insn);
    fputc('\n', trace->file);
}

static bool finish(struct unit *unit)
{
    struct trace *trace = (struct trace *)(void *)unit;
    const bool failed = ferror(trace->file) != 0;
    if (fclose(trace->file) != 0 || failed) {
        say(stderr, "strata: the trace %s is incomplete: %s\n", trace->path,
            errno != 0 ? strerror(errno) : "it could not be written");
        trace->file = NULL;
        return false;
    }
    trace->file = NULL;
    return true;
}

static void destroy(struct unit *unit)
{
    struct trace *trace = (struct trace *)(void *)unit;
    if (trace->file != NULL) {
        fclose(trace->file);
    }
    free(trace);
}

static const struct unit_kind kind = {.name = "trace",
                                      .watches = watches,
                                      .executed = on_executed,
                                      .finish = finish,
                                      .destroy = destroy};

struct unit *trace_create(const char *path, guest_addr low, guest_addr high, struct unit_host host,
                          int *descriptor)
{
    struct trace *trace = calloc(1, sizeof *trace);
    if (trace == NULL) {
        return NULL;
    }
    trace->path = path;
    trace->file = high_file_open(path, HIGH_TRACE, descriptor);
    if (trace->file == NULL) {
        free(trace);
        return NULL;
    }
    trace->unit.kind = &kind;
    trace->unit.host = host;
    trace->low = low;
    trace->high = high;
    return &trace->unit;
}
