/* Builds a fragment: copies the program's code from an address on, until a branch ends it. */
#include "translator/fetch.h"
#include "translator/state.h"
#include "translator/target.h"
#include "translator/translator.h"

#include "base/check.h"

#define CODE_PAGE 4096 /* code.c keeps whole pages */

/* What one fragment may need of the pool and the cache at the most; checked
 * before it is begun, so that nothing fails half-way. */
#define POOL_NEED (sizeof(struct fragment) + (FRAGMENT_INSTRUCTIONS + 4) * sizeof(struct exit))
#define MARK_NEED (2 * FRAGMENT_INSTRUCTIONS)
#define CACHE_NEED (FRAGMENT_INSTRUCTIONS * TARGET_INSTRUCTION_BYTES + TARGET_END_BYTES)

SELDOM static void start_over(struct translator *translator)
{
    flush_all(translator);
    ASSERT(cache_reserve(&translator->cache, CACHE_NEED));
}

static void make_room(struct translator *translator)
{
    if ((size_t)(translator->pool_end - translator->pool_next) < POOL_NEED ||
        translator->marks_end - translator->mark_next < MARK_NEED ||
        !cache_reserve(&translator->cache, CACHE_NEED)) {
        start_over(translator);
    }
}

static bool is_known(const struct translator *translator, guest_addr pc)
{
    return translator->known_pages[pc / CODE_PAGE % KNOWN_PAGES] == (pc | (CODE_PAGE - 1));
}

SELDOM static void note_pages(struct translator *translator, guest_addr start, guest_addr last)
{
    code_add(translator, start, last + 1);
    translator->known_pages[last / CODE_PAGE % KNOWN_PAGES] = last | (CODE_PAGE - 1);
    translator->known_pages[start / CODE_PAGE % KNOWN_PAGES] = start | (CODE_PAGE - 1);
}

/* Straight code from `pc` on, which may reach into the next page. */
static void note_code(struct translator *translator, guest_addr pc)
{
    const uint64_t bytes = FRAGMENT_INSTRUCTIONS * TARGET_LONGEST_INSTRUCTION;
    if (UNLIKELY(!is_known(translator, pc)) ||
        (UNLIKELY(pc % CODE_PAGE > CODE_PAGE - bytes) && !is_known(translator, pc + bytes - 1))) {
        note_pages(translator, pc, pc + bytes - 1);
    }
}

/* How many instructions the fragment can have with those from builder->pc on
 * that the program may execute; 0 if the next is not one of them. */
SELDOM static unsigned limit_near_end(const struct builder *builder)
{
    struct translator *translator = builder->translator;
    const uint64_t limit = builder->instructions + fetch_count(translator, builder->pc);
    return limit == builder->instructions  ? 0
           : limit < FRAGMENT_INSTRUCTIONS ? (unsigned)limit
                                           : FRAGMENT_INSTRUCTIONS;
}

static unsigned limit_fetch(const struct builder *builder)
{
    const struct translator *translator = builder->translator;
    return LIKELY(builder->pc - translator->window.start < translator->window_safe_bytes)
               ? FRAGMENT_INSTRUCTIONS
               : limit_near_end(builder);
}

/* What was built in vain is forgotten with all else: this is rare. */
SELDOM static struct fragment *build_again(struct context *context, guest_addr start,
                                           unsigned lookup)
{
    struct translator *translator = context->translator;
    flush_all(translator);
    fetch_forget_window(translator);
    return build_fragment(context, start, lookup);
}

/* Where jumps are followed, and where the fragment becomes too long. */
__attribute__((noinline)) static void build_on(struct builder *builder)
{
    unsigned limit;
    while (!builder->ended && builder->instructions < (limit = limit_fetch(builder))) {
        note_code(builder->translator, builder->pc);
        target_translate(builder, limit);
    }
    if (!builder->ended) {
        target_end(builder);
    }
}

struct fragment *build_fragment(struct context *context, guest_addr start, unsigned lookup)
{
    struct translator *translator = context->translator;
    struct builder builder;
    builder.translator = translator;
    builder.pc = start;
    builder.instructions = 0;
    builder.whole_end = 0;
    builder.side_count = 0;
    builder.lookup = lookup;
    builder.lookup_site = NULL;
    builder.ended = false;
    const unsigned limit = limit_fetch(&builder);
    if (limit == 0) {
        translator->unreadable = 0;
        return NULL;
    }
    const guest_addr unreadable = translator->unreadable;
    translator->building = context;
    make_room(translator);
    const uint8_t *trampolines = translator->cache.trampolines;
    struct fragment *fragment = pool_take(translator, sizeof *fragment);
    builder.at = translator->cache.fragments;
    target_align(&builder);
    *fragment = (struct fragment){.start = start, .code = builder.at};
    builder.fragment = fragment;
    /* Entered before it is complete: a loop's last branch finds its own head. */
    target_begin(&builder);
    struct bucket *bucket = find_bucket(translator, start);
    fragment->next = bucket->fragments;
    bucket->fragments = fragment;

    note_code(translator, start);
    target_translate(&builder, limit);
    if (!builder.ended) {
        build_on(&builder);
    }
    if (UNLIKELY(builder.side_count != 0)) {
        target_finish(&builder);
    }
    translator->building = NULL;
    if (UNLIKELY(translator->unreadable != unreadable)) {
        return build_again(context, fragment->start, builder.lookup);
    }
    fragment->end = builder.at;
    target_sync(translator, CODE_FRAGMENT, translator->cache.fragments, builder.at);
    if (builder.lookup_site != NULL && translator->has_xstrata) {
        target_sync(translator, CODE_LOOKUP, builder.lookup_site,
                    builder.lookup_site + TARGET_LOOKUP_SITE_BYTES);
    }
    target_sync(translator, CODE_TRAMPOLINE, translator->cache.trampolines, trampolines);
    cache_commit(&translator->cache, builder.at);
    translator->statistics.fragments++;
    translator->statistics.instructions_translated += builder.instructions;
    if (translator->count_next_built) {
        count_built(translator, fragment);
    }
    return link_waiting(translator, bucket, fragment);
}
