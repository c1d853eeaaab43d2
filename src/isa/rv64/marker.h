/* The instructions with which a program marks a region of itself, for who simulates it.
 *
 * slti x0, x0, N is a HINT of the base instruction set, and its code points are designated for custom use
 * (unprivileged specification, HINT instructions): elsewhere they do nothing. */
#ifndef STRATA_ISA_RV64_MARKER_H
#define STRATA_ISA_RV64_MARKER_H

#include "isa/rv64/insn.h"

#define RV64_MARKER_BEGIN UINT32_C(0x00102013) /* slti x0, x0, 1 */
#define RV64_MARKER_END UINT32_C(0x00202013)   /* slti x0, x0, 2 */

static inline bool rv64_is_marker(const struct rv64_insn *insn)
{
    return insn->word == RV64_MARKER_BEGIN || insn->word == RV64_MARKER_END;
}

#endif
