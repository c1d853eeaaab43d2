/* The code that makes a hardware counter, once, and then takes itself out of the way.
 *
 * docs/counters.md has it instruction by instruction, beside what the paper says of its own. */
#include "translator/rv64/emit.h"

#include "base/check.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/xstrata_abi.h"
#include "isa/rv64/xstrata_asm.h"

void target_hw_new(const uint8_t *tag, uint64_t threshold)
{
    const uint64_t usual = xstrata_csr_read(ctrthresh);
    if (threshold == 0) {
        xstrata_ctr_new((uintptr_t)tag, 0);
        return;
    }
    xstrata_csr_write(ctrthresh, threshold);
    xstrata_ctr_new((uintptr_t)tag, (uintptr_t)target_callback);
    xstrata_csr_write(ctrthresh, usual);
}

uint64_t target_hw_read(const uint8_t *tag)
{
    return xstrata_ctr_read((uintptr_t)tag);
}

bool target_hw_has_times(void)
{
    return (xstrata_csr_read(strfeat) & (uint64_t)XSTRATA_TIMES) != 0;
}

static uint64_t read_time(const uint8_t *tag, uint64_t which)
{
    const uint64_t time = xstrata_ctr_time((uintptr_t)tag, which);

    return time != UINT64_MAX ? time : 0;
}

uint64_t target_hw_cycles(const uint8_t *tag)
{
    return read_time(tag, XSTRATA_TIME_CYCLES);
}

struct target_times target_hw_times(const uint8_t *tag)
{
    return (struct target_times){.retired = read_time(tag, XSTRATA_TIME_RETIRED),
                                 .cycles = read_time(tag, XSTRATA_TIME_CYCLES),
                                 .misses = read_time(tag, XSTRATA_TIME_MISSES),
                                 .miss_cycles = read_time(tag, XSTRATA_TIME_MISS_CYCLES)};
}

/* By its opcode, so that few have to be decoded: LOAD and LOAD-FP, and what these have of half the size. */
static bool may_load(uint16_t half)
{
    const unsigned kind = half >> 13;

    return (half & 3) == 3 ? (half & 0x7b) == 0x03 : (half & 1) == 0 && kind >= 1 && kind <= 3;
}

/* What the translator loads itself is in the context, or found by gp. */
const uint8_t *target_behind(const uint8_t *code, bool *loads)
{
    uint16_t halves[2];
    struct rv64_insn insn;

    __builtin_memcpy(halves, code, sizeof halves);
    const bool whole = (halves[0] & 3) == 3;
    *loads = false;
    if (may_load(halves[0])) {
        rv64_decode((uint32_t)halves[1] << 16 | halves[0], &insn);
        *loads = (rv64_row(insn.op)->flags & INSN_LOAD) != 0 && insn.rs1 != TP && insn.rs1 != GP &&
                 insn.rd != GP;
    }
    return code + (whole ? 4 : 2);
}

void target_hw_leave(const uint8_t *way)
{
    xstrata_csr_write(ctrepc, way != NULL ? (uintptr_t)way : (uintptr_t)target_hot);
}

bool target_hw_unlimited(void)
{
    return xstrata_csr_read(ctrentries) == 0;
}

void target_hw_drop(const uint8_t *tag)
{
    xstrata_ctr_drop((uintptr_t)tag);
}

bool target_hw_tell(void)
{
    const bool tells = (xstrata_csr_read(strfeat) & (uint64_t)XSTRATA_EVICTIONS) != 0;

    if (tells) {
        xstrata_csr_write(ctrevict, (uintptr_t)target_evicted);
    }
    return tells;
}

uint64_t target_hw_gone(void)
{
    return xstrata_csr_read(ctrgone);
}

bool target_found_exists(void)
{
    return (xstrata_csr_read(strfeat) & (uint64_t)XSTRATA_FINDS) != 0;
}

void target_found_look(const uint8_t *low, const uint8_t *high, bool only_told)
{
    xstrata_csr_write(hotlow, (uintptr_t)low);
    xstrata_csr_write(hothigh, (uintptr_t)high);
    xstrata_csr_write(hotmode, only_told);
    xstrata_csr_write(hotcall, (uintptr_t)target_found);
}

void target_found_watch(const uint8_t *head)
{
    xstrata_hot_watch((uintptr_t)head);
}

uint64_t target_found_word(uint64_t number)
{
    return xstrata_hot_read(number);
}

/* What makes a counter, with zeros where it depends on the place.  One jump gets
 * over the callback, and leaves its address in a1, from which the literals are
 * found, too.  The store is in reach of the entry or needs an auipc of its own. */
enum {
    OVER_WORD = 2,
    CALLBACK_WORD = 3,
    NEW_WORD = 7,
    PATCH_WORD = 9, /* the store; or an auipc, and all that follows one word later */
    JUMP_WORD = 13,
    STRAIGHT_WORD = 15, /* the patched word */
    ENTRY_WORD = 16,    /* the fragment's tag, in two words */
    NEW_COUNTER_WORDS = 18,
};
#define FROM_CALLBACK(word) (((word)-CALLBACK_WORD) * 4)
#define JAL_SHORT(rd, offset) ((uint32_t)MATCH_jal | (rd) << 7 | (uint32_t)(offset) << 20)

static _Alignas(8) const uint32_t new_counter[JUMP_WORD + 1] = {
    WORD_S(MATCH_sd, TP, A0, CONTEXT_SPARE),
    WORD_S(MATCH_sd, TP, A1, CONTEXT_SPARE + 8),
    JAL_SHORT(A1, (CALLBACK_WORD + 3 - OVER_WORD) * 4), /* over the callback, which is taken */
    WORD_S(MATCH_sd, TP, A0, CONTEXT_X(A0)),            /* at the threshold */
    WORD_I(MATCH_ld, A0, TP, CONTEXT_CALLBACK),
    WORD_I(MATCH_jalr, X0, A0, 0),
    WORD_I(MATCH_ld, A0, A1, FROM_CALLBACK(ENTRY_WORD)),
    (uint32_t)MATCH_ctr_new | A0 << 15, /* with a callback in a1, unless of a hot loop */
    WORD_I(MATCH_lw, A1, A1, FROM_CALLBACK(STRAIGHT_WORD)),
    WORD_S(MATCH_sw, A0, A1, 0),
    (uint32_t)MATCH_fence_i, /* ic.sync would need its length in a register */
    WORD_I(MATCH_ld, A0, TP, CONTEXT_SPARE),
    WORD_I(MATCH_ld, A1, TP, CONTEXT_SPARE + 8),
    0, /* jal: to the entry */
};

/* The store is out of the tag's reach. */
SELDOM static void write_far_patch(uint32_t *code, const uint8_t *patched, const uint8_t *landing)
{
    const int64_t distance = patched - (const uint8_t *)(code + PATCH_WORD);
    const int32_t offset = low_part(distance);
    __builtin_memmove(code + PATCH_WORD + 1, code + PATCH_WORD,
                      (JUMP_WORD - PATCH_WORD) * sizeof *code);
    code[PATCH_WORD] = word_u((uint32_t)MATCH_auipc, A0, (int32_t)(distance - offset));
    code[PATCH_WORD + 1] |= word_s(0, 0, 0, offset);
    code[JUMP_WORD + 1] = word_jal(X0, landing - (const uint8_t *)(code + JUMP_WORD + 1));
}

/* Patches the exit, restores the registers and goes to the landing: from PATCH_WORD on. */
static void write_patch(uint32_t *code, const uint8_t *patched, const uint8_t *tag,
                        const uint8_t *landing)
{
    const int64_t offset = patched - tag;
    if (UNLIKELY(offset != low_part(offset))) {
        write_far_patch(code, patched, landing);
        return;
    }
    code[PATCH_WORD] |= word_s(0, 0, 0, (int32_t)offset);
    code[JUMP_WORD] = word_jal(X0, landing - (const uint8_t *)(code + JUMP_WORD));
}

bool target_hw_link(struct translator *translator, struct exit *exit, const struct fragment *to)
{
    const size_t bytes = NEW_COUNTER_WORDS * sizeof(uint32_t);
    struct cache *cache = &translator->cache;
    struct target_site *site = &exit->site;
    uint8_t *place = cache->trampolines - bytes;
    place -= (uintptr_t)place & 7;
    /* Trampolines stand behind all that is linked: if they reach it, it reaches them. */
    const uint64_t reach = JAL_REACH - NEW_COUNTER_WORDS * sizeof(uint32_t);
    if (place < cache->fragments || (uint64_t)(place - site->jump) >= reach ||
        (uint64_t)(place - to->landing) >= reach) {
        return false;
    }
    place = cache_add_trampoline(cache, bytes);
    uint32_t *code = __builtin_assume_aligned(place, 8);
    __builtin_memcpy(code, new_counter, sizeof new_counter);
    const struct site_word straight = site_straight(site, to->landing);
    if (count_threshold(translator, to->loop) != 0) {
        code[NEW_WORD] |= A1 << 20;
    }
    write_patch(code, straight.at, fragment_tag(to), to->landing);
    code[STRAIGHT_WORD] = straight.word;
    *(const uint8_t **)(void *)(code + ENTRY_WORD) = fragment_tag(to);
    target_sync(translator, CODE_COUNTER, place, place + bytes);
    patch_word(site->jump, word_jal(X0, place - site->jump));
    target_sync(translator, CODE_FRAGMENT, site->jump, site->jump + sizeof(uint32_t));
    site->maker = place;
    return true;
}

bool target_hw_linked(const struct exit *exit)
{
    const struct target_site *site = &exit->site;

    if (site->branch != NULL && (get_word(site->branch) & BRANCH_OFFSET_MASK) !=
                                    branch_offset_bits(site->jump - site->branch)) {
        return true;
    }
    return get_word(site->jump) != word_jal(X0, site->maker - site->jump);
}
