/* Executes single instructions of the translator's own code, where a signal stopped it half-way. */
#include "translator/rv64/signal.h"

#include "isa/rv64/decode.h"
#include "isa/rv64/xstrata_asm.h"
#include "translator/rv64/encode_words.h"

static uint64_t load(uint16_t op, uint64_t address)
{
    const void *place = (const void *)(uintptr_t)address;

    switch (op) {
    case RV64_ld:
        return *(const uint64_t *)place;
    case RV64_lw:
        return (uint64_t) * (const int32_t *)place;
    case RV64_lwu:
        return *(const uint32_t *)place;
    case RV64_lhu:
        return *(const uint16_t *)place;
    default:
        return *(const uint8_t *)place;
    }
}

static void store(uint16_t op, uint64_t address, uint64_t value)
{
    void *place = (void *)(uintptr_t)address;

    switch (op) {
    case RV64_sd:
        *(uint64_t *)place = value;
        break;
    case RV64_sw:
        *(uint32_t *)place = (uint32_t)value;
        break;
    case RV64_sh:
        *(uint16_t *)place = (uint16_t)value;
        break;
    default:
        *(uint8_t *)place = (uint8_t)value;
        break;
    }
}

static bool is_taken(uint16_t op, uint64_t a, uint64_t b)
{
    switch (op) {
    case RV64_beq:
        return a == b;
    case RV64_bne:
        return a != b;
    case RV64_blt:
        return (int64_t)a < (int64_t)b;
    case RV64_bge:
        return (int64_t)a >= (int64_t)b;
    case RV64_bltu:
        return a < b;
    default:
        return a >= b;
    }
}

static uint64_t sign_extend_word(uint64_t value)
{
    return (uint64_t)(int32_t)(uint32_t)value;
}

/* False if `op` is none that computes one value from two. */
static bool compute(uint16_t op, uint64_t a, uint64_t b, uint64_t *result)
{
    switch (op) {
    case RV64_add:
    case RV64_addi:
        *result = a + b;
        return true;
    case RV64_addw:
    case RV64_addiw:
        *result = sign_extend_word(a + b);
        return true;
    case RV64_sub:
        *result = a - b;
        return true;
    case RV64_subw:
        *result = sign_extend_word(a - b);
        return true;
    case RV64_and:
    case RV64_andi:
        *result = a & b;
        return true;
    case RV64_or:
    case RV64_ori:
        *result = a | b;
        return true;
    case RV64_xor:
    case RV64_xori:
        *result = a ^ b;
        return true;
    case RV64_sll:
    case RV64_slli:
        *result = a << (b & 63);
        return true;
    case RV64_srl:
    case RV64_srli:
        *result = a >> (b & 63);
        return true;
    case RV64_sra:
    case RV64_srai:
        *result = (uint64_t)((int64_t)a >> (b & 63));
        return true;
    case RV64_slt:
    case RV64_slti:
        *result = (int64_t)a < (int64_t)b;
        return true;
    case RV64_sh3add:
        *result = (a << 3) + b;
        return true;
    case RV64_sltu:
    case RV64_sltiu:
        *result = a < b;
        return true;
    default:
        return false;
    }
}

/* `pc` and `a` and `b` are read before anything is written: rd may be any. */
static bool execute(struct frame_context *frame, const struct rv64_insn *insn, uint64_t a,
                    uint64_t b)
{
    const uint64_t pc = frame->x[0];
    uint64_t *rd = &frame->x[insn->rd];
    uint64_t next = pc + insn->length;
    uint64_t value = 0;

    switch (insn->op) {
    case RV64_lui:
        value = (uint64_t)insn->imm;
        break;
    case RV64_auipc:
        value = pc + (uint64_t)insn->imm;
        break;
    case RV64_jal:
        value = next;
        next = pc + (uint64_t)insn->imm;
        break;
    case RV64_jalr:
        value = next;
        next = (a + (uint64_t)insn->imm) & ~UINT64_C(1);
        break;
    case RV64_beq:
    case RV64_bne:
    case RV64_blt:
    case RV64_bge:
    case RV64_bltu:
    case RV64_bgeu:
        frame->x[0] = is_taken(insn->op, a, b) ? pc + (uint64_t)insn->imm : next;
        return true;
    case RV64_ld:
    case RV64_lw:
    case RV64_lwu:
    case RV64_lhu:
    case RV64_lbu:
        value = load(insn->op, a + (uint64_t)insn->imm);
        break;
    case RV64_sd:
    case RV64_sw:
    case RV64_sh:
    case RV64_sb:
        store(insn->op, a + (uint64_t)insn->imm, b);
        frame->x[0] = next;
        return true;
    case RV64_amoadd_d:
        value = __atomic_fetch_add((uint64_t *)(uintptr_t)a, b, __ATOMIC_SEQ_CST);
        break;
    case RV64_ctr_new:
        xstrata_ctr_new(a, b);
        break;
    case RV64_fence_i: /* of a new counter that has patched its exit */
        __asm__ volatile("fence.i" ::: "memory");
        frame->x[0] = next;
        return true;
    default:
        if (!compute(insn->op, a, b, &value)) {
            return false;
        }
        break;
    }
    if (insn->rd != X0) {
        *rd = value;
    }
    frame->x[0] = next;
    return true;
}

bool execute_single(struct frame_context *frame)
{
    uint16_t halves[2];
    struct rv64_insn insn;

    __builtin_memcpy(halves, (const void *)(uintptr_t)frame->x[0], sizeof halves);
    rv64_decode((uint32_t)halves[1] << 16 | halves[0], &insn);
    const uint32_t flags = rv64_row(insn.op)->flags;
    const uint64_t a = insn.rs1 == X0 ? 0 : frame->x[insn.rs1];
    const uint64_t b =
        flags & INSN_RS2_INT ? (insn.rs2 == X0 ? 0 : frame->x[insn.rs2]) : (uint64_t)insn.imm;
    return execute(frame, &insn, a, b);
}
