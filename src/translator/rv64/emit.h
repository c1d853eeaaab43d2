/* Writes RV64 instructions into the cache, one behind the other. */
#ifndef STRATA_TRANSLATOR_RV64_EMIT_H
#define STRATA_TRANSLATOR_RV64_EMIT_H

#include "translator/rv64/context_offsets.h"
#include "translator/rv64/encode_words.h"
#include "translator/fragment/translator.h"

/* System calls that only RISC-V has; not all of them are in older headers. */
enum { NUMBER_HWPROBE = 258, NUMBER_FLUSH_ICACHE = 259 };

struct side;
struct special_emitter;

/* Where the next instruction goes, and what must be known of the whole fragment. */
struct emitter {
    struct translator *translator;
    uint8_t *at;
    struct fragment *fragment;       /* NULL for code that is part of none */
    struct special_emitter *special; /* NULL for what is neither a trace nor records */
    unsigned side_count;
    const uint8_t *lookup_site; /* what each lookup that ends the fragment executes once, or NULL */
};

static inline void emit_word(struct emitter *emitter, uint32_t word)
{
    put_word(emitter->at, word);
    emitter->at += sizeof word;
}

static inline void emit_half(struct emitter *emitter, uint16_t half)
{
    *(uint16_t *)(void *)emitter->at = half;
    emitter->at += sizeof half;
}

/* Saves a register in the context, or takes it back. */
static inline void emit_save(struct emitter *emitter, unsigned reg, int32_t offset)
{
    emit_word(emitter, word_s((uint32_t)MATCH_sd, TP, reg, offset));
}

static inline void emit_restore(struct emitter *emitter, unsigned reg, int32_t offset)
{
    emit_word(emitter, word_i((uint32_t)MATCH_ld, reg, TP, offset));
}

/* exits.c */

/* Loads a constant, in two instructions at the most. */
void emit_constant(struct emitter *emitter, unsigned rd, uint64_t value);
/* Loads a constant into one of the program's registers, of which tp is in the context and x0 nowhere. */
void emit_register_constant(struct emitter *emitter, unsigned rd, uint64_t value);
/* The address of code in the cache. */
void emit_address(struct emitter *emitter, unsigned rd, const uint8_t *code);
/* A jump to any place in the cache; may change a0. */
void emit_far_jump(struct emitter *emitter, const uint8_t *to);
/* A call's return address `after` in `rd`, or whatever returns want there. */
void emit_return_address(struct emitter *emitter, unsigned rd, guest_addr after);

/* Of a trampoline; where translator->far_way_bytes says so, TARGET_FAR_WAY_BYTES follow. */
#define TRAMPOLINE_BYTES 24

/* Saves a0, which then leads target_leave to the exit's address, behind the three instructions. */
struct trampoline {
    uint64_t save_and_load; /* two instructions */
    uint64_t leave;         /* one, and nothing: the address stands aligned */
    struct exit *exit;
};
_Static_assert(sizeof(struct trampoline) == TRAMPOLINE_BYTES && CACHE_CHUNK_BYTES <= 1 << 20,
               "patch.c depends on it, and each trampoline is in reach of a jump");
#define TRAMPOLINE_SAVE_AND_LOAD                                                                   \
    ((uint64_t)WORD_I(MATCH_ld, A0, TP, CONTEXT_LEAVE) << 32 |                                     \
     WORD_S(MATCH_sd, TP, A0, CONTEXT_X(A0)))
#define TRAMPOLINE_LEAVE ((uint64_t)WORD_I(MATCH_jalr, A0, A0, 0))

/* emit.c: writes a jump out of the fragment, and the trampoline for `exit` that it leads to; `branch` leads to the
 * jump, or is NULL. */
void emit_exit(struct emitter *emitter, struct exit *exit, uint8_t *branch);

/* emit.c: what a step does that is neither a copy nor a branch nor a whole. */
void emit_step(struct emitter *emitter, const struct step *step);

/* align.c: what follows can be changed while other threads execute it. */
void emit_alignment(struct emitter *emitter);

/* whole.c: a sequence that must stay whole, whose bytes are at `code`; `sides` gets the branches out of its
 * middle, whose exits follow behind the fragment's end. */
/* What a mark says to be held (state.h): a register that stands for tp, and whether gp is the program's. */
#define HELD_REGISTER 31
#define HELD_GP 128
struct side {
    uint8_t *branch;         /* NULL: its exit is there already */
    unsigned held;           /* as in a mark (state.h): the exit gives it back first */
    const struct item *item; /* of a guard that passes have placed; or NULL */
};
void whole_emit(struct emitter *emitter, const struct step *step, const uint8_t *code,
                struct exit *exits, struct side *sides);
/* On a way out of such a sequence: `held`, if it is not 0, stood for tp. */
void whole_give_back(struct emitter *emitter, unsigned held);
/* How many instructions from the load-reserved at `pc` on must stay whole, of at most `limit`, all before `end`: 0 if none, more than `limit` if there may be, but they do not fit.  Puts their bytes to `code`, and
 * where branches out of their middle lead to `sides`, in order. */
struct whole {
    unsigned instructions, bytes, side_count;
    struct {
        guest_addr from, target;
        bool jumps; /* always, not only if a condition holds */
    } sides[TARGET_SIDES];
};
void whole_read(guest_addr pc, guest_addr end, unsigned limit, uint8_t *code, struct whole *whole);

/* indirect.c: a jump to rs1 + imm, which leaves `after` in rd; `marked` as STEP_MARKED. */
void emit_indirect(struct emitter *emitter, unsigned rd, unsigned rs1, int32_t imm,
                   guest_addr after, bool marked);
/* A return, as the options want it. */
void emit_return(struct emitter *emitter, guest_addr after);

/* guard.c: where a trace goes on behind an indirect jump, call or return, if that leads where it should. */
struct target_guard {
    uint8_t *branch;         /* to the code for all other targets, behind the trace's end */
    const struct step *step; /* STEP_GUARD_TARGET; STEP_SECOND_TARGET may follow */
    const struct item *item; /* as in struct side */
    bool knows_gp;           /* gp is this: what the target was compared with, mostly */
    uint64_t gp;
    struct exit *second; /* to the second target, or NULL */
};
/* shares.c: of the block that is written, what passes have left out of it; and what gp would be there without them. */
struct share_counter {
    struct block_shares *to; /* NULL: nobody wants to know */
    bool knows_gp;
    uint64_t gp;
};

/* What must be known of a whole trace, or of what records. */
struct special_emitter {
    bool records;  /* indirect branches leave the cache */
    bool knows_gp; /* the scratch register is `gp` here */
    uint64_t gp;
    const uint8_t **blocks; /* gets where each STEP_BLOCK is */
    const struct plan *plan;
    struct block_shares *shares; /* these six as in struct emission_special */
    uint8_t *way_outs;
    const struct ops *ops;
    const struct arranged *placed;
    struct entrance *entrance;
    uint8_t
        *entrance_branches[TRACE_COMPARISONS]; /* of its comparisons, which lead behind the end */
    struct log *log;
    struct share_counter share_counter;
    struct exit *side_exits;
    unsigned guard_count;
    struct target_guard guards[TRACE_TARGETS];
};
/* Writes the comparison, and what else the step does. */
void guard_emit(struct emitter *emitter, const struct step *step);
/* A call whose callee is on the trace, too: its return address `after` in `rd`, which may be x0. */
void guard_emit_call(struct emitter *emitter, unsigned rd, guest_addr after);
/* The comparison of the first register with `value` alone, which the second one holds, unless that is NO_REGISTER. */
void guard_emit_comparison(struct emitter *emitter, const struct step *step, const uint8_t reg[2],
                           uint64_t value, const struct item *item);
/* gp becomes `value`: mostly by an addition, since values that a trace compares with are near each other. */
void guard_emit_known(struct emitter *emitter, uint64_t value);
/* Writes the code for all other targets. */
void guard_emit_miss(struct emitter *emitter, const struct target_guard *guard);

/* items.c: a trace that passes have changed.  The path; what stands behind all else; and what a way out of the middle
 * does, if it does anything. */
void items_emit(struct emitter *emitter, const struct plan *plan);
void items_emit_rest(struct emitter *emitter);
void items_emit_way_out(struct emitter *emitter, const struct item *item);
bool items_has_way_out(const struct emitter *emitter, const struct item *item);

/* shares.c, for items.c: the path begins, and `shares` gets one for each block; an item was written from `from` on; and
 * another block begins. */
void shares_begin(struct emitter *emitter, struct block_shares *shares);
void shares_count(struct emitter *emitter, const struct item *item, const uint8_t *from);
void shares_next_block(struct emitter *emitter);

/* emit.c, for items.c: the branch of a guard, whose exit follows behind the end; a guard that goes; a whole; and the last
 * step of a plan. */
void emit_side_branch(struct emitter *emitter, uint32_t word, const struct item *item);
void emit_no_side(struct emitter *emitter);
void emit_second_target(struct emitter *emitter);
void emit_whole(struct emitter *emitter, const struct plan *plan, const struct step *step,
                const uint8_t *code);
void emit_last_step(struct emitter *emitter, const struct step *last);

/* lookup.c: before the indirect entry of a fragment that a lookup of this kind failed to find, what compares
 * the target. */
void emit_check(struct emitter *emitter, unsigned kind);
/* Where there is a scratch register: checks lead to fragment->landing, which is known now, or is another than before. */
void checks_aim(struct translator *translator, struct fragment *fragment);

/* Whether gp is the translator's. */
static inline bool owns_gp(const struct translator *translator)
{
    return translator->process.owns_gp != 0;
}

/* fast_return.c */
void emit_fast_link(struct emitter *emitter, guest_addr after);
/* What a return to `after` needs in ra. */
guest_addr fast_return_address(struct translator *translator, guest_addr after);

/* patch.c: the one word that sends a site straight to `to`, and where it goes: NULL if nothing reaches. */
struct site_word {
    uint8_t *at;
    uint32_t word;
};
struct site_word site_straight(const struct target_site *site, const uint8_t *to);
/* Whether that word leads to the entry, and not to the stub. */
bool site_leads_around(const struct target_site *site);
/* Sends the word that leads around, which nobody executes yet, to `to`. */
void site_aim_around(const struct target_site *site, const uint8_t *to);
/* Changes code that is there.  Another thread may be executing it: it is aligned
 * then (emit_alignment), and one store does it. */
static inline void patch_word(uint8_t *at, uint32_t word)
{
    if (((uintptr_t)at & 3) == 0) {
        __atomic_store_n((uint32_t *)(void *)at, word, __ATOMIC_RELEASE);
    } else {
        put_word(at, word);
    }
}

/* sw_counter.c: whether the code of a counter in a taken trampoline reaches the entry of a fragment. */
bool taken_counter_reaches(const uint8_t *code, const uint8_t *entry);
/* If `code` is a software counter's, the program goes to the head of its loop, which
 * then counts as not executed: context->target; or, where taken branches count, as
 * taken.  `saved` gets the offsets in the context of those registers that are there. */
bool counter_leave(struct context *context, const uint8_t *code, uint16_t *saved);
/* The program was stopped at `code`, by no fault of its own, and goes on at
 * context->target later: a software counter just before it counts again then. */
void counter_interrupt(struct context *context, const uint8_t *code);
/* callback.S */
extern const char target_callback[], target_callback_saved[], target_evicted[], target_found[];
extern const char target_fetch_slot[], target_fetch_slot_end[];
/* enter.S: where trampolines go, and lookups that fail; with --builder-cost, those that are dear. */
extern const char target_leave[], target_leave_dear[];
/* enter.S: where a callback goes behind which the program leaves through context->hot. */
extern const char target_hot[];
/* start.S */
extern const char first_stack_end[];
extern const char target_miss[], target_miss_jump[], target_miss_moved[], target_miss_return[];
extern const char target_miss_jump_scratch[], target_miss_moved_scratch[],
    target_miss_return_scratch[];
extern const char target_miss_jump_scratch_dear[], target_miss_moved_scratch_dear[],
    target_miss_return_scratch_dear[];
extern const char target_miss_dear[], target_miss_jump_dear[], target_miss_moved_dear[],
    target_miss_return_dear[];

#endif
