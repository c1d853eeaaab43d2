/* Writes the toy's instructions into the cache, one behind the other.
 *
 * While code in the cache looks a target up, or comes from far away, the program's R0, R1 and flags are where
 * the context has its registers; a fragment's indirect entry takes them back. */
#ifndef TESTS_TOY_EMIT_H
#define TESTS_TOY_EMIT_H

#include "translator/fragment/translator.h"

/* Words of the context, as own instructions name them. */
#define SLOT_OF(field) ((int64_t)(offsetof(struct context, field) / 8))
#define SLOT_REGISTER(number) (SLOT_OF(registers.r) + (number))
#define SLOT_FLAGS SLOT_OF(registers.flags)
#define SLOT_SPARE(number) (SLOT_OF(spare) + (number))

struct emitter {
    struct translator *translator;
    uint8_t *at;
    struct fragment *fragment; /* NULL for code that is part of none */
    bool records;              /* indirect branches leave the cache */
};

void emit(struct emitter *emitter, enum toy_op op, unsigned rd, unsigned rs, int64_t imm);
/* So that the displacement of the jump that follows is aligned. */
void emit_alignment(struct emitter *emitter);
/* R0, R1 and the flags go to the context's registers; and come back from there. */
void emit_put_away(struct emitter *emitter);
void emit_take_back(struct emitter *emitter);
/* A jump or branch of the translator's own, aligned; returns its displacement. */
uint8_t *emit_own_jump(struct emitter *emitter, const uint8_t *to);
uint8_t *emit_own_branch(struct emitter *emitter, enum toy_condition condition, const uint8_t *to);
/* The displacement at `at` leads to `to`, which is in reach; and where it leads. */
void displacement_set(uint8_t *at, const uint8_t *to);
const uint8_t *displacement_get(const uint8_t *at);
bool displacement_reaches(const uint8_t *at, const uint8_t *to);

/* exits.c */

/* Of a trampoline; it is large enough for what leads to a target that is far. */
#define TRAMPOLINE_BYTES 24
/* Writes the trampoline of an exit, whose jump has its displacement there, and sends that to it. */
void exit_emit(struct translator *translator, struct exit *exit, uint8_t *displacement);
/* What leads to the indirect entry of `to` from anywhere, in at most TRAMPOLINE_BYTES. */
void exit_emit_far(struct emitter *emitter, const struct fragment *to);

/* whole.c */

/* How many instructions from the `hold` at `pc` on must stay whole, of at most `limit` that can be read: 0 if
 * none, more than `limit` if there may be, but they do not fit.  Puts their bytes to `code`, and where branches
 * out of their middle lead to `sides`. */
struct whole {
    unsigned instructions, bytes, side_count;
    struct {
        guest_addr from, target;
    } sides[TARGET_SIDES];
};
void whole_read(guest_addr pc, uint64_t limit, uint8_t *code, struct whole *whole);
/* Writes it; `step` is followed by its sides, whose exits are those at `exits`.  Returns how many. */
unsigned whole_emit(struct emitter *emitter, const struct step *step, const uint8_t *code,
                    const uint8_t *run, struct exit *exits);

/* indirect.c */

/* What `step` does, which is a return, or an indirect jump or call. */
void indirect_emit(struct emitter *emitter, const struct step *step);
/* A guard of a trace: the program goes on behind it if that leads to step->value.  Returns the displacement that leads to
 * what is done if it does not. */
uint8_t *indirect_emit_guard(struct emitter *emitter, const struct step *step);
/* What is done then: `second` leads to the second target, which the step behind `step` names, or is NULL. */
void indirect_emit_other(struct emitter *emitter, const struct step *step, uint8_t *displacement,
                         struct exit *second);

/* lookup.c */

/* What compares the target with the start of the fragment, before its indirect entry. */
void lookup_emit_check(struct emitter *emitter, unsigned kind);
/* What a lookup goes to where there is no check: two bytes for each kind. */
extern const uint8_t lookup_miss_code[LOOKUP_KINDS * 2];

/* fast_return.c: what a call pushes instead of `after`. */
const uint8_t *fast_return_emit(struct translator *translator, guest_addr after);

/* state.c: the program's registers, if it is between two instructions when a machine with these registers is
 * about to execute `code`; false if it is not. */
bool state_take(const struct context *context, const uint8_t *code,
                const struct target_registers *found, struct target_registers *registers,
                guest_addr *pc);

/* hw_counter.c: the processor that the contract's functions mean, which have no argument for it. */
struct toy_counters;
void hw_counter_use(struct toy_counters *counters);
void hw_counter_set_threshold(uint64_t threshold);
/* Whether target_hw_leave was called since it was asked last. */
bool hw_counter_leaves(void);

#endif
