/* Builds a fragment: copies the program's code from an address on, until a branch ends it. */
#include "translator/fragment/changes.h"
#include "translator/process/fetch.h"
#include "translator/fragment/state.h"
#include "translator/target.h"
#include "translator/translator.h"

#include "base/check.h"

/* Of the longest fragment. */
#define CODE_BYTES (FRAGMENT_INSTRUCTIONS * TARGET_LONGEST_INSTRUCTION)

/* What one fragment may need of the pool and the cache at the most; checked
 * before it is begun, so that nothing fails half-way. */
#define POOL_NEED (sizeof(struct fragment) + (FRAGMENT_INSTRUCTIONS + 4) * sizeof(struct exit))
#define MARK_NEED (2 * FRAGMENT_INSTRUCTIONS)
#define CACHE_NEED (FRAGMENT_INSTRUCTIONS * TARGET_INSTRUCTION_BYTES + TARGET_END_BYTES)

void build_create(struct translator *translator, void *pool, void *marks, size_t bytes)
{
    translator->pool = translator->pool_next = pool;
    translator->pool_end = translator->pool + bytes;
    translator->pool_last = translator->pool_end - POOL_NEED;
    translator->marks = translator->mark_next = marks;
    translator->marks_end = translator->marks + bytes / sizeof(struct xstrata_mark);
    translator->mark_last = translator->marks_end - MARK_NEED;
}

void build_clear(struct translator *translator)
{
    /* What is taken from the pool is zero. */
    __builtin_memset(translator->pool, 0, (size_t)(translator->pool_next - translator->pool));
    translator->pool_next = translator->pool;
    translator->pool_last = translator->pool_end - POOL_NEED;
    translator->mark_next = translator->marks;
}

static bool has_room(const struct translator *translator)
{
    return translator->pool_next <= translator->pool_last &&
           translator->mark_next <= translator->mark_last &&
           cache_has_room(&translator->cache, CACHE_NEED);
}

/* In the next chunk of the cache, or in one that was emptied. */
SELDOM static struct fragment *build_elsewhere(struct context *context, guest_addr start,
                                               unsigned lookup)
{
    struct translator *translator = context->translator;
    if (!cache_reserve(&translator->cache, CACHE_NEED) || !has_room(translator)) {
        flush_all(translator);
        ASSERT(has_room(translator));
    }
    return build_fragment(context, start, lookup);
}

static bool is_known(const struct translator *translator, guest_addr pc)
{
    return translator->known_pages[pc / CODE_PAGE % KNOWN_PAGES] == (pc | (CODE_PAGE - 1));
}

SELDOM static void note(struct builder *builder)
{
    struct translator *translator = builder->translator;
    const guest_addr start = builder->pc;
    const guest_addr last = start + CODE_BYTES - 1;
    code_add(translator, start, last + 1);
    if (changes_may_come(translator, start, last + 1)) {
        changes_note(builder); /* each time */
        return;
    }
    translator->known_pages[last / CODE_PAGE % KNOWN_PAGES] = last | (CODE_PAGE - 1);
    translator->known_pages[start / CODE_PAGE % KNOWN_PAGES] = start | (CODE_PAGE - 1);
}

SELDOM static struct fragment *note_code(struct builder *builder)
{
    note(builder);
    return target_translate(builder);
}

/* Straight code from `pc` on, which may reach into the next page. */
static bool is_noted(const struct translator *translator, guest_addr pc)
{
    return LIKELY(is_known(translator, pc)) && (LIKELY(pc % CODE_PAGE <= CODE_PAGE - CODE_BYTES) ||
                                                is_known(translator, pc + CODE_BYTES - 1));
}

/* How many the fragment of `instructions` can have with those from `pc` on that the
 * program may execute; 0 if the next is not one of them. */
SELDOM static uint64_t limit_near_end(struct translator *translator, guest_addr pc,
                                      uint64_t instructions)
{
    const uint64_t limit = instructions + fetch_count(translator, pc);
    return limit == instructions           ? 0
           : limit < FRAGMENT_INSTRUCTIONS ? limit
                                           : FRAGMENT_INSTRUCTIONS;
}

static bool is_far_from_end(const struct translator *translator, guest_addr pc)
{
    return pc - translator->window.start < translator->window_safe_bytes;
}

/* What was built in vain is forgotten with all else: this is rare. */
SELDOM static struct fragment *build_again(struct builder *builder)
{
    struct translator *translator = builder->translator;
    struct context *context = translator->building;
    const guest_addr start = builder->fragment->start;
    translator->building = NULL;
    builder->spoiled = false;
    builder->lookup_site = NULL;
    flush_all(translator);
    fetch_forget_window(translator);
    return build_fragment(context, start, builder->lookup);
}

void build_note(struct builder *builder)
{
    if (!is_noted(builder->translator, builder->pc)) {
        note(builder);
    }
}

static struct fragment *translate(struct builder *builder)
{
    return LIKELY(is_noted(builder->translator, builder->pc)) ? target_translate(builder)
                                                              : note_code(builder);
}

__attribute__((noinline)) struct fragment *build_on(struct builder *builder)
{
    const uint64_t instructions = builder_instructions(builder);
    const uint64_t limit = LIKELY(is_far_from_end(builder->translator, builder->pc))
                               ? FRAGMENT_INSTRUCTIONS
                               : limit_near_end(builder->translator, builder->pc, instructions);
    if (UNLIKELY(instructions >= limit)) {
        return target_end(builder);
    }
    builder->limit = limit;
    builder->left = 2 * (int64_t)(limit - instructions);
    return translate(builder);
}

SELDOM static struct fragment *end_with_sides(struct builder *builder)
{
    target_finish(builder);
    builder->side_count = 0;
    return build_end(builder);
}

struct fragment *build_end(struct builder *builder)
{
    if (UNLIKELY(builder->side_count != 0)) {
        return end_with_sides(builder);
    }
    if (UNLIKELY(builder->spoiled)) {
        return build_again(builder);
    }
    builder->fragment->end = builder->at;
    return target_publish(builder);
}

__attribute__((noinline)) static struct fragment *link_noticed(struct builder *builder)
{
    changes_end_fragment(builder->translator);
    count_built(builder->translator, builder->fragment);
    return link_waiting(builder->translator, builder->bucket, builder->fragment);
}

struct fragment *build_commit(struct builder *builder)
{
    struct translator *translator = builder->translator;
    translator->building = NULL;
    cache_commit(&translator->cache, builder->at);
    translator->statistics.fragments++;
    translator->statistics.instructions_translated += builder_instructions(builder);
    return UNLIKELY(translator->notice_built)
               ? link_noticed(builder)
               : link_waiting(translator, builder->bucket, builder->fragment);
}

/* Entered before it is complete: a loop's last branch finds its own head. */
static struct fragment *build_first(struct builder *builder, struct fragment *fragment)
{
    struct bucket *bucket = builder->bucket;
    fragment->next = bucket->fragments;
    bucket->fragments = fragment;
    fragment->entry = fragment->landing = builder->at;
    return translate(builder);
}

__attribute__((noinline)) static struct fragment *begin_with_check(struct builder *builder)
{
    target_align(builder);
    builder->fragment->code = builder->at;
    target_begin_with_check(builder);
    __atomic_thread_fence(__ATOMIC_RELEASE); /* who finds it finds translator->building, too */
    return build_first(builder, builder->fragment);
}

static struct fragment *build_within(struct context *context, guest_addr start, unsigned lookup,
                                     uint64_t limit)
{
    struct translator *translator = context->translator;
    struct builder *builder = &translator->builder;
    if (UNLIKELY(!has_room(translator))) {
        return build_elsewhere(context, start, lookup);
    }
    struct bucket *bucket = find_bucket(translator, start);
    struct fragment *fragment = pool_take(translator, sizeof *fragment);
    fragment->start = start;
    fragment->code = translator->cache.fragments;
    builder->translator = translator;
    builder->fragment = fragment;
    builder->bucket = bucket;
    builder->trampolines = translator->cache.trampolines;
    builder->pc = start;
    builder->at = translator->cache.fragments;
    builder->limit = limit;
    builder->left = 2 * (int64_t)limit;
    builder->lookup = lookup;
    translator->building = context;
    if (UNLIKELY(lookup != LOOKUP_INLINE || translator->threaded)) {
        return begin_with_check(builder);
    }
    target_begin(builder);
    return build_first(builder, fragment);
}

SELDOM static struct fragment *build_near_end(struct context *context, guest_addr start,
                                              unsigned lookup)
{
    struct translator *translator = context->translator;
    const uint64_t limit = limit_near_end(translator, start, 0);
    if (limit == 0) {
        translator->unreadable = 0;
        return NULL;
    }
    return build_within(context, start, lookup, limit);
}

struct fragment *build_fragment(struct context *context, guest_addr start, unsigned lookup)
{
    const struct translator *translator = context->translator;
    return LIKELY(is_far_from_end(translator, start))
               ? build_within(context, start, lookup, FRAGMENT_INSTRUCTIONS)
               : build_near_end(context, start, lookup);
}
