/* Puts the code of a trace beside that of the fragments before it, by the program's instructions that both do. */
#include "report/trace_listing.h"

#include "base/check.h"
#include "isa/rv64/disassemble.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Of one side: a trace has 384 instructions of the program at the most, and its fragments a lookup for each block. */
#define LINES_MAX 2048
/* Rows that are written of one trace. */
#define ROWS_MAX 200

/* An instruction in the cache, with the program's that it does or is a part of; or one of the program that takes no
 * instruction there. */
struct line {
    guest_addr pc; /* of the program */
    guest_addr at; /* in the cache; 0: it takes none */
    size_t step; /* which instruction of the path it is: the same one may be there several times */
    struct rv64_insn insn;
};

/* One of the two: the fragments of the path one behind the other, or the trace. */
struct side {
    struct line *lines;
    size_t count;
    size_t steps;
};

static void add_line(struct side *side, guest_addr pc, guest_addr at, const struct rv64_insn *insn,
                     bool again)
{
    if (side->count == LINES_MAX) {
        return;
    }
    const bool same = !again && side->count > 0 && side->lines[side->count - 1].pc == pc;
    side->steps += !same;
    side->lines[side->count++] = (struct line){.pc = pc, .at = at, .step = side->steps};
    if (insn != NULL) {
        side->lines[side->count - 1].insn = *insn;
    }
}

/* Adds the code of one block.  Its first instruction is another step of the path than the last of the block before it,
 * also if it is the same instruction of the program. */
static void add_code(const struct trace_code *code, struct side *side, guest_addr start,
                     guest_addr end)
{
    const struct origins *origins = &code->machine->origins;
    struct origin_place place = {.next = 0};
    bool first = true;
    struct rv64_insn insn;

    for (guest_addr at = start; at < end && origins_read(origins, at, &insn); at += insn.length) {
        struct executed executed;
        origins_executed(origins, &place, at, insn.length, &executed);
        const unsigned own = executed.count > executed.without;
        for (unsigned i = 0; executed.known && i + own < executed.count; i++) {
            add_line(side, executed.pcs[i], 0, NULL, first);
            first = false;
        }
        if (executed.known) {
            add_line(side, executed.piece, at, &insn, first);
            first = false;
        }
    }
}

static struct side make_side(void)
{
    struct side side = {.lines = calloc(LINES_MAX, sizeof *side.lines)};
    ASSERT(side.lines != NULL);
    return side;
}

static struct side side_before(const struct trace_code *code, const struct trace *trace)
{
    struct side side = make_side();
    for (uint32_t i = 0; i < trace->told.blocks; i++) {
        const struct xstrata_fragment *fragment = &trace->blocks[i].fragment;
        add_code(code, &side, fragment->entry, fragment->end);
    }
    return side;
}

static struct side side_after(const struct trace_code *code, const struct trace *trace)
{
    struct side side = make_side();
    for (uint32_t i = 0; i < trace->told.blocks; i++) {
        const guest_addr end =
            i + 1 < trace->told.blocks ? trace->blocks[i + 1].told.at : trace->told.path_end;
        add_code(code, &side, trace->blocks[i].told.at, end);
    }
    return side;
}

/* Where a jump or branch of a trace leads, if it does not stay on the path. */
static const char *leads_where(const struct trace *trace, const struct line *line)
{
    const guest_addr entry = trace->blocks[0].told.at, to = line->at + (guest_addr)line->insn.imm;

    if (!(rv64_row(line->insn.op)->flags & (INSN_CONDITIONAL | INSN_JUMP)) ||
        line->insn.op == RV64_jalr) {
        return NULL;
    }
    if (to == entry) {
        return "begin";
    }
    return to > entry && to < trace->told.path_end ? NULL : "out";
}

static void put_line(const struct trace_code *code, const struct line *line, const char *key,
                     const char *count_key, struct statistics *s)
{
    char text[RV64_TEXT_SIZE];

    if (line != NULL && line->at != 0) {
        rv64_disassemble(&line->insn, line->at, text, sizeof text);
        s->text(s, key, text);
        s->number(s, count_key, code_counts_executions(code->counts, line->at));
    }
}

static void put_program(const struct trace_code *code, guest_addr pc, bool first,
                        struct statistics *s)
{
    char text[RV64_TEXT_SIZE];
    struct rv64_insn insn;

    snprintf(text, sizeof text, "0x%" PRIx64, pc);
    s->text(s, "address", text);
    if (first && origins_read(&code->machine->origins, pc, &insn)) {
        rv64_disassemble(&insn, pc, text, sizeof text);
        s->text(s, "program", text);
    }
}

/* `pc`: of the instruction of the program that one of the lines, or both, are of; `first` of what the fragments or the
 * trace do for it. */
static void put_row(const struct trace_code *code, const struct trace *trace, guest_addr pc,
                    const struct line *before, const struct line *after, bool first,
                    struct statistics *s)
{
    const char *leads = after != NULL && after->at != 0 ? leads_where(trace, after) : NULL;

    s->begin(s, NULL);
    put_program(code, pc, first, s);
    put_line(code, before, "before", "before_executions", s);
    put_line(code, after, "after", "after_executions", s);
    if (leads != NULL) {
        s->text(s, "leads", leads);
    }
    s->end(s);
}

/* Whether the instruction of the program that `line` is of comes later on the other side. */
static bool comes_later(const struct side *side, size_t from, const struct line *line)
{
    for (size_t i = from; i < side->count; i++) {
        if (side->lines[i].pc == line->pc) {
            return true;
        }
    }
    return false;
}

/* How many lines from `next` on are of one step. */
static size_t step_lines(const struct side *side, size_t next)
{
    size_t count = 0;
    while (next + count < side->count && side->lines[next + count].step == side->lines[next].step) {
        count++;
    }
    return count;
}

/* Both sides have the same instructions of the program, in the same order, but where one of them ends early.  Returns how
 * many rows there are; those behind ROWS_MAX are not written. */
static size_t put_rows(const struct trace_code *code, const struct trace *trace,
                       const struct side *before, const struct side *after, struct statistics *s)
{
    size_t a = 0, b = 0, rows = 0;

    while (a < before->count || b < after->count) {
        const struct line *left = a < before->count ? &before->lines[a] : NULL;
        const struct line *right = b < after->count ? &after->lines[b] : NULL;
        const bool same = left != NULL && right != NULL && left->pc == right->pc;
        const bool only_left =
            !same && (right == NULL || (left != NULL && !comes_later(after, b, left)));
        const size_t lefts = same || only_left ? step_lines(before, a) : 0;
        const size_t rights = same || !only_left ? step_lines(after, b) : 0;
        for (size_t i = 0; i < lefts || i < rights; i++, rows++) {
            if (rows < ROWS_MAX) {
                put_row(code, trace, i < lefts ? before->lines[a + i].pc : after->lines[b + i].pc,
                        i < lefts ? left + i : NULL, i < rights ? right + i : NULL, i == 0, s);
            }
        }
        a += lefts;
        b += rights;
    }
    return rows;
}

static const struct trace *find_trace(const struct trace_code *code, guest_addr head, bool undone)
{
    for (size_t i = 0; i < code->count; i++) {
        if (code->traces[i].told.head == head && (code->traces[i].told.undone != 0) == undone) {
            return &code->traces[i];
        }
    }
    return NULL;
}

static const char *why_missing(const struct trace_code *code, guest_addr head)
{
    const struct trace *trace = find_trace(code, head, false);

    if (code->counts == NULL) {
        return "nothing was counted (--no-profile)";
    }
    if (trace == NULL) {
        return find_trace(code, head, true) != NULL ? "its trace was undone"
                                                    : "its trace went with all fragments";
    }
    for (uint32_t i = 0; i < trace->told.blocks; i++) {
        if (!trace->blocks[i].known) {
            return "a fragment of its path is gone";
        }
    }
    return NULL;
}

void trace_listing_report(const struct trace_code *code, guest_addr head, struct statistics *s)
{
    const char *why = why_missing(code, head);

    if (why != NULL) {
        s->text(s, "code_missing", why);
        return;
    }
    const struct trace *trace = find_trace(code, head, false);
    struct side before = side_before(code, trace), after = side_after(code, trace);
    s->begin_list(s, "code");
    const size_t rows = put_rows(code, trace, &before, &after, s);
    s->end(s);
    s->number(s, "code_left_out", rows > ROWS_MAX ? rows - ROWS_MAX : 0);
    free(before.lines);
    free(after.lines);
}
