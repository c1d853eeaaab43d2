/* The tables of the sieve, of the return cache and of inline lookups, and the code that checks a target.
 *
 * An entry of the first two is the address of a check: it compares the target,
 * which it expects in one register, with the address that it stands for, and goes
 * on to the fragment or to the next check of the same entry, at last to
 * target_miss.  The newest is the first.  It stands before the fragment that was built for
 * it, or, if the fragment was there before, among the trampolines.
 *
 * Without a scratch register the check uses a0, which the lookup has saved, and goes to the fragment's indirect entry.
 * With one, all registers are the program's, and it goes where links go, fragment->landing.  Whoever comes to it has its
 * own address in gp, so the target is one load away: it stands before the check.
 *
 *     gp = the target                            gp = the target
 *     branch to the landing if it is             branch over all of this if it is not
 *     the way to the next check                  a5 comes back
 *     jump: to the landing, or to what follows   jump: to the landing, or to what follows
 *     the way to the indirect entry              the way to the indirect entry
 *                                                the way to the next check
 *
 * The branch leads to the jump where it does not reach the landing, and the jump to what follows it where that does not:
 * each is one word that can be changed while other threads execute it.
 *
 * Each thread has its own tables, but checks follow each other as in the master's:
 * what one thread has added to an entry, others find when they miss something there. */
#include "translator/rv64/lookup.h"
#include "translator/rv64/opcodes.h"

#include "base/check.h"
#include "isa/rv64/immediate.h"

_Static_assert(sizeof(union target_lookup) == 1 << LOOKUP_SIZE_BITS, "emitted code depends on it");

static const struct check {
    const char *miss;
    const char *dear_miss;                        /* with --builder-cost */
    const char *scratch_miss, *scratch_dear_miss; /* with a scratch register */
    uint8_t target; /* the register it is in; X0 if nothing is checked here */
    bool moved;     /* the program's own value comes from the context */
} checks[LOOKUP_KINDS] = {
    [LOOKUP_INLINE] = {target_miss, target_miss_dear, target_miss, target_miss_dear, X0, false},
    [LOOKUP_JUMP] = {target_miss_jump, target_miss_jump_dear, target_miss_jump_scratch,
                     target_miss_jump_scratch_dear, A5, false},
    [LOOKUP_MOVED] = {target_miss_moved, target_miss_moved_dear, target_miss_moved_scratch,
                      target_miss_moved_scratch_dear, A5, true},
    [LOOKUP_RETURN] = {target_miss_return, target_miss_return_dear, target_miss_return_scratch,
                       target_miss_return_scratch_dear, RA, false},
};

/* What stands before a check: the jump to the next, always in two words, so that it can be sent elsewhere. */
#define NEXT_BYTES 8
/* Of a check that stands alone: the jump to the next, a constant, a branch, a register
 * that comes back, the jump to the fragment. */
#define CHECK_BYTES (NEXT_BYTES + (2 + 1 + 1 + 2) * 4)
/* With a scratch register: the way to the next check, whose address must be in that register; what stands before the
 * check, aligned; and where the branch is.  From there on: where the jump is, where the way to the next check is, and
 * all of it. */
enum {
    SCRATCH_NEXT_BYTES = 12,
    SCRATCH_TARGET_BYTES = 8 + 4,
    SCRATCH_BRANCH = 4,
    SCRATCH_NEXT = 4,
    SCRATCH_JUMP = SCRATCH_NEXT + SCRATCH_NEXT_BYTES,
    SCRATCH_END = SCRATCH_JUMP + 16,
    SCRATCH_MOVED_JUMP = 8,
    SCRATCH_MOVED_NEXT = SCRATCH_MOVED_JUMP + 16,
    SCRATCH_MOVED_END = SCRATCH_MOVED_NEXT + SCRATCH_NEXT_BYTES,
    SCRATCH_CHECK_BYTES = SCRATCH_TARGET_BYTES + SCRATCH_BRANCH + SCRATCH_MOVED_END + 4,
};
_Static_assert(SCRATCH_CHECK_BYTES % 8 == 0, "trampolines are aligned");
_Static_assert(SCRATCH_CHECK_BYTES == TARGET_CHECK_BYTES, "others know it by that");
#define LITERAL_BYTES 24 /* of the constant, and what aligns both */

/* Two words, over and over; `count` of them, in steps of eight: this is a good part
 * of what starting costs. */
static void fill(const uint8_t **at, size_t count, const uint8_t *even, const uint8_t *odd)
{
    for (const uint8_t **end = at + count; at != end; at += 8) {
        at[0] = at[2] = at[4] = at[6] = even;
        at[1] = at[3] = at[5] = at[7] = odd;
    }
}

void target_lookup_clear(struct context *context)
{
    const struct options *options = &context->translator->options;
    const size_t entries = (size_t)1 << context->translator->lookup_bits;

    for (unsigned kind = 0; kind < LOOKUP_KINDS; kind++) {
        const struct check *check = &checks[kind];
        const char *dear =
            owns_gp(context->translator) ? check->scratch_dear_miss : check->dear_miss;
        const char *cheap = owns_gp(context->translator) ? check->scratch_miss : check->miss;
        context->miss[kind] = options->builder_cost == 0 ? cheap : dear;
    }
    const unsigned below =
        lookup_is_below(context->translator, LOOKUP_RETURN) ? LOOKUP_RETURN : LOOKUP_MOVED;
    fill((const uint8_t **)(void *)context - entries, entries, context->miss[below],
         context->miss[below]);
    if (options->indirect == INDIRECT_SIEVE) {
        fill(context->lookups[0].checks, 2 * entries, context->miss[LOOKUP_JUMP],
             context->miss[LOOKUP_RETURN]);
    } else if (options->indirect == INDIRECT_IBTC) {
        /* No target that is looked up is 0, but in the first entry: there none is 1.
         * The thread may be about to use an address that it has found. */
        for (size_t i = 0; i < entries; i++) {
            context->lookups[i].target = i == 0;
        }
    }
}

static size_t entry_index(const struct context *context, guest_addr target)
{
    return target / 2 % ((size_t)1 << context->translator->lookup_bits);
}

/* Where the first check for `target` is noted. */
static const uint8_t **first_check(struct context *context, unsigned kind, guest_addr target)
{
    const size_t index = entry_index(context, target);

    if (lookup_is_below(context->translator, kind)) {
        return (const uint8_t **)(void *)context - 1 - index;
    }
    return &context->lookups[index].checks[LOOKUP_COLUMN(kind) / sizeof(uint8_t *)];
}

/* Never reached, but shown in dumps. */
#define NOTHING WORD_I(MATCH_addi, X0, X0, 0)

/* The way to the next check, through a register that all of them may use; `context` is anyone's. */
INLINE static void write_next_through_a0(const struct context *context, uint8_t *at, unsigned kind,
                                         const uint8_t *next)
{
    const int64_t offset = next - at;

    if (next == context->miss[kind]) {
        put_word(at, word_i((uint32_t)MATCH_ld, A0, TP, CONTEXT_MISS((int32_t)kind)));
        put_word(at + 4, word_i((uint32_t)MATCH_jalr, X0, A0, 0));
    } else if (jal_reaches(offset)) {
        put_word(at, word_jal(X0, offset));
        put_word(at + 4, NOTHING);
    } else {
        put_word(at, word_u((uint32_t)MATCH_auipc, A0, (int32_t)(offset - low_part(offset))));
        put_word(at + 4, word_i((uint32_t)MATCH_jalr, X0, A0, low_part(offset)));
    }
}

/* As a lookup comes there: with the address of the check in gp. */
SELDOM static void write_next_through_gp(const struct context *context, uint8_t *at, unsigned kind,
                                         const uint8_t *next)
{
    const int64_t offset = next - at;
    const int32_t low = low_part(offset);

    if (next == context->miss[kind]) {
        put_word(at, word_i((uint32_t)MATCH_ld, GP, TP, CONTEXT_MISS((int32_t)kind)));
        put_word(at + 4, word_i((uint32_t)MATCH_jalr, X0, GP, 0));
        put_word(at + 8, NOTHING);
    } else {
        put_word(at, word_u((uint32_t)MATCH_auipc, GP, (int32_t)(offset - low)));
        put_word(at + 4, word_i((uint32_t)MATCH_addi, GP, GP, low));
        put_word(at + 8, word_i((uint32_t)MATCH_jalr, X0, GP, 0));
    }
}

/* Returns how many bytes it takes. */
INLINE static unsigned write_next(const struct context *context, uint8_t *at, unsigned kind,
                                  const uint8_t *next)
{
    if (UNLIKELY(owns_gp(context->translator))) {
        write_next_through_gp(context, at, kind, next);
        return SCRATCH_NEXT_BYTES;
    }
    write_next_through_a0(context, at, kind, next);
    return NEXT_BYTES;
}

/* Of a check with a scratch register. */
static uint8_t *branch_of(const uint8_t *check)
{
    return (uint8_t *)(uintptr_t)check + SCRATCH_BRANCH;
}

static uint8_t *next_of(const struct translator *translator, const uint8_t *check, unsigned kind)
{
    if (!owns_gp(translator)) {
        return (uint8_t *)(uintptr_t)check - NEXT_BYTES;
    }
    return branch_of(check) + (checks[kind].moved ? SCRATCH_MOVED_NEXT : SCRATCH_NEXT);
}

/* Where the check goes that fails: as write_next wrote it. */
static const uint8_t *read_next(const struct context *context, const uint8_t *check, unsigned kind)
{
    const uint8_t *at = next_of(context->translator, check, kind);
    const uint32_t first = get_word(at), second = get_word(at + 4);

    switch (opcode_of(first)) {
    case OPCODE_LOAD:
        return context->miss[kind];
    case OPCODE_JAL: /* through a0 */
        return at + rv64_immediate_J(first);
    default:
        return at + rv64_immediate_U(first) + rv64_immediate_I(second);
    }
}

/* The way to an indirect entry, through a0. */
INLINE static void write_far(uint8_t *at, int64_t distance)
{
    const int64_t offset = distance - 4;
    const int32_t low = low_part(offset);

    put_word(at, word_s((uint32_t)MATCH_sd, TP, A0, CONTEXT_X(A0)));
    put_word(at + 4, word_u((uint32_t)MATCH_auipc, A0, (int32_t)(offset - low)));
    put_word(at + 8, word_i((uint32_t)MATCH_jalr, X0, A0, low));
}

/* The target, and the load of it with which a check begins; returns where that is. */
static const uint8_t *write_target(struct emitter *emitter, guest_addr target)
{
    uint8_t *at = emitter->at;

    if ((int64_t)target == (int32_t)target) {
        put_word(at, (uint32_t)target);
        at += 4;
        put_word(at, word_i((uint32_t)MATCH_lw, GP, GP, -4));
    } else {
        at += -(uintptr_t)at & 7;
        *(uint64_t *)(void *)at = target;
        at += 8;
        put_word(at, word_i((uint32_t)MATCH_ld, GP, GP, -8));
    }
    return at;
}

/* As emit_comparison, with a scratch register.  It leads to a fragment whose indirect entry is right behind it. */
SELDOM static const uint8_t *emit_with_scratch(struct emitter *emitter, unsigned kind,
                                               guest_addr target)
{
    struct context *master = emitter->translator->master;
    const uint8_t **first = first_check(master, kind, target);
    const uint8_t *check = write_target(emitter, target);
    uint8_t *at = branch_of(check);

    if (checks[kind].moved) {
        put_word(at, word_r((uint32_t)MATCH_bne, 0, checks[kind].target, GP) |
                         branch_offset_bits(SCRATCH_MOVED_NEXT));
        emitter->at = at + 4;
        emit_restore(emitter, checks[kind].target, CONTEXT_X(checks[kind].target));
        put_word(
            at + SCRATCH_MOVED_JUMP,
            word_jal(X0, SCRATCH_MOVED_END + TARGET_INDIRECT_ENTRY_BYTES - SCRATCH_MOVED_JUMP));
        write_far(at + SCRATCH_MOVED_JUMP + 4, SCRATCH_MOVED_END - SCRATCH_MOVED_JUMP - 4);
        write_next_through_gp(master, at + SCRATCH_MOVED_NEXT, kind, *first);
        emitter->at = at + SCRATCH_MOVED_END;
    } else {
        put_word(at, word_r((uint32_t)MATCH_beq, 0, checks[kind].target, GP) |
                         branch_offset_bits(SCRATCH_END + TARGET_INDIRECT_ENTRY_BYTES));
        write_next_through_gp(master, at + SCRATCH_NEXT, kind, *first);
        put_word(at + SCRATCH_JUMP,
                 word_jal(X0, SCRATCH_END + TARGET_INDIRECT_ENTRY_BYTES - SCRATCH_JUMP));
        write_far(at + SCRATCH_JUMP + 4, SCRATCH_END - SCRATCH_JUMP - 4);
        emitter->at = at + SCRATCH_END;
    }
    *first = check;
    emitter->translator->lookup_count++;
    return check;
}

static void aim_word(struct translator *translator, const struct fragment *fragment, uint8_t *at,
                     uint32_t word)
{
    const bool inside = at >= fragment->code && at < fragment->entry;

    if (get_word(at) != word) {
        patch_word(at, word);
        target_sync(translator, inside ? CODE_FRAGMENT : CODE_TRAMPOLINE, at, at + sizeof word);
    }
}

/* The jump first: the branch may lead there. */
static void aim(struct translator *translator, const struct fragment *fragment,
                const uint8_t *check, unsigned kind)
{
    const uint8_t *to = fragment->landing;
    uint8_t *branch = branch_of(check);
    uint8_t *jump = branch + (checks[kind].moved ? SCRATCH_MOVED_JUMP : SCRATCH_JUMP);
    const int64_t offset = to - jump;

    aim_word(translator, fragment, jump, word_jal(X0, jal_reaches(offset) ? offset : 4));
    if (!checks[kind].moved) {
        const int64_t short_offset = branch_reaches(to - branch) ? to - branch : jump - branch;
        aim_word(translator, fragment, branch,
                 (get_word(branch) & ~BRANCH_OFFSET_MASK) | branch_offset_bits(short_offset));
    }
}

/* A check that was just written leads to a fragment that stands elsewhere. */
static void send_elsewhere(struct translator *translator, const struct fragment *fragment,
                           const uint8_t *check, unsigned kind)
{
    uint8_t *far = branch_of(check) + (checks[kind].moved ? SCRATCH_MOVED_JUMP : SCRATCH_JUMP) + 4;

    write_far(far, fragment_indirect_entry(fragment) - far);
    aim(translator, fragment, check, kind);
}

/* Returns where it begins; what stands behind it goes to the fragment. */
static const uint8_t *emit_comparison(struct emitter *emitter, unsigned kind, guest_addr target)
{
    const uint8_t *next = emitter->at;
    struct context *master = emitter->translator->master;
    const uint8_t **first = first_check(master, kind, target);

    write_next_through_a0(master, emitter->at, kind, *first);
    emitter->at += NEXT_BYTES;
    const uint8_t *check = emitter->at;
    *first = check;
    emitter->translator->lookup_count++;
    emit_constant(emitter, A0, target);
    emit_word(emitter, word_r((uint32_t)MATCH_bne, 0, A0, checks[kind].target) |
                           branch_offset_bits(next - emitter->at));
    if (checks[kind].moved) {
        emit_restore(emitter, checks[kind].target, CONTEXT_X(checks[kind].target));
    }
    return check;
}

/* Whether a lookup is by a target with TARGET_CALL_MARK. */
static bool is_marked(guest_addr target)
{
    return (target & TARGET_CALL_MARK) != 0;
}

SELDOM static void emit_check_with_scratch(struct emitter *emitter, unsigned kind)
{
    struct fragment *fragment = emitter->fragment;
    const uint8_t *check = emit_with_scratch(emitter, kind, fragment->start);

    fragment->checks.of[false][kind] = check;
}

void emit_check(struct emitter *emitter, unsigned kind)
{
    struct fragment *fragment = emitter->fragment;

    if (UNLIKELY(owns_gp(emitter->translator))) {
        emit_check_with_scratch(emitter, kind);
    } else {
        fragment->checks.of[false][kind] = emit_comparison(emitter, kind, fragment->start);
    }
}

/* As add_check, with a scratch register. */
static const uint8_t *add_with_scratch(struct translator *translator, unsigned kind,
                                       guest_addr target, const struct fragment *fragment)
{
    if (!cache_reserve(&translator->cache, SCRATCH_CHECK_BYTES)) {
        return NULL;
    }
    uint8_t *place = cache_add_trampoline(&translator->cache, SCRATCH_CHECK_BYTES);
    struct emitter emitter = {.translator = translator, .at = place};
    const uint8_t *check = emit_with_scratch(&emitter, kind, target);
    ASSERT(emitter.at <= place + SCRATCH_CHECK_BYTES);
    send_elsewhere(translator, fragment, check, kind);
    target_sync(translator, CODE_TRAMPOLINE, place, emitter.at);
    return check;
}

/* A check among the trampolines; NULL if there is no room. */
static const uint8_t *add_check(struct translator *translator, unsigned kind, guest_addr target,
                                const struct fragment *fragment)
{
    if (!cache_reserve(&translator->cache, CHECK_BYTES + LITERAL_BYTES)) {
        return NULL;
    }
    uint8_t *place = cache_add_trampoline(&translator->cache, CHECK_BYTES);
    struct emitter emitter = {.translator = translator, .at = place};
    const uint8_t *check = emit_comparison(&emitter, kind, target);
    emit_far_jump(&emitter, fragment_indirect_entry(fragment));
    ASSERT(emitter.at <= place + CHECK_BYTES);
    target_sync(translator, CODE_TRAMPOLINE, place, emitter.at);
    return check;
}

/* In one table: who would begin with `check` begins with what follows it. */
static void skip_in_table(struct context *context, unsigned kind, guest_addr target,
                          const uint8_t *check, const uint8_t *next)
{
    const uint8_t **first = first_check(context, kind, target);

    if (*first == check) {
        *first = next;
    }
}

/* The check before it leads to the one behind it; no thread is in the cache, so two words can be changed. */
static void remove_check(struct translator *translator, unsigned kind, guest_addr target,
                         const uint8_t *check)
{
    struct context *master = translator->master;
    const uint8_t *next = read_next(master, check, kind);
    const uint8_t *before = *first_check(master, kind, target);

    while (before != check && before != master->miss[kind]) {
        const uint8_t *following = read_next(master, before, kind);
        if (following == check) {
            uint8_t *at = next_of(translator, before, kind);
            const unsigned bytes = write_next(master, at, kind, next);
            target_sync(translator, CODE_TRAMPOLINE, at, at + bytes);
            break;
        }
        before = following;
    }
    skip_in_table(master, kind, target, check, next);
    for (struct context *at = translator->threads; at != NULL; at = at->next) {
        skip_in_table(at, kind, target, check, next);
    }
}

/* Whether a check that stands at the end of all code, behind a new trace, would branch to the landing, and the
 * fragment's own does not.  Other threads might look for one that goes again. */
static bool wants_near(const struct translator *translator, const struct fragment *fragment,
                       const uint8_t *check)
{
    const uint8_t *to = fragment->landing;
    const uint8_t *place = translator->cache.fragments;

    return !translator->threaded && !branch_reaches(to - branch_of(check)) &&
           branch_reaches(to - place) && branch_reaches(to - (place + SCRATCH_CHECK_BYTES)) &&
           cache_has_room(&translator->cache, SCRATCH_CHECK_BYTES);
}

static const uint8_t *add_near(struct translator *translator, const struct fragment *fragment,
                               unsigned kind)
{
    struct emitter emitter = {.translator = translator, .at = translator->cache.fragments};

    emit_alignment(&emitter);
    uint8_t *const start = emitter.at;
    const uint8_t *check = emit_with_scratch(&emitter, kind, fragment->start);
    cache_commit(&translator->cache, emitter.at);
    send_elsewhere(translator, fragment, check, kind);
    target_sync(translator, CODE_TRAMPOLINE, start, emitter.at);
    return check;
}

/* A check of the fragment that is found before its own, as long as the landing is near it.  Where a register comes back
 * a jump is needed anyway. */
static void aim_near(struct translator *translator, struct fragment *fragment, unsigned kind)
{
    const uint8_t *own = fragment->checks.of[false][kind];
    const uint8_t **near = &fragment->checks.near[kind];

    if (*near != NULL && !translator->threaded &&
        !branch_reaches(fragment->landing - branch_of(*near))) {
        remove_check(translator, kind, fragment->start, *near);
        translator->lookup_count--;
        *near = NULL;
    }
    if (*near != NULL) {
        aim(translator, fragment, *near, kind);
    } else if (own != NULL && !checks[kind].moved && wants_near(translator, fragment, own)) {
        *near = add_near(translator, fragment, kind);
    }
}

void checks_aim(struct translator *translator, struct fragment *fragment)
{
    for (unsigned i = 0; i < 2 * LOOKUP_KINDS; i++) {
        const unsigned kind = i % LOOKUP_KINDS;
        const uint8_t *check = fragment->checks.of[i / LOOKUP_KINDS][kind];
        if (check != NULL) {
            aim(translator, fragment, check, kind);
        }
    }
    for (unsigned kind = 0; kind < LOOKUP_KINDS; kind++) {
        aim_near(translator, fragment, kind);
    }
}

static void remove_entry(struct context *context, guest_addr target)
{
    const size_t index = entry_index(context, target);

    if (context->lookups[index].target == target) {
        context->lookups[index].target = index == 0;
    }
}

/* Those of one target. */
static void remove_checks(struct translator *translator, const uint8_t **of, guest_addr target)
{
    for (unsigned kind = 0; kind < LOOKUP_KINDS; kind++) {
        if (of[kind] != NULL) {
            remove_check(translator, kind, target, of[kind]);
            of[kind] = NULL;
            translator->lookup_count--;
        }
    }
}

static void remove_target(struct translator *translator, struct fragment *fragment,
                          guest_addr target)
{
    remove_checks(translator, fragment->checks.of[is_marked(target)], target);
    if (translator->options.indirect == INDIRECT_IBTC) {
        for (struct context *at = translator->threads; at != NULL; at = at->next) {
            remove_entry(at, target);
        }
    }
}

void target_lookup_remove(struct translator *translator, struct fragment *fragment)
{
    remove_checks(translator, fragment->checks.near, fragment->start);
    remove_target(translator, fragment, fragment->start);
    remove_target(translator, fragment, fragment->start | TARGET_CALL_MARK);
}

SELDOM static bool add_slowly(struct context *context, unsigned kind, guest_addr target,
                              struct fragment *fragment)
{
    struct translator *translator = context->translator;
    const uint8_t **check = &fragment->checks.of[is_marked(target)][kind];

    if (kind == LOOKUP_INLINE) {
        union target_lookup *entry = &context->lookups[entry_index(context, target)];
        entry->target = target;
        entry->entry = fragment_indirect_entry(fragment);
        return true;
    }
    if (*check == NULL) {
        *check = owns_gp(translator) ? add_with_scratch(translator, kind, target, fragment)
                                     : add_check(translator, kind, target, fragment);
        if (*check == NULL) {
            return false;
        }
    }
    /* It need not be the first, but is among those that follow it. */
    *first_check(context, kind, target) = *first_check(translator->master, kind, target);
    return true;
}

/* Mostly the fragment was built for the lookup: its check was noted with that. */
bool target_lookup_add(struct context *context, unsigned kind, guest_addr target,
                       struct fragment *fragment)
{
    return LIKELY(context == context->translator->master && target == fragment->start &&
                  fragment->checks.of[false][kind] != NULL) ||
           add_slowly(context, kind, target, fragment);
}
