/* What the loads, stores and atomic instructions do, and how a bad address leaves them. */
#ifndef STRATA_MACHINE_EXEC_ACCESS_H
#define STRATA_MACHINE_EXEC_ACCESS_H

#include "base/check.h"
#include "machine/exec/leave.h"
#include "machine/exec/op.h"
#include "machine/state/hart.h"

#include <string.h>

/* An access inside the guest's space is decided by the host's page tables;
 * outside of it there may be the host's own data, so it is refused here.  The
 * eight bytes at the very end are covered by a guard page of the region. */
static inline uint8_t *access_host(struct hart *hart, guest_addr address)
{
    if (UNLIKELY(address >> GUEST_SPACE_BITS)) {
        leave_instruction(hart, LEAVE_FAULT, address);
    }
    return hart->memory_base + address;
}

static inline guest_addr access_address(const struct hart *hart, const struct op *op)
{
    return hart->x[op->rs1] + (uint64_t)(int64_t)op->imm;
}

/* Integer loads extend by the type that they are read as. */
#define LOAD(id, type, file, extended)                                                             \
    static inline void exec_##id(struct hart *hart, const struct op *op)                           \
    {                                                                                              \
        type loaded;                                                                               \
        memcpy(&loaded, access_host(hart, access_address(hart, op)), sizeof loaded);               \
        hart->file[op->rd] = (extended);                                                           \
    }

#define STORE(id, type, file)                                                                      \
    static inline void exec_##id(struct hart *hart, const struct op *op)                           \
    {                                                                                              \
        const type stored = (type)hart->file[op->rs2];                                             \
        memcpy(access_host(hart, access_address(hart, op)), &stored, sizeof stored);               \
    }

/* clang-format off */
LOAD(lb,  int8_t,   x, (uint64_t)(int64_t)loaded)
LOAD(lh,  int16_t,  x, (uint64_t)(int64_t)loaded)
LOAD(lw,  int32_t,  x, (uint64_t)(int64_t)loaded)
LOAD(ld,  uint64_t, x, loaded)
LOAD(lbu, uint8_t,  x, loaded)
LOAD(lhu, uint16_t, x, loaded)
LOAD(lwu, uint32_t, x, loaded)
LOAD(flw, uint32_t, f, loaded | UINT64_C(0xffffffff00000000)) /* NaN boxing */
LOAD(fld, uint64_t, f, loaded)
STORE(sb,  uint8_t,  x)
STORE(sh,  uint16_t, x)
STORE(sw,  uint32_t, x)
STORE(sd,  uint64_t, x)
STORE(fsw, uint32_t, f)
STORE(fsd, uint64_t, f)
/* clang-format on */

#undef LOAD
#undef STORE

/* Atomics use the host's, so that processes that share memory agree. */
static inline void *access_atomic(struct hart *hart, guest_addr address, unsigned bytes)
{
    if (UNLIKELY(address & (bytes - 1))) {
        leave_instruction(hart, LEAVE_MISALIGNED, address);
    }
    return access_host(hart, address);
}

#define ATOMIC(id, type, narrow, operation)                                                        \
    static inline void exec_##id(struct hart *hart, const struct op *op)                           \
    {                                                                                              \
        type *cell = access_atomic(hart, hart->x[op->rs1], sizeof(type));                          \
        const type b = (type)hart->x[op->rs2];                                                     \
        hart->x[op->rd] = (uint64_t)(int64_t)(narrow)(operation);                                  \
    }

/* Minimum and maximum have no host instruction: compare and exchange. */
#define ATOMIC_PICK(id, type, narrow, picks_b)                                                     \
    static inline void exec_##id(struct hart *hart, const struct op *op)                           \
    {                                                                                              \
        type *cell = access_atomic(hart, hart->x[op->rs1], sizeof(type));                          \
        const type b = (type)hart->x[op->rs2];                                                     \
        type a = __atomic_load_n(cell, __ATOMIC_SEQ_CST);                                          \
        while (!__atomic_compare_exchange_n(cell, &a, (picks_b) ? b : a, false, __ATOMIC_SEQ_CST,  \
                                            __ATOMIC_SEQ_CST)) {                                   \
        }                                                                                          \
        hart->x[op->rd] = (uint64_t)(int64_t)(narrow)a;                                            \
    }

#define ATOMIC_FAMILY(suffix, type, narrow)                                                        \
    ATOMIC(amoswap_##suffix, type, narrow, __atomic_exchange_n(cell, b, __ATOMIC_SEQ_CST))         \
    ATOMIC(amoadd_##suffix, type, narrow, __atomic_fetch_add(cell, b, __ATOMIC_SEQ_CST))           \
    ATOMIC(amoxor_##suffix, type, narrow, __atomic_fetch_xor(cell, b, __ATOMIC_SEQ_CST))           \
    ATOMIC(amoand_##suffix, type, narrow, __atomic_fetch_and(cell, b, __ATOMIC_SEQ_CST))           \
    ATOMIC(amoor_##suffix, type, narrow, __atomic_fetch_or(cell, b, __ATOMIC_SEQ_CST))             \
    ATOMIC_PICK(amomin_##suffix, type, narrow, (narrow)b < (narrow)a)                              \
    ATOMIC_PICK(amomax_##suffix, type, narrow, (narrow)b > (narrow)a)                              \
    ATOMIC_PICK(amominu_##suffix, type, narrow, b < a)                                             \
    ATOMIC_PICK(amomaxu_##suffix, type, narrow, b > a)                                             \
    static inline void exec_lr_##suffix(struct hart *hart, const struct op *op)                    \
    {                                                                                              \
        const guest_addr address = hart->x[op->rs1];                                               \
        const type *cell = access_atomic(hart, address, sizeof(type));                             \
        const type loaded = __atomic_load_n(cell, __ATOMIC_SEQ_CST);                               \
        hart->reserved = true;                                                                     \
        hart->reserved_address = address;                                                          \
        hart->reserved_value = (uint64_t)(int64_t)(narrow)loaded;                                  \
        hart->x[op->rd] = (uint64_t)(int64_t)(narrow)loaded;                                       \
    }                                                                                              \
    static inline void exec_sc_##suffix(struct hart *hart, const struct op *op)                    \
    {                                                                                              \
        const guest_addr address = hart->x[op->rs1];                                               \
        type *cell = access_atomic(hart, address, sizeof(type));                                   \
        type expected = (type)hart->reserved_value;                                                \
        const bool stored =                                                                        \
            hart->reserved && hart->reserved_address == address &&                                 \
            __atomic_compare_exchange_n(cell, &expected, (type)hart->x[op->rs2], false,            \
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                       \
        hart->reserved = false;                                                                    \
        hart->x[op->rd] = stored ? 0 : 1;                                                          \
    }

ATOMIC_FAMILY(w, uint32_t, int32_t)
ATOMIC_FAMILY(d, uint64_t, int64_t)

#undef ATOMIC
#undef ATOMIC_PICK
#undef ATOMIC_FAMILY

#endif
