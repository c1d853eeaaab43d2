/* The code of counters that count in software, of three kinds.
 *
 * docs/counters.md has the sequences, instruction by instruction, beside the paper's. */
#include "translator/target_count.h"

#include "translator/rv64/rv64.h"

enum { A3 = 13 };

/* The parts of a distance that auipc and the instruction behind it add. */
static int32_t low_part(int64_t distance)
{
    return (int32_t)((uint32_t)distance << 20) >> 20;
}

static uint32_t auipc_word(unsigned rd, int64_t distance)
{
    return word_u((uint32_t)MATCH_auipc, rd, (int32_t)(distance - low_part(distance)));
}

static uint32_t save_word(unsigned reg, int32_t offset)
{
    return word_s((uint32_t)MATCH_sd, TP, reg, offset);
}

static uint32_t restore_word(unsigned reg, int32_t offset)
{
    return word_i((uint32_t)MATCH_ld, reg, TP, offset);
}

void target_count_start(struct context *context, struct counts *counts, uint64_t threshold)
{
    context->callback = target_leave;
    context->fetch_slot = target_fetch_slot;
    context->slots = counts->slots;
    context->threshold = threshold;
    if (context->translator->has_xstrata) {
        target_sync(context->translator, CODE_COUNTER, (const uint8_t *)target_fetch_slot,
                    (const uint8_t *)target_fetch_slot_end);
    }
}

/* Software counters begin at an address that is a multiple of 8, and hold:
 *
 *   landing    for those that jump here with all registers the program's
 *   indirect   for those that come with a0 in the context
 *   resume     with a0 in the context, past the check for the threshold
 *   exit       the address of loop->reached, behind the code */
struct layout {
    unsigned words, landing, indirect, resume, exit;
};

/* The cell that is counted in lies at a fixed distance, a multiple of a page, so
 * that one auipc makes its address; and this address is what is added to it, so
 * that no second register is needed.  It starts so that the sum is zero before
 * the execution that reaches the threshold. */
enum { CELL_WORD = 2, CHECK_WORD = 4 };
static const struct layout inline_layout = {
    .words = 12, .landing = 1, .indirect = CELL_WORD, .resume = 5, .exit = 10};
static const struct layout paper_layout = {
    .words = 48, .landing = 1, .indirect = 0, .resume = 35, .exit = 28};

static const struct layout *layout_of(const struct translator *translator)
{
    return translator->options.counters == COUNTERS_SW_PAPER ? &paper_layout : &inline_layout;
}

static uint64_t *cell_of(const struct translator *translator, const uint8_t *code)
{
    const struct cache *cache = &translator->cache;
    return (uint64_t *)(uintptr_t)(code + CELL_WORD * 4 + (cache->end - cache->start));
}

static uint64_t cell_start(const uint64_t *cell, uint64_t threshold)
{
    return (1 - threshold) * (uintptr_t)cell;
}

static void write_inline(const struct translator *translator, uint8_t *code,
                         const struct loop *loop)
{
    const uint8_t *entry = loop->fragment->entry;
    const struct cache *cache = &translator->cache;
    const uint32_t words[] = {
        0,
        save_word(A0, CONTEXT_X(A0)),
        auipc_word(A0, cache->end - cache->start),
        word_r((uint32_t)MATCH_amoadd_d, A0, A0, A0),
        word_r((uint32_t)MATCH_beq, 0, A0, X0) | branch_offset_bits(12),
        restore_word(A0, CONTEXT_X(A0)),
        word_jal(X0, entry - (code + 6 * 4)),
        restore_word(A0, CONTEXT_LEAVE),
        word_i((uint32_t)MATCH_jalr, A0, A0, 0),
    };
    __builtin_memcpy(code, words, sizeof words);
    uint64_t *cell = cell_of(translator, code);
    *cell = cell_start(cell, loop->threshold);
}

#define SLOT_COUNT ((int32_t)offsetof(struct slot, count))
#define SLOT_CALLBACK ((int32_t)offsetof(struct slot, callback))

/* Table 2 of the paper, with its T0 to T3 in a0 to a3; as slow as it is there, on
 * purpose. */
static void write_paper(const struct translator *translator, uint8_t *code, const struct loop *loop)
{
    enum { HEAD_LOAD = 5, SLOT_LOAD = 36, HEAD_LITERAL = 44, SLOT_LITERAL = 46 };
    const int32_t to_head = (HEAD_LITERAL - HEAD_LOAD) * 4;
    const int32_t to_slot = (SLOT_LITERAL - SLOT_LOAD) * 4;
    const uint8_t *entry = loop->fragment->entry;
    const struct slot *slot = &translator->counts->slots[count_slot(loop->head)];
    const uint32_t words[] = {
        restore_word(A0, CONTEXT_X(A0)),
        save_word(A0, CONTEXT_SPARE),
        save_word(A1, CONTEXT_SPARE + 8),
        save_word(A2, CONTEXT_SPARE + 16),
        save_word(A3, CONTEXT_SPARE + 24),
        auipc_word(A2, 0),
        word_i((uint32_t)MATCH_ld, A2, A2, to_head),
        restore_word(A3, CONTEXT_FETCH_SLOT),
        word_i((uint32_t)MATCH_jalr, A3, A3, 0),
        word_r((uint32_t)MATCH_beq, 0, A2, A0) | branch_offset_bits(6 * 4),
        word_r((uint32_t)MATCH_amoadd_d, X0, A1, A1), /* slot->resets: not the paper's */
        restore_word(A3, CONTEXT_CALLBACK),
        word_s((uint32_t)MATCH_sd, A1, A2, SLOT_HEAD),
        word_s((uint32_t)MATCH_sd, A1, X0, SLOT_COUNT),
        word_s((uint32_t)MATCH_sd, A1, A3, SLOT_CALLBACK),
        word_i((uint32_t)MATCH_ld, A3, A1, SLOT_COUNT),
        word_i((uint32_t)MATCH_addi, A3, A3, 1),
        word_s((uint32_t)MATCH_sd, A1, A3, SLOT_COUNT),
        restore_word(A0, CONTEXT_THRESHOLD),
        word_r((uint32_t)MATCH_bne, 0, A0, A3) | branch_offset_bits(11 * 4),
        restore_word(A0, CONTEXT_SPARE),
        restore_word(A1, CONTEXT_SPARE + 8),
        restore_word(A2, CONTEXT_SPARE + 16),
        restore_word(A3, CONTEXT_SPARE + 24),
        save_word(A0, CONTEXT_X(A0)),
        restore_word(A0, CONTEXT_LEAVE),
        word_i((uint32_t)MATCH_jalr, A0, A0, 0),
        0,
        0, /* the exit */
        0,
        restore_word(A0, CONTEXT_SPARE),
        restore_word(A1, CONTEXT_SPARE + 8),
        restore_word(A2, CONTEXT_SPARE + 16),
        restore_word(A3, CONTEXT_SPARE + 24),
        word_jal(X0, entry - (code + 34 * 4)),
        /* The execution that reached the threshold; before it, a signal may come. */
        save_word(A1, CONTEXT_SPARE + 8),
        auipc_word(A0, 0),
        word_i((uint32_t)MATCH_ld, A0, A0, to_slot),
        word_i((uint32_t)MATCH_ld, A1, A0, SLOT_COUNT),
        word_i((uint32_t)MATCH_addi, A1, A1, 1),
        word_s((uint32_t)MATCH_sd, A0, A1, SLOT_COUNT),
        restore_word(A1, CONTEXT_SPARE + 8),
        restore_word(A0, CONTEXT_X(A0)),
        word_jal(X0, entry - (code + 43 * 4)),
    };
    __builtin_memcpy(code, words, sizeof words);
    __builtin_memcpy(code + HEAD_LITERAL * 4, &loop->head, sizeof loop->head);
    __builtin_memcpy(code + SLOT_LITERAL * 4, &slot, sizeof slot);
}

/* The word before a fragment's entry takes a0 back for those who come through a
 * register; while there is a counter it jumps there, and the counter does that. */
static void patch_indirect(struct translator *translator, const struct fragment *fragment,
                           uint32_t word)
{
    uint8_t *at = fragment->entry - sizeof word;
    patch_word(at, word);
    target_sync(translator, CODE_FRAGMENT, at, at + sizeof word);
}

/* Among the fragments, so that the loop that was just built is in a branch's reach;
 * for one that was built long ago, in what is left of its part of the cache. */
static uint8_t *find_room(struct cache *cache, const uint8_t *entry, size_t bytes)
{
    uint8_t *code = cache->fragments + (-(uintptr_t)cache->fragments & 7);
    if (!jal_reaches(code - entry + (int64_t)bytes) ||
        !jal_reaches(code - entry - (int64_t)bytes)) {
        return cache_take_gap(cache, entry, bytes);
    }
    if (cache->trampolines < code || (size_t)(cache->trampolines - code) < bytes) {
        return NULL;
    }
    cache_commit(cache, code + bytes);
    return code;
}

bool target_count_begin(struct translator *translator, struct loop *loop)
{
    struct cache *cache = &translator->cache;
    struct fragment *fragment = loop->fragment;
    const struct layout *layout = layout_of(translator);
    const size_t bytes = layout->words * sizeof(uint32_t);
    uint8_t *code = find_room(cache, fragment->entry, layout->words * sizeof(uint32_t));
    if (code == NULL) {
        return false;
    }
    loop->threshold = count_threshold(translator, loop);
    if (layout == &paper_layout) {
        write_paper(translator, code, loop);
    } else {
        write_inline(translator, code, loop);
    }
    const struct exit *exit = &loop->reached;
    __builtin_memcpy(code + layout->exit * 4, &exit, sizeof exit);
    target_sync(translator, CODE_COUNTER, code, code + bytes);
    loop->code = code;
    fragment->landing = code + layout->landing * 4;
    patch_indirect(translator, fragment,
                   word_jal(X0, code + layout->indirect * 4 - (fragment->entry - 4)));
    return true;
}

void target_count_end(struct translator *translator, struct loop *loop)
{
    loop->fragment->landing = loop->fragment->entry;
    patch_indirect(translator, loop->fragment, restore_word(A0, CONTEXT_X(A0)));
}

size_t target_count_bytes(const struct translator *translator)
{
    return layout_of(translator)->words * sizeof(uint32_t);
}

uint64_t target_count_read(const struct translator *translator, const struct loop *loop)
{
    const uint64_t *cell = cell_of(translator, loop->code);
    return count_additions(*cell - cell_start(cell, loop->threshold), (uintptr_t)cell);
}

void target_count_pass(struct translator *translator, const struct loop *loop)
{
    uint8_t *at = loop->code + CHECK_WORD * 4;
    if (translator->threaded) { /* one word only */
        patch_word(at, word_i((uint32_t)MATCH_addi, X0, X0, 0));
        target_sync(translator, CODE_COUNTER, at, at + 4);
        return;
    }
    put_word(at, restore_word(A0, CONTEXT_X(A0)));
    put_word(at + 4, word_jal(X0, loop->fragment->entry - (at + 4)));
    target_sync(translator, CODE_COUNTER, at, at + 8);
}

/* Other threads may count in the same cell. */
void target_count_back(const struct translator *translator, const struct loop *loop)
{
    if (layout_of(translator) == &paper_layout) {
        translator->counts->slots[count_slot(loop->head)].count--;
    } else {
        uint64_t *cell = cell_of(translator, loop->code);
        __atomic_fetch_sub(cell, (uintptr_t)cell, __ATOMIC_RELAXED);
    }
}

const uint8_t *target_count_resume(const struct loop *loop)
{
    return loop->code + paper_layout.resume * 4;
}

/* The program's a0 is in its place in the context all the time. */
static void leave_inline(struct context *context, const struct loop *loop, unsigned word,
                         uint16_t *saved)
{
    if (word >= CELL_WORD) {
        saved[A0] = CONTEXT_X(A0);
    }
    if (word >= CHECK_WORD) {
        target_count_back(context->translator, loop);
    }
}

static void leave_paper(struct context *context, const struct loop *loop, unsigned word,
                        uint16_t *saved)
{
    enum { SAVES_WORD = 1, COUNTED_WORD = 18, RESUME_COUNTED_WORD = 41 };
    const unsigned resume = paper_layout.resume;
    for (unsigned i = 0; i < 4 && word > SAVES_WORD + i && word < resume; i++) {
        saved[A0 + i] = (uint16_t)(CONTEXT_SPARE + 8 * i);
    }
    if (word == paper_layout.indirect || (word >= resume && word < resume + 8)) {
        saved[A0] = CONTEXT_X(A0);
    }
    if (word > resume && word <= RESUME_COUNTED_WORD) {
        saved[A1] = CONTEXT_SPARE + 8;
    }
    if ((word >= COUNTED_WORD && word < resume) || word >= RESUME_COUNTED_WORD) {
        target_count_back(context->translator, loop);
    }
}

bool target_count_leave(struct context *context, const uint8_t *code, uint16_t *saved)
{
    const struct loop *loop = count_find_code(context->translator, code);
    if (loop == NULL) {
        return false;
    }
    const unsigned word = (unsigned)(code - loop->code) / 4;
    if (layout_of(context->translator) == &paper_layout) {
        leave_paper(context, loop, word, saved);
    } else {
        leave_inline(context, loop, word, saved);
    }
    context->target = loop->head;
    return true;
}

void target_count_interrupt(struct context *context, const uint8_t *code)
{
    const struct fragment *fragment = find_fragment(context->translator, context->target);
    if (fragment != NULL && fragment->entry == code && fragment->landing != fragment->entry) {
        target_count_back(context->translator, fragment->loop);
    }
}
