/* Whose code an instruction is: the program's own, a translator's copy of it, or the translator's. */
#include "machine/units/origins.h"

#include "isa/rv64/decode.h"
#include "isa/rv64/xstrata_abi.h"
#include "machine/units/code_classes.h"

#include <string.h>

#define TP 4 /* a translator's own register: the program's tp is never there in the cache */

static bool read_mark(const struct memory *memory, const struct xstrata_origins *table,
                      uint64_t number, struct xstrata_mark *mark)
{
    return memory_read(memory, mark, table->marks + number * sizeof *mark, sizeof *mark);
}

/* How many marks there are; 0 also if it cannot be told. */
static uint64_t count_marks(const struct memory *memory, const struct xstrata_origins *table)
{
    uint64_t next;
    if (!memory_read(memory, &next, table->marks_next, sizeof next) || next < table->marks) {
        return 0;
    }
    return (next - table->marks) / sizeof(struct xstrata_mark);
}

/* Where in the cache the run of the mark begins. */
static uint32_t run_offset(const struct xstrata_origins *table, const struct xstrata_mark *mark)
{
    return mark->piece - (uint32_t)table->code_start - mark->run_bytes;
}

/* The number of the last mark whose run begins at `offset` or before it; false if there is none, or the table is
 * not all there. */
static bool find_number(const struct memory *memory, const struct xstrata_origins *table,
                        uint32_t offset, uint64_t *number)
{
    uint64_t low = 0, high = count_marks(memory, table);
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        struct xstrata_mark mark;
        if (!read_mark(memory, table, middle, &mark)) {
            return false;
        }
        if (run_offset(table, &mark) <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *number = low - 1;
    return low > 0;
}

static bool find_mark(const struct memory *memory, const struct xstrata_origins *table,
                      uint32_t offset, struct xstrata_mark *found)
{
    uint64_t number;
    return find_number(memory, table, offset, &number) && read_mark(memory, table, number, found);
}

/* Code that may be executed can be looked at, also where the program may not read it. */
static bool read_half(const struct memory *memory, guest_addr pc, uint16_t *half)
{
    if (memory_allows(memory, pc, sizeof *half, PAGE_EXECUTE)) {
        memcpy(half, memory_host(memory, pc), sizeof *half);
        return true;
    }
    return memory_read(memory, half, pc, sizeof *half);
}

bool origins_read(const struct origins *origins, guest_addr pc, struct rv64_insn *insn)
{
    const struct memory *memory = origins->memory;
    uint16_t half, upper = 0;
    if (!read_half(memory, pc, &half) || ((half & 3) == 3 && !read_half(memory, pc + 2, &upper))) {
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

static bool is_conditional(const struct rv64_insn *insn)
{
    return (rv64_row(insn->op)->flags & INSN_CONDITIONAL) != 0;
}

/* A branch of a fragment leads elsewhere than the program's, and perhaps goes the other way; but it writes no
 * register, and the program's are all there, unless the translator holds one. */
static bool is_branch_of(const struct rv64_insn *program, const struct rv64_insn *insn,
                         const struct xstrata_mark *mark)
{
    return mark->held == 0 && is_conditional(program) && is_conditional(insn);
}

/* Reads the table if `pc` is in a fragment. */
static bool read_table(const struct origins *origins, guest_addr pc, struct xstrata_origins *table)
{
    return origins->table != 0 &&
           memory_read(origins->memory, table, origins->table, sizeof *table) &&
           pc >= table->code_start && pc < table->code_end;
}

/* Jumps that were followed have marks of their own, whose pieces are empty: the first of them is where the
 * program begins. */
guest_addr origins_begin(const struct origins *origins, guest_addr pc)
{
    struct xstrata_origins table;
    struct xstrata_mark mark;
    uint64_t number;
    const struct memory *memory = origins->memory;
    if (!read_table(origins, pc, &table) ||
        !find_number(memory, &table, (uint32_t)(pc - table.code_start), &number) ||
        !read_mark(memory, &table, number, &mark)) {
        return pc;
    }
    const uint32_t before = mark.piece - (uint32_t)pc;
    guest_addr begin = (int32_t)before > 0 ? mark.pc - before : mark.pc;
    while (number > 0 && read_mark(memory, &table, --number, &mark) && mark.piece == (uint32_t)pc &&
           mark.run_bytes == 0) {
        begin = mark.pc;
    }
    return begin;
}

struct origin origins_find(const struct origins *origins, guest_addr pc,
                           const struct rv64_insn *insn)
{
    struct origin origin = {.owner = OWNER_PROGRAM, .pc = pc, .word = insn->word};
    struct xstrata_origins table;
    struct xstrata_mark mark;
    struct rv64_insn own;
    if (origins->classes == NULL) {
        return origin;
    }
    origin.owner = OWNER_TRANSLATOR;
    if (code_classes_of(origins->classes, pc) != XSTRATA_CODE_FRAGMENT) {
        return origin;
    }
    if (!read_table(origins, pc, &table) ||
        !find_mark(origins->memory, &table, (uint32_t)(pc - table.code_start), &mark)) {
        origin.owner = OWNER_UNKNOWN;
        return origin;
    }
    const uint32_t offset = (uint32_t)pc, piece = mark.piece;
    const bool in_run = (int32_t)(offset - piece) < 0;
    if (!in_run && offset - piece != mark.own) {
        return origin; /* what a piece does besides */
    }
    const guest_addr from = in_run ? mark.pc - (piece - offset) : mark.pc;
    if (origins_read(origins, from, &own) &&
        (is_copy(&own, insn) || (!in_run && is_branch_of(&own, insn, &mark)))) {
        return (struct origin){.owner = OWNER_PROGRAM, .pc = from, .word = own.word};
    }
    /* Code that the program has changed since, or a piece that begins with the translator's own. */
    origin.owner = in_run ? OWNER_UNKNOWN : OWNER_TRANSLATOR;
    return origin;
}

/* Whether the code at `offset` is of the mark or of one behind it. */
static bool begins_before(const struct origins *origins, const struct xstrata_origins *table,
                          uint64_t number, uint32_t offset)
{
    struct xstrata_mark mark;
    return read_mark(origins->memory, table, number, &mark) && run_offset(table, &mark) <= offset;
}

/* The mark of the code at `pc`, from that of the instruction before it, if that is the one decoded last. */
static bool find_again(const struct origins *origins, const struct xstrata_origins *table,
                       struct origin_place *place, guest_addr pc)
{
    const uint32_t offset = (uint32_t)(pc - table->code_start);
    if (place->next != pc) {
        return find_number(origins->memory, table, offset, &place->mark);
    }
    const uint64_t count = count_marks(origins->memory, table);
    while (place->mark + 1 < count && begins_before(origins, table, place->mark + 1, offset)) {
        place->mark++;
    }
    return place->mark < count;
}

static void add_executed(struct executed *executed, guest_addr pc)
{
    if (executed->count < ORIGIN_EXECUTED_MAX) {
        executed->pcs[executed->count++] = pc;
    }
}

/* Where in the program the code of the mark behind `number` begins; false if there is none. */
static bool next_begins(const struct origins *origins, const struct xstrata_origins *table,
                        uint64_t number, guest_addr *pc)
{
    struct xstrata_mark next;
    if (number + 1 >= count_marks(origins->memory, table) ||
        !read_mark(origins->memory, table, number + 1, &next)) {
        return false;
    }
    *pc = next.pc - next.run_bytes;
    return true;
}

/* What a translator that keeps branches aligned puts before one. */
#define ALIGNMENT_BYTES 2

/* The most that a translator makes one piece of: an upper half and a lower half. */
#define PIECE_BYTES_MOST 8

/* Whether a call is behind the upper half of its own target: then the two are one piece, unless the program goes on between
 * them. */
static bool calls_behind(const struct origins *origins, const struct rv64_insn *upper,
                         guest_addr pc, bool known, guest_addr next)
{
    struct rv64_insn insn;

    return (!known || next != pc) && upper->rd != 0 && origins_read(origins, pc, &insn) &&
           insn.op == RV64_jalr && insn.rs1 == upper->rd && insn.rd == upper->rd;
}

/* Adds what the piece of the mark does.  One that only gives registers back has the address of the instruction
 * behind it; one that makes a constant stands for all instructions up to the next mark. */
static void add_piece(const struct origins *origins, const struct xstrata_origins *table,
                      uint64_t number, const struct xstrata_mark *mark, struct executed *executed)
{
    struct rv64_insn insn;
    guest_addr next = mark->pc;
    const bool known = next_begins(origins, table, number, &next);
    if (known && next == mark->pc && mark->held != 0) {
        return;
    }
    add_executed(executed, mark->pc);
    if (!origins_read(origins, mark->pc, &insn) || insn.op != RV64_auipc) {
        return;
    }
    guest_addr pc = mark->pc + insn.length;
    if (calls_behind(origins, &insn, pc, known, next)) {
        add_executed(executed, pc);
        return;
    }
    while (known && pc < next && next - mark->pc <= PIECE_BYTES_MOST &&
           origins_read(origins, pc, &insn)) {
        add_executed(executed, pc);
        pc += insn.length;
    }
}

/* Adds the instructions whose pieces are empty and stand at `offset`, before the code of mark `number`. */
static void add_empty(const struct origins *origins, const struct xstrata_origins *table,
                      uint64_t number, uint32_t offset, struct executed *executed)
{
    struct xstrata_mark mark;
    uint64_t first = number;
    while (first > 0 && read_mark(origins->memory, table, first - 1, &mark) &&
           mark.piece - (uint32_t)table->code_start == offset) {
        first--;
        if (mark.run_bytes != 0) {
            break;
        }
    }
    for (; first < number && read_mark(origins->memory, table, first, &mark); first++) {
        add_piece(origins, table, first, &mark, executed);
    }
}

static bool is_in_fragment(const struct origins *origins, guest_addr pc)
{
    const unsigned class = code_classes_of(origins->classes, pc);
    return class == XSTRATA_CODE_FRAGMENT || class == XSTRATA_CODE_LOOKUP;
}

bool origins_in_cache(const struct origins *origins, guest_addr pc)
{
    if (origins->classes == NULL) {
        return false;
    }
    const unsigned class = code_classes_of(origins->classes, pc);
    return class == XSTRATA_CODE_FRAGMENT || class == XSTRATA_CODE_LOOKUP ||
           class == XSTRATA_CODE_TRAMPOLINE || class == XSTRATA_CODE_COUNTER;
}

void origins_executed(const struct origins *origins, struct origin_place *place, guest_addr pc,
                      unsigned bytes, struct executed *executed)
{
    struct xstrata_origins table;
    struct xstrata_mark mark;
    executed->count = executed->without = 0;
    executed->known = executed->own = origins->classes == NULL;
    if (executed->known) {
        executed->near = executed->piece = executed->begin = pc;
        add_executed(executed, pc);
        return;
    }
    if (!is_in_fragment(origins, pc) || !read_table(origins, pc, &table) ||
        !find_again(origins, &table, place, pc) ||
        !read_mark(origins->memory, &table, place->mark, &mark)) {
        place->next = 0;
        return;
    }
    place->next = pc + bytes;
    const uint32_t offset = (uint32_t)(pc - table.code_start);
    const uint32_t piece = mark.piece - (uint32_t)table.code_start;
    executed->known = true;
    if (offset == run_offset(&table, &mark)) {
        add_empty(origins, &table, place->mark, offset, executed);
        executed->without = executed->count;
    }
    if (offset < piece) {
        add_executed(executed, mark.pc - (piece - offset));
    } else if (offset - piece == mark.own) {
        add_piece(origins, &table, place->mark, &mark, executed);
    }
    executed->own =
        offset < piece || offset - piece == mark.own || offset - piece == ALIGNMENT_BYTES;
    executed->piece =
        executed->count > executed->without ? executed->pcs[executed->count - 1] : mark.pc;
    executed->near = executed->count > 0 ? executed->pcs[executed->count - 1] : mark.pc;
    if (!next_begins(origins, &table, place->mark, &executed->next)) {
        executed->next = 0;
    }
    executed->begin = offset < piece ? pc : table.code_start + piece + (mark.own & ~1u);
    if (executed->count == 0 && begins_before(origins, &table, place->mark + 1, offset + bytes) &&
        place->mark + 1 < count_marks(origins->memory, &table) &&
        read_mark(origins->memory, &table, place->mark + 1, &mark)) {
        executed->near = mark.pc - mark.run_bytes; /* what leads to a fragment is a part of it */
    }
}
