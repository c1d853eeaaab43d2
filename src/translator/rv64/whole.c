/* Keeps sequences whole that begin with a load-reserved and end with its conditional store.
 *
 * Between the two no fragment ends and nothing of Strata's own accesses memory, or the
 * store might fail for ever.  So all of a sequence is translated at once.  Branches and
 * jumps forward within it stay inside; the others leave the fragment from its middle.
 * Where tp is named, which is the translator's, another register stands for it from
 * before the load to behind the store, and each way out gives that back first. */
#include "translator/rv64/rv64.h"
#include "translator/fragment/state.h"

#include "base/check.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/encode.h"

/* Processors let a store succeed at last if the loop has no more instructions than
 * 16, which stand one behind the other; a few more harm nobody. */
#define WHOLE_INSTRUCTIONS 25

struct member {
    guest_addr pc;
    guest_addr target; /* of a branch or a jump, or 0 */
    uint8_t *at;       /* the code for it, */
    uint8_t *branch;   /* in which this goes to another member; or NULL */
    uint32_t flags;    /* of its row */
    uint32_t named;    /* bits of the registers that are */
    struct rv64_insn insn;
};

struct sequence {
    unsigned count;
    unsigned leaving; /* conditional branches that go elsewhere */
    uint32_t named;   /* bits of the registers that are */
    unsigned held;    /* the register that stands for tp, or 0 */
    guest_addr end;   /* behind it */
    struct member members[WHOLE_INSTRUCTIONS];
};

static uint32_t bit_if(bool named, unsigned reg)
{
    return named ? UINT32_C(1) << reg : 0;
}

static uint32_t registers_of(const struct rv64_insn *insn, uint32_t flags)
{
    return bit_if(flags & INSN_RD_INT, insn->rd) | bit_if(flags & INSN_RS1_INT, insn->rs1) |
           bit_if(flags & INSN_RS2_INT, insn->rs2);
}

static bool has_tp(uint32_t named)
{
    return (named >> TP & 1) != 0;
}

/* The member that `from` goes on with, NULL if that is elsewhere or before it: loops
 * leave, and are counted. */
static struct member *find_target(struct sequence *sequence, const struct member *from)
{
    for (unsigned i = 0; i < sequence->count; i++) {
        struct member *member = &sequence->members[i];
        if (member->pc == from->target && member > from) {
            return member;
        }
    }
    return NULL;
}

static bool is_store(const struct member *member)
{
    return member->insn.op == RV64_sc_d || member->insn.op == RV64_sc_w;
}

/* Whether it can stand between the two. */
static bool can_be_inside(const struct member *member)
{
    return member->insn.op != RV64_illegal &&
           (member->flags & (INSN_ATOMIC | INSN_SYSTEM | INSN_INDIRECT)) == 0 &&
           (member->insn.op != RV64_jal || member->insn.rd == X0);
}

/* Behind a jump there may be anything, unless a member goes there. */
static bool is_reached(const struct sequence *sequence, const struct member *member)
{
    if (member[-1].insn.op != RV64_jal) {
        return true;
    }
    for (const struct member *from = sequence->members; from < member; from++) {
        if (from->target == member->pc) {
            return true;
        }
    }
    return false;
}

static struct member *read_member(struct sequence *sequence, guest_addr pc)
{
    const uint16_t *halves = (const uint16_t *)(uintptr_t)pc;
    struct member *member = &sequence->members[sequence->count++];

    rv64_decode((uint32_t)halves[1] << 16 | halves[0], &member->insn);
    member->pc = pc;
    member->branch = NULL;
    member->flags = rv64_row(member->insn.op)->flags;
    member->named = registers_of(&member->insn, member->flags);
    member->target =
        member->flags & (INSN_CONDITIONAL | INSN_JUMP) ? pc + (uint64_t)member->insn.imm : 0;
    sequence->named |= member->named;
    return member;
}

/* False if the load-reserved at `pc` begins none.  All is read only here: another
 * thread may change it. */
static bool read_sequence(const struct translator *translator, guest_addr pc,
                          struct sequence *sequence)
{
    const struct member *member = read_member(sequence, pc);

    while (!is_store(member)) {
        pc += member->insn.length;
        if (sequence->count == WHOLE_INSTRUCTIONS || !can_fetch(translator, pc)) {
            return false;
        }
        member = read_member(sequence, pc);
        if (!is_reached(sequence, member) || !(is_store(member) || can_be_inside(member))) {
            return false;
        }
    }
    sequence->end = pc + member->insn.length;
    return true;
}

static void count_leaving(struct sequence *sequence)
{
    for (unsigned i = 0; i < sequence->count; i++) {
        const struct member *member = &sequence->members[i];
        sequence->leaving +=
            (member->flags & INSN_CONDITIONAL) != 0 && find_target(sequence, member) == NULL;
    }
}

/* False if tp is named, and all others are, too; but sp is where signals find a stack. */
static bool choose_held(struct sequence *sequence)
{
    sequence->held = 0;
    if (!has_tp(sequence->named)) {
        return true;
    }
    for (unsigned reg = RA; reg < 32; reg++) {
        if (reg != SP && (sequence->named >> reg & 1) == 0) {
            sequence->held = reg;
            return true;
        }
    }
    return false;
}

/* With the other register in tp's place, in 32 bits; a branch goes nowhere yet. */
static uint32_t rename_tp(const struct sequence *sequence, const struct member *member)
{
    struct rv64_insn insn = member->insn;
    const uint8_t held = (uint8_t)sequence->held;
    uint32_t word;

    insn.rd = member->flags & INSN_RD_INT && insn.rd == TP ? held : insn.rd;
    insn.rs1 = member->flags & INSN_RS1_INT && insn.rs1 == TP ? held : insn.rs1;
    insn.rs2 = member->flags & INSN_RS2_INT && insn.rs2 == TP ? held : insn.rs2;
    insn.imm = member->target != 0 ? 0 : insn.imm;
    ASSERT(rv64_encode(&insn, &word));
    return word;
}

/* As emit_constant, but large ones stand nowhere in memory either. */
static void emit_whole_constant(struct builder *builder, unsigned rd, uint64_t value)
{
    const int64_t wanted = (int64_t)value;
    const int32_t low = (int32_t)((uint32_t)value << 20) >> 20;

    if (wanted == (int32_t)wanted) {
        emit_constant(builder, rd, value);
        return;
    }
    emit_whole_constant(builder, rd, (uint64_t)((int64_t)(value - (uint64_t)low) >> 12));
    emit_word(builder, word_i((uint32_t)MATCH_slli, rd, rd, 12));
    emit_word(builder, word_i((uint32_t)MATCH_addi, rd, rd, low));
}

static void emit_auipc(struct builder *builder, const struct sequence *sequence,
                       const struct member *member)
{
    const unsigned rd = member->insn.rd == TP ? sequence->held : member->insn.rd;

    if (rd != X0) {
        emit_whole_constant(builder, rd, member->pc + (uint64_t)member->insn.imm);
    }
}

void whole_give_back(struct builder *builder, unsigned held)
{
    if (held != 0) {
        emit_save(builder, held, CONTEXT_X(TP));
        emit_restore(builder, held, CONTEXT_SPARE);
    }
}

static void emit_transfer(struct builder *builder, struct sequence *sequence, struct member *member)
{
    const bool as_it_is = member->insn.length == 4 && !has_tp(member->named);
    const uint32_t word =
        as_it_is ? member->insn.word & ~BRANCH_OFFSET_MASK : rename_tp(sequence, member);

    if (find_target(sequence, member) != NULL) {
        member->branch = builder->at;
        emit_word(builder, word);
        return;
    }
    if (member->insn.op == RV64_jal) {
        whole_give_back(builder, sequence->held);
        target_align(builder);
        builder->from = member->pc;
        emit_exit(builder, WAY_JUMP, member->target, NULL);
        return;
    }
    target_align(builder);
    builder->translator->sides[builder->side_count++] = (struct side){.branch = builder->at,
                                                                      .from = member->pc,
                                                                      .target = member->target,
                                                                      .held = sequence->held};
    emit_word(builder, word);
}

/* With threads all have 32 bits: what can be changed later is aligned then. */
static void emit_member(struct builder *builder, struct sequence *sequence, struct member *member)
{
    member->at = builder->at;
    if (member->target != 0) {
        emit_transfer(builder, sequence, member);
    } else if (member->insn.op == RV64_auipc) {
        emit_auipc(builder, sequence, member);
    } else if (has_tp(member->named) ||
               (member->insn.length == 2 && builder->translator->threaded)) {
        emit_word(builder, rename_tp(sequence, member));
    } else if (member->insn.length == 2) {
        emit_half(builder, (uint16_t)member->insn.word);
    } else {
        emit_word(builder, member->insn.word);
    }
}

/* Sends those that stay inside to where they go. */
static void join(struct sequence *sequence)
{
    for (unsigned i = 0; i < sequence->count; i++) {
        const struct member *member = &sequence->members[i];
        if (member->branch != NULL) {
            const int64_t offset = find_target(sequence, member)->at - member->branch;
            put_word(member->branch, member->insn.op == RV64_jal
                                         ? word_jal(X0, offset)
                                         : get_word(member->branch) | branch_offset_bits(offset));
        }
    }
}

/* Code is noted page by page; an instruction in two pages is alone. */
static bool begins_page(const struct member *member)
{
    return member[-1].pc / CODE_PAGE != (member->pc + TARGET_LONGEST_INSTRUCTION - 1) / CODE_PAGE;
}

static void note_page(struct builder *builder, const struct member *member)
{
    builder->pc = member->pc;
    if (begins_page(member)) {
        build_note(builder);
    }
    builder->left -= 2;
}

/* The mark of the first is there, and it is counted. */
static void emit_sequence(struct builder *builder, struct sequence *sequence)
{
    struct translator *translator = builder->translator;

    target_align(builder);
    if (sequence->held != 0) {
        emit_save(builder, sequence->held, CONTEXT_SPARE);
        emit_restore(builder, sequence->held, CONTEXT_X(TP));
        state_note_own(translator, builder->at);
    }
    emit_member(builder, sequence, &sequence->members[0]);
    for (unsigned i = 1; i < sequence->count; i++) {
        note_page(builder, &sequence->members[i]);
        state_add_mark(translator, builder->at, builder->at, sequence->members[i].pc);
        state_note_held(translator, sequence->held);
        emit_member(builder, sequence, &sequence->members[i]);
    }
    join(sequence);
    if (sequence->held != 0) {
        state_add_mark(translator, builder->at, builder->at, sequence->end);
        state_note_held(translator, sequence->held);
        whole_give_back(builder, sequence->held);
    }
}

enum whole whole_translate(struct builder *builder)
{
    struct sequence sequence;

    sequence.count = sequence.leaving = 0;
    sequence.named = 0;
    if (!read_sequence(builder->translator, builder->pc, &sequence) || !choose_held(&sequence)) {
        return WHOLE_NONE;
    }
    count_leaving(&sequence);
    if (sequence.leaving > FRAGMENT_SIDES) {
        return WHOLE_NONE;
    }
    if (builder_instructions(builder) + sequence.count - 1 > FRAGMENT_INSTRUCTIONS ||
        builder->side_count + sequence.leaving > FRAGMENT_SIDES) {
        return WHOLE_LATER;
    }
    emit_sequence(builder, &sequence);
    builder->pc = sequence.end;
    return WHOLE_DONE;
}
