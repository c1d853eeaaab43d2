/* Decodes guest instructions into a block of ops, with what units watch built in. */
#include "machine/engine/block.h"

#include "base/check.h"
#include "isa/rv64/csr.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/marker.h"
#include "machine/exec/float.h"

#include <string.h>

/* What is known of one instruction before ops are made of it. */
struct draft {
    struct rv64_insn insn;
    guest_addr pc;
    unsigned events; /* of all units */
    unsigned unit_events[UNITS_MAX];
    struct watch_cell *cells[UNITS_MAX];
    void *own[UNITS_MAX];
    uint64_t *totals[UNITS_MAX];
    struct static_insn *recorded; /* what records point to; NULL: none are wanted */
    struct unit *run_unit;        /* who counts it in a run, or NULL; one unit does */
    unsigned run_part;
    struct watch_run *falls; /* of a branch: what counts where it does not branch, or NULL */
};

struct builder {
    struct engine *engine;
    struct block *block;
    struct draft drafts[BLOCK_INSTRUCTIONS];
    unsigned count;
    unsigned retiring; /* of `count`: all but a last one that only stops */
    struct op *op;     /* the next free one */
    struct op_note notes[BLOCK_INSTRUCTIONS * (3 * UNITS_MAX + 4)];
    uint8_t *site; /* where the next one goes */
};

/* How the second instruction of a pair depends on the first. */
enum join { JOIN_none, JOIN_rs1, JOIN_rs2, JOINS };

/* Handlers of two instructions at once, 0 where there is none. */
static const uint16_t pair_handlers[RV64_OP_COUNT][RV64_OP_COUNT][JOINS] = {
#define PAIR(first, second, join)                                                                  \
    [RV64_##first][RV64_##second][JOIN_##join] = HANDLER_##first##_##second##_##join,
#define PAIR_BRANCH PAIR
#include "machine/engine/pairs.def"
#undef PAIR
#undef PAIR_BRANCH
};
/* One that counts where its branch does not branch stands behind the one that does not count. */
_Static_assert(HANDLER_falls_bgeu - HANDLER_falls_beq == RV64_bgeu - RV64_beq,
               "branches have one order");

/* Reads the instruction at `pc`; false if it may not be executed. */
static bool fetch(struct engine *engine, guest_addr pc, struct rv64_insn *insn)
{
    const struct memory *memory = engine->memory;
    uint16_t low, high = 0;
    if (!memory_allows(memory, pc, 2, PAGE_EXECUTE)) {
        engine->fetch_fault = pc;
        return false;
    }
    memcpy(&low, memory_host(memory, pc), sizeof low);
    if ((low & 3) == 3) {
        if (!memory_allows(memory, pc + 2, 2, PAGE_EXECUTE)) {
            engine->fetch_fault = pc + 2;
            return false;
        }
        memcpy(&high, memory_host(memory, pc + 2), sizeof high);
    }
    rv64_decode((uint32_t)high << 16 | low, insn);
    return true;
}

/* Floating-point flags and modes are the hart's own: no need to stop for them. */
static bool accesses_float_csr(const struct rv64_insn *insn)
{
    return insn->op >= RV64_csrrw && insn->op <= RV64_csrrci &&
           (insn->imm == RV64_CSR_fflags || insn->imm == RV64_CSR_frm ||
            insn->imm == RV64_CSR_fcsr);
}

static enum float_csr float_csr_kind(unsigned op)
{
    switch (op) {
    case RV64_csrrw:
        return CSR_WRITE;
    case RV64_csrrs:
        return CSR_SET;
    case RV64_csrrc:
        return CSR_CLEAR;
    case RV64_csrrwi:
        return CSR_WRITE_NUMBER;
    case RV64_csrrsi:
        return CSR_SET_NUMBER;
    default:
        return CSR_CLEAR_NUMBER;
    }
}

static bool ends_block(const struct rv64_insn *insn)
{
    const uint32_t ending = INSN_CONDITIONAL | INSN_JUMP | INSN_SYSTEM;
    return insn->op == RV64_illegal || rv64_is_marker(insn) ||
           ((rv64_row(insn->op)->flags & ending) != 0 && !accesses_float_csr(insn));
}

/* Instructions that only stop the engine do not retire by themselves. */
static bool retires(const struct rv64_insn *insn)
{
    return insn->op != RV64_illegal && insn->op != RV64_ebreak;
}

static void ask_units(struct builder *builder, struct draft *draft)
{
    struct unit_set *set = builder->engine->units;
    const struct watch_instruction instruction = watch_instruction_of(draft->pc, &draft->insn);
    const unsigned told_elsewhere = set->timed ? WATCH_TIMED : WATCH_TIMED & ~WATCH_RETIRED;
    draft->events = 0;
    draft->recorded = NULL;
    draft->run_unit = NULL;
    draft->falls = NULL;
    for (unsigned i = 0; i < set->count; i++) {
        struct unit *unit = set->units[i];
        struct watch_request request = {.events = unit->kind->timed};
        if (unit->kind->watches != NULL) {
            request = unit->kind->watches(unit, &instruction);
        }
        draft->unit_events[i] = request.events & ~told_elsewhere;
        draft->own[i] = request.own;
        draft->cells[i] = request.events & WATCH_COUNTED ? request.cell : NULL;
        draft->totals[i] = request.events & WATCH_TOTAL ? request.total : NULL;
        draft->events |= draft->unit_events[i];
        draft->recorded =
            request.events & (WATCH_RECORD | WATCH_RECORD_FIRST) ? request.insn : draft->recorded;
        if (request.events & WATCH_RUN) {
            draft->run_unit = unit;
            draft->run_part = request.part;
        }
        draft->falls = request.events & WATCH_FALLS ? request.falls : draft->falls;
    }
}

static void collect(struct builder *builder, guest_addr pc, uint64_t limit)
{
    const guest_addr page = pc / GUEST_PAGE_BYTES;
    builder->count = 0;
    builder->retiring = 0;
    while (builder->count < limit && builder->count < BLOCK_INSTRUCTIONS &&
           pc / GUEST_PAGE_BYTES == page) {
        struct draft *draft = &builder->drafts[builder->count];
        if (!fetch(builder->engine, pc, &draft->insn)) {
            break;
        }
        draft->pc = pc;
        ask_units(builder, draft);
        builder->count++;
        builder->retiring += retires(&draft->insn);
        pc += draft->insn.length;
        if (ends_block(&draft->insn)) {
            break;
        }
    }
}

/* The last instruction's successor, if the block ends without a jump. */
static bool needs_block_end(const struct builder *builder)
{
    return !ends_block(&builder->drafts[builder->count - 1].insn);
}

static struct op *add_op(struct builder *builder, unsigned handler, const struct draft *draft,
                         unsigned retired)
{
    struct block *block = builder->block;
    struct op *op = builder->op++;
    struct op_note *note = &builder->notes[block->op_count++];
    note->halfwords = (uint8_t)((draft->pc - block->pc) / 2);
    note->retired = (uint8_t)retired;
    op->handler = builder->engine->handlers[handler];
    op->value = 0;
    return op;
}

/* What stands behind an op for its sake is not an op, but has a note, to keep their numbers equal. */
static void *add_extra(struct builder *builder, const struct draft *draft, unsigned retired)
{
    return add_op(builder, 0, draft, retired);
}

static void add_links(struct builder *builder, const struct draft *draft, unsigned retired)
{
    struct links *links = add_extra(builder, draft, retired);
    links->taken = &builder->engine->unlinked;
    links->not_taken = &builder->engine->unlinked;
}

static void add_instruction(struct builder *builder, const struct draft *draft, unsigned retired)
{
    const struct rv64_insn *insn = &draft->insn;
    const uint32_t flags = rv64_row(insn->op)->flags;
    struct op *op;
    if (insn->op == RV64_illegal) {
        add_op(builder, HANDLER_stop_illegal, draft, retired);
        return;
    }
    if (accesses_float_csr(insn)) {
        op = add_op(builder, HANDLER_float_csr, draft, retired);
        op->rd = insn->rd != 0 ? insn->rd : HART_X_SINK;
        op->rs1 = insn->rs1;
        op->rs2 = (uint8_t)float_csr_kind(insn->op);
        op->imm = (int32_t)insn->imm;
        return;
    }
    if (flags & INSN_SYSTEM || rv64_is_marker(insn)) {
        const unsigned handler = insn->op == RV64_ecall    ? HANDLER_stop_ecall
                                 : insn->op == RV64_ebreak ? HANDLER_stop_ebreak
                                                           : HANDLER_stop_system;
        op = add_op(builder, handler, draft, retired);
        op->value = draft->pc;
        op = add_extra(builder, draft, retired);
        op->value = insn->word;
        return;
    }
    const unsigned handler =
        draft->falls != NULL ? HANDLER_falls_beq + (unsigned)insn->op - RV64_beq : insn->op;
    op = add_op(builder, handler, draft, retired);
    op->rd = (flags & INSN_RD_FLOAT) || insn->rd != 0 ? insn->rd : HART_X_SINK;
    op->rs1 = insn->rs1;
    op->rs2 = insn->rs2;
    op->rs3 = insn->rs3;
    op->imm = flags & INSN_ROUNDS ? insn->rm : (int32_t)insn->imm;
    if (flags & INSN_CONDITIONAL) {
        add_links(builder, draft, retired);
    } else if (insn->op == RV64_jal) {
        op->value = op_pack_constant(op->rd, draft->pc + insn->length);
        add_links(builder, draft, retired);
    } else if (insn->op == RV64_jalr) {
        struct op *extra = add_extra(builder, draft, retired);
        extra->value = draft->pc + insn->length;
    } else if (insn->op == RV64_auipc) {
        op->value = op_pack_constant(op->rd, draft->pc + (uint64_t)insn->imm);
    }
}

/* What the engine tells before an instruction, and behind it unless it is the last one of a block. */
#define TOLD_BEFORE (WATCH_BRANCH | WATCH_MEMORY | WATCH_BEFORE)
#define TOLD_BEHIND (WATCH_EXECUTED | WATCH_RETIRED)

static void add_watch(struct builder *builder, const struct draft *draft, unsigned retired,
                      unsigned handler, unsigned events)
{
    const struct unit_set *set = builder->engine->units;
    struct watch_site *site = (struct watch_site *)(void *)builder->site;
    site->insn = draft->insn;
    site->instruction = watch_instruction_of(draft->pc, &site->insn);
    site->events = site->count = 0;
    for (unsigned i = 0; i < set->count; i++) {
        const unsigned wanted = draft->unit_events[i] & events;
        if (wanted != 0) {
            site->watchers[site->count++] =
                (struct watcher){.unit = set->units[i], .events = wanted, .own = draft->own[i]};
            site->events |= wanted;
        }
    }
    builder->site += watch_site_bytes(site->count);
    add_op(builder, handler, draft, retired)->pointer = site;
}

/* One addition for as many instructions as go into the same total from here on.
 * Behind the counters of its first one, which may leave before it. */
static void add_totals(struct builder *builder, const struct draft *draft, unsigned retired)
{
    const struct draft *end = builder->drafts + builder->count;
    for (unsigned i = 0; i < builder->engine->units->count; i++) {
        uint64_t *total = draft->totals[i];
        if (total == NULL || (draft != builder->drafts && draft[-1].totals[i] == total)) {
            continue;
        }
        uint64_t instructions = 0;
        for (const struct draft *d = draft; d < end && d->totals[i] == total; d++) {
            instructions += retires(&d->insn);
        }
        add_op(builder, HANDLER_watch_total, draft, retired)->pointer = total;
        ((struct op *)add_extra(builder, draft, retired))->value = instructions;
    }
}

static bool same_run(const struct draft *a, const struct draft *b)
{
    return a->run_unit == b->run_unit && a->run_part == b->run_part;
}

/* One increment for as many instructions as are one run from here on, of which this is the first. */
static void add_run(struct builder *builder, const struct draft *draft, unsigned retired)
{
    struct unit *unit = draft->run_unit;
    const struct draft *end = builder->drafts + builder->count;
    const struct draft *last = draft;
    while (last + 1 < end && same_run(last + 1, draft)) {
        last++;
    }
    const unsigned bytes = (unsigned)(last->pc + last->insn.length - draft->pc);
    for (struct watch_run *run = unit->kind->run(unit, draft->pc, bytes); run != NULL;
         run = run->then) {
        add_op(builder, run->course != NULL ? HANDLER_watch_course : HANDLER_watch_run, draft,
               retired)
            ->pointer = run;
    }
}

static void add_record(struct builder *builder, const struct draft *draft, unsigned retired)
{
    const uint32_t flags = rv64_row(draft->insn.op)->flags;
    const bool accesses = (flags & (INSN_LOAD | INSN_STORE)) != 0 || draft->insn.op == RV64_ori;
    add_op(builder, accesses ? HANDLER_record_access : HANDLER_record, draft, retired)->pointer =
        draft->recorded;
    if (accesses) {
        struct op *operands = add_extra(builder, draft, retired);
        operands->rs1 = draft->insn.rs1;
        operands->imm = flags & INSN_ATOMIC ? 0 : (int32_t)draft->insn.imm;
    }
}

/* Returns the instruction's own op. */
static struct op *add_draft(struct builder *builder, const struct draft *draft, unsigned retired)
{
    for (unsigned i = 0; draft->events & WATCH_COUNTED && i < builder->engine->units->count; i++) {
        if (draft->cells[i] != NULL) {
            add_op(builder, HANDLER_watch_pc, draft, retired)->pointer = draft->cells[i];
        }
    }
    if (draft->events & WATCH_TOTAL) {
        add_totals(builder, draft, retired);
    }
    if (draft->run_unit != NULL && (draft == builder->drafts || !same_run(draft, draft - 1))) {
        add_run(builder, draft, retired);
    }
    if (draft->recorded != NULL && retires(&draft->insn) &&
        (draft->events & WATCH_RECORD || draft == builder->drafts)) {
        add_record(builder, draft, retired);
    }
    /* Nothing runs behind the last instruction of a block, so what it retires
     * is said before it: jumps cannot fail. */
    const bool last = ends_block(&draft->insn);
    unsigned before = draft->events & TOLD_BEFORE;
    unsigned after = 0;
    if (retires(&draft->insn)) {
        *(last ? &before : &after) |= draft->events & TOLD_BEHIND;
    }
    if (before != 0) {
        add_watch(builder, draft, retired, HANDLER_watch_before, before);
    }
    struct op *own = builder->op;
    add_instruction(builder, draft, retired);
    if (after != 0) {
        add_watch(builder, draft, retired + 1, HANDLER_watch_after, after);
    }
    return own;
}

static enum join join_of(const struct rv64_insn *first, const struct rv64_insn *second)
{
    const uint32_t writes = rv64_row(first->op)->flags;
    const uint32_t reads = rv64_row(second->op)->flags;
    const bool integer = writes & INSN_RD_INT && first->rd != 0;
    const bool floating = writes & INSN_RD_FLOAT;
    if (second->rs1 == first->rd &&
        ((integer && reads & INSN_RS1_INT) || (floating && reads & INSN_RS1_FLOAT))) {
        return JOIN_rs1;
    }
    if (second->rs2 == first->rd &&
        ((integer && reads & INSN_RS2_INT) || (floating && reads & INSN_RS2_FLOAT))) {
        return JOIN_rs2;
    }
    return JOIN_none;
}

/* Each op keeps its place and operands; only the first one's handler changes,
 * and runs both. */
static void join_pairs(struct builder *builder, struct op *const *places)
{
    for (unsigned i = 0; i + 1 < builder->count; i++) {
        const struct rv64_insn *first = &builder->drafts[i].insn;
        const struct rv64_insn *second = &builder->drafts[i + 1].insn;
        const uint16_t *handlers = pair_handlers[first->op][second->op];
        const uint16_t handler = handlers[join_of(first, second)] != 0
                                     ? handlers[join_of(first, second)]
                                     : handlers[JOIN_none];
        if (handler != 0 && places[i + 1] == places[i] + 1 && !rv64_is_marker(second)) {
            const unsigned falls = builder->drafts[i + 1].falls != NULL;
            places[i]->handler = builder->engine->handlers[handler + falls];
            i++;
        }
    }
}

/* Room for a site with these events of the instruction, at the most. */
static size_t site_bytes(const struct builder *builder, const struct draft *draft, unsigned events)
{
    return (draft->events & events) != 0 ? watch_site_bytes(builder->engine->units->count) : 0;
}

static size_t align8(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

size_t build_block(struct engine *engine, uint8_t *at, guest_addr pc, uint64_t limit)
{
    struct builder builder;
    builder.engine = engine;
    engine->at = NULL;
    engine->reading = pc;
    collect(&builder, pc, limit);
    if (builder.count == 0) {
        return 0;
    }

    struct block *block = (struct block *)(void *)at;
    memset(block, 0, sizeof *block);
    const struct draft *last = &builder.drafts[builder.count - 1];
    block->pc = pc;
    block->bytes = (uint16_t)(last->pc + last->insn.length - pc);
    block->instructions = (uint16_t)builder.retiring;
    block->cost = block->instructions;
    block->state = BLOCK_LIVE;

    /* Watch sites first: their number is known, that of the ops is not. */
    size_t sites = 0;
    for (unsigned i = 0; i < builder.count; i++) {
        sites += site_bytes(&builder, &builder.drafts[i], TOLD_BEFORE) +
                 site_bytes(&builder, &builder.drafts[i], TOLD_BEHIND);
    }
    uint8_t *next = at + align8(sizeof *block);
    builder.site = next;
    next += sites;
    block->ops = (struct op *)(void *)next;
    builder.block = block;
    builder.op = block->ops;

    struct op *places[BLOCK_INSTRUCTIONS];
    unsigned retired = 0;
    for (unsigned i = 0; i < builder.count; i++) {
        const struct draft *draft = &builder.drafts[i];
        places[i] = add_draft(&builder, draft, retired);
        retired += retires(&draft->insn);
    }
    if (needs_block_end(&builder) || last->falls != NULL) {
        struct draft end = {.pc = pc + block->bytes};
        if (last->falls != NULL) {
            add_op(&builder, HANDLER_watch_run, &end, retired)->pointer = last->falls;
        }
        add_op(&builder, HANDLER_block_end, &end, retired);
        add_links(&builder, &end, retired);
    }
    join_pairs(&builder, places);

    next = (uint8_t *)builder.op;
    block->notes = (struct op_note *)(void *)next;
    memcpy(block->notes, builder.notes, block->op_count * sizeof *block->notes);
    next += block->op_count * sizeof *block->notes;
    block->copy = next;
    memcpy(block->copy, memory_host(engine->memory, pc), block->bytes);
    next += block->bytes;
    ASSERT((size_t)(next - at) <= BLOCK_BYTES_MAX);
    return align8((size_t)(next - at));
}
