/* Immediates: collecting them from an instruction and scattering them into it, from one table. */
#include "base/bits.h"
#include "isa/rv64/rows.h"

#define SIGNED(value, bits) bits_sign_extend(value, bits)
#define UNSIGNED(value, bits) ((int64_t)(value))

int64_t rv64_immediate_collect(unsigned immediate, uint32_t word)
{
    switch (immediate) {
#define PIECE(to, from, count) | bits_get(word, from, count) << (to)
#define IMMEDIATE(name, bits, sign, pieces)                                                        \
    case IMMEDIATE_##name:                                                                         \
        return sign(UINT64_C(0) pieces, bits);
#include "isa/rv64/immediate.def"
#undef IMMEDIATE
#undef PIECE
    default:
        return 0;
    }
}

uint32_t rv64_immediate_scatter(unsigned immediate, int64_t value)
{
    uint64_t bits_of_value = (uint64_t)value;

    switch (immediate) {
#define PIECE(to, from, count) | bits_get(bits_of_value, to, count) << (from)
#define IMMEDIATE(name, bits, sign, pieces)                                                        \
    case IMMEDIATE_##name:                                                                         \
        return (uint32_t)(UINT64_C(0) pieces);
#include "isa/rv64/immediate.def"
#undef IMMEDIATE
#undef PIECE
    default:
        return 0;
    }
}
