/* Instructions as the pipeline sees them: what each needs of it, decoded once. */
#include "machine/pipeline/slot.h"

#include "isa/rv64/csr.h"
#include "machine/pipeline/pipeline.h"

#include <stdlib.h>

#define BUCKETS 65536
#define CHUNK 1024

struct chunk {
    struct chunk *next;
    struct slot slots[CHUNK];
};

struct mark {
    guest_addr pc;
    uint8_t flags; /* enum slot_flag */
};

struct slots {
    const struct parameters *parameters;
    struct slot *buckets[BUCKETS];
    struct chunk *chunks;
    unsigned used;      /* of the first chunk */
    struct mark *marks; /* of addresses; few */
    size_t mark_count;
    struct arena *arena; /* NULL: the heap */
    bool full;           /* there was one for which the arena had no room */
};

/* What slots are made of that several processes see, at the same address. */
struct arena {
    size_t used, room;      /* of slots */
    struct slot slots[];
};

struct slots *slots_create(const struct parameters *parameters)
{
    struct slots *slots = calloc(1, sizeof *slots);
    if (slots != NULL) {
        slots->parameters = parameters;
        slots->used = CHUNK;
    }
    return slots;
}

void slots_destroy(struct slots *slots)
{
    while (slots != NULL && slots->chunks != NULL) {
        struct chunk *chunk = slots->chunks;
        slots->chunks = chunk->next;
        free(chunk);
    }
    if (slots != NULL) {
        free(slots->marks);
    }
    free(slots);
}

bool slots_mark(struct slots *slots, guest_addr pc, enum slot_flag flag)
{
    struct mark *marks = realloc(slots->marks, (slots->mark_count + 1) * sizeof *marks);
    if (marks == NULL) {
        return false;
    }
    slots->marks = marks;
    marks[slots->mark_count++] = (struct mark){.pc = pc, .flags = (uint8_t)flag};
    for (struct slot *slot = slots->buckets[pc / 2 % BUCKETS]; slot != NULL;
         slot = slot->hash_next) {
        if (slot->site.pc == pc) {
            slot->flags |= flag == SLOT_PERFECT ? 0 : (uint8_t)flag;
        }
    }
    return true;
}

uint8_t slots_marked(const struct slots *slots, guest_addr pc)
{
    uint8_t flags = 0;
    for (size_t i = 0; i < slots->mark_count; i++) {
        flags |= slots->marks[i].pc == pc ? slots->marks[i].flags : 0;
    }
    return flags;
}

static uint8_t source(unsigned number, bool integer, bool floating)
{
    return floating                 ? (uint8_t)(32 + number)
           : integer && number != 0 ? (uint8_t)number
                                    : REGISTER_NONE;
}

/* The link register and its alternative, by which the calling convention knows calls from jumps. */
static bool is_link(unsigned number)
{
    return number == 1 || number == 5;
}

static enum branch_kind branch_kind(const struct rv64_insn *insn, uint32_t flags)
{
    if (flags & INSN_CONDITIONAL) {
        return BRANCH_CONDITIONAL;
    }
    if (!(flags & INSN_JUMP)) {
        return BRANCH_NONE;
    }
    if (is_link(insn->rd)) {
        return BRANCH_CALL;
    }
    if (!(flags & INSN_INDIRECT)) {
        return BRANCH_JUMP;
    }
    return is_link(insn->rs1) ? BRANCH_RETURN : BRANCH_INDIRECT;
}

static void set_unit(struct slot *slot, unsigned kind, const struct parameters *p)
{
    static const uint8_t classes[UNIT_COUNT] = {
        [UNIT_MUL] = CLASS_MULTIPLY,        [UNIT_DIV] = CLASS_MULTIPLY,
        [UNIT_LOAD] = CLASS_MEMORY,         [UNIT_STORE] = CLASS_ALU,
        [UNIT_ATOMIC] = CLASS_MEMORY,       [UNIT_FADD] = CLASS_FLOAT_ADD,
        [UNIT_FCVT] = CLASS_FLOAT_ADD,      [UNIT_FMISC] = CLASS_FLOAT_ADD,
        [UNIT_FMUL] = CLASS_FLOAT_MULTIPLY, [UNIT_FMA] = CLASS_FLOAT_MULTIPLY,
        [UNIT_FDIV] = CLASS_FLOAT_MULTIPLY, [UNIT_FSQRT] = CLASS_FLOAT_MULTIPLY,
    };
    uint64_t latency = p->units_alu_cycles, busy = 1;
    slot->unit = classes[kind];
    switch (kind) {
    case UNIT_MUL:
        latency = p->units_multiply_cycles;
        break;
    case UNIT_DIV:
        latency = p->units_divide_cycles;
        busy = latency > 1 ? latency - 1 : 1;
        break;
    case UNIT_FADD:
    case UNIT_FCVT:
    case UNIT_FMISC:
        latency = p->units_float_add_cycles;
        break;
    case UNIT_FMUL:
    case UNIT_FMA:
        latency = p->units_float_multiply_cycles;
        break;
    case UNIT_FDIV:
        latency = busy = p->units_float_divide_cycles;
        break;
    case UNIT_FSQRT:
        latency = busy = p->units_float_root_cycles;
        break;
    default:
        break;
    }
    slot->latency = (uint32_t)latency;
    slot->busy = (uint16_t)busy;
}

/* Floating-point flags and modes are renamed like registers here: no need for an empty pipeline. */
static bool accesses_float_csr(const struct rv64_insn *insn)
{
    return insn->op >= RV64_csrrw && insn->op <= RV64_csrrci &&
           (insn->imm == RV64_CSR_fflags || insn->imm == RV64_CSR_frm ||
            insn->imm == RV64_CSR_fcsr);
}

/* The instructions on counters and slices only write to their tables: others need not wait for them. */
static bool runs_with_others(unsigned op)
{
    return op == RV64_ctr_new || op == RV64_ctr_read || op == RV64_ctr_drop || op == RV64_sit_new ||
           op == RV64_ctx_start;
}

/* prefetch.r and prefetch.w of Zicbop are hints among the forms of ori. */
static bool is_prefetch(const struct rv64_insn *insn)
{
    return insn->op == RV64_ori && insn->rd == 0 && (insn->imm & 0x1d) == 1;
}

static uint8_t mix_of(const struct slot *slot, unsigned kind)
{
    static const uint8_t branches[] = {[BRANCH_CONDITIONAL] = MIX_conditional,
                                       [BRANCH_JUMP] = MIX_jumps,
                                       [BRANCH_CALL] = MIX_calls,
                                       [BRANCH_RETURN] = MIX_returns,
                                       [BRANCH_INDIRECT] = MIX_indirect};
    static const uint8_t kinds[UNIT_COUNT] = {
        [UNIT_ALU] = MIX_integer,        [UNIT_MUL] = MIX_multiply,
        [UNIT_DIV] = MIX_divide,         [UNIT_LOAD] = MIX_loads,
        [UNIT_STORE] = MIX_stores,       [UNIT_ATOMIC] = MIX_atomics,
        [UNIT_FADD] = MIX_float_add,     [UNIT_FMUL] = MIX_float_multiply,
        [UNIT_FMA] = MIX_float_multiply, [UNIT_FDIV] = MIX_float_divide,
        [UNIT_FSQRT] = MIX_float_root,   [UNIT_FCVT] = MIX_float_convert,
        [UNIT_FMISC] = MIX_float_move,   [UNIT_FENCE] = MIX_system,
        [UNIT_SYSTEM] = MIX_system,
    };
    if (slot->site.kind != BRANCH_NONE) {
        return branches[slot->site.kind];
    }
    return slot->flags & SLOT_PREFETCH ? MIX_prefetches : kinds[kind];
}

void slot_set_up(struct slot *slot, guest_addr pc, const struct rv64_insn *insn,
                 const struct parameters *parameters)
{
    const struct rv64_row *row = rv64_row(insn->op);
    const uint32_t flags = row->flags;
    slot->word = insn->word;
    slot->site =
        (struct branch_site){.pc = pc, .next = pc + insn->length, .kind = branch_kind(insn, flags)};
    if (slot->site.kind != BRANCH_NONE && !(flags & INSN_INDIRECT)) {
        slot->site.target = pc + (uint64_t)insn->imm;
    }
    slot->sources[0] = source(insn->rs1, flags & INSN_RS1_INT, flags & INSN_RS1_FLOAT);
    slot->sources[1] = source(insn->rs2, flags & INSN_RS2_INT, flags & INSN_RS2_FLOAT);
    slot->sources[2] = source(insn->rs3, false, flags & INSN_RS3_FLOAT);
    slot->destination = source(insn->rd, flags & INSN_RD_INT, flags & INSN_RD_FLOAT);
    slot->flags =
        (uint8_t)((flags & INSN_LOAD ? SLOT_LOAD : 0) | (flags & INSN_STORE ? SLOT_STORE : 0) |
                  (is_prefetch(insn) ? SLOT_PREFETCH : 0));
    if (insn->op == RV64_illegal ||
        (flags & INSN_SYSTEM && !accesses_float_csr(insn) && !runs_with_others(insn->op))) {
        slot->flags |= SLOT_ALONE;
    }
    slot->bytes = flags & (INSN_LOAD | INSN_STORE) ? (uint8_t)rv64_access_bytes(flags) : 0;
    set_unit(slot, row->unit, parameters);
    slot->mix = mix_of(slot, row->unit);
    if (slot->flags & SLOT_PREFETCH) {
        slot->unit = CLASS_MEMORY;
    }
    if (slot->flags & SLOT_ALONE) {
        const uint64_t cycles = insn->op == RV64_ecall || insn->op == RV64_ebreak
                                    ? parameters->core_system_cycles
                                    : parameters->core_csr_cycles;
        slot->latency = cycles > 0 ? (uint32_t)cycles : 1;
    }
}

void slots_set_arena(struct slots *slots, void *arena, size_t bytes)
{
    slots->arena = arena;
    if (arena != NULL) {
        slots->arena->used = 0;
        slots->arena->room = (bytes - sizeof *slots->arena) / sizeof(struct slot);
    }
}

bool slots_shared(const struct slots *slots)
{
    return slots->arena != NULL;
}

bool slots_full(const struct slots *slots)
{
    return slots->full;
}

/* All zero; NULL if memory runs out. */
static struct slot *new_slot(struct slots *slots)
{
    struct arena *arena = slots->arena;
    if (arena != NULL) {
        struct slot *slot = &arena->slots[arena->used];
        arena->used++;
        return slot;
    }
    if (slots->used == CHUNK) {
        struct chunk *chunk = calloc(1, sizeof *chunk);
        if (chunk == NULL) {
            return NULL;
        }
        chunk->next = slots->chunks;
        slots->chunks = chunk;
        slots->used = 0;
    }
    return &slots->chunks->slots[slots->used++];
}

struct slot *slots_get(struct slots *slots, guest_addr pc, const struct rv64_insn *insn)
{
    struct slot **bucket = &slots->buckets[pc / 2 % BUCKETS];
    for (struct slot *slot = *bucket; slot != NULL; slot = slot->hash_next) {
        if (slot->site.pc == pc && slot->word == insn->word) {
            return slot;
        }
    }
    if (slots->arena != NULL && slots->arena->used == slots->arena->room) {
        slots->full = true;
        return &slots->arena->slots[slots->arena->room - 1];
    }
    struct slot *slot = new_slot(slots);
    if (slot == NULL) {
        return NULL;
    }
    slot_set_up(slot, pc, insn, slots->parameters);
    slot->flags |= slots_marked(slots, pc) & (uint8_t)~SLOT_PERFECT;
    slot->hash_next = *bucket;
    *bucket = slot;
    return slot;
}

void slots_forget(struct slots *slots, guest_addr start, uint64_t bytes)
{
    for (guest_addr pc = start; pc < start + bytes; pc += 2) {
        struct slot **link = &slots->buckets[pc / 2 % BUCKETS];
        while (*link != NULL) {
            if ((*link)->site.pc == pc) {
                *link = (*link)->hash_next;
            } else {
                link = &(*link)->hash_next;
            }
        }
    }
}
