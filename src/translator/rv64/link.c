/* Patches the jumps of exits, and makes code that was written visible to instruction fetch. */
#include "translator/rv64/rv64.h"

#include "base/check.h"
#include "isa/rv64/xstrata_abi.h"
#include "isa/rv64/xstrata_asm.h"

/* Other threads may be on other processors, whose fetch is not this one's.  A
 * single word may be old there for a while: where it leads stays as it is. */
static void sync_without_extension(const struct translator *translator, uint64_t bytes)
{
    __asm__ volatile("fence.i" ::: "memory");
    if (translator->threaded && bytes > sizeof(uint32_t)) {
        __atomic_thread_fence(__ATOMIC_RELEASE); /* they see the code before build_commit */
        host_call(NUMBER_FLUSH_ICACHE, 0L, 0L, 0L);
    }
}

void target_sync_threads(const struct translator *translator)
{
    if (!translator->has_xstrata) {
        sync_without_extension(translator, UINT64_MAX);
    }
}

void target_sync(struct translator *translator, enum code_class class, const uint8_t *start,
                 const uint8_t *end)
{
    const uint64_t bytes = (uint64_t)(end - start);
    if (!translator->has_xstrata) {
        sync_without_extension(translator, bytes);
        return;
    }
    switch (class) { /* it is a part of the instruction */
    case CODE_FRAGMENT:
        xstrata_ic_sync((uintptr_t)start, bytes, XSTRATA_CODE_FRAGMENT);
        break;
    case CODE_TRAMPOLINE:
        xstrata_ic_sync((uintptr_t)start, bytes, XSTRATA_CODE_TRAMPOLINE);
        break;
    case CODE_LOOKUP:
        xstrata_ic_sync((uintptr_t)start, bytes, XSTRATA_CODE_LOOKUP);
        break;
    case CODE_COUNTER:
        xstrata_ic_sync((uintptr_t)start, bytes, XSTRATA_CODE_COUNTER);
        break;
    }
}

void target_announce(struct translator *translator)
{
    if (translator->has_xstrata) {
        translator->origins =
            (struct xstrata_origins){.code_start = (uintptr_t)translator->cache.start,
                                     .code_end = (uintptr_t)translator->cache.end,
                                     .marks = (uintptr_t)translator->marks,
                                     .marks_next = (uintptr_t)&translator->mark_next};
        xstrata_ic_sync((uintptr_t)&translator->origins, UINT64_C(0), XSTRATA_CODE_ORIGINS);
    }
}

SELDOM static struct fragment *publish_without_extension(struct builder *builder)
{
    const struct cache *cache = &builder->translator->cache;
    builder->lookup_site = NULL;
    sync_without_extension(builder->translator,
                           (uint64_t)(builder->at - cache->fragments) +
                               (uint64_t)(builder->trampolines - cache->trampolines));
    return build_commit(builder);
}

struct fragment *target_publish(struct builder *builder)
{
    const struct cache *cache = &builder->translator->cache;
    if (UNLIKELY(!builder->translator->has_xstrata)) {
        return publish_without_extension(builder);
    }
    xstrata_ic_sync((uintptr_t)cache->fragments, (uint64_t)(builder->at - cache->fragments),
                    XSTRATA_CODE_FRAGMENT);
    if (builder->lookup_site != NULL) {
        xstrata_ic_sync((uintptr_t)builder->lookup_site, TARGET_LOOKUP_SITE_BYTES,
                        XSTRATA_CODE_LOOKUP);
        builder->lookup_site = NULL;
    }
    xstrata_ic_sync((uintptr_t)cache->trampolines,
                    (uint64_t)(builder->trampolines - cache->trampolines), XSTRATA_CODE_TRAMPOLINE);
    return build_commit(builder);
}

static void patch(struct translator *translator, uint8_t *site, uint32_t word)
{
    patch_word(site, word);
    target_sync(translator, CODE_FRAGMENT, site, site + sizeof word);
}

/* Writing code is slow on some hosts, where nothing changes, too. */
static void patch_back(struct translator *translator, uint8_t *site, uint32_t word)
{
    if (get_word(site) != word) {
        patch(translator, site, word);
    }
}

static void patch_branch(struct translator *translator, uint8_t *branch, int64_t offset)
{
    patch(translator, branch,
          (get_word(branch) & ~BRANCH_OFFSET_MASK) | branch_offset_bits(offset));
}

/* Too far for a jump: a way there through a register that the target's indirect
 * entry takes back.  It takes the place of the trampoline, but stands behind it
 * where that may be needed again. */
SELDOM static void link_far(struct translator *translator, uint8_t *stub, const struct fragment *to)
{
    const int64_t offset = target_indirect_entry(to) - (stub + 4);
    const int32_t low = (int32_t)((uint32_t)offset << 20) >> 20;
    const uint32_t words[] = {
        word_s((uint32_t)MATCH_sd, TP, A0, CONTEXT_X(A0)),
        word_u((uint32_t)MATCH_auipc, A0, (int32_t)(offset - low)),
        word_i((uint32_t)MATCH_jalr, X0, A0, low),
    };
    __builtin_memcpy(stub, words, sizeof words);
    target_sync(translator, CODE_TRAMPOLINE, stub, stub + sizeof words);
}

void target_unlink(struct translator *translator, struct exit *exit)
{
    patch_back(translator, exit->site, word_jal(X0, exit->trampoline - exit->site));
    if (exit->branch != NULL) {
        patch_back(translator, exit->branch,
                   (get_word(exit->branch) & ~BRANCH_OFFSET_MASK) |
                       branch_offset_bits(exit->site - exit->branch));
    }
}

__attribute__((always_inline)) inline bool
target_link_new(struct translator *translator, const struct exit *exit, const struct fragment *to)
{
    const uint8_t *landing = to->landing;
    uint8_t *at = exit->branch;
    uint32_t word;
    if (UNLIKELY(!translator->has_xstrata)) {
        return false;
    }
    if (at != NULL && LIKELY(branch_reaches(landing - at))) { /* the jump at site is not needed */
        word = (get_word(at) & ~BRANCH_OFFSET_MASK) | branch_offset_bits(landing - at);
    } else {
        at = exit->site;
        if (UNLIKELY(!jal_reaches(landing - at))) {
            return false;
        }
        word = word_jal(X0, landing - at);
    }
    patch_word(at, word);
    xstrata_ic_sync((uintptr_t)at, sizeof word, XSTRATA_CODE_FRAGMENT);
    return true;
}

static bool link_near(struct translator *translator, struct exit *exit, const struct fragment *to)
{
    if (exit->branch != NULL) {
        const int64_t offset = to->landing - exit->branch;
        if (LIKELY(branch_reaches(offset))) { /* the jump at site is not needed */
            patch_branch(translator, exit->branch, offset);
            return true;
        }
    }
    const int64_t offset = to->landing - exit->site;
    if (UNLIKELY(!jal_reaches(offset))) {
        return false;
    }
    patch(translator, exit->site, word_jal(X0, offset));
    if (exit->branch != NULL) { /* which may have gone to another landing before */
        patch_branch(translator, exit->branch, exit->site - exit->branch);
    }
    return true;
}

void target_link(struct translator *translator, struct exit *exit, const struct fragment *to)
{
    if (link_near(translator, exit, to)) {
        return;
    }
    uint8_t *stub = exit->trampoline + (translator->far_way_bytes != 0 ? TRAMPOLINE_BYTES : 0);
    link_far(translator, stub, to);
    patch(translator, exit->site, word_jal(X0, stub - exit->site));
    if (exit->branch != NULL) {
        patch_branch(translator, exit->branch, exit->site - exit->branch);
    }
}
