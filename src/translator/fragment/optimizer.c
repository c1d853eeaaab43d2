/* Begins and ends what is known of hot loops. */
#include "translator/fragment/optimizer.h"

#include "translator/fragment/ahead.h"
#include "translator/fragment/ledger.h"
#include "translator/fragment/recorder.h"
#include "translator/fragment/threshold.h"
#include "translator/fragment/translator.h"

void optimizer_choose(struct options *options, bool has_hardware)
{
    const bool counts = has_hardware && options->threshold != 0 &&
                        (options->counters == COUNTERS_AUTO || options->counters == COUNTERS_HW);

    if (!options->opt_given) {
        options->traces = counts && options->link && options->returns != RETURNS_FAST;
        options->passes = options->traces ? PASSES_ALL : 0;
    }
    if (options->threshold_rule != NULL &&
        (!options->traces || options->counters == COUNTERS_OFF)) {
        host_fail(STATUS_FAILED, "--threshold ", options->threshold_name,
                  " is when a trace is made: it goes with --opt traces", NULL);
    }
}

/* Until it is known, passes are taken to leave out a tenth. */
#define PASSED_BEFORE 1000
#define LEFT_OUT_BEFORE 100

void optimizer_start(struct translator *translator)
{
    if (!translator->options.traces || translator->counts == NULL) {
        return;
    }
    if (translator->options.returns == RETURNS_FAST) {
        host_fail(STATUS_FAILED, "--opt traces goes with --ret cache and ib", NULL, NULL, NULL);
    }
    struct optimizer *optimizer = host_map(sizeof *optimizer, false);
    if (optimizer == NULL) {
        host_fail(STATUS_FAILED, "not enough memory for --opt", NULL, NULL, NULL);
    }
    optimizer->recorded =
        (struct index){.buckets = optimizer->buckets, .mask = RECORDED_BUCKETS - 1};
    optimizer->missed.kind = EXIT_RECORD_INDIRECT;
    optimizer->began = target_clock(translator);
    optimizer->passed = PASSED_BEFORE;
    optimizer->left_out = LEFT_OUT_BEFORE;
    translator->optimizer = optimizer;
}

static void look(struct translator *translator, uint64_t elapsed)
{
    struct optimizer *optimizer = translator->optimizer;
    const struct ledger_sum sum = ledger_sum(translator);

    optimizer->gain = sum.gain > 0 ? sum.gain : 0; /* traces that lose are undone */
    optimizer->heads = sum.heads;
    optimizer->looked = elapsed;
}

/* Whether what a trace of the loop costs stays within --max-loss, or traces have brought more. */
static bool can_spend(struct translator *translator, const struct loop *loop)
{
    struct optimizer *optimizer = translator->optimizer;
    const uint64_t elapsed = target_clock(translator) - optimizer->began;
    const uint64_t loss = translator->options.max_loss;
    const uint64_t next = translator->has_hardware ? TRACE_COST
                          : optimizer->totals.traces != 0
                              ? optimizer->spent / optimizer->totals.traces
                              : 0;

    if (loss >= 100) {
        return true;
    }
    if (translator->options.threshold_rule == NULL && loop->patience < TRACE_EXECUTIONS) {
        return false;
    }
    /* Half of it: the rest is for what is not seen here, such as counters, and traces that do not pay. */
    const int64_t wanted =
        (int64_t)(optimizer->spent - optimizer->tried + next) - (int64_t)(elapsed / 200 * loss);
    if (wanted > optimizer->gain && elapsed - optimizer->looked > elapsed / 16) {
        look(translator, elapsed);
    }
    return wanted <= optimizer->gain;
}

/* The part of --max-loss that may go into questions that are answered with no. */
#define ASKED_PART 4

bool optimizer_may_ask(const struct translator *translator)
{
    const struct optimizer *optimizer = translator->optimizer;
    const uint64_t elapsed = target_clock(translator) - optimizer->began;
    const uint64_t loss = translator->options.max_loss;

    return loss >= 100 || optimizer->asked <= elapsed / (UINT64_C(100) * ASKED_PART) * loss;
}

bool optimizer_may_change(const struct translator *translator, guest_addr pc)
{
    const struct code_range *vdso = &translator->vdso;

    return pc - vdso->start >= vdso->end - vdso->start;
}

/* A loop that must wait calls again after so many times as many executions. */
#define PATIENCE_GROWTH 4

/* How many executions the loop must wait because the rule of --threshold asks for more of it; 0: no longer. */
static uint64_t needs_more(const struct translator *translator, const struct fragment *fragment,
                           bool counted)
{
    threshold_rule *rule = translator->options.threshold_rule;
    struct loop *loop = fragment->loop;

    if (rule == NULL) {
        return 0;
    }
    const uint64_t executions =
        translator->counts->kind->read(translator, loop).executions + !counted;
    const guest_addr next = fragment->exit_count != 0 ? fragment->exits[0].target : 0;
    loop->needs = rule(translator, loop, target_way_length(fragment, next, NULL));
    /* Of these the first is the one that it is asked at. */
    return executions >= loop->needs ? 0 : loop->needs - executions + 1;
}

void optimizer_leave_plain(struct translator *translator, struct loop *loop, bool counted)
{
    loop->profiled = true;
    translator->counts->kind->calm(translator, loop);
    if (counted) {
        translator->counts->kind->uncount(translator, loop);
    }
}

/* How many executions the loop must wait; 0: none. */
static uint64_t must_wait(struct translator *translator, const struct fragment *fragment,
                          bool counted)
{
    struct loop *loop = fragment->loop;
    const uint64_t more = needs_more(translator, fragment, counted);

    if (more != 0 || can_spend(translator, loop)) {
        return more;
    }
    loop->patience =
        loop->patience < TRACE_EXECUTIONS ? TRACE_EXECUTIONS : loop->patience * PATIENCE_GROWTH;
    return loop->patience;
}

bool optimizer_allows(struct translator *translator, const struct fragment *fragment, bool counted)
{
    const struct counter_kind *kind = translator->counts->kind;
    struct loop *loop = fragment->loop;

    if (!optimizer_may_change(translator, loop->head)) {
        optimizer_leave_plain(translator, loop, counted);
        return false;
    }
    const uint64_t wait = must_wait(translator, fragment, counted);
    if (wait == 0) {
        return true;
    }
    if (counted) {
        kind->uncount(translator, loop);
    }
    /* By then it may have changed what it needs, or what may be spent. */
    loop->profiled = false;
    kind->again(translator, loop, wait);
    translator->optimizer->totals.postponed++;
    return false;
}

const struct log *optimizer_find_log(const struct optimizer *optimizer, const uint8_t *code)
{
    if (optimizer == NULL) {
        return NULL;
    }
    const struct log *log = __atomic_load_n(&optimizer->logs, __ATOMIC_ACQUIRE);

    while (log != NULL && (code < log->start || code >= log->end)) {
        log = log->next;
    }
    return log;
}

/* It is complete: a signal may look for it at once. */
void optimizer_add_log(struct optimizer *optimizer, struct log *log)
{
    log->next = optimizer->logs;
    __atomic_store_n(&optimizer->logs, log, __ATOMIC_RELEASE);
}

void optimizer_spend(struct translator *translator, struct loop *loop, uint64_t cost,
                     uint64_t cycles)
{
    translator->optimizer->spent += cost;
    loop->account.cost += cost;
    loop->account.cost_cycles += cycles;
}

void optimizer_settle(struct translator *translator)
{
    if (translator->optimizer == NULL) {
        return;
    }
    ledger_settle(translator);
    for (unsigned i = 0; i < translator->counts->loop_count; i++) {
        struct trial *trial = translator->counts->loops[i].versions;
        if (trial != NULL) {
            ahead_end(trial);
        }
    }
}

/* A loop may be found hot again, in the fragments to come. */
static void forget_profiles(struct optimizer *optimizer)
{
    for (unsigned i = 0; i < PATH_PROFILES; i++) {
        optimizer->profiles[i].loop = NULL;
    }
}

void optimizer_forget(struct translator *translator)
{
    struct optimizer *optimizer = translator->optimizer;

    if (optimizer == NULL) {
        return;
    }
    for (struct context *at = translator->threads; at != NULL; at = at->next) {
        recorder_abandon(at);
    }
    forget_profiles(optimizer);
    optimizer->logs = NULL;
    ledger_close(translator);
    for (unsigned i = 0; i < translator->counts->loop_count; i++) {
        struct loop *loop = &translator->counts->loops[i];
        loop->profiled &= !loop->traced;
        loop->traced = false;
        loop->trial = 0;
        loop->versions = NULL;
    }
    index_clear(&optimizer->recorded);
}
