/* Instructions as the pipeline sees them: what each needs of it, decoded once. */
#include "machine/pipeline/static_insn.h"

#include "isa/rv64/csr.h"
#include "machine/pipeline/pipeline.h"

#include <stdlib.h>

#define BUCKETS 65536
#define CHUNK 1024

struct chunk {
    struct chunk *next;
    struct static_insn insns[CHUNK];
};

struct mark {
    guest_addr pc;
    uint8_t flags; /* enum static_insn_flag */
};

struct static_insns {
    const struct parameters *parameters;
    struct static_insn *buckets[BUCKETS];
    struct chunk *chunks;
    unsigned used;      /* of the first chunk */
    struct mark *marks; /* of addresses; few */
    size_t mark_count;
    struct arena *arena; /* NULL: the heap */
    bool full;           /* there was one for which the arena had no room */
};

/* What insns are made of that several processes see, at the same address. */
struct arena {
    size_t used, room; /* of insns */
    struct static_insn insns[];
};

struct static_insns *static_insns_create(const struct parameters *parameters)
{
    struct static_insns *insns = calloc(1, sizeof *insns);
    if (insns != NULL) {
        insns->parameters = parameters;
        insns->used = CHUNK;
    }
    return insns;
}

void static_insns_destroy(struct static_insns *insns)
{
    while (insns != NULL && insns->chunks != NULL) {
        struct chunk *chunk = insns->chunks;
        insns->chunks = chunk->next;
        free(chunk);
    }
    if (insns != NULL) {
        free(insns->marks);
    }
    free(insns);
}

bool static_insns_mark(struct static_insns *insns, guest_addr pc, enum static_insn_flag flag)
{
    struct mark *marks = realloc(insns->marks, (insns->mark_count + 1) * sizeof *marks);
    if (marks == NULL) {
        return false;
    }
    insns->marks = marks;
    marks[insns->mark_count++] = (struct mark){.pc = pc, .flags = (uint8_t)flag};
    for (struct static_insn *static_insn = insns->buckets[pc / 2 % BUCKETS]; static_insn != NULL;
         static_insn = static_insn->hash_next) {
        if (static_insn->site.pc == pc) {
            static_insn->flags |= flag == STATIC_PERFECT ? 0 : (uint8_t)flag;
        }
    }
    return true;
}

uint8_t static_insns_marked(const struct static_insns *insns, guest_addr pc)
{
    uint8_t flags = 0;
    for (size_t i = 0; i < insns->mark_count; i++) {
        flags |= insns->marks[i].pc == pc ? insns->marks[i].flags : 0;
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

static void set_unit(struct static_insn *static_insn, unsigned kind, const struct parameters *p)
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
    static_insn->unit = classes[kind];
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
    static_insn->latency = (uint32_t)latency;
    static_insn->busy = (uint16_t)busy;
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
           op == RV64_ctx_start || op == RV64_ctr_time || op == RV64_hot_read ||
           op == RV64_hot_watch;
}

/* prefetch.r and prefetch.w of Zicbop are hints among the forms of ori. */
static bool is_prefetch(const struct rv64_insn *insn)
{
    return insn->op == RV64_ori && insn->rd == 0 && (insn->imm & 0x1d) == 1;
}

static uint8_t mix_of(const struct static_insn *static_insn, unsigned kind)
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
    if (static_insn->site.kind != BRANCH_NONE) {
        return branches[static_insn->site.kind];
    }
    return static_insn->flags & STATIC_PREFETCH ? MIX_prefetches : kinds[kind];
}

void static_insn_set_up(struct static_insn *static_insn, guest_addr pc,
                        const struct rv64_insn *insn, const struct parameters *parameters)
{
    const struct rv64_row *row = rv64_row(insn->op);
    const uint32_t flags = row->flags;
    static_insn->word = insn->word;
    static_insn->origin = pc;
    static_insn->site =
        (struct branch_site){.pc = pc, .next = pc + insn->length, .kind = branch_kind(insn, flags)};
    if (static_insn->site.kind != BRANCH_NONE && !(flags & INSN_INDIRECT)) {
        static_insn->site.target = pc + (uint64_t)insn->imm;
    }
    static_insn->sources[0] = source(insn->rs1, flags & INSN_RS1_INT, flags & INSN_RS1_FLOAT);
    static_insn->sources[1] = source(insn->rs2, flags & INSN_RS2_INT, flags & INSN_RS2_FLOAT);
    static_insn->sources[2] = source(insn->rs3, false, flags & INSN_RS3_FLOAT);
    static_insn->destination = source(insn->rd, flags & INSN_RD_INT, flags & INSN_RD_FLOAT);
    static_insn->flags =
        (uint8_t)((flags & INSN_LOAD ? STATIC_LOAD : 0) | (flags & INSN_STORE ? STATIC_STORE : 0) |
                  (is_prefetch(insn) ? STATIC_PREFETCH : 0));
    if (insn->op == RV64_illegal ||
        (flags & INSN_SYSTEM && !accesses_float_csr(insn) && !runs_with_others(insn->op))) {
        static_insn->flags |= STATIC_ALONE;
    }
    static_insn->bytes = flags & (INSN_LOAD | INSN_STORE) ? (uint8_t)rv64_access_bytes(flags) : 0;
    set_unit(static_insn, row->unit, parameters);
    static_insn->mix = mix_of(static_insn, row->unit);
    if (static_insn->flags & STATIC_PREFETCH) {
        static_insn->unit = CLASS_MEMORY;
    }
    if (static_insn->flags & STATIC_ALONE) {
        const uint64_t cycles = insn->op == RV64_ecall || insn->op == RV64_ebreak
                                    ? parameters->core_system_cycles
                                    : parameters->core_csr_cycles;
        static_insn->latency = cycles > 0 ? (uint32_t)cycles : 1;
    }
}

void static_insns_set_arena(struct static_insns *insns, void *arena, size_t bytes)
{
    insns->arena = arena;
    if (arena != NULL) {
        insns->arena->used = 0;
        insns->arena->room = (bytes - sizeof *insns->arena) / sizeof(struct static_insn);
    }
}

bool static_insns_shared(const struct static_insns *insns)
{
    return insns->arena != NULL;
}

bool static_insns_full(const struct static_insns *insns)
{
    return insns->full;
}

/* All zero; NULL if memory runs out. */
static struct static_insn *new_static_insn(struct static_insns *insns)
{
    struct arena *arena = insns->arena;
    if (arena != NULL) {
        struct static_insn *static_insn = &arena->insns[arena->used];
        arena->used++;
        return static_insn;
    }
    if (insns->used == CHUNK) {
        struct chunk *chunk = calloc(1, sizeof *chunk);
        if (chunk == NULL) {
            return NULL;
        }
        chunk->next = insns->chunks;
        insns->chunks = chunk;
        insns->used = 0;
    }
    return &insns->chunks->insns[insns->used++];
}

struct static_insn *static_insns_get(struct static_insns *insns, guest_addr pc,
                                     const struct rv64_insn *insn)
{
    struct static_insn **bucket = &insns->buckets[pc / 2 % BUCKETS];
    for (struct static_insn *static_insn = *bucket; static_insn != NULL;
         static_insn = static_insn->hash_next) {
        if (static_insn->site.pc == pc && static_insn->word == insn->word) {
            return static_insn;
        }
    }
    if (insns->arena != NULL && insns->arena->used == insns->arena->room) {
        insns->full = true;
        return &insns->arena->insns[insns->arena->room - 1];
    }
    struct static_insn *static_insn = new_static_insn(insns);
    if (static_insn == NULL) {
        return NULL;
    }
    static_insn_set_up(static_insn, pc, insn, insns->parameters);
    static_insn->flags |= static_insns_marked(insns, pc) & (uint8_t)~STATIC_PERFECT;
    static_insn->hash_next = *bucket;
    *bucket = static_insn;
    return static_insn;
}

const struct static_insn *static_insns_find(const struct static_insns *insns, guest_addr pc)
{
    const struct static_insn *static_insn = insns->buckets[pc / 2 % BUCKETS];
    while (static_insn != NULL && static_insn->site.pc != pc) {
        static_insn = static_insn->hash_next;
    }
    return static_insn;
}

void static_insns_forget(struct static_insns *insns, guest_addr start, uint64_t bytes)
{
    for (guest_addr pc = start; pc < start + bytes; pc += 2) {
        struct static_insn **link = &insns->buckets[pc / 2 % BUCKETS];
        while (*link != NULL) {
            if ((*link)->site.pc == pc) {
                *link = (*link)->hash_next;
            } else {
                link = &(*link)->hash_next;
            }
        }
    }
}
