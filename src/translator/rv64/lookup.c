/* The tables of the sieve, of the return cache and of inline lookups, and the code that checks a target.
 *
 * An entry of the first two is the address of a check: it compares the target,
 * which it expects in one register, with the address that it stands for, and goes
 * on to the fragment or to the next check of the same entry, at last to
 * target_miss.  The newest is the first.  It stands before the fragment that was built for
 * it, or, if the fragment was there before, among the trampolines.
 *
 * Each thread has its own tables, but checks follow each other as in the master's:
 * what one thread has added to an entry, others find when they miss something there. */
#include "translator/rv64/lookup.h"
#include "translator/rv64/copy.h"

#include "base/check.h"

_Static_assert(sizeof(union lookup) == 1 << LOOKUP_SIZE_BITS, "emitted code depends on it");

/* enter.S: what lookups that fail jump to. */
extern const char target_miss[], target_miss_jump[], target_miss_moved[], target_miss_return[];

static const struct check {
    const char *miss;
    uint8_t target; /* the register it is in; X0 if nothing is checked here */
    bool moved;     /* the program's own value comes from the context */
} checks[LOOKUP_KINDS] = {
    [LOOKUP_INLINE] = {target_miss, X0, false},
    [LOOKUP_JUMP] = {target_miss_jump, A5, false},
    [LOOKUP_MOVED] = {target_miss_moved, A5, true},
    [LOOKUP_RETURN] = {target_miss_return, RA, false},
};

/* Of one that stands alone: the jump to the next, a constant, a branch, a register
 * that comes back, the jump to the fragment. */
#define CHECK_BYTES ((2 + 2 + 1 + 1 + 2) * 4)
#define LITERAL_BYTES 24 /* of the constant, and what aligns both */

size_t target_lookup_bytes_before(const struct options *options)
{
    return (size_t)1 << options->lookup_bits << RETURN_SIZE_BITS;
}

size_t target_lookup_bytes_behind(const struct options *options)
{
    return (size_t)1 << options->lookup_bits << LOOKUP_SIZE_BITS;
}

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
    const size_t entries = (size_t)1 << options->lookup_bits;

    for (unsigned kind = 0; kind < LOOKUP_KINDS; kind++) {
        context->miss[kind] = checks[kind].miss;
    }
    if (options->returns == RETURNS_CACHE) {
        fill((const uint8_t **)(void *)context - entries, entries, context->miss[LOOKUP_RETURN],
             context->miss[LOOKUP_RETURN]);
    }
    if (options->indirect == INDIRECT_SIEVE) {
        fill(context->lookups[0].checks, 2 * entries, context->miss[LOOKUP_JUMP],
             context->miss[LOOKUP_MOVED]);
    }
    if (options->indirect == INDIRECT_IBTC) {
        /* No target that is looked up is 0, but in the first entry: there none is 1.
         * The thread may be about to use an address that it has found. */
        for (size_t i = 0; i < entries; i++) {
            context->lookups[i].target = i == 0;
        }
    }
}

static size_t entry_index(const struct context *context, guest_addr target)
{
    return target / 2 % ((size_t)1 << context->translator->options.lookup_bits);
}

/* Where the first check for `target` is noted. */
static const uint8_t **first_check(struct context *context, unsigned kind, guest_addr target)
{
    const size_t index = entry_index(context, target);

    if (kind == LOOKUP_RETURN) {
        return (const uint8_t **)(void *)context - 1 - index;
    }
    return &context->lookups[index].checks[kind == LOOKUP_MOVED];
}

/* The way to the next check, through a0, which all of them may use. */
static void emit_next(struct builder *builder, unsigned kind, const uint8_t *next)
{
    if (next == (const uint8_t *)checks[kind].miss) {
        emit_restore(builder, A0, CONTEXT_MISS((int32_t)kind));
        emit_word(builder, word_i((uint32_t)MATCH_jalr, X0, A0, 0));
    } else {
        emit_far_jump(builder, next);
    }
}

/* Returns where it begins; what stands behind it goes to the fragment. */
static const uint8_t *emit_comparison(struct builder *builder, unsigned kind, guest_addr target)
{
    const uint8_t *next = builder->at;

    const uint8_t **first = first_check(builder->translator->master, kind, target);
    emit_next(builder, kind, *first);
    const uint8_t *check = builder->at;
    *first = check;
    emit_constant(builder, A0, target);
    emit_word(builder, word_r((uint32_t)MATCH_bne, 0, A0, checks[kind].target) |
                           branch_offset_bits(next - builder->at));
    if (checks[kind].moved) {
        emit_restore(builder, checks[kind].target, CONTEXT_X(checks[kind].target));
    }
    return check;
}

__attribute__((noinline)) void emit_check(struct builder *builder)
{
    struct fragment *fragment = builder->fragment;

    fragment->check[builder->lookup] = emit_comparison(builder, builder->lookup, fragment->start);
}

/* A check among the trampolines; NULL if there is no room. */
static const uint8_t *add_check(struct translator *translator, unsigned kind, guest_addr target,
                                const struct fragment *fragment)
{
    if (!cache_reserve(&translator->cache, CHECK_BYTES + LITERAL_BYTES)) {
        return NULL;
    }
    uint8_t *place = cache_add_trampoline(&translator->cache, CHECK_BYTES);
    struct builder builder = {.translator = translator, .at = place};
    const uint8_t *check = emit_comparison(&builder, kind, target);
    emit_far_jump(&builder, target_indirect_entry(fragment));
    ASSERT(builder.at <= place + CHECK_BYTES);
    target_sync(translator, CODE_TRAMPOLINE, place, builder.at);
    return check;
}

/* What a check does that fails stands right before it: one jump, or two words. */
static void remove_check(struct translator *translator, const struct fragment *fragment,
                         const uint8_t *check)
{
    uint8_t *place = (uint8_t *)(uintptr_t)check;
    const bool near = opcode_of(get_word(place - 4)) == OPCODE_JAL;
    const bool apart = check < fragment->code || check >= fragment->end;

    patch_word(place, word_jal(X0, near ? -4 : -8));
    target_sync(translator, apart ? CODE_TRAMPOLINE : CODE_FRAGMENT, place, place + 4);
}

static void remove_entry(struct context *context, guest_addr target)
{
    const size_t index = entry_index(context, target);

    if (context->lookups[index].target == target) {
        context->lookups[index].target = index == 0;
    }
}

void target_lookup_remove(struct translator *translator, const struct fragment *fragment)
{
    for (unsigned kind = 0; kind < LOOKUP_KINDS; kind++) {
        if (fragment->check[kind] != NULL) {
            remove_check(translator, fragment, fragment->check[kind]);
        }
    }
    if (translator->options.indirect == INDIRECT_IBTC) {
        for (struct context *at = translator->threads; at != NULL; at = at->next) {
            remove_entry(at, fragment->start);
        }
    }
}

SELDOM static bool add_slowly(struct context *context, unsigned kind, guest_addr target,
                              struct fragment *fragment)
{
    struct translator *translator = context->translator;

    if (kind == LOOKUP_INLINE) {
        union lookup *entry = &context->lookups[entry_index(context, target)];
        entry->target = target;
        entry->entry = target_indirect_entry(fragment);
        return true;
    }
    const bool own = target == fragment->start;
    if (!own || fragment->check[kind] == NULL) {
        const uint8_t *check = add_check(translator, kind, target, fragment);
        if (check == NULL) {
            return false;
        }
        if (own) {
            fragment->check[kind] = check;
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
                  fragment->check[kind] != NULL) ||
           add_slowly(context, kind, target, fragment);
}
