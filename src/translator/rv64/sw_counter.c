/* The code of counters that count in software, of four kinds.
 *
 * docs/counters.md has the sequences, instruction by instruction, beside the paper's. */
#include "translator/fragment/counter_code.h"
#include "translator/rv64/emit.h"
#include "translator/rv64/opcodes.h"

#include "isa/rv64/xstrata_asm.h"

enum { A3 = 13 };

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

void target_counter_start(struct context *context)
{
    struct translator *translator = context->translator;
    const uint64_t threshold = translator->options.threshold;

    if (translator->options.counters == COUNTERS_HW) {
        context->callback = target_callback_saved;
        xstrata_csr_write(ctrthresh, threshold);
        return;
    }
    context->callback = target_leave;
    context->fetch_slot = target_fetch_slot;
    context->slots = translator->counts->slots;
    context->threshold = threshold;
    if (translator->has_hardware) {
        target_sync(translator, CODE_COUNTER, (const uint8_t *)target_fetch_slot,
                    (const uint8_t *)target_fetch_slot_end);
    }
}

/* Software counters begin at an address that is a multiple of 8.  In words from there: */
enum {
    SW_WORDS = 12,
    SW_LANDING = 1,
    SW_CELL =
        2, /* the auipc that makes the cell's address: TARGET_CELL_OF; and the indirect entry */
    SW_CHECK = 4,
    SW_EXIT = 10, /* the address of loop->reached, behind the code */
    PAPER_WORDS = 48,
    PAPER_LANDING = 1,
    PAPER_INDIRECT = 0,
    PAPER_RESUME = 35,
    PAPER_EXIT = 28,
    PAPER_ON = 34, /* the jump to the fragment */
    PAPER_HEAD = 44,
    PAPER_SLOT = 46,
    TAKEN_HEAD = 36,
    TAKEN_WORDS = 38,
};
const struct counter_layout target_sw_layout = {
    .bytes = SW_WORDS * 4, .landing = SW_LANDING * 4, .indirect = SW_CELL * 4};
const struct counter_layout target_paper_layout = {.bytes = PAPER_WORDS * 4,
                                                   .landing = PAPER_LANDING * 4,
                                                   .indirect = PAPER_INDIRECT * 4,
                                                   .resume = PAPER_RESUME * 4};
const struct counter_layout target_taken_layout = {.bytes = TAKEN_WORDS * 4,
                                                   .landing = PAPER_LANDING * 4};

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
    const struct exit *exit = &loop->reached;
    __builtin_memcpy(code + SW_EXIT * 4, &exit, sizeof exit);
}

#define SLOT_COUNT ((int32_t)offsetof(struct paper_slot, count))
#define SLOT_CALLBACK ((int32_t)offsetof(struct paper_slot, callback))

/* Table 2 of the paper, with its T0 to T3 in a0 to a3; as slow as it is there, on
 * purpose.  Ends with the jump to `entry`; the word `head_literal` gets the head. */
static void write_table(uint8_t *code, const struct loop *loop, const uint8_t *entry,
                        unsigned head_literal)
{
    enum { HEAD_LOAD = 5 };
    const int32_t to_head = (int32_t)(head_literal - HEAD_LOAD) * 4;
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
        word_s((uint32_t)MATCH_sd, A1, A2, PAPER_SLOT_HEAD),
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
        word_jal(X0, entry - (code + PAPER_ON * 4)),
    };
    __builtin_memcpy(code, words, sizeof words);
    __builtin_memcpy(code + head_literal * 4, &loop->head, sizeof loop->head);
    const struct exit *exit = &loop->reached;
    __builtin_memcpy(code + PAPER_EXIT * 4, &exit, sizeof exit);
}

/* Behind it, the execution that reached the threshold; before it, a signal may come. */
static void write_paper(const struct translator *translator, uint8_t *code, const struct loop *loop)
{
    enum { SLOT_LOAD = PAPER_RESUME + 1 };
    const int32_t to_slot = (PAPER_SLOT - SLOT_LOAD) * 4;
    const uint8_t *entry = loop->fragment->entry;
    const struct paper_slot *slot = &translator->counts->slots[paper_slot_of(loop->head)];
    const uint32_t words[] = {
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
    write_table(code, loop, entry, PAPER_HEAD);
    __builtin_memcpy(code + PAPER_RESUME * 4, words, sizeof words);
    __builtin_memcpy(code + PAPER_SLOT * 4, &slot, sizeof slot);
}

void target_taken_write(struct translator *translator, uint8_t *code, const struct loop *loop,
                        const struct fragment *to)
{
    (void)translator;
    write_table(code, loop, to->entry, TAKEN_HEAD);
}

bool taken_counter_reaches(const uint8_t *code, const uint8_t *entry)
{
    return jal_reaches(entry - (code + PAPER_ON * 4));
}

void target_taken_aim(struct translator *translator, uint8_t *code, const struct fragment *to)
{
    uint8_t *at = code + PAPER_ON * 4;

    patch_word(at, word_jal(X0, to->entry - at));
    target_sync(translator, CODE_COUNTER, at, at + 4);
}

void target_counter_write(const struct translator *translator, uint8_t *code,
                          const struct loop *loop)
{
    if (translator->options.counters == COUNTERS_SW_PAPER) {
        write_paper(translator, code, loop);
    } else {
        write_inline(translator, code, loop);
    }
}

void target_counter_pass(struct translator *translator, const struct loop *loop)
{
    uint8_t *at = loop->code + SW_CHECK * 4;
    if (translator->threaded) { /* one word only */
        patch_word(at, word_i((uint32_t)MATCH_addi, X0, X0, 0));
        target_sync(translator, CODE_COUNTER, at, at + 4);
        return;
    }
    put_word(at, restore_word(A0, CONTEXT_X(A0)));
    put_word(at + 4, word_jal(X0, loop->fragment->entry - (at + 4)));
    target_sync(translator, CODE_COUNTER, at, at + 8);
}

/* Where there are threads the check is empty, and the jump stands a word later. */
bool target_counter_aim(struct translator *translator, const struct loop *loop,
                        const uint8_t *entry)
{
    uint8_t *at = loop->code + (SW_CHECK + 1) * 4;

    if (opcode_of(get_word(at)) != OPCODE_JAL) {
        at += 4;
    }
    if (!jal_reaches(entry - at)) {
        return false;
    }
    patch_word(at, word_jal(X0, entry - at));
    target_sync(translator, CODE_COUNTER, at, at + 4);
    return true;
}

/* The program's a0 is in its place in the context all the time. */
static void leave_inline(struct context *context, const struct loop *loop, unsigned word,
                         uint16_t *saved)
{
    if (word >= SW_CELL) {
        saved[A0] = CONTEXT_X(A0);
    }
    if (word >= SW_CHECK) {
        sw_counter_take_back(context->translator, loop);
    }
}

/* In the words of write_table: the first after which a register is saved, or something is done. */
enum { SAVES_WORD = 1, RESET_WORD = 10, ADDS_WORD = 15, COUNTED_WORD = 18 };

static void note_saved(unsigned word, uint16_t *saved)
{
    for (unsigned i = 0; i < 4 && word > SAVES_WORD + i; i++) {
        saved[A0 + i] = (uint16_t)(CONTEXT_SPARE + 8 * i);
    }
}

static void leave_paper(struct context *context, const struct loop *loop, unsigned word,
                        uint16_t *saved)
{
    enum { RESUME_COUNTED_WORD = 41 };
    if (word < PAPER_RESUME) {
        note_saved(word, saved);
    }
    if (word == PAPER_INDIRECT || (word >= PAPER_RESUME && word < PAPER_RESUME + 8)) {
        saved[A0] = CONTEXT_X(A0);
    }
    if (word > PAPER_RESUME && word <= RESUME_COUNTED_WORD) {
        saved[A1] = CONTEXT_SPARE + 8;
    }
    if ((word >= COUNTED_WORD && word < PAPER_RESUME) || word >= RESUME_COUNTED_WORD) {
        paper_counter_take_back(context->translator, loop);
    }
}

/* The branch has been taken and will not be taken again: what is left of counting it is done here. */
static void leave_taken(const struct context *context, struct loop *loop, unsigned word,
                        uint16_t *saved)
{
    enum paper_progress progress = PAPER_BEGUN;

    note_saved(word, saved);
    if (word >= COUNTED_WORD) {
        progress = PAPER_COUNTED;
    } else if (word >= ADDS_WORD) {
        progress = PAPER_SLOT_TAKEN;
    } else if (word > RESET_WORD) {
        progress = PAPER_RESET_NOTED;
    }
    paper_counter_finish(context->translator, loop, progress);
}

bool counter_leave(struct context *context, const uint8_t *code, uint16_t *saved)
{
    const struct translator *translator = context->translator;
    const struct placed counter = counter_code_find(translator, code);
    struct loop *loop = counter.loop;
    if (loop == NULL) {
        return false;
    }
    const unsigned word = (unsigned)(code - counter.code) / 4;
    switch (translator->options.counters) {
    case COUNTERS_SW_PAPER:
        leave_paper(context, loop, word, saved);
        break;
    case COUNTERS_SW_PAPER_TAKEN:
        leave_taken(context, loop, word, saved);
        break;
    default:
        leave_inline(context, loop, word, saved);
    }
    context->target = loop->head;
    return true;
}

void counter_interrupt(struct context *context, const uint8_t *code)
{
    const struct translator *translator = context->translator;
    const struct fragment *fragment = index_find(&translator->index, context->target);
    if (fragment == NULL) {
        return;
    }
    const uint8_t *counted = fragment->trace != NULL ? fragment->trace->landing : fragment->entry;
    if (counted != code || fragment->landing == counted) {
        return; /* it is not behind its counter, or none stands in front */
    }
    if (translator->options.counters == COUNTERS_SW_PAPER) {
        paper_counter_take_back(translator, fragment->loop);
    } else {
        sw_counter_take_back(translator, fragment->loop);
    }
}
