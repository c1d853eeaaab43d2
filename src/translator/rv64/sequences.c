/* Sequences of RV64 instructions: constants, and the ways out of a fragment. */
#include "translator/rv64/rv64.h"

#include "base/check.h"

/* The low 12 bits as an instruction adds them, sign-extended. */
static int32_t low_part(int64_t value)
{
    return (int32_t)((uint32_t)value << 20) >> 20;
}

void emit_constant(struct builder *builder, unsigned rd, uint64_t value)
{
    const int64_t wanted = (int64_t)value;
    const int32_t low = low_part(wanted);
    if (wanted == (int32_t)wanted) {
        if (wanted == low) {
            emit_word(builder, word_i((uint32_t)MATCH_addi, rd, X0, low));
            return;
        }
        emit_word(builder, word_u((uint32_t)MATCH_lui, rd, (int32_t)(uint32_t)(wanted - low)));
        if (low != 0) {
            emit_word(builder, word_i((uint32_t)MATCH_addiw, rd, rd, low));
        }
        return;
    }
    /* Too large for an immediate: it stands among the trampolines. */
    uint8_t *literal = cache_add_trampoline(&builder->translator->cache, sizeof value);
    *(uint64_t *)(void *)literal = value;
    const int64_t offset = literal - builder->at;
    const int32_t rest = low_part(offset);
    emit_word(builder, word_u((uint32_t)MATCH_auipc, rd, (int32_t)(offset - rest)));
    emit_word(builder, word_i((uint32_t)MATCH_ld, rd, rd, rest));
}

void emit_register_constant(struct builder *builder, unsigned rd, uint64_t value)
{
    if (rd == X0) {
        return;
    }
    if (rd != TP) {
        emit_constant(builder, rd, value);
        return;
    }
    emit_save(builder, A0, CONTEXT_SPARE);
    emit_constant(builder, A0, value);
    emit_save(builder, A0, CONTEXT_X(TP));
    emit_restore(builder, A0, CONTEXT_SPARE);
}

void emit_address(struct builder *builder, unsigned rd, const uint8_t *code)
{
    const int64_t offset = code - builder->at;
    const int32_t low = low_part(offset);

    emit_word(builder, word_u((uint32_t)MATCH_auipc, rd, (int32_t)(offset - low)));
    emit_word(builder, word_i((uint32_t)MATCH_addi, rd, rd, low));
}

void emit_return_address(struct builder *builder, unsigned rd, guest_addr after)
{
    if (rd == RA && builder->translator->options.returns == RETURNS_FAST) {
        emit_fast_link(builder, after);
    } else {
        emit_register_constant(builder, rd, after);
    }
}

void emit_far_jump(struct builder *builder, const uint8_t *to)
{
    const int64_t offset = to - builder->at;
    const int32_t low = low_part(offset);

    if (jal_reaches(offset)) {
        emit_word(builder, word_jal(X0, offset));
        return;
    }
    emit_word(builder, word_u((uint32_t)MATCH_auipc, A0, (int32_t)(offset - low)));
    emit_word(builder, word_i((uint32_t)MATCH_jalr, X0, A0, low));
}

/* Saves a0, which then leads target_leave to the exit's address. */
struct trampoline {
    uint32_t words[4]; /* the last is not used: the address stands aligned */
    struct exit *exit;
};

_Static_assert(sizeof(struct trampoline) == TRAMPOLINE_BYTES, "link.c depends on it");

__attribute__((always_inline)) static inline struct exit *
add_exit(struct builder *builder, enum exit_kind kind, guest_addr target, uint8_t *branch)
{
    struct translator *translator = builder->translator;
    struct exit *exit = pool_take(translator, sizeof *exit);
    uint8_t *place = cache_add_trampoline(&translator->cache,
                                          TRAMPOLINE_BYTES +
                                              (UNLIKELY(translator->threaded) ? FAR_WAY_BYTES : 0));
    *(struct trampoline *)(void *)place =
        (struct trampoline){.words = {word_s((uint32_t)MATCH_sd, TP, A0, CONTEXT_X(A0)),
                                      word_i((uint32_t)MATCH_ld, A0, TP, CONTEXT_LEAVE),
                                      word_i((uint32_t)MATCH_jalr, A0, A0, 0), 0},
                            .exit = exit};
    *exit = (struct exit){
        .kind = kind, .target = target, .site = builder->at, .trampoline = place, .branch = branch};
    emit_word(builder, word_jal(X0, place - builder->at));
    return exit;
}
_Static_assert(CACHE_CHUNK_BYTES <= 1 << 20, "each trampoline is in reach of a jump");

struct exit *emit_leave(struct builder *builder, enum exit_kind kind, guest_addr target)
{
    return add_exit(builder, kind, target, NULL);
}

/* What to link the exit with at once, or NULL. */
static struct fragment *prepare_link(const struct builder *builder, enum way way, struct exit *exit)
{
    struct translator *translator = builder->translator;
    const struct placement_rule *placement = &translator->placement;
    const guest_addr target = exit->target;
    struct fragment *to = NULL;
    if (LIKELY(translator->options.link)) {
        to = link_later(translator, exit);
    }
    if (placement_wants(placement, way, builder->from, target)) {
        exit->counts = !placement->built || find_fragment(translator, target) != NULL;
    }
    return to;
}

void emit_exit(struct builder *builder, enum way way, guest_addr target, uint8_t *branch)
{
    struct exit *exit = add_exit(builder, EXIT_DIRECT, target, branch);
    struct fragment *to = prepare_link(builder, way, exit);
    if (to != NULL) {
        link_now(builder->translator, exit, to, NULL, NULL);
    }
}

void emit_branch(struct builder *builder, uint32_t word, guest_addr taken, guest_addr not_taken)
{
    const bool backward = placement_closes_loop(builder->from, taken);
    uint8_t *branch = builder->at;
    emit_word(builder, (backward ? word : word ^ BRANCH_OPPOSITE) | branch_offset_bits(8));
    struct exit *first = add_exit(builder, EXIT_DIRECT, backward ? not_taken : taken, NULL);
    struct exit *second = add_exit(builder, EXIT_DIRECT, backward ? taken : not_taken, branch);
    struct fragment *to = prepare_link(builder, backward ? WAY_ON : WAY_BRANCH, first);
    struct fragment *to_second = prepare_link(builder, backward ? WAY_BRANCH : WAY_ON, second);
    if (to != NULL || to_second != NULL) {
        link_now(builder->translator, first, to, second, to_second);
    }
}
