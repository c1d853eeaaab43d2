/* What the files of the RV64 target share: sequences of instructions that several of them write. */
#ifndef STRATA_TRANSLATOR_RV64_RV64_H
#define STRATA_TRANSLATOR_RV64_RV64_H

#include "isa/rv64/insn.h"
#include "translator/rv64/emit.h"
#include "translator/translator.h"

/* System calls that only RISC-V has; not all of them are in older headers. */
enum { NUMBER_HWPROBE = 258, NUMBER_FLUSH_ICACHE = 259 };

/* Behind an instruction of `bytes` that was not simply copied. */
static inline struct fragment *go_straight(struct builder *builder, unsigned bytes)
{
    builder->pc += bytes;
    return builder->left > 0 ? target_translate(builder) : build_on(builder);
}

/* sequences.c */

/* Loads a constant, in two instructions at the most. */
void emit_constant(struct builder *builder, unsigned rd, uint64_t value);
/* The same for an instruction of `bytes`, behind which translation goes on. */
struct fragment *emit_constant_and_go(struct builder *builder, unsigned rd, uint64_t value,
                                      unsigned bytes);
/* The address of code in the cache. */
void emit_address(struct builder *builder, unsigned rd, const uint8_t *code);
/* The same as emit_constant for one of the program's registers, of which tp is in the context and
 * x0 nowhere. */
void emit_register_constant(struct builder *builder, unsigned rd, uint64_t value);
/* A jump to any place in the cache; may change a0. */
void emit_far_jump(struct builder *builder, const uint8_t *to);
/* Of a trampoline; for threads, TARGET_FAR_WAY_BYTES follow. */
#define TRAMPOLINE_BYTES 24
/* A jump out of the fragment: to its own trampoline, until it is linked.  It is the
 * way `way` from builder->from; `branch` leads to it, or is NULL. */
void emit_exit(struct builder *builder, enum way way, guest_addr target, uint8_t *branch);
/* The same without a counter, and not linked. */
struct exit *emit_leave(struct builder *builder, enum exit_kind kind, guest_addr target);
/* A conditional branch, `word` without its offset, and a jump for each way out:
 * b +8; j; j.  Linked, the branch itself may go to one of the two targets, and the
 * other takes a jump more: each is one word to patch.  The better one is the taken
 * backward, the not taken forward.  Ends the fragment. */
struct fragment *emit_branch(struct builder *builder, uint32_t word, guest_addr taken,
                             guest_addr not_taken);

/* count.c: if `code` is a software counter's, the program goes back to the head
 * of its loop, which then counts as not executed: context->target; `saved` gets
 * the offsets in the context of those registers that are there. */
bool target_count_leave(struct context *context, const uint8_t *code, uint16_t *saved);
/* The program was stopped at `code`, by no fault of its own, and goes on at
 * context->target later: a software counter just before it counts again then. */
void target_count_interrupt(struct context *context, const uint8_t *code);
/* callback.S */
extern const char target_callback[], target_callback_saved[];
extern const char target_fetch_slot[], target_fetch_slot_end[];

/* A call's return address `after` in `rd`, or whatever returns want there. */
void emit_return_address(struct builder *builder, unsigned rd, guest_addr after);

/* whole.c: translates all from the load-reserved at builder->pc to its store. */
enum whole {
    WHOLE_DONE,
    WHOLE_LATER, /* it fits another fragment, of which it is the beginning */
    WHOLE_NONE,  /* there is no store that belongs to it, or none near */
};
enum whole whole_translate(struct builder *builder);
/* On a way out of such a sequence: `held`, if it is not 0, stood for tp. */
void whole_give_back(struct builder *builder, unsigned held);

/* fast_return.c */
void emit_fast_link(struct builder *builder, guest_addr after);
/* What a return to `after` needs in ra. */
guest_addr fast_return_address(struct translator *translator, guest_addr after);

/* indirect.c: a jump to rs1 + imm, which leaves `after` in rd. */
void emit_indirect(struct builder *builder, unsigned rd, unsigned rs1, int32_t imm,
                   guest_addr after);
/* Its frequent case: a return, with RETURNS_CACHE. */
void emit_cached_return(struct builder *builder);

#endif
