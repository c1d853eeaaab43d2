/* Knows which memory is Strata's own: its file, its tables, the cache, and what each thread has;
 * and keeps calls out of it that are about nothing else of Strata's. */
#include "translator/process/own.h"

#include "translator/process/signal.h"
#include "translator/process/system.h"

#include <asm/unistd.h>
#include <linux/uio.h>

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

    lock_acquire(&translator->lock); /* the cache may move */
    const size_t cache_bytes = (size_t)(cache->end - cache->start);
    consider(&search, __ehdr_start, (size_t)(_end - __ehdr_start));
    consider(&search, translator, sizeof *translator);
    consider(&search, cache->start, cache_bytes + space_cell_bytes(cache_bytes));
    consider(&search, translator->pool.start,
             (size_t)(translator->pool.end - translator->pool.start));
    consider(&search, translator->marks.start,
             (size_t)((const uint8_t *)translator->marks.end -
                      (const uint8_t *)translator->marks.start));
    consider(&search, translator->index.buckets,
             (translator->index.mask + 1) * sizeof *translator->index.buckets);
    const struct changes *changes = &translator->changes;
    if (changes->originals != NULL) {
        const struct originals *originals = changes->originals;
        consider(&search, originals, sizeof *originals);
        consider(&search, originals->memory, (size_t)(originals->end - originals->memory));
    }
    if (translator->counts != NULL) {
        consider(&search, translator->counts, sizeof *translator->counts);
    }
    if (translator->optimizer != NULL) {
        consider(&search, translator->optimizer, sizeof *translator->optimizer);
    }
    consider_thread(&search, translator->master);
    for (const struct context *at = translator->threads; at != NULL; at = at->next) {
        consider_thread(&search, at);
    }
    lock_release(&translator->lock);
    *found = search.found;
    return search.any;
}

static bool touches_own(struct context *context, guest_addr start, uint64_t bytes)
{
    struct code_range own;

    return start + bytes > start && own_find(context->translator, start, start + bytes, &own);
}

/* As many of the ranges at `vector` as come before the first that has something of Strata's. */
static uint64_t count_before_own(struct context *context, guest_addr vector, uint64_t count)
{
    const struct iovec *ranges = (const struct iovec *)(uintptr_t)vector;

    for (uint64_t i = 0; i < count; i++) {
        if (!signal_can_read((uintptr_t)&ranges[i], sizeof ranges[i])) {
            return count; /* the kernel says so */
        }
        if (touches_own(context, (uintptr_t)ranges[i].iov_base, ranges[i].iov_len)) {
            return i;
        }
    }
    return count;
}

/* The kernel goes as far as there is memory. */
int64_t system_process_vm(struct context *context, const struct call *call)
{
    static const struct iovec nowhere = {.iov_base = NULL, .iov_len = 1};
    struct call changed = *call;

    if ((int64_t)(int)call->arguments[0] == host_call(__NR_getpid) &&
        call->arguments[4] <= UIO_MAXIOV && call->arguments[4] > 0) {
        changed.arguments[4] = count_before_own(context, call->arguments[3], call->arguments[4]);
        if (changed.arguments[4] == 0) {
            changed.arguments[3] = (uintptr_t)&nowhere;
            changed.arguments[4] = 1;
        }
    }
    return system_pass(context, &changed);
}
