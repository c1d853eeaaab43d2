/* Shows floating-point instructions directly: NaN boxing, classes, minimum, sign injection, static
 * rounding, conversions of extreme values, fused operations, comparisons with quiet and
 * signalling NaNs. */
#include "common.h"

static const uint64_t doubles[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001,
    0xfff8000000001234, 0x0000000000000001, 0x800fffffffffffff, 0x7fefffffffffffff,
    0x41dfffffffc00000, 0x43e0000000000000, 0xc3e0000000000001, 0x3fe0000000000001,
    0x400921fb54442d18, 0xffffffff3f800000, 0xffffffff7fa00000, 0xfffffffe3f800000};
#define COUNT (sizeof(doubles) / sizeof(doubles[0]))

/* Applies a two-operand instruction to all pairs and adds result bits and flags to a checksum. */
#define BINARY_D(name, text)                                                                       \
    do {                                                                                           \
        uint64_t hash = CHECKSUM_START;                                                            \
        for (size_t i = 0; i < COUNT; i++) {                                                       \
            for (size_t k = 0; k < COUNT; k++) {                                                   \
                uint64_t result = 0;                                                               \
                uint64_t flags = 0;                                                                \
                __asm__ volatile("fmv.d.x ft0, %2\n fmv.d.x ft1, %3\n fsflags zero\n" text         \
                                 "\n fmv.x.d %0, ft2\n frflags %1"                                 \
                                 : "=&r"(result), "=&r"(flags)                                     \
                                 : "r"(doubles[i]), "r"(doubles[k])                                \
                                 : "ft0", "ft1", "ft2");                                           \
                hash = checksum_word(checksum_word(hash, result), flags);                          \
            }                                                                                      \
        }                                                                                          \
        printf("%-18s %016lx\n", name, hash);                                                      \
    } while (0)

#define INTEGER_D(name, text)                                                                      \
    do {                                                                                           \
        uint64_t hash = CHECKSUM_START;                                                            \
        for (size_t i = 0; i < COUNT; i++) {                                                       \
            for (size_t k = 0; k < COUNT; k++) {                                                   \
                uint64_t result = 0;                                                               \
                uint64_t flags = 0;                                                                \
                __asm__ volatile("fmv.d.x ft0, %2\n fmv.d.x ft1, %3\n fsflags zero\n" text         \
                                 "\n mv %0, t0\n frflags %1"                                       \
                                 : "=&r"(result), "=&r"(flags)                                     \
                                 : "r"(doubles[i]), "r"(doubles[k])                                \
                                 : "ft0", "ft1", "t0");                                            \
                hash = checksum_word(checksum_word(hash, result), flags);                          \
            }                                                                                      \
        }                                                                                          \
        printf("%-18s %016lx\n", name, hash);                                                      \
    } while (0)

int main(void)
{
    uint64_t bits = 0;

    BINARY_D("add", "fadd.d ft2, ft0, ft1");
    BINARY_D("multiply", "fmul.d ft2, ft0, ft1");
    BINARY_D("divide", "fdiv.d ft2, ft0, ft1");
    BINARY_D("root", "fsqrt.d ft2, ft0");
    BINARY_D("minimum", "fmin.d ft2, ft0, ft1");
    BINARY_D("maximum", "fmax.d ft2, ft0, ft1");
    BINARY_D("copy sign", "fsgnj.d ft2, ft0, ft1");
    BINARY_D("negate sign", "fsgnjn.d ft2, ft0, ft1");
    BINARY_D("multiply signs", "fsgnjx.d ft2, ft0, ft1");
    BINARY_D("fused add", "fmadd.d ft2, ft0, ft1, ft1");
    BINARY_D("fused negated", "fnmsub.d ft2, ft0, ft1, ft0");
    BINARY_D("add up", "fadd.d ft2, ft0, ft1, rup");
    BINARY_D("divide to zero", "fdiv.d ft2, ft0, ft1, rtz");
    BINARY_D("multiply down", "fmul.d ft2, ft0, ft1, rdn");
    BINARY_D("add ties away", "fadd.d ft2, ft0, ft1, rmm");
    BINARY_D("narrow", "fcvt.s.d ft2, ft0");
    BINARY_D("widen", "fcvt.d.s ft2, ft0");
    BINARY_D("single add", "fadd.s ft2, ft0, ft1");
    BINARY_D("single divide", "fdiv.s ft2, ft0, ft1");
    BINARY_D("single fused", "fmsub.s ft2, ft0, ft1, ft1");
    BINARY_D("single sign", "fsgnj.s ft2, ft0, ft1");
    BINARY_D("single minimum", "fmin.s ft2, ft0, ft1");
    INTEGER_D("equal", "feq.d t0, ft0, ft1");
    INTEGER_D("less", "flt.d t0, ft0, ft1");
    INTEGER_D("less or equal", "fle.d t0, ft0, ft1");
    INTEGER_D("single equal", "feq.s t0, ft0, ft1");
    INTEGER_D("class", "fclass.d t0, ft0");
    INTEGER_D("single class", "fclass.s t0, ft0");
    INTEGER_D("to long", "fcvt.l.d t0, ft0");
    INTEGER_D("to unsigned long", "fcvt.lu.d t0, ft0, rup");
    INTEGER_D("to word", "fcvt.w.d t0, ft0, rtz");
    INTEGER_D("to unsigned word", "fcvt.wu.d t0, ft0");
    INTEGER_D("single to long", "fcvt.l.s t0, ft0");
    INTEGER_D("move word", "fmv.x.w t0, ft0");
    for (size_t i = 0; i < COUNT; i++) {
        __asm__ volatile("fcvt.s.lu ft0, %1\n fmv.x.d %0, ft0"
                         : "=r"(bits)
                         : "r"(doubles[i])
                         : "ft0");
        printf("%016lx ", bits);
        __asm__ volatile("fmv.w.x ft0, %1\n fmv.x.d %0, ft0"
                         : "=r"(bits)
                         : "r"(doubles[i])
                         : "ft0");
        printf("%016lx%c", bits, i % 2 ? '\n' : ' ');
    }
    __asm__ volatile("flw ft0, 0(%1)\n fmv.x.d %0, ft0" : "=r"(bits) : "r"(doubles + 2) : "ft0");
    printf("loaded single %016lx\n", bits);
    return 0;
}
