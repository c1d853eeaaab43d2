/* A small compiler: random expressions as machine code, beside the values that they must give. */
#include "stress.h"

#define T0 5u
#define T1 6u
#define A0 10u
#define DEPTH 4
#define ADDI(rd, rs1, imm) ((uint32_t)(imm) << 20 | (rs1) << 15 | (rd) << 7 | 0x13u)
#define PUSH_T0 0xff010113u, 0x00513023u /* addi sp, sp, -16; sd t0, 0(sp) */
#define POP_T1 0x00013303u, 0x01010113u  /* ld t1, 0(sp); addi sp, sp, 16 */
#define RETURN 0x00008067u

struct jit {
    uint32_t *at;
    uint64_t *random;
    uint64_t x;
};

static uint32_t op(uint32_t funct7, uint32_t funct3, uint32_t rd, uint32_t rs1, uint32_t rs2)
{
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33;
}

static void emit_pair(struct jit *jit, uint32_t first, uint32_t second)
{
    *jit->at++ = first;
    *jit->at++ = second;
}

static uint64_t leaf(struct jit *jit)
{
    const uint64_t choice = next_random(jit->random);
    const uint64_t value = choice >> 8 & 2047;

    if ((choice & 1) != 0) {
        *jit->at++ = ADDI(T0, A0, 0);
        return jit->x;
    }
    *jit->at++ = ADDI(T0, 0u, value);
    return value;
}

/* t0 becomes t0 or t1, as a branch decides. */
static uint64_t choose(struct jit *jit, uint64_t left, uint64_t right)
{
    *jit->at++ = 0x00537463u; /* bgeu t1, t0, over the next */
    *jit->at++ = ADDI(T0, T1, 1);
    return left >= right ? right : left + 1;
}

static uint64_t expression(struct jit *jit, unsigned depth)
{
    if (depth == 0) {
        return leaf(jit);
    }
    const uint64_t left = expression(jit, depth - 1);
    emit_pair(jit, PUSH_T0);
    const uint64_t right = expression(jit, depth - 1);
    emit_pair(jit, POP_T1);
    switch (next_random(jit->random) % 6) {
    case 0:
        *jit->at++ = op(0, 0, T0, T1, T0);
        return left + right;
    case 1:
        *jit->at++ = op(0x20, 0, T0, T1, T0);
        return left - right;
    case 2:
        *jit->at++ = op(1, 0, T0, T1, T0);
        return left * right;
    case 3:
        *jit->at++ = op(0, 4, T0, T1, T0);
        return left ^ right;
    case 4:
        *jit->at++ = op(0, 1, T0, T1, T0);
        return left << (right & 63);
    default:
        return choose(jit, left, right);
    }
}

size_t jit_write(uint32_t *code, uint64_t *random, uint64_t x, uint64_t *wanted)
{
    struct jit jit = {code, random, x};

    *wanted = expression(&jit, (unsigned)(next_random(random) % DEPTH) + 1);
    emit_pair(&jit, ADDI(A0, T0, 0), RETURN);
    return (size_t)(jit.at - code);
}

uint64_t jit_call(const uint32_t *code, uint64_t x)
{
    return ((uint64_t(*)(uint64_t))(uintptr_t)code)(x);
}

void jit_fence(void)
{
    __asm__ volatile("fence.i" ::: "memory");
}

void jit_flush(uint32_t *code, size_t words)
{
    __builtin___clear_cache((char *)code, (char *)(code + words));
}
