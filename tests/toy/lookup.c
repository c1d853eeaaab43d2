/* The tables that indirect jumps find their targets in, and the code that checks a target.
 *
 * An entry of the sieve, or of the return cache, leads to a check, which compares the target in R0 and goes to
 * the fragment, or to the next check of the same entry, at last to what leaves the cache.  A check stands before
 * the fragment that was built for it or, if the fragment was there before, among the trampolines.
 *
 * Each thread has its own tables, but checks follow each other as in the master's. */
#include "emit.h"

#include "base/check.h"

/* TOY_OWN_MISS with its kind. */
const uint8_t lookup_miss_code[LOOKUP_KINDS * 2] = {0xc2,         LOOKUP_INLINE, 0xc2,
                                                    LOOKUP_SIEVE, 0xc2,          LOOKUP_RETURN};

/* What stands before a check: a constant in R1, the next check, and the jump there. */
#define NEXT_BYTES 11
/* A constant, a comparison, an aligned branch to what stands before it. */
#define CHECK_BYTES (9 + 2 + 4)
_Static_assert(NEXT_BYTES + CHECK_BYTES == TARGET_CHECK_BYTES, "others know it by that");
/* Of one among the trampolines, which leads to its fragment as a register does. */
#define ALONE_BYTES (NEXT_BYTES + CHECK_BYTES + 9 + 2)

static const uint8_t *miss_code(unsigned kind)
{
    return lookup_miss_code + 2 * kind;
}

static size_t entry_count(const struct context *context)
{
    return (size_t)1 << context->translator->lookup_bits;
}

/* A target that is never looked up in this entry. */
static guest_addr no_target(size_t index)
{
    return index == 0;
}

void target_lookup_clear(struct context *context)
{
    for (size_t i = 0; i < entry_count(context); i++) {
        union target_lookup *lookup = &context->lookups[i];
        lookup->target = no_target(i);
        for (unsigned kind = 1; kind < LOOKUP_KINDS; kind++) {
            lookup->checks[kind - 1] = miss_code(kind);
        }
    }
}

static size_t index_of(const struct context *context, guest_addr target)
{
    return target & (entry_count(context) - 1);
}

static const uint8_t **first_check(struct context *context, unsigned kind, guest_addr target)
{
    return &context->lookups[index_of(context, target)].checks[kind - 1];
}

static const uint8_t *next_of(const uint8_t *check)
{
    struct toy_insn insn;

    toy_decode(check - NEXT_BYTES, &insn);
    return (const uint8_t *)(uintptr_t)insn.imm;
}

/* Returns where it begins.  What follows is executed if the target is the right one. */
static const uint8_t *emit_comparison(struct emitter *emitter, unsigned kind, guest_addr target)
{
    const uint8_t **first = first_check(emitter->translator->master, kind, target);
    const uint8_t *other = emitter->at;

    emit(emitter, TOY_CONST64, R1, 0, (int64_t)(uintptr_t)*first);
    emit(emitter, TOY_JUMP_REGISTER, 0, R1, 0);
    ASSERT(emitter->at - other == NEXT_BYTES);
    *first = emitter->at;
    emitter->translator->lookup_count++;
    emit(emitter, TOY_CONST64, R1, 0, (int64_t)target);
    emit(emitter, TOY_CMP, R0, R1, 0);
    emit_own_branch(emitter, IF_OTHER, other);
    return *first;
}

static bool is_marked(guest_addr target)
{
    return (target & TARGET_CALL_MARK) != 0;
}

void lookup_emit_check(struct emitter *emitter, unsigned kind)
{
    struct fragment *fragment = emitter->fragment;

    fragment->checks.of[false][kind] = emit_comparison(emitter, kind, fragment->start);
}

/* NULL if there is no room. */
static const uint8_t *add_check(struct translator *translator, unsigned kind, guest_addr target,
                                const struct fragment *fragment)
{
    if (!cache_reserve(&translator->cache, (ALONE_BYTES + 7) / 8 * 8)) {
        return NULL;
    }
    uint8_t *place = cache_add_trampoline(&translator->cache, ALONE_BYTES);
    struct emitter emitter = {.translator = translator, .at = place};
    const uint8_t *check = emit_comparison(&emitter, kind, target);
    emit(&emitter, TOY_CONST64, R1, 0, (int64_t)(uintptr_t)fragment_indirect_entry(fragment));
    emit(&emitter, TOY_JUMP_REGISTER, 0, R1, 0);
    ASSERT(emitter.at <= place + ALONE_BYTES);
    target_sync(translator, CODE_LOOKUP, place, emitter.at);
    return check;
}

bool target_lookup_add(struct context *context, unsigned kind, guest_addr target,
                       struct fragment *fragment)
{
    struct translator *translator = context->translator;

    if (kind == LOOKUP_INLINE) {
        union target_lookup *lookup = &context->lookups[index_of(context, target)];
        lookup->target = target;
        lookup->entry = fragment_indirect_entry(fragment);
        return true;
    }
    const uint8_t **check = &fragment->checks.of[is_marked(target)][kind];
    if (*check == NULL) {
        *check = add_check(translator, kind, target, fragment);
    }
    /* It need not be the first, but is among those that follow it. */
    *first_check(context, kind, target) = *first_check(translator->master, kind, target);
    return *check != NULL;
}

static void skip_in_table(struct context *context, unsigned kind, guest_addr target,
                          const uint8_t *check, const uint8_t *next)
{
    const uint8_t **first = first_check(context, kind, target);

    if (*first == check) {
        *first = next;
    }
}

/* No thread is in the cache, so a whole constant can be changed. */
static void skip_in_chain(struct translator *translator, const uint8_t *before,
                          const uint8_t *check, const uint8_t *next)
{
    while (before != check && next_of(before) != check) {
        before = next_of(before);
    }
    if (before != check) {
        uint8_t *at = (uint8_t *)(uintptr_t)before - NEXT_BYTES;
        struct emitter emitter = {.translator = translator, .at = at};
        emit(&emitter, TOY_CONST64, R1, 0, (int64_t)(uintptr_t)next);
        target_sync(translator, CODE_LOOKUP, at, emitter.at);
    }
}

static void remove_check(struct translator *translator, unsigned kind, guest_addr target,
                         const uint8_t *check)
{
    const uint8_t *next = next_of(check);

    skip_in_chain(translator, *first_check(translator->master, kind, target), check, next);
    skip_in_table(translator->master, kind, target, check, next);
    for (struct context *at = translator->threads; at != NULL; at = at->next) {
        skip_in_table(at, kind, target, check, next);
    }
}

static void remove_inline(struct context *context, guest_addr target)
{
    const size_t index = index_of(context, target);

    if (context->lookups[index].target == target) {
        context->lookups[index].target = no_target(index);
    }
}

static void remove_target(struct translator *translator, struct fragment *fragment,
                          guest_addr target)
{
    const uint8_t **checks = fragment->checks.of[is_marked(target)];

    for (unsigned kind = 1; kind < LOOKUP_KINDS; kind++) {
        if (checks[kind] != NULL) {
            remove_check(translator, kind, target, checks[kind]);
            checks[kind] = NULL;
            translator->lookup_count--;
        }
    }
    for (struct context *at = translator->threads; at != NULL; at = at->next) {
        remove_inline(at, target);
    }
}

void target_lookup_remove(struct translator *translator, struct fragment *fragment)
{
    remove_target(translator, fragment, fragment->start);
    remove_target(translator, fragment, fragment->start | TARGET_CALL_MARK);
}
