/* The walk: from a delinquent load backwards over retired instructions, keeping those that feed its address. */
#include "slice/walk.h"

#include "base/check.h"
#include "isa/rv64/decode.h"

#include <stdlib.h>

#define SP 2
#define FP 8

void slice_walk_keep(struct slice_walk *walk, const struct rv64_insn *insn)
{
    const struct slice_operands operands = slice_operands(insn);
    walk->live = (walk->live & ~operands.written) | operands.read;
}

bool slice_walk_step(struct slice_walk *walk, const struct rv64_insn *insn)
{
    if (!(slice_operands(insn).written & walk->live)) {
        return false;
    }
    slice_walk_keep(walk, insn);
    return true;
}

static bool on_stack(const struct rv64_insn *insn)
{
    return insn->rs1 == SP || insn->rs1 == FP;
}

/* A narrower one leaves less in memory than the register has. */
static bool same_value(const struct rv64_insn *store, const struct rv64_insn *load)
{
    return (store->op == RV64_sd && load->op == RV64_ld) ||
           (store->op == RV64_sw && load->op == RV64_lw) ||
           (store->op == RV64_fsd && load->op == RV64_fld);
}

static bool overlap(const struct slice_retired *retired, const struct rv64_insn *insns, unsigned a,
                    unsigned b)
{
    const unsigned bytes_a = rv64_access_bytes(rv64_row(insns[a].op)->flags);
    const unsigned bytes_b = rv64_access_bytes(rv64_row(insns[b].op)->flags);
    return retired[a].address < retired[b].address + bytes_b &&
           retired[b].address < retired[a].address + bytes_a;
}

static uint16_t store_of(const struct slice_retired *retired, const struct rv64_insn *insns,
                         unsigned load)
{
    for (unsigned i = load; i-- > 0;) {
        if (rv64_row(insns[i].op)->flags & INSN_STORE && overlap(retired, insns, i, load)) {
            const bool exact = retired[i].address == retired[load].address &&
                               same_value(&insns[i], &insns[load]) && on_stack(&insns[i]) &&
                               on_stack(&insns[load]);
            return exact ? (uint16_t)i : TRACE_NONE;
        }
    }
    return TRACE_NONE;
}

bool slice_trace_read(struct slice_trace *trace, const struct slice_retired *retired,
                      unsigned count, bool through_stack)
{
    *trace = (struct slice_trace){.count = count};
    trace->insns = calloc(count + 1u, sizeof *trace->insns);
    trace->pcs = calloc(count + 1u, sizeof *trace->pcs);
    trace->addresses = calloc(count + 1u, sizeof *trace->addresses);
    trace->stores = calloc(count + 1u, sizeof *trace->stores);
    if (count > TRACE_MAX || trace->insns == NULL || trace->pcs == NULL ||
        trace->addresses == NULL || trace->stores == NULL) {
        slice_trace_free(trace);
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        rv64_decode(retired[i].word, &trace->insns[i]);
        trace->pcs[i] = retired[i].pc;
        trace->addresses[i] = retired[i].address;
    }
    for (unsigned i = 0; i < count; i++) {
        const uint32_t flags = rv64_row(trace->insns[i].op)->flags;
        trace->stores[i] = through_stack && flags & INSN_LOAD && on_stack(&trace->insns[i])
                               ? store_of(retired, trace->insns, i)
                               : TRACE_NONE;
    }
    return true;
}

void slice_trace_free(struct slice_trace *trace)
{
    free(trace->insns);
    free(trace->pcs);
    free(trace->addresses);
    free(trace->stores);
    *trace = (struct slice_trace){.count = 0};
}

/* Of a store that stands for its load's memory, only the data is needed. */
static slice_registers data_of(const struct rv64_insn *store)
{
    const uint32_t flags = rv64_row(store->op)->flags;
    return flags & INSN_RS2_FLOAT ? UINT64_C(1) << (32 + store->rs2)
           : store->rs2 != 0      ? UINT64_C(1) << store->rs2
                                  : 0;
}

bool slice_trace_passes(const struct slice_trace *trace, unsigned from, unsigned load)
{
    return trace->stores[load] != TRACE_NONE && trace->stores[load] >= from;
}

slice_registers slice_trace_walk(const struct slice_trace *trace, unsigned from, unsigned to,
                                 slice_registers live, uint8_t *marks)
{
    struct slice_walk walk = {.live = live};
    ASSERT(from <= to && to <= trace->count);
    for (unsigned i = from; i < to; i++) {
        marks[i] = marks[i] == MARK_ROOT ? MARK_ROOT : MARK_NONE;
    }
    for (unsigned i = to; i-- > from;) {
        const struct rv64_insn *insn = &trace->insns[i];
        if (marks[i] == MARK_ROOT) {
            slice_walk_keep(&walk, insn);
        } else if (marks[i] == MARK_PASSED) {
            walk.live |= data_of(insn);
        } else if (slice_trace_passes(trace, from, i)) {
            const slice_registers written = slice_operands(insn).written;
            if (written & walk.live) {
                marks[i] = MARK_KEPT;
                marks[trace->stores[i]] = MARK_PASSED;
                walk.live &= ~written;
            }
        } else if (slice_walk_step(&walk, insn)) {
            marks[i] = MARK_KEPT;
        }
    }
    return walk.live;
}
