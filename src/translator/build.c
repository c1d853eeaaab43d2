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
#define MARK_NEED FRAGMENT_INSTRUCTIONS
#define CACHE_NEED (FRAGMENT_INSTRUCTIONS * TARGET_INSTRUCTION_BYTES + TARGET_END_BYTES)

static void make_room(struct translator *translator)
{
    if ((size_t)(translator->pool_end - translator->pool_next) < POOL_NEED ||
        translator->marks_end - translator->mark_next < MARK_NEED ||
        !cache_reserve(&translator->cache, CACHE_NEED)) {
        flush_all(translator);
        ASSERT(cache_reserve(&translator->cache, CACHE_NEED));
    }
}

static void note_page(struct translator *translator, guest_addr pc)
{
    guest_addr *known = &translator->known_pages[pc / CODE_PAGE % KNOWN_PAGES];
    const guest_addr last = pc | (CODE_PAGE - 1);
    if (UNLIKELY(*known != last)) {
        *known = last;
        code_add(translator, pc, pc + 1);
    }
}

/* A fragment's straight code is never longer than a page. */
static void note_code(struct translator *translator, guest_addr start, guest_addr end)
{
    note_page(translator, start);
    if (UNLIKELY((start ^ (end - 1)) >= CODE_PAGE)) {
        note_page(translator, end - 1);
    }
}
_Static_assert(FRAGMENT_INSTRUCTIONS *TARGET_LONGEST_INSTRUCTION < CODE_PAGE, "two pages at most");

/* How many instructions the fragment can have with those from builder->pc on
 * that the program may execute; 0 if the next is not one of them. */
static unsigned limit_fetch(const struct builder *builder)
{
    struct translator *translator = builder->translator;

    if (LIKELY(builder->pc - translator->window.start < translator->window_safe_bytes)) {
        return FRAGMENT_INSTRUCTIONS;
    }
    const uint64_t limit = builder->instructions + fetch_count(translator, builder->pc);
    return limit == builder->instructions  ? 0
           : limit < FRAGMENT_INSTRUCTIONS ? (unsigned)limit
                                           : FRAGMENT_INSTRUCTIONS;
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

struct fragment *build_fragment(struct context *context, guest_addr start, unsigned lookup)
{
    struct translator *translator = context->translator;
    struct builder builder = {.translator = translator, .pc = start, .lookup = lookup};
    unsigned limit = limit_fetch(&builder);
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

    bool goes_on = true;
    while (goes_on && builder.instructions < FRAGMENT_INSTRUCTIONS && limit != 0) {
        const guest_addr from = builder.pc;
        const unsigned before = builder.instructions;
        goes_on = target_translate(&builder, limit);
        /* Straight code, of which only the last may have jumped away. */
        note_code(translator, from,
                  from + (builder.instructions - before) * TARGET_LONGEST_INSTRUCTION);
        limit = goes_on ? limit_fetch(&builder) : 0;
    }
    if (goes_on) {
        target_end(&builder);
    }
    if (UNLIKELY(builder.side_count != 0)) {
        target_finish(&builder);
    }
    translator->building = NULL;
    if (translator->unreadable != unreadable) {
        return build_again(context, start, lookup);
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
    link_waiting(translator, fragment);
    return fragment;
}
