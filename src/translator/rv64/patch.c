/* Patches the jumps of exits, and makes code that was written visible to instruction fetch. */
#include "translator/rv64/emit.h"
#include "translator/tell/report.h"

#include "base/check.h"
#include "isa/rv64/xstrata_abi.h"
#include "isa/rv64/xstrata_asm.h"

/* Other threads may be on other processors, whose fetch is not this one's.  A
 * single word may be old there for a while: where it leads stays as it is. */
static void sync_without_extension(const struct translator *translator, uint64_t bytes)
{
    __asm__ volatile("fence.i" ::: "memory");
    if (translator->threaded && bytes > sizeof(uint32_t)) {
        __atomic_thread_fence(__ATOMIC_RELEASE); /* they see the code before the index has it */
        host_call(NUMBER_FLUSH_ICACHE, 0L, 0L, 0L);
    }
}

void target_sync(struct translator *translator, enum code_class class, const uint8_t *start,
                 const uint8_t *end)
{
    const uint64_t bytes = (uint64_t)(end - start);
    if (!translator->has_hardware) {
        sync_without_extension(translator, class == CODE_ALL ? UINT64_MAX : bytes);
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
    case CODE_TRACE:
        xstrata_ic_sync((uintptr_t)start, bytes, XSTRATA_CODE_TRACE);
        break;
    case CODE_ALL: /* ic.sync is for all threads */
        break;
    }
}

_Static_assert(sizeof(struct mark) == sizeof(struct xstrata_mark) &&
                   offsetof(struct mark, piece) == offsetof(struct xstrata_mark, piece) &&
                   offsetof(struct mark, run_bytes) == offsetof(struct xstrata_mark, run_bytes) &&
                   offsetof(struct mark, own) == offsetof(struct xstrata_mark, own) &&
                   offsetof(struct mark, held) == offsetof(struct xstrata_mark, held) &&
                   offsetof(struct mark, pc) == offsetof(struct xstrata_mark, pc),
               "who observes the processor reads them");

#define SAME_PLACE(told, own, member)                                                              \
    (offsetof(struct told, member) == offsetof(struct own, member))
_Static_assert(SAME_PLACE(xstrata_fragment, fragment, start) &&
                   SAME_PLACE(xstrata_fragment, fragment, entry) &&
                   SAME_PLACE(xstrata_fragment, fragment, code) &&
                   SAME_PLACE(xstrata_fragment, fragment, end) &&
                   SAME_PLACE(xstrata_fragment, fragment, exit_count) &&
                   SAME_PLACE(xstrata_fragment, fragment, checks) &&
                   XSTRATA_CHECKS == 2 * LOOKUP_KINDS,
               "who has counted what code did reads them");
_Static_assert(SAME_PLACE(xstrata_block, ledger_block, at) &&
                   SAME_PLACE(xstrata_block, ledger_block, start) &&
                   SAME_PLACE(xstrata_block, ledger_block, fragment) &&
                   SAME_PLACE(xstrata_trace, ledger, next) &&
                   offsetof(struct xstrata_trace, head) == offsetof(struct ledger, told) &&
                   sizeof(struct xstrata_trace) - 8 == sizeof(struct ledger_told) &&
                   offsetof(struct xstrata_trace, blocks) - 8 ==
                       offsetof(struct ledger_told, blocks),
               "who has counted what code did reads them");

void target_announce(struct translator *translator)
{
    if (translator->has_hardware) {
        struct xstrata_origins *origins = &translator->process.origins;
        *origins = (struct xstrata_origins){.code_start = (uintptr_t)translator->cache.start,
                                            .code_end = (uintptr_t)translator->cache.end,
                                            .marks = (uintptr_t)translator->marks.start,
                                            .marks_next = (uintptr_t)&translator->marks.next};
        xstrata_ic_sync((uintptr_t)origins, UINT64_C(0), XSTRATA_CODE_ORIGINS);
    }
}

/* The first that the processor executes of the last words, on a stack that is nobody's: the translator's first,
 * which nothing needs any more.  Any thread will do as the one that runs. */
static _Noreturn void say_last_words(struct translator *translator)
{
    __asm__ volatile("mv tp, %0" : : "r"(translator->threads));
    report_last_words(translator);
    for (;;) {
        __asm__ volatile("ebreak");
    }
}

bool target_offer_last_words(struct translator *translator)
{
    if (!translator->has_hardware ||
        (xstrata_csr_read(strfeat) & (uint64_t)XSTRATA_LAST_WORDS) == 0) {
        return false;
    }
    struct xstrata_last_words *words = &translator->process.last_words;
    *words = (struct xstrata_last_words){.entry = (uintptr_t)say_last_words,
                                         .stack = (uintptr_t)first_stack_end,
                                         .argument = (uintptr_t)translator};
    xstrata_ic_sync((uintptr_t)words, sizeof *words, XSTRATA_CODE_LAST_WORDS);
    return true;
}

/* The word that leads around a trace: a branch or a jump. */
static uint32_t around_word(const struct target_site *site, const uint8_t *to)
{
    const uint32_t word = get_word(site->around);
    const int64_t offset = to - site->around;

    return (word & 127) == MATCH_jal ? word_jal(X0, offset)
                                     : (word & ~BRANCH_OFFSET_MASK) | branch_offset_bits(offset);
}

bool site_leads_around(const struct target_site *site)
{
    return get_word(site->around) != around_word(site, site->stub);
}

void site_aim_around(const struct target_site *site, const uint8_t *to)
{
    put_word(site->around, around_word(site, to));
}

/* The way there that one patched word makes: the branch reaches, else the jump behind it; NULL if neither
 * does. */
static uint8_t *choose_site(const struct target_site *site, const uint8_t *to)
{
    if (site->branch != NULL && LIKELY(branch_reaches(to - site->branch))) {
        return site->branch; /* the jump is not needed */
    }
    return jal_reaches(to - site->jump) ? site->jump : NULL;
}

struct site_word site_straight(const struct target_site *site, const uint8_t *to)
{
    uint8_t *at = choose_site(site, to);

    if (at == site->jump) {
        return (struct site_word){at, word_jal(X0, to - at)};
    }
    return (struct site_word){
        at, at == NULL ? 0 : (get_word(at) & ~BRANCH_OFFSET_MASK) | branch_offset_bits(to - at)};
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

/* The branch leads to the jump behind it. */
static void patch_branch_back(struct translator *translator, const struct target_site *site)
{
    if (site->branch != NULL) {
        patch_back(translator, site->branch,
                   (get_word(site->branch) & ~BRANCH_OFFSET_MASK) |
                       branch_offset_bits(site->jump - site->branch));
    }
}

/* Too far for a jump: a way there through a register that the target's indirect
 * entry takes back.  It takes the place of the trampoline, but stands behind it
 * where that may be needed again. */
SELDOM static void link_far(struct translator *translator, const struct target_site *site,
                            const struct fragment *to)
{
    uint8_t *stub = site->trampoline + (translator->far_way_bytes != 0 ? TRAMPOLINE_BYTES : 0);
    const int64_t offset = fragment_indirect_entry(to) - (stub + 4);
    const int32_t low = low_part(offset);
    const uint32_t words[] = {
        word_s((uint32_t)MATCH_sd, TP, A0, CONTEXT_X(A0)),
        word_u((uint32_t)MATCH_auipc, A0, (int32_t)(offset - low)),
        word_i((uint32_t)MATCH_jalr, X0, A0, low),
    };
    __builtin_memcpy(stub, words, sizeof words);
    target_sync(translator, CODE_TRAMPOLINE, stub, stub + sizeof words);
    patch(translator, site->jump, word_jal(X0, stub - site->jump));
    patch_branch_back(translator, site);
}

/* False if it is too far away. */
INLINE static bool link_near(struct translator *translator, const struct target_site *site,
                             const uint8_t *landing)
{
    uint8_t *at = choose_site(site, landing);

    if (UNLIKELY(at == NULL)) {
        return false;
    }
    if (at == site->branch) {
        patch(translator, at,
              (get_word(at) & ~BRANCH_OFFSET_MASK) | branch_offset_bits(landing - at));
    } else {
        patch(translator, at, word_jal(X0, landing - at));
        patch_branch_back(translator, site); /* which may have gone to another landing before */
    }
    return true;
}

/* Who goes around in the trace that stands for `to` does not pass the landing; who goes elsewhere leaves through the
 * stub.  Returns whether the exit is linked. */
SELDOM static bool link_around(struct translator *translator, const struct target_site *site,
                               const struct fragment *to)
{
    const struct fragment *trace = to->trace;
    const bool goes_around =
        trace != NULL && site->around > trace->entry && site->around < trace->end;

    patch_back(translator, site->around,
               around_word(site, goes_around ? trace->entry : site->stub));
    return goes_around;
}

void target_link(struct translator *translator, struct exit *exit, const struct fragment *to)
{
    if (UNLIKELY(exit->site.around != NULL) && link_around(translator, &exit->site, to)) {
        return;
    }
    if (!link_near(translator, &exit->site, to->landing)) {
        link_far(translator, &exit->site, to);
    }
}

bool target_taken_reaches(const struct exit *exit, const uint8_t *code, const struct fragment *to)
{
    return choose_site(&exit->site, code + target_taken_layout.landing) != NULL &&
           taken_counter_reaches(code, to->entry);
}

void target_taken_link(struct translator *translator, struct exit *exit, uint8_t *code)
{
    ASSERT(link_near(translator, &exit->site, code + target_taken_layout.landing));
    exit->site.maker = code;
}

uint8_t *target_taken_code(const struct exit *exit)
{
    return exit->site.maker;
}

void target_unlink(struct translator *translator, struct exit *exit)
{
    const struct target_site *site = &exit->site;

    patch_back(translator, site->jump, word_jal(X0, site->trampoline - site->jump));
    patch_branch_back(translator, site);
    if (UNLIKELY(site->around != NULL)) {
        patch_back(translator, site->around, around_word(site, site->stub));
    }
}

/* The word before a fragment's entry takes a0 back for those who come through a
 * register; while there is a counter it jumps there, and the counter does that. */
void target_redirect(struct translator *translator, struct fragment *fragment, const uint8_t *code)
{
    uint8_t *at = fragment->entry - TARGET_INDIRECT_ENTRY_BYTES;

    patch(translator, at,
          code != NULL ? word_jal(X0, code - at)
                       : word_i((uint32_t)MATCH_ld, A0, TP, CONTEXT_X(A0)));
    if (UNLIKELY(owns_gp(translator))) {
        checks_aim(translator, fragment);
    }
}
