/* Knows which memory is Strata's own: its file, its tables, the cache, and what each thread has. */
#include "translator/own.h"

#define PAGE_BYTES UINT64_C(4096)

/* The linker's. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

/* What is looked for, and the lowest that was found yet. */
struct search {
    struct code_range wanted;
    struct code_range found;
    bool any;
};

static void consider(struct search *search, const void *memory, size_t bytes)
{
    const guest_addr start = (uintptr_t)memory & ~(PAGE_BYTES - 1);
    const guest_addr end = ((uintptr_t)memory + bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);

    if (bytes > 0 && start < search->wanted.end && end > search->wanted.start &&
        (!search->any || start < search->found.start)) {
        search->found = (struct code_range){start, end};
        search->any = true;
    }
}

static void consider_thread(struct search *search, const struct context *context)
{
    consider(search, context->block, context->block_bytes);
    consider(search, context->words, context->words != NULL ? context->words_bytes : 0);
}

bool own_find(struct translator *translator, guest_addr start, guest_addr end,
              struct code_range *found)
{
    struct search search = {.wanted = {start, end}, .any = false};
    const struct cache *cache = &translator->cache;
    const size_t cache_bytes = (size_t)(cache->end - cache->start);

    consider(&search, __ehdr_start, (size_t)(_end - __ehdr_start));
    consider(&search, translator, sizeof *translator);
    consider(&search, cache->start, cache_bytes + count_cache_bytes(cache_bytes));
    consider(&search, translator->pool, (size_t)(translator->pool_end - translator->pool));
    consider(&search, translator->marks,
             (size_t)((const uint8_t *)translator->marks_end - (const uint8_t *)translator->marks));
    if (translator->counts != NULL) {
        consider(&search, translator->counts, sizeof *translator->counts);
    }
    lock_acquire(&translator->lock);
    consider_thread(&search, translator->master);
    for (const struct context *at = translator->threads; at != NULL; at = at->next) {
        consider_thread(&search, at);
    }
    lock_release(&translator->lock);
    *found = search.found;
    return search.any;
}
