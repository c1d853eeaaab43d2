/* Where a program and its stack stand in the guest's address space: the same in every run. */
#ifndef STRATA_MACHINE_LINUX_LAYOUT_H
#define STRATA_MACHINE_LINUX_LAYOUT_H

#include "machine/state/memory.h"

/* From low to high:
 *
 *   as linked              a program that is not position independent, then its brk
 *   LAYOUT_PIE_BASE        a position-independent program with an interpreter, then its brk
 *   below LAYOUT_MMAP_TOP  mappings, from the top down: first the interpreter, or a
 *                          position-independent program that has none (its brk starts at
 *                          LAYOUT_PIE_BASE)
 *   the gap                never handed out: a stack that grows too far faults there
 *   below LAYOUT_STACK_TOP the first thread's stack
 *   the last page          never mapped: an address just below 2^38 plus a small size cannot leave
 *                          the guest's space */
#define LAYOUT_PIE_BASE UINT64_C(0x2a00000000)
#define LAYOUT_MMAP_TOP UINT64_C(0x3ff0000000)
#define LAYOUT_STACK_TOP UINT64_C(0x3ffffff000)
#define LAYOUT_STACK_BYTES (UINT64_C(8) << 20)
#define LAYOUT_END (GUEST_SPACE_BYTES - GUEST_PAGE_BYTES)

static inline uint64_t layout_page_down(uint64_t value)
{
    return value & ~(GUEST_PAGE_BYTES - 1);
}

/* Wraps to 0 within the last page of the 64-bit range: callers limit first. */
static inline uint64_t layout_page_up(uint64_t value)
{
    return layout_page_down(value + GUEST_PAGE_BYTES - 1);
}

#endif
