/* Keeps sequences whole that begin with a load-reserved and end with its conditional store.
 *
 * Between the two no fragment ends and nothing of Strata's own accesses memory, or the
 * store might fail for ever.  So all of a sequence is translated at once.  Branches and
 * jumps forward within it stay inside; the others leave the fragment from its middle.
 * Where tp is named, which is the translator's, another register stands for it from
 * before the load to behind the store, and each way out gives that back first.  gp, if
 * it is the translator's, is the program's for that long where it is named. */

#include "translator/rv64/emit.h"

#include "base/check.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/encode.h"

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
    uint32_t named; /* bits of the registers that are */
    unsigned held;  /* the register that stands for tp, or 0; with HELD_GP */
    guest_addr end; /* behind it */
    struct member members[TARGET_WHOLE_INSTRUCTIONS];
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

/* `code` is what the program has at `pc`. */
static struct member *read_member(struct sequence *sequence, guest_addr pc, const uint8_t *code)
{
    struct member *member = &sequence->members[sequence->count++];

    rv64_decode(get_word(code), &member->insn);
    member->pc = pc;
    member->branch = NULL;
    member->flags = rv64_row(member->insn.op)->flags;
    member->named = registers_of(&member->insn, member->flags);
    member->target =
        member->flags & (INSN_CONDITIONAL | INSN_JUMP) ? pc + (uint64_t)member->insn.imm : 0;
    sequence->named |= member->named;
    return member;
}

/* A branch or jump that goes elsewhere. */
static bool leaves(struct sequence *sequence, const struct member *member)
{
    return member->target != 0 && find_target(sequence, member) == NULL;
}

/* Copies the next instruction to `code`: it is read only once.  0 if it is not all before `end`. */
static unsigned copy_instruction(guest_addr pc, guest_addr end, uint8_t *code)
{
    const uint16_t *from = (const uint16_t *)(uintptr_t)pc;
    uint16_t *to = (uint16_t *)(void *)code;

    if (pc + 2 > end) {
        return 0;
    }
    to[0] = from[0];
    if ((to[0] & 3) != 3) {
        return 2;
    }
    if (pc + 4 > end) {
        return 0;
    }
    to[1] = from[1];
    return 4;
}

/* False if the load-reserved at `pc` begins no sequence of at most `limit` instructions. */
static bool read_sequence(guest_addr pc, guest_addr end, unsigned limit, uint8_t *code,
                          struct sequence *sequence)
{
    unsigned bytes = copy_instruction(pc, end, code);
    if (bytes == 0) {
        return false;
    }
    const struct member *member = read_member(sequence, pc, code);

    if (member->insn.op != RV64_lr_d && member->insn.op != RV64_lr_w) {
        sequence->count = 0;
        return false; /* another thread has just changed it */
    }
    while (!is_store(member)) {
        if (sequence->count == TARGET_WHOLE_INSTRUCTIONS || sequence->count == limit) {
            return false;
        }
        const unsigned more = copy_instruction(pc + bytes, end, code + bytes);
        if (more == 0) {
            return false;
        }
        member = read_member(sequence, pc + bytes, code + bytes);
        bytes += more;
        if (!is_reached(sequence, member) || !(is_store(member) || can_be_inside(member))) {
            return false;
        }
    }
    sequence->end = pc + bytes;
    return true;
}

static bool has_gp(uint32_t named)
{
    return (named >> GP & 1) != 0;
}

/* False if tp is named, and all others are, too; but sp is where signals find a stack. */
static bool choose_held(struct sequence *sequence)
{
    sequence->held = 0;
    if (!has_tp(sequence->named)) {
        return true;
    }
    for (unsigned reg = RA; reg < 32; reg++) {
        if (reg != SP && reg != GP && (sequence->named >> reg & 1) == 0) {
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
    const uint8_t held = sequence->held & HELD_REGISTER;
    uint32_t word;

    insn.rd = member->flags & INSN_RD_INT && insn.rd == TP ? held : insn.rd;
    insn.rs1 = member->flags & INSN_RS1_INT && insn.rs1 == TP ? held : insn.rs1;
    insn.rs2 = member->flags & INSN_RS2_INT && insn.rs2 == TP ? held : insn.rs2;
    insn.imm = member->target != 0 ? 0 : insn.imm;
    ASSERT(rv64_encode(&insn, &word));
    return word;
}

/* As emit_constant, but large ones stand nowhere in memory either. */
static void emit_whole_constant(struct emitter *emitter, unsigned rd, uint64_t value)
{
    const int64_t wanted = (int64_t)value;
    const int32_t low = (int32_t)((uint32_t)value << 20) >> 20;

    if (wanted == (int32_t)wanted) {
        emit_constant(emitter, rd, value);
        return;
    }
    emit_whole_constant(emitter, rd, (uint64_t)((int64_t)(value - (uint64_t)low) >> 12));
    emit_word(emitter, word_i((uint32_t)MATCH_slli, rd, rd, 12));
    emit_word(emitter, word_i((uint32_t)MATCH_addi, rd, rd, low));
}

static void emit_auipc(struct emitter *emitter, const struct sequence *sequence,
                       const struct member *member)
{
    const unsigned rd = member->insn.rd == TP ? sequence->held & HELD_REGISTER : member->insn.rd;

    if (rd != X0) {
        emit_whole_constant(emitter, rd, member->pc + (uint64_t)member->insn.imm);
    }
}

void whole_give_back(struct emitter *emitter, unsigned held)
{
    const unsigned reg = held & HELD_REGISTER;

    if ((held & HELD_GP) != 0) {
        emit_save(emitter, GP, CONTEXT_X(GP));
    }
    if (reg != 0) {
        emit_save(emitter, reg, CONTEXT_X(TP));
        emit_restore(emitter, reg, CONTEXT_SPARE);
    }
}

/* Where a branch out of the middle goes is not known yet: its exit follows behind the fragment's end. */
static void emit_side(struct emitter *emitter, const struct sequence *sequence,
                      const struct member *member, uint32_t word, struct exit *exit,
                      struct side *side)
{
    *side = (struct side){.branch = NULL, .held = sequence->held};
    if (member->insn.op == RV64_jal) {
        whole_give_back(emitter, sequence->held);
        emit_alignment(emitter);
        emit_exit(emitter, exit, NULL);
        return;
    }
    emit_alignment(emitter);
    side->branch = emitter->at;
    emit_word(emitter, word);
}

static uint32_t transfer_word(const struct sequence *sequence, const struct member *member)
{
    const bool as_it_is = member->insn.length == 4 && !has_tp(member->named);

    return as_it_is ? member->insn.word & ~BRANCH_OFFSET_MASK : rename_tp(sequence, member);
}

/* All but what leaves.  With threads all have 32 bits: what can be changed later is aligned then. */
static void emit_member(struct emitter *emitter, const struct sequence *sequence,
                        struct member *member)
{
    if (member->target != 0) {
        member->branch = emitter->at;
        emit_word(emitter, transfer_word(sequence, member));
    } else if (member->insn.op == RV64_auipc) {
        emit_auipc(emitter, sequence, member);
    } else if (has_tp(member->named) ||
               (member->insn.length == 2 && emitter->translator->threaded)) {
        emit_word(emitter, rename_tp(sequence, member));
    } else if (member->insn.length == 2) {
        emit_half(emitter, (uint16_t)member->insn.word);
    } else {
        emit_word(emitter, member->insn.word);
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

void whole_read(guest_addr pc, guest_addr end, unsigned limit, uint8_t *code, struct whole *whole)
{
    struct sequence sequence;

    sequence.count = 0;
    sequence.named = 0;
    whole->instructions = whole->bytes = whole->side_count = 0;
    if (!read_sequence(pc, end, limit, code, &sequence)) {
        whole->instructions =
            sequence.count == limit && limit < TARGET_WHOLE_INSTRUCTIONS ? limit + 1 : 0;
        return;
    }
    if (!choose_held(&sequence)) {
        return;
    }
    for (unsigned i = 0; i < sequence.count; i++) {
        const struct member *member = &sequence.members[i];
        if (!leaves(&sequence, member)) {
            continue;
        }
        if (whole->side_count == TARGET_SIDES) {
            return;
        }
        whole->sides[whole->side_count].from = member->pc;
        whole->sides[whole->side_count].target = member->target;
        whole->sides[whole->side_count++].jumps = member->insn.op == RV64_jal;
    }
    whole->instructions = sequence.count;
    whole->bytes = (unsigned)(sequence.end - pc);
}

/* As whole_read found it. */
static void parse(const struct step *step, const uint8_t *code, struct sequence *sequence)
{
    unsigned bytes = 0;

    sequence->count = 0;
    sequence->named = 0;
    while (bytes < step->bytes) {
        bytes += read_member(sequence, step->pc + bytes, code + bytes)->insn.length;
    }
    sequence->end = step_end(step);
    ASSERT(choose_held(sequence));
}

/* The mark of the first is there. */
void whole_emit(struct emitter *emitter, const struct step *step, const uint8_t *code,
                struct exit *exits, struct side *sides)
{
    struct marks *marks = &emitter->translator->marks;
    struct sequence sequence;

    parse(step, code, &sequence);
    emit_alignment(emitter);
    if (sequence.held != 0) {
        emit_save(emitter, sequence.held, CONTEXT_SPARE);
        emit_restore(emitter, sequence.held, CONTEXT_X(TP));
        state_note_own(marks, emitter->at);
    }
    if (emitter->translator->process.owns_gp != 0 && has_gp(sequence.named)) {
        sequence.held |= HELD_GP;
        emit_restore(emitter, GP, CONTEXT_X(GP));
        state_note_own(marks, emitter->at);
    }
    for (unsigned i = 0; i < sequence.count; i++) {
        struct member *member = &sequence.members[i];
        if (i > 0) {
            state_add_mark(marks, emitter->at, emitter->at, member->pc);
            state_note_held(marks, sequence.held);
        }
        member->at = emitter->at;
        if (leaves(&sequence, member)) {
            emit_side(emitter, &sequence, member, transfer_word(&sequence, member), exits++,
                      sides++);
        } else {
            emit_member(emitter, &sequence, member);
        }
    }
    join(&sequence);
    if (sequence.held != 0) {
        state_add_mark(marks, emitter->at, emitter->at, sequence.end);
        state_note_held(marks, sequence.held);
        whole_give_back(emitter, sequence.held);
    }
}
