/* Sequences of RV64 instructions: constants, and the ways out of a fragment. */
#include "translator/rv64/rv64.h"

#include "base/check.h"

/* The low 12 bits as an instruction adds them, sign-extended. */
static int32_t low_part(int64_t value)
{
    return (int32_t)((uint32_t)value << 20) >> 20;
}

__attribute__((always_inline)) static inline void write_constant(struct builder *builder,
                                                                 unsigned rd, uint64_t value)
{
    const int64_t wanted = (int64_t)value;
    const int32_t low = low_part(wanted);
    uint8_t *at = builder->at;
    builder->at = at + 8;
    if (wanted == (int32_t)wanted) {
        if (UNLIKELY(wanted == low)) {
            put_word(at, word_i((uint32_t)MATCH_addi, rd, X0, low));
            builder->at = at + 4;
            return;
        }
        put_word(at, word_u((uint32_t)MATCH_lui, rd, (int32_t)(uint32_t)(wanted - low)));
        if (UNLIKELY(low == 0)) {
            builder->at = at + 4;
        } else {
            put_word(at + 4, word_i((uint32_t)MATCH_addiw, rd, rd, low));
        }
        return;
    }
    /* Too large for an immediate: it stands among the trampolines. */
    uint8_t *literal = cache_add_trampoline(&builder->translator->cache, sizeof value);
    *(uint64_t *)(void *)literal = value;
    const int64_t offset = literal - at;
    const int32_t rest = low_part(offset);
    put_word(at, word_u((uint32_t)MATCH_auipc, rd, (int32_t)(offset - rest)));
    put_word(at + 4, word_i((uint32_t)MATCH_ld, rd, rd, rest));
}

void emit_constant(struct builder *builder, unsigned rd, uint64_t value)
{
    write_constant(builder, rd, value);
}

struct fragment *emit_constant_and_go(struct builder *builder, unsigned rd, uint64_t value,
                                      unsigned bytes)
{
    write_constant(builder, rd, value);
    return go_straight(builder, bytes);
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
    uint8_t *place =
        cache_add_trampoline(&translator->cache, TRAMPOLINE_BYTES) - translator->far_way_bytes;
    translator->cache.trampolines = place;
    *(struct trampoline *)(void *)place =
        (struct trampoline){.words = {word_s((uint32_t)MATCH_sd, TP, A0, CONTEXT_X(A0)),
                                      word_i((uint32_t)MATCH_ld, A0, TP, CONTEXT_LEAVE),
                                      word_i((uint32_t)MATCH_jalr, A0, A0, 0), 0},
                            .exit = exit};
    /* Those that are zero are zero already. */
    if (kind != EXIT_DIRECT) {
        exit->kind = kind;
    }
    if (branch != NULL) {
        exit->branch = branch;
    }
    exit->target = target;
    exit->site = builder->at;
    exit->trampoline = place;
    emit_word(builder, word_jal_forward(X0, place - builder->at));
    return exit;
}
_Static_assert(CACHE_CHUNK_BYTES <= 1 << 20, "each trampoline is in reach of a jump");

struct exit *emit_leave(struct builder *builder, enum exit_kind kind, guest_addr target)
{
    return add_exit(builder, kind, target, NULL);
}

static void place_counter(const struct builder *builder, enum way way, struct exit *exit,
                          guest_addr from)
{
    struct translator *translator = builder->translator;
    const struct placement_rule *placement = &translator->placement;
    if (placement_wants(placement, way, from, exit->target)) {
        exit->counts = !placement->built || find_fragment(translator, exit->target) != NULL;
    }
}

void emit_exit(struct builder *builder, enum way way, guest_addr target, uint8_t *branch)
{
    struct translator *translator = builder->translator;
    struct exit *exit = add_exit(builder, EXIT_DIRECT, target, branch);
    place_counter(builder, way, exit, builder->from);
    link_exit(translator, exit);
}

/* Apart, so that a branch whose targets are new needs no stack. */
__attribute__((noinline)) static struct fragment *
end_with_links(struct builder *builder, struct exit *first, struct fragment *to,
               struct exit *second, struct fragment *to_second)
{
    link_now(builder->translator, first, to, second, to_second);
    return build_end(builder);
}

/* The branch goes to the second of the two jumps. */
__attribute__((always_inline)) static inline struct fragment *
emit_ways(struct builder *builder, uint32_t word, guest_addr target, guest_addr branch_target,
          bool backward)
{
    struct translator *translator = builder->translator;
    uint8_t *branch = builder->at;
    emit_word(builder, word | branch_offset_bits(8));
    struct exit *first = add_exit(builder, EXIT_DIRECT, target, NULL);
    struct exit *second = add_exit(builder, EXIT_DIRECT, branch_target, branch);
    place_counter(builder, WAY_BRANCH, backward ? second : first, builder->pc);
    if (LIKELY(translator->options.link)) {
        struct fragment *to = link_later(translator, first);
        struct fragment *to_second = link_later(translator, second);
        if (to != NULL || to_second != NULL) {
            return end_with_links(builder, first, to, second, to_second);
        }
    }
    return build_end(builder);
}

__attribute__((noinline)) static struct fragment *
emit_backward_branch(struct builder *builder, uint32_t word, guest_addr taken, guest_addr not_taken)
{
    return emit_ways(builder, word, not_taken, taken, true);
}

__attribute__((noinline)) static struct fragment *
emit_forward_branch(struct builder *builder, uint32_t word, guest_addr taken, guest_addr not_taken)
{
    return emit_ways(builder, word ^ BRANCH_OPPOSITE, taken, not_taken, false);
}

struct fragment *emit_branch(struct builder *builder, uint32_t word, guest_addr taken,
                             guest_addr not_taken)
{
    return placement_closes_loop(builder->pc, taken)
               ? emit_backward_branch(builder, word, taken, not_taken)
               : emit_forward_branch(builder, word, taken, not_taken);
}
