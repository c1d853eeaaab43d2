/* Immediates of single layouts, as inline functions: rv64_immediate_B(word), and so on; freestanding.
 *
 * For code that knows what it has before it and cannot afford the whole decoder. */
#ifndef ISA_RV64_IMMEDIATE_H
#define ISA_RV64_IMMEDIATE_H

#include "base/bits.h"

#include <stdint.h>

#define IMMEDIATE_SIGNED(value, bits) bits_sign_extend(value, bits)
#define IMMEDIATE_UNSIGNED(value, bits) ((int64_t)(value))
#define PIECE(to, from, count) | bits_get(word, from, count) << (to)
#define IMMEDIATE(name, bits, sign, pieces)                                                        \
    static inline int64_t rv64_immediate_##name(uint32_t word)                                     \
    {                                                                                              \
        return IMMEDIATE_##sign(UINT64_C(0) pieces, bits);                                         \
    }
#include "isa/rv64/immediate.def"
#undef IMMEDIATE
#undef PIECE

#endif
