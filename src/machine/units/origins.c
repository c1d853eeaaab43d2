/* Whose code an instruction is: the program's own, a translator's copy of it, or the translator's. */
#include "machine/units/origins.h"

#include "isa/rv64/decode.h"
#include "isa/rv64/xstrata_abi.h"
#include "machine/units/code_classes.h"

#define TP 4 /* a translator's own register: the program's tp is never there in the cache */

/* The last mark whose run begins at `offset` or before it; false if there is none, or the table is not all
 * there. */
static bool find_mark(const struct memory *memory, const struct xstrata_origins *table,
                      uint32_t offset, struct xstrata_mark *found)
{
    const uint32_t base = (uint32_t)table->code_start;
    uint64_t next;
    if (!memory_read(memory, &next, table->marks_next, sizeof next) || next < table->marks) {
        return false;
    }
    uint64_t low = 0, high = (next - table->marks) / sizeof *found;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        struct xstrata_mark mark;
        if (!memory_read(memory, &mark, table->marks + middle * sizeof mark, sizeof mark)) {
            return false;
        }
        if (mark.piece - base - mark.run_bytes <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 &&
           memory_read(memory, found, table->marks + (low - 1) * sizeof *found, sizeof *found);
}

/* What the program has at `pc`; false if nothing can be read there. */
static bool read_program(const struct memory *memory, guest_addr pc, struct rv64_insn *insn)
{
    uint16_t half, upper = 0;
    if (!memory_read(memory, &half, pc, sizeof half) ||
        ((half & 3) == 3 && !memory_read(memory, &upper, pc + 2, sizeof upper))) {
        return false;
    }
    rv64_decode((half & 3) == 3 ? half | (uint32_t)upper << 16 : half, insn);
    return true;
}

/* The translator puts another register in the place of the program's tp. */
static bool same_register(unsigned program, unsigned copy)
{
    return program == copy || program == TP;
}

static bool is_copy(const struct rv64_insn *program, const struct rv64_insn *copy)
{
    return program->op == copy->op && program->imm == copy->imm && copy->rs1 != TP &&
           same_register(program->rd, copy->rd) && same_register(program->rs1, copy->rs1);
}

/* The mark of the piece that has `pc` in it; false if the cache is not there, or nobody said where it is. */
static bool find_in_cache(const struct origins *origins, guest_addr pc, struct xstrata_mark *mark)
{
    struct xstrata_origins table;
    return origins->table != 0 &&
           memory_read(origins->memory, &table, origins->table, sizeof table) &&
           pc >= table.code_start && pc < table.code_end &&
           find_mark(origins->memory, &table, (uint32_t)(pc - table.code_start), mark);
}

guest_addr origins_begin(const struct origins *origins, guest_addr pc)
{
    struct xstrata_mark mark;
    if (!find_in_cache(origins, pc, &mark)) {
        return pc;
    }
    const uint32_t before = mark.piece - (uint32_t)pc;
    return (int32_t)before > 0 ? mark.pc - before : mark.pc;
}

struct origin origins_find(const struct origins *origins, guest_addr pc,
                           const struct rv64_insn *insn)
{
    struct origin origin = {.owner = OWNER_PROGRAM, .pc = pc, .word = insn->word};
    struct xstrata_mark mark;
    struct rv64_insn own;
    if (origins->classes == NULL) {
        return origin;
    }
    origin.owner = OWNER_TRANSLATOR;
    if (code_classes_of(origins->classes, pc) != XSTRATA_CODE_FRAGMENT) {
        return origin;
    }
    if (!find_in_cache(origins, pc, &mark)) {
        origin.owner = OWNER_UNKNOWN;
        return origin;
    }
    const uint32_t offset = (uint32_t)pc, piece = mark.piece;
    const bool in_run = (int32_t)(offset - piece) < 0;
    if (!in_run && offset - piece != mark.own) {
        return origin; /* what a piece does besides */
    }
    const guest_addr from = in_run ? mark.pc - (piece - offset) : mark.pc;
    if (read_program(origins->memory, from, &own) && is_copy(&own, insn)) {
        return (struct origin){.owner = OWNER_PROGRAM, .pc = from, .word = own.word};
    }
    /* Code that the program has changed since, or a piece that begins with the translator's own. */
    origin.owner = in_run ? OWNER_UNKNOWN : OWNER_TRANSLATOR;
    return origin;
}
