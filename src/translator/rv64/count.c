/* The code of counters: what makes a hardware counter, and three kinds that count in software.
 *
 * docs/counters.md has the sequences, instruction by instruction, beside the paper's. */
#include "translator/target_count.h"

#include "translator/rv64/rv64.h"

#include "isa/rv64/xstrata_abi.h"
#include "isa/rv64/xstrata_asm.h"

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

void target_counter_start(struct context *context, uint64_t threshold)
{
    context->callback = target_callback;
    xstrata_csr_write(ctrthresh, threshold);
}

void target_counter_new(const uint8_t *tag)
{
    xstrata_ctr_new((uintptr_t)tag, (uintptr_t)target_callback);
}

uint64_t target_counter_read(const uint8_t *tag)
{
    return xstrata_ctr_read((uintptr_t)tag);
}

void target_counter_drop(const uint8_t *tag)
{
    xstrata_ctr_drop((uintptr_t)tag);
}

/* The same words as constants. */
#define WORD_I(match, rd, rs1, imm)                                                                \
    ((uint32_t)(match) | (rd) << 7 | (rs1) << 15 | (uint32_t)(imm) << 20)
#define WORD_S(match, rs1, rs2, imm)                                                               \
    ((uint32_t)(match) | ((imm)&31) << 7 | (rs1) << 15 | (rs2) << 20 | (uint32_t)(imm) >> 5 << 25)

/* The one word that sends an exit straight to its target, and where it goes. */
struct straight {
    uint8_t *at;
    uint32_t word;
};

static struct straight straight_to(const struct exit *exit, const uint8_t *entry)
{
    if (exit->branch != NULL && branch_reaches(entry - exit->branch)) {
        return (struct straight){exit->branch, (get_word(exit->branch) & ~BRANCH_OFFSET_MASK) |
                                                   branch_offset_bits(entry - exit->branch)};
    }
    return (struct straight){exit->site, word_jal(X0, entry - exit->site)};
}

/* What makes a hardware counter, with zeros where it depends on the place. */
enum { NEW_COUNTER_WORDS = 16, ENTRY_WORD = 2, PATCH_WORD = 6, JUMP_WORD = 15 };
static _Alignas(8) const uint32_t new_counter[NEW_COUNTER_WORDS] = {
    WORD_S(MATCH_sd, TP, A0, CONTEXT_SPARE),
    WORD_S(MATCH_sd, TP, A1, CONTEXT_SPARE + 8),
    0, /* auipc a0 */
    0, /* addi a0: the fragment's entry */
    WORD_I(MATCH_ld, A1, TP, CONTEXT_CALLBACK),
    MATCH_ctr_new | A0 << 15 | A1 << 20,
    0, /* auipc a0 */
    0, /* addi a0: the word to patch */
    0, /* lui a1 */
    0, /* addiw a1: the exit straight to the entry */
    WORD_S(MATCH_sw, A0, A1, 0),
    WORD_I(MATCH_addi, A1, X0, 4),
    MATCH_ic_sync | XSTRATA_CODE_FRAGMENT << 7 | A0 << 15 | A1 << 20,
    WORD_I(MATCH_ld, A0, TP, CONTEXT_SPARE),
    WORD_I(MATCH_ld, A1, TP, CONTEXT_SPARE + 8),
    0, /* j */
};

static void put_address(uint32_t *at, int64_t distance)
{
    at[0] = auipc_word(A0, distance);
    at[1] = word_i((uint32_t)MATCH_addi, A0, A0, low_part(distance));
}

bool target_link_new_counter(struct translator *translator, struct exit *exit,
                             const struct fragment *to)
{
    struct cache *cache = &translator->cache;
    uint8_t *place = cache->trampolines - sizeof new_counter;
    place -= (uintptr_t)place & 7;
    if (place < cache->fragments || !jal_reaches(place - exit->site) ||
        !jal_reaches(to->entry - exit->site) || !jal_reaches(to->entry - (place + JUMP_WORD * 4))) {
        return false;
    }
    place = cache_add_trampoline(cache, sizeof new_counter);
    uint32_t *code = __builtin_assume_aligned(place, 8);
    __builtin_memcpy(code, new_counter, sizeof new_counter);
    const struct straight straight = straight_to(exit, to->entry);
    const int32_t low = low_part((int32_t)straight.word);
    put_address(code + ENTRY_WORD, to->entry - (place + ENTRY_WORD * 4));
    put_address(code + PATCH_WORD, straight.at - (place + PATCH_WORD * 4));
    code[PATCH_WORD + 2] =
        word_u((uint32_t)MATCH_lui, A1, (int32_t)(straight.word - (uint32_t)low));
    code[PATCH_WORD + 3] = word_i((uint32_t)MATCH_addiw, A1, A1, low);
    code[JUMP_WORD] = word_jal(X0, to->entry - (place + JUMP_WORD * 4));
    target_name_new_counter(translator, place);
    put_word(exit->site, word_jal(X0, place - exit->site));
    target_sync(translator, CODE_FRAGMENT, exit->site, exit->site + sizeof(uint32_t));
    exit->counter = place;
    return true;
}

void target_name_new_counter(struct translator *translator, const uint8_t *code)
{
    target_sync(translator, CODE_COUNTER, code, code + NEW_COUNTER_WORDS * sizeof(uint32_t));
}

bool target_made_counter(const struct exit *exit)
{
    if (exit->branch != NULL && (get_word(exit->branch) & BRANCH_OFFSET_MASK) !=
                                    branch_offset_bits(exit->site - exit->branch)) {
        return true;
    }
    return get_word(exit->site) != word_jal(X0, exit->counter - exit->site);
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
 *   resume     behind the counting, with a0 in the context
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
    .words = 40, .landing = 1, .indirect = 0, .resume = 35, .exit = 28};

static const struct layout *layout_of(const struct translator *translator)
{
    return translator->options.counters == COUNTERS_SW_PAPER ? &paper_layout : &inline_layout;
}

static uint64_t *cell_of(const struct translator *translator, const uint8_t *code)
{
    const struct cache *cache = &translator->cache;
    return (uint64_t *)(uintptr_t)(code + CELL_WORD * 4 + (cache->end - cache->start));
}

#define NO_THRESHOLD 0

static uint64_t cell_start(const uint64_t *cell, uint64_t threshold)
{
    return (1 - threshold) * (uintptr_t)cell;
}

static void write_inline(const struct translator *translator, uint8_t *code, const uint8_t *entry)
{
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
    *cell = cell_start(cell, translator->options.threshold);
}

#define SLOT_COUNT ((int32_t)offsetof(struct slot, count))
#define SLOT_CALLBACK ((int32_t)offsetof(struct slot, callback))

/* Table 2 of the paper, with its T0 to T3 in a0 to a3; as slow as it is there, on
 * purpose. */
static void write_paper(uint8_t *code, const uint8_t *entry, guest_addr head)
{
    enum { HEAD_LOAD = 5, HEAD_LITERAL = 38 };
    const int32_t to_head = (HEAD_LITERAL - HEAD_LOAD) * 4;
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
        restore_word(A0, CONTEXT_X(A0)),
        word_jal(X0, entry - (code + 36 * 4)),
    };
    __builtin_memcpy(code, words, sizeof words);
    __builtin_memcpy(code + HEAD_LITERAL * 4, &head, sizeof head);
}

/* The word before a fragment's entry takes a0 back for those who come through a
 * register; while there is a counter it jumps there, and the counter does that. */
static void patch_indirect(struct translator *translator, const struct fragment *fragment,
                           uint32_t word)
{
    uint8_t *at = fragment->entry - sizeof word;
    put_word(at, word);
    target_sync(translator, CODE_FRAGMENT, at, at + sizeof word);
}

bool target_count_begin(struct translator *translator, struct loop *loop)
{
    struct cache *cache = &translator->cache;
    struct fragment *fragment = loop->fragment;
    const struct layout *layout = layout_of(translator);
    const size_t bytes = layout->words * sizeof(uint32_t);
    /* Among the fragments: the loop that was just built is in a branch's reach. */
    uint8_t *code = cache->fragments + (-(uintptr_t)cache->fragments & 7);
    if (cache->trampolines < code || (size_t)(cache->trampolines - code) < bytes ||
        !jal_reaches(code - fragment->entry + (int64_t)bytes) ||
        !jal_reaches(code - fragment->entry - (int64_t)bytes)) {
        return false;
    }
    if (layout == &paper_layout) {
        write_paper(code, fragment->entry, loop->head);
    } else {
        write_inline(translator, code, fragment->entry);
    }
    const struct exit *exit = &loop->reached;
    __builtin_memcpy(code + layout->exit * 4, &exit, sizeof exit);
    target_sync(translator, CODE_COUNTER, code, code + bytes);
    cache_commit(cache, code + bytes);
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

static uint64_t threshold_of(const struct translator *translator, const struct loop *loop)
{
    return loop->passed ? NO_THRESHOLD : translator->options.threshold;
}

uint64_t target_count_read(const struct translator *translator, const struct loop *loop)
{
    const uint64_t *cell = cell_of(translator, loop->code);
    return count_additions(*cell - cell_start(cell, threshold_of(translator, loop)),
                           (uintptr_t)cell);
}

void target_count_pass(struct translator *translator, const struct loop *loop)
{
    uint64_t *cell = cell_of(translator, loop->code);
    uint8_t *at = loop->code + CHECK_WORD * 4;
    *cell = cell_start(cell, NO_THRESHOLD);
    put_word(at, restore_word(A0, CONTEXT_X(A0)));
    put_word(at + 4, word_jal(X0, loop->fragment->entry - (at + 4)));
    target_sync(translator, CODE_COUNTER, at, at + 8);
}

const uint8_t *target_count_resume(const struct loop *loop)
{
    return loop->code + paper_layout.resume * 4;
}

static void uncount(struct context *context, const struct loop *loop)
{
    if (layout_of(context->translator) == &paper_layout) {
        context->slots[count_slot(loop->head)].count--;
    } else {
        uint64_t *cell = cell_of(context->translator, loop->code);
        *cell -= (uintptr_t)cell;
    }
}

/* The program's a0 is in its place in the context all the time. */
static void leave_inline(struct context *context, const struct loop *loop, unsigned word,
                         uint16_t *saved)
{
    if (word >= CELL_WORD) {
        saved[A0] = CONTEXT_X(A0);
    }
    if (word >= CHECK_WORD) {
        uncount(context, loop);
    }
}

static void leave_paper(struct context *context, const struct loop *loop, unsigned word,
                        uint16_t *saved)
{
    enum { SAVES_WORD = 1, COUNTED_WORD = 18 };
    for (unsigned i = 0; i < 4 && word > SAVES_WORD + i && word < paper_layout.resume; i++) {
        saved[A0 + i] = (uint16_t)(CONTEXT_SPARE + 8 * i);
    }
    if (word == paper_layout.indirect || word == paper_layout.resume) {
        saved[A0] = CONTEXT_X(A0);
    }
    if (word >= COUNTED_WORD) {
        uncount(context, loop);
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
        uncount(context, fragment->loop);
    }
}
