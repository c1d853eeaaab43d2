/* Runs random programs with random options, in the cache and alone: what they compute must agree, at each
 * instruction, and what was counted with what was executed.
 *
 * The first argument is how many programs, the second the number of the first. */
#include "fragment_rig.h"
#include "random.h"

#include "translator/fragment/lookups.h"
#include "translator/fragment/flush.h"
#include "translator/fragment/outside.h"
#include "translator/fragment/protect.h"

#include <stdio.h>
#include <stdlib.h>

#define PROGRAMS 200

static uint64_t programs = PROGRAMS;
static uint64_t first_program;
static uint64_t traces; /* that were made in all of them */

/* What CALL_OTHERS and those behind it do to the translator, but not to the program. */
enum { FLUSH, TELL_CHANGES, UNMAP, CALLS };

static void disturb(struct rig_thread *thread, struct target_registers *registers, bool alone)
{
    struct translator *translator = thread->rig->translator;
    const uint64_t number = registers->r[R0] - CALL_OTHERS;
    const guest_addr page = CODE + registers->r[R1] % (CODE_BYTES / PAGE - 4) * PAGE;

    if (alone) {
        return;
    }
    if (translator->threaded) {
        outside_leave_cache(thread->context);
    }
    lock_acquire(&translator->lock);
    if (number == FLUSH) {
        flush_all(translator);
    } else if (number == TELL_CHANGES) {
        changes_apply(thread->context);
    } else {
        rig_set_permissions(thread->rig, page, 3 * PAGE, thread->rig->made.pages[0]);
    }
    lock_release(&translator->lock);
}

static struct options choose_options(struct random *random)
{
    struct options options = rig_options();

    options.cache_bytes = (size_t)64 * 1024 << random_below(random, 3);
    options.cache_fixed = random_one_in(random, 2);
    options.link = !random_one_in(random, 6);
    options.follow = !random_one_in(random, 3);
    options.indirect = (enum indirect)random_below(random, 3);
    options.returns = (enum returns)random_below(random, 2);
    options.lookup_bits = LOOKUP_BITS_MIN + (unsigned)random_below(random, 3);
    options.lookup_fixed = random_one_in(random, 2);
    options.counters = (enum counters)(COUNTERS_HW + random_below(random, 6));
    options.placement = (enum placement)random_below(
        random,
        options.counters == COUNTERS_SW_PAPER_TAKEN ? PLACEMENT_PAPER_STRICT + 1 : PLACEMENTS);
    options.code_changes = random_one_in(random, 2) ? CHANGES_TOLD : CHANGES_PROTECT;
    options.threshold = random_below(random, 40);
    if (random_one_in(random, 8)) { /* such a cache must not become full */
        options.returns = RETURNS_FAST;
        options.cache_bytes = 4096 * 1024;
        options.lookup_fixed = true;
        options.code_changes = CHANGES_TOLD;
    }
    options.traces = options.returns != RETURNS_FAST && options.counters != COUNTERS_SW_PAPER &&
                     options.counters != COUNTERS_SW_PAPER_TAKEN && !random_one_in(random, 3);
    if (options.traces && random_one_in(random, 2)) {
        options.threshold = 1 + random_below(random, 3);
    }
    return options;
}

static void expect(const char *what, guest_addr head, uint64_t counted, uint64_t wanted)
{
    if (counted != wanted) {
        rig_fail("%s of %llx: %llu instead of %llu", what, (unsigned long long)head,
                 (unsigned long long)counted, (unsigned long long)wanted);
    }
}

/* What was counted beside what the interpreter saw.  A thread that is on its way into a fragment when this gets
 * its counter is not counted. */
static void check_loop(const struct options *options, guest_addr head, uint64_t executions)
{
    const struct loop_counts counts = rig_loop(&rig, head);
    const uint64_t threshold = options->threshold;
    const bool evicts = options->counters == COUNTERS_HW && rig.counters.evicted != 0;
    const uint64_t slack = (rig.thread_count - 1) * count_get_totals(rig.translator).created;

    if (options->counters == COUNTERS_SW) { /* the last execution was seen without a counter */
        expect("executions", head, counts.executions,
               counts.partial || rig.thread_count > 1 ? counts.executions : executions);
        expect("heat", head, counts.hot, threshold != 0 && counts.executions >= threshold);
    } else if (options->counters != COUNTERS_SW_PAPER &&
               options->counters != COUNTERS_SW_PAPER_TAKEN && !evicts && !counts.partial &&
               !(counts.executions < executions && counts.executions + slack >= executions)) {
        expect("executions", head, counts.executions, executions);
        expect("heat", head, counts.hot, threshold != 0 && executions >= threshold);
    }
}

static void check_counts(void)
{
    const struct options *options = &rig.translator->options;
    const struct count_totals totals = count_get_totals(rig.translator);

    for (unsigned i = 0; i < rig.head_count; i++) {
        check_loop(options, rig.heads[i].head, rig.heads[i].executions);
    }
    /* A thread that is about to make a counter does so, though another made the same, and it was evicted. */
    if (options->counters == COUNTERS_HW && rig.thread_count == 1) {
        expect("made", 0, totals.created, rig.counters.created);
        expect("evicted", 0, totals.evicted, rig.counters.evicted);
        expect("dropped", 0, totals.dropped, rig.counters.dropped);
    }
}

/* Some pages, or all, may be written to unseen. */
static void choose_pages(struct random *random)
{
    const unsigned all = HOST_READ | HOST_WRITE | HOST_EXECUTE;

    if (random_one_in(random, 4)) {
        rig_set_permissions(&rig, CODE, CODE_BYTES,
                            all | (random_one_in(random, 2) ? TOY_SHARED : TOY_FILE));
    }
    for (uint64_t i = random_below(random, 6); i > 0; i--) {
        protect_never(rig.translator, CODE + random_below(random, CODE_BYTES / PAGE) * PAGE);
    }
}

static void run_program(uint64_t number)
{
    struct random random;
    char label[128];

    random_begin(&random, number);
    const struct options options = choose_options(&random);
    const bool fast = options.returns == RETURNS_FAST;
    const unsigned threads =
        fast || !random_one_in(&random, 3) ? 1 : 2 + (unsigned)random_below(&random, 2);
    const unsigned some = 1u << random_below(&random, 8);
    const unsigned entries = options.counters != COUNTERS_HW ? 0
                             : some == 128                   ? TOY_COUNTERS_MAX
                                                             : some;
    const bool protects = options.code_changes == CHANGES_PROTECT;
    const struct random_wishes wishes = {
        .functions = 2 + (unsigned)random_below(&random, random_one_in(&random, 4) ? 88 : 12),
        .block_bytes = 64 + (unsigned)random_below(&random, 1000),
        .instructions = 2000 + random_below(&random, 20000),
        .changes_code = !fast && threads == 1 && random_one_in(&random, 2),
        .silently = protects && random_one_in(&random, 2),
        .stores_near = threads == 1,
        .calls = fast || !random_one_in(&random, 3) ? 0 : CALLS};

    snprintf(label, sizeof label, "program %llu (counters %u, placement %u, threads %u, %s%s%s)",
             (unsigned long long)number, options.counters, options.placement, threads,
             options.link ? "" : "no links, ",
             wishes.changes_code ? (wishes.silently ? "silent changes, " : "changes, ") : "",
             wishes.calls != 0 ? "disturbed" : "");
    rig_create_with_counters(&rig, &options, entries);
    rig.label = label;
    rig.system_call = disturb;
    if (protects) {
        choose_pages(&random);
    }
    const guest_addr start = random_write(&random, &rig, &wishes);
    rig.threads[0].context->registers.r[R5] = DATA;
    if (protects && threads == 1 && random_one_in(&random, 4)) {
        /* The stack is among code. */
        rig.threads[0].context->registers.r[SP] = random_code_end(wishes.functions) + 2048;
    }
    if (threads == 1) {
        assert_int_equal(rig_run(&rig, start), TOY_HALTED);
    } else {
        rig.slice = 1 + random_below(&random, 300);
        rig.threads[0].start = start;
        for (unsigned i = 1; i < threads; i++) {
            rig_add_thread(&rig, start)->context->registers.r[R5] = DATA + i * RANDOM_DATA_BYTES;
        }
        rig_run_threads(&rig);
    }
    check_counts();
    traces += rig.translator->optimizer != NULL ? rig.translator->optimizer->totals.traces : 0;
    rig_destroy(&rig);
}

static void random_programs_do_the_same_in_the_cache(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < programs; i++) {
        run_program(first_program + i);
    }
    if (programs >= PROGRAMS && traces < programs / 10) {
        rig_fail("only %llu traces", (unsigned long long)traces);
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(random_programs_do_the_same_in_the_cache),
    };

    programs = count > 1 ? strtoull(arguments[1], NULL, 0) : PROGRAMS;
    first_program = count > 2 ? strtoull(arguments[2], NULL, 0) : 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
