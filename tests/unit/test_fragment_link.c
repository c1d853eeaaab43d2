/* Tests links between fragments: made at once or when the target comes, far ones, cut, undone and made again. */
#include "fragment_rig.h"

#include "translator/fragment/flush.h"
#include "translator/fragment/link.h"

/* Where the exit's jump leads now. */
static const uint8_t *leads_to(const struct exit *exit)
{
    return displacement_get(exit->site.displacement);
}

static bool is_linked(const struct exit *exit, const struct fragment *to)
{
    return exit->to == to && leads_to(exit) == to->landing;
}

static bool waits(const struct exit *exit)
{
    const struct exit *at = index_bucket(&rig.translator->index, exit->target)->waiting;

    while (at != NULL && at != exit) {
        at = at->next;
    }
    return at == exit && exit->to == NULL && leads_to(exit) == exit->site.trampoline;
}

/* A fragment at `start` whose only direct way out leads to `target`. */
static struct fragment *build_to(guest_addr start, guest_addr target)
{
    go(start);
    put_to(TOY_BRANCH32, IF_ZERO, target);
    return rig_build(&rig, start);
}

#define A (CODE + 0x100)
#define B (CODE + 0x200)

/* Of a branch forward, the first exit is the way that is taken. */
static struct exit *taken(const struct fragment *fragment)
{
    const unsigned number = fragment->exits[0].target == fragment->start + 5;

    return &fragment->exits[number];
}

static void an_exit_waits_for_its_target(void **state)
{
    (void)state;
    struct fragment *a = build_to(A, B);
    assert_true(waits(taken(a)));
    struct fragment *b = build_to(B, CODE);
    assert_true(is_linked(taken(a), b));
    assert_ptr_equal(b->incoming, taken(a));
    assert_int_equal(rig.translator->statistics.links, 1);
}

static void an_exit_is_linked_at_once_if_its_target_is_there(void **state)
{
    (void)state;
    struct fragment *b = build_to(B, CODE);
    struct fragment *a = build_to(A, B);
    assert_true(is_linked(taken(a), b));
}

static void a_loop_is_linked_to_itself(void **state)
{
    (void)state;
    struct fragment *a = build_to(A, A);
    assert_true(is_linked(taken(a), a));
    assert_true(waits(&a->exits[0]));
}

static void several_exits_wait_for_one_target(void **state)
{
    struct fragment *from[5];

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        from[i] = build_to(A + i * 16, B);
    }
    struct fragment *b = build_to(B, CODE);
    for (unsigned i = 0; i < 5; i++) {
        assert_true(is_linked(taken(from[i]), b));
    }
}

/* Those of the same bucket that wait for others go on waiting. */
static void exits_that_wait_for_others_are_left_alone(void **state)
{
    const size_t size = rig.translator->index.mask + 1;

    (void)state;
    struct fragment *a = build_to(A, B + size);
    struct fragment *other = build_to(A + 0x40, B);
    build_to(B, CODE);
    assert_true(waits(taken(a)));
    assert_non_null(taken(other)->to);
    struct fragment *b = build_to(B + size, CODE);
    assert_true(is_linked(taken(a), b));
}

static void nothing_is_linked_where_that_is_not_wanted(void **state)
{
    struct options options = rig_options();

    (void)state;
    options.link = false;
    rig_create(&rig, &options);
    struct fragment *a = build_to(A, B);
    build_to(B, A);
    assert_null(taken(a)->to);
    assert_ptr_equal(leads_to(taken(a)), taken(a)->site.trampoline);
    assert_int_equal(rig.translator->statistics.links, 0);
    rig_destroy(&rig);
}

/* A fragment that goes leaves those that led to it waiting for the next. */
static void exits_to_a_fragment_that_goes_wait_again(void **state)
{
    (void)state;
    rig.translator->far_way_bytes = TARGET_FAR_WAY_BYTES;
    struct fragment *a = build_to(A, B);
    struct fragment *b = build_to(B, B);
    flush_cut(rig.translator, b);
    assert_null(rig_find(&rig, B));
    assert_true(waits(taken(a)));
    assert_null(b->incoming);
    flush_fragment(rig.translator, b);
    struct fragment *again = build_to(B, CODE);
    assert_true(is_linked(taken(a), again));
}

/* Exits of a fragment that has gone stay in lists until somebody walks these. */
static void exits_that_have_gone_are_never_linked(void **state)
{
    (void)state;
    rig.translator->far_way_bytes = TARGET_FAR_WAY_BYTES;
    struct fragment *a = build_to(A, B);
    flush_cut(rig.translator, a);
    flush_fragment(rig.translator, a);
    assert_true(taken(a)->dead);
    struct fragment *b = build_to(B, CODE);
    assert_null(taken(a)->to);
    assert_null(b->incoming);
    assert_null(index_bucket(&rig.translator->index, B)->waiting);
}

static void exits_that_have_gone_do_not_come_back_when_their_target_goes(void **state)
{
    (void)state;
    rig.translator->far_way_bytes = TARGET_FAR_WAY_BYTES;
    struct fragment *b = build_to(B, CODE);
    struct fragment *a = build_to(A, B);
    struct fragment *living = build_to(A + 0x40, B);
    flush_cut(rig.translator, a);
    flush_fragment(rig.translator, a);
    flush_cut(rig.translator, b);
    assert_true(waits(taken(living)));
    assert_false(waits(taken(a)));
}

static void links_follow_a_landing_that_moves(void **state)
{
    (void)state;
    struct fragment *a = build_to(A, B);
    struct fragment *b = build_to(B, CODE);
    uint8_t *moved = b->entry + 1; /* as if there were a counter */
    b->landing = moved;
    link_again(rig.translator, b);
    assert_ptr_equal(leads_to(taken(a)), moved);
    b->landing = b->entry;
    link_again(rig.translator, b);
    assert_true(is_linked(taken(a), b));
}

static void all_links_are_undone_and_made_again(void **state)
{
    (void)state;
    rig.translator->far_way_bytes = TARGET_FAR_WAY_BYTES;
    struct fragment *a = build_to(A, B);
    struct fragment *b = build_to(B, A);
    struct fragment *self = build_to(CODE + 0x300, CODE + 0x300);
    const uint64_t links = rig.translator->statistics.links;
    link_undo(rig.translator);
    assert_ptr_equal(leads_to(taken(a)), taken(a)->site.trampoline);
    assert_ptr_equal(leads_to(taken(b)), taken(b)->site.trampoline);
    assert_ptr_equal(leads_to(taken(self)), taken(self)->site.trampoline);
    link_undo(rig.translator); /* again and again, while a thread is in the cache */
    link_redo(rig.translator);
    assert_true(is_linked(taken(a), b));
    assert_true(is_linked(taken(b), a));
    assert_true(is_linked(taken(self), self));
    assert_int_equal(rig.translator->statistics.links, links);
}

static void an_exit_alone_is_linked_or_waits(void **state)
{
    (void)state;
    struct fragment *a = build_to(A, B);
    struct exit *exit = taken(a);
    index_bucket(&rig.translator->index, B)->waiting = exit->next; /* as if it had not been */
    struct fragment *b = build_to(B, CODE);
    assert_null(exit->to);
    link_exit(rig.translator, exit);
    assert_true(is_linked(exit, b));
}

/* Fills chunks of the cache, until a jump from the last does not reach the first. */
static void fill_until_far(const uint8_t *from)
{
    guest_addr at = CODE + 8 * PAGE;

    while (displacement_reaches(from, rig.translator->cache.fragments)) {
        go(at);
        asm_nops(&rig.code, PLAN_INSTRUCTIONS);
        rig_build(&rig, at);
        at += PLAN_INSTRUCTIONS;
    }
}

static void a_target_that_is_far_is_reached_over_the_trampoline(void **state)
{
    (void)state;
    go(A);
    const guest_addr back = put_to(TOY_BRANCH32, IF_ZERO, B);
    put(TOY_HALT, 0, 0, 0);
    go(B);
    put(TOY_DEC, R1, 0, 0);
    put_to(TOY_BRANCH32, IF_OTHER, A);
    put(TOY_HALT, 0, 0, 0);
    struct fragment *a = rig_build(&rig, back);
    fill_until_far(a->entry);
    struct fragment *b = rig_build(&rig, B);
    assert_ptr_equal(taken(a)->to, b);
    assert_ptr_equal(leads_to(taken(a)), taken(a)->site.trampoline); /* which is another now */
    struct toy_insn insn;
    toy_decode(taken(a)->site.trampoline, &insn);
    assert_int_equal(insn.op, TOY_OWN_SAVE);
    rig.threads[0].context->registers.r[R1] = 5;
    const uint64_t dispatches = rig.translator->statistics.dispatches;
    assert_int_equal(rig_run(&rig, B), TOY_HALTED);
    assert_true(rig.translator->statistics.dispatches - dispatches <= 3);
}

static void a_far_way_stands_behind_a_trampoline_that_is_needed_again(void **state)
{
    (void)state;
    rig.translator->far_way_bytes = TARGET_FAR_WAY_BYTES;
    struct fragment *a = build_to(A, B);
    fill_until_far(a->entry);
    struct fragment *b = build_to(B, CODE);
    assert_ptr_equal(taken(a)->to, b);
    assert_ptr_equal(leads_to(taken(a)), taken(a)->site.trampoline + TRAMPOLINE_BYTES);
    flush_cut(rig.translator, b);
    assert_true(waits(taken(a)));
    struct toy_insn insn;
    toy_decode(taken(a)->site.trampoline, &insn);
    assert_int_equal(insn.op, TOY_OWN_LEAVE);
    assert_ptr_equal((struct exit *)(uintptr_t)insn.imm, taken(a));
}

static void linked_code_leaves_the_cache_no_more(void **state)
{
    (void)state;
    put(TOY_CONST32, R1, 0, 1000);
    const guest_addr loop = put(TOY_DEC, R1, 0, 0);
    const guest_addr out = put(TOY_BRANCH8, IF_NEGATIVE, 0, 0);
    put(TOY_INC, R2, 0, 0);
    put_to(TOY_JUMP8, 0, loop);
    asm_send(out, here());
    put(TOY_HALT, 0, 0, 0);
    assert_int_equal(rig_run(&rig, CODE), TOY_HALTED);
    assert_int_equal(reg(R2), 1000);
    assert_true(rig.translator->statistics.dispatches < 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_exit_waits_for_its_target),
        TEST(an_exit_is_linked_at_once_if_its_target_is_there),
        TEST(a_loop_is_linked_to_itself),
        TEST(several_exits_wait_for_one_target),
        TEST(exits_that_wait_for_others_are_left_alone),
        TEST_ALONE(nothing_is_linked_where_that_is_not_wanted),
        TEST(exits_to_a_fragment_that_goes_wait_again),
        TEST(exits_that_have_gone_are_never_linked),
        TEST(exits_that_have_gone_do_not_come_back_when_their_target_goes),
        TEST(links_follow_a_landing_that_moves),
        TEST(all_links_are_undone_and_made_again),
        TEST(an_exit_alone_is_linked_or_waits),
        TEST(a_target_that_is_far_is_reached_over_the_trampoline),
        TEST(a_far_way_stands_behind_a_trampoline_that_is_needed_again),
        TEST(linked_code_leaves_the_cache_no_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
