/* What registers hold while a trace is placed, and how a value comes into one: the parts of place.c that know. */
#ifndef STRATA_TRANSLATOR_PASSES_REGISTERS_H
#define STRATA_TRANSLATOR_PASSES_REGISTERS_H

#include "translator/passes/place.h"

/* Of a register that holds nothing that is known. */
#define NOTHING ((struct value){.root = ROOT_NONE})

static inline uint32_t register_bit(unsigned reg)
{
    return UINT32_C(1) << reg;
}

static inline bool registers_holds(const struct place *place, unsigned reg)
{
    return (place->full >> reg & 1) != 0;
}

/* A register holds the value from now on; one of the program's should. */
void registers_set_held(struct place *place, unsigned reg, struct value value);
void registers_set_guest(struct place *place, unsigned reg, struct value value);

/* Items, which take effect at once: an empty one; dst = src + constant, or the constant alone; and a change without code. */
struct item *registers_add_item(struct place *place, enum item_kind kind);
void registers_add_move(struct place *place, unsigned dst, unsigned src, int64_t constant,
                        struct value value, unsigned pass);
void registers_add_note(struct place *place, unsigned dst, unsigned guest, struct value value);

/* The register that holds exactly this, `wanted` if that does; one of `mask` from which it is an addition away; NO_REGISTER
 * if none does.  And whether the value is a constant, or there is one of the latter. */
unsigned registers_find_exact(const struct place *place, struct value value, unsigned wanted);
unsigned registers_find_near(const struct place *place, struct value value, uint32_t mask);
bool registers_can_tell(const struct place *place, struct value value);

/* Where the result `out` goes, for one of the program's registers, `rd`: what is needed of what was there has been moved. */
unsigned registers_choose(struct place *place, unsigned rd, struct value out);
/* A spare register that something is computed in before the loop, and what computes it; NULL if there is none. */
struct item *registers_take_before(struct place *place, enum item_kind kind);
/* The register that holds a constant from before the loop on; NO_REGISTER if there is none left. */
unsigned registers_hoist_constant(struct place *place, struct value value);
/* The register that holds what one of the program's, `guest`, should; and the one to which an access to memory adds
 * *constant. */
unsigned registers_get(struct place *place, struct value value, unsigned guest);
unsigned registers_get_address(struct place *place, const struct op *op, int64_t *constant);

#endif
