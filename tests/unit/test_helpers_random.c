/* Tests that the account of slices adds up, whatever they are and whatever threads come to their contexts. */
#include "helpers_rig.h"

static uint32_t random_state;

static uint32_t random_below(uint32_t bound)
{
    random_state = random_state * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(random_state >> 8) * bound >> 24);
}

#define FIRST_REGISTER 5
#define RANDOM_REGISTERS 8

static unsigned random_register(void)
{
    return FIRST_REGISTER + random_below(RANDOM_REGISTERS);
}

static guest_addr random_address(void)
{
    /* Few lines, so that slices and threads meet. */
    return DATA + random_below(8) * NODE_BYTES + random_below(8) * 61;
}

static struct slice random_slice(void)
{
    struct slice slice = {.trigger = TRIGGER,
                          .kind = random_below(2) ? SLICE_CHAINING : SLICE_BASIC,
                          .length = (uint16_t)(1 + random_below(10)),
                          .unroll = (uint16_t)(1 + random_below(3)),
                          .throttle = (uint16_t)random_below(6)};
    for (unsigned i = 0; i < slice.length; i++) {
        const bool load = i + 1 == slice.length || random_below(2);
        const int64_t offset = (int64_t)random_below(2048) - 512;
        const unsigned to = random_register(), from = random_register();
        slice.instructions[i] =
            (struct slice_instruction){.pc = load ? TARGET : CODE + 8,
                                       .word = word(load ? RV64_ld : RV64_addi, to, from, offset),
                                       .delinquent = load};
    }
    const bool guarded = slice.length > 1 && random_below(3) == 0;
    slice.prologue = (uint16_t)random_below(slice.length);
    if (guarded || (slice.kind == SLICE_CHAINING && slice.prologue == 0)) {
        slice.prologue = slice.length > 1 ? slice.length - 1 : 1;
    }
    if (guarded) {
        slice.guard = SLICE_GUARD_TAKEN;
        slice.instructions[slice.prologue - 1] = (struct slice_instruction){
            .pc = CODE + 8, .word = word(RV64_bne, 0, random_register(), 8)};
    }
    slice.live_ins = slice_reads(slice.instructions, slice.length);
    assert_null(slice_check(&slice));
    return slice;
}

/* A thread executes a little on the context: so many instructions. */
static uint64_t random_thread(unsigned context)
{
    uint64_t given = 0;
    pipeline_set_active(pipeline, context, true);
    for (unsigned count = random_below(6); count > 0; count--) {
        for (unsigned i = 0; i < RANDOM_REGISTERS; i++) {
            hart.x[FIRST_REGISTER + i] = random_below(16) ? random_address() : random_state;
        }
        if (random_below(2)) {
            trigger_on(context);
            given++;
        }
        given++;
        give_to(context, random_below(2) ? TARGET : CODE + 12,
                word(RV64_ld, VALUE, random_register(), 0), random_address());
    }
    pipeline_set_active(pipeline, context, random_below(4) == 0);
    switch (random_below(4)) {
    case 0: /* slices go on beside the next */
        break;
    case 1:
        pipeline_drain(pipeline);
        break;
    default:
        pipeline_run_to(pipeline, context, pipeline->contexts[context].statistics.instructions + 2);
    }
    return given;
}

static void ledger_adds_up(const struct slice_account *account)
{
    const struct slice_ledger *l = &account->ledger;
    const uint64_t ran = l->started + l->chained, asked = l->started + l->no_context;
    assert_int_equal(l->loads, l->redundant + l->lines);
    assert_true(l->timely + l->late + l->evicted <= l->lines);
    assert_true(l->loads <= l->instructions);
    assert_true(asked <= l->triggers);
    assert_true(account->chaining || account->removed || asked == l->triggers);
    assert_true(account->chaining || l->chained + l->throttled + l->overtaken == 0);
    assert_true(l->overtaken <= asked);
    assert_true(l->guarded + l->faulted <= ran);
    assert_true(l->cut_short <= ran);
    assert_true(l->throttled <= ran);
    assert_true(l->started > 0 || l->chained == 0);
}

/* Lines of slices that nobody has used so far. */
static uint64_t lines_in_the_cache(void)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < pipeline->parameters.l1d_bytes / pipeline->parameters.l1d_line; i++) {
        count += pipeline->l1d.lines[i].slice != 0;
    }
    return count;
}

static void account_of_random_slices_adds_up(void **state)
{
    (void)state;
    uint64_t started = 0, chained = 0, faulted = 0, guarded = 0, cut_short = 0, removed = 0;
    for (unsigned seed = 1; seed <= 60; seed++) {
        struct slice_account account;
        uint64_t given = 0, retired = 0, executed = 0, dropped = 0, unused = 0;
        random_state = seed;
        assert_int_equal(create_with(2 + random_below(4)), 0);
        for (unsigned i = random_below(5); i < 5; i++) {
            const struct slice slice = random_slice();
            assert_int_not_equal(helpers_add(helpers, &slice, 0), 0);
        }
        for (unsigned i = 0; i < 60; i++) {
            given += random_thread(random_below((uint32_t)pipeline->context_count));
            if (random_below(40) == 0 && helpers_account(helpers, 1, &account) &&
                !account.removed) {
                helpers_remove(helpers, 1);
            }
        }
        pipeline_drain(pipeline);
        run_to_the_end();
        for (unsigned i = 0; i < pipeline->context_count; i++) {
            assert_true(helpers_context_free(pipeline, i));
            retired += pipeline->contexts[i].statistics.helper_instructions;
            given -= pipeline->contexts[i].statistics.instructions;
        }
        assert_int_equal(given, 0);
        for (unsigned i = 1; helpers_account(helpers, i, &account); i++) {
            ledger_adds_up(&account);
            const struct slice_ledger *l = &account.ledger;
            executed += l->instructions;
            dropped += l->cut_short;
            unused += l->lines - l->timely - l->late - l->evicted;
            started += l->started;
            chained += l->chained;
            faulted += l->faulted;
            guarded += l->guarded;
            removed += account.removed;
        }
        cut_short += dropped;
        assert_true(dropped == 0 ? retired == executed : retired < executed);
        assert_int_equal(unused, lines_in_the_cache());
        destroy(NULL);
    }
    /* All of it happened. */
    assert_true(started > 0 && chained > 0 && faulted > 0 && guarded > 0 && cut_short > 0);
    assert_true(removed > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(account_of_random_slices_adds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
