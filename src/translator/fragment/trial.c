/* Tries versions of hot loops against each other. */
#include "translator/fragment/trial.h"

#include "translator/fragment/ahead.h"
#include "translator/fragment/optimizer.h"
#include "translator/fragment/translator.h"

/* Executions of a trace until it is looked at for the first time; how many times as many until the next look; and what
 * fragments would execute between two at the most, of which a look takes about a thousandth part. */
#define TRIAL 1000
#define TRIAL_GROWTH 8
#define TRIAL_PERIOD 4000000
/* So many traces of a loop may turn out not to pay before it must wait. */
#define TRIES 3
/* Each of them begins after so many times as many executions, in bits. */
#define TRY_GROWTH_BITS 4
/* At the most one of so many executions is a trial of what was worse the last time.  If it still is, the next one comes after
 * twice as many executions, up to four times as many: later a change of behaviour would not show soon enough. */
#define TRIAL_SHARE 64
#define WAIT_LEAST (UINT64_C(1) * TRIAL * TRIAL_SHARE)
#define WAIT_MOST (4 * WAIT_LEAST)
/* Another path is looked for if one that saved as much more as this part of what the loop has executed would have repaid so
 * many times what the loop cost; and the saving that is enough. */
#define PATH_SAVING 8
#define PATH_MARGIN 32
#define PATH_ENOUGH (ALL_OF_IT * 7 / 8)

/* So few turns in the mean that putting registers away costs more than it can bring. */
#define TURNS_FEW 4

/* Where such a trace is entered with other registers, the loop is led elsewhere, and back later: what that costs, about; and
 * how often it may happen in any case. */
#define FAILURE_COST 6000
#define FAILURES_LEAST 3

/* Parts of what fragments would execute that a trace does, and what is a clear difference between two of them. */
#define ALL_OF_IT 1024
#define CLEARLY (ALL_OF_IT / 64)
/* So much of it, or of the executions, is a change of behaviour. */
#define ANOTHER (ALL_OF_IT / 8)

/* Of ALL_OF_IT. */
static uint64_t part(uint64_t some, uint64_t whole)
{
    return whole != 0 ? some * ALL_OF_IT / whole : ALL_OF_IT;
}

/* How much of what fragments would have executed the trace did. */
static uint64_t rate(const struct version *version)
{
    return part(version->judged.after, version->judged.before);
}

static bool pays(const struct version *version)
{
    return version->judged.after < version->judged.before;
}

/* By little it may lose for a while, if it gained more before. */
static bool loses(const struct trial *trial)
{
    const struct version *version = &trial->runs;
    const struct account *all = &version->seen, *first = &version->led;

    if (rate(version) <= ALL_OF_IT && (version->recipe.ahead || ahead_may_help(trial))) {
        return false; /* what it is good for is cycles */
    }
    return !pays(version) && (rate(version) > ALL_OF_IT + CLEARLY ||
                              all->after - first->after >= all->before - first->before);
}

static bool is_better(const struct version *version, const struct version *than)
{
    return version->trace != NULL && rate(version) < rate(than);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

/* Whether the program goes other ways through the loop, or it costs something else. */
static bool differs(const struct account *now, const struct account *then)
{
    return distance(part(now->left, now->entries), part(then->left, then->entries)) > ANOTHER ||
           distance(part(now->after, now->before), part(then->after, then->before)) > ANOTHER;
}

/* What is fetched ahead is judged by cycles (ahead.c), and not here. */
struct account trial_reckon(const struct ledger *ledger)
{
    struct account account = ledger_reckon(ledger);

    if (ledger->fetches_ahead) {
        account.after -= ledger_reckon_ahead(ledger);
    }
    return account;
}

/* What it has done since the last look. */
void trial_look(struct version *version)
{
    const struct account now = trial_reckon(version->ledger);

    version->judged = (struct account){.entries = now.entries - version->seen.entries,
                                       .left = now.left - version->seen.left,
                                       .before = now.before - version->seen.before,
                                       .after = now.after - version->seen.after};
    version->seen = now;
}

void trial_look_again(struct translator *translator, struct loop *loop, uint64_t executions)
{
    loop->trial = executions;
    translator->counts->kind->again(translator, loop, executions);
}

/* The trace stays; the longer it does, the more seldom it is looked at. */
static void go_on(struct translator *translator, struct loop *loop)
{
    const struct account *judged = &loop->versions->runs.judged;
    const uint64_t most = TRIAL_PERIOD * judged->entries / (judged->before + 1) + TRIAL;
    const uint64_t more = loop->trial * TRIAL_GROWTH;

    trial_look_again(translator, loop, more != 0 && more < most ? more : most);
}

void trial_record_again(struct translator *translator, struct loop *loop)
{
    const uint64_t threshold = translator->options.threshold;
    const unsigned bits = loop->tries < TRIES ? TRY_GROWTH_BITS * loop->tries : 0;

    loop->trial = 0;
    loop->profiled = false;
    translator->counts->kind->again(translator, loop, threshold << bits);
}

void trial_forget(const struct loop *loop, const struct fragment *trace)
{
    struct trial *trial = loop->versions;

    if (trial != NULL && trial->rival.trace == trace) {
        trial->rival.trace = NULL;
    }
    if (trial != NULL && trial->plain.trace == trace) {
        trial->plain.trace = NULL;
    }
    if (trial != NULL && trial->runs.trace == trace) {
        trial->runs.trace = NULL;
    }
}

/* Only passes can gain something, and it is too early for them; or, with these, only what is fetched ahead. */
static void want_later(struct translator *translator, struct loop *loop, bool passes)
{
    loop->profiled = false;
    translator->counts->kind->again(translator, loop,
                                    recipe_executions(translator->optimizer, passes));
    translator->optimizer->totals.postponed++;
}

static struct trial *get_trial(struct translator *translator, struct loop *loop)
{
    if (loop->versions == NULL) {
        loop->versions = pool_take(&translator->pool, sizeof *loop->versions);
        *loop->versions = (struct trial){.wait = WAIT_LEAST};
    }
    return loop->versions;
}

/* What was led to until now may be better than what is next. */
static void keep_rival(struct trial *trial)
{
    if (is_better(&trial->runs, &trial->rival) || trial->rival.trace == NULL) {
        trial->rival = trial->runs;
    }
    trial->runs.trace = NULL;
}

/* Makes a trace; false if there is none, and all stays as it is. */
static bool make(struct context *context, struct fragment *fragment, const struct path *path,
                 struct recipe recipe)
{
    struct translator *translator = context->translator;
    struct loop *loop = fragment->loop;
    const struct looks *looks = loop->versions != NULL ? &loop->versions->looks : NULL;
    const enum trace_made made = trace_make(context, fragment, path, recipe, looks);

    if (made == TRACE_TOO_EARLY) {
        want_later(translator, loop, recipe.passes);
    }
    if (made != TRACE_MADE) {
        return false;
    }
    loop->made_traces++;
    loop->optimized = recipe.passes;
    if (loop->versions != NULL) {
        ahead_end(loop->versions);
    }
    if (loop->ledger != NULL) {
        struct trial *trial = get_trial(translator, loop);
        trial->challenged = trial->runs.trace != NULL;
        keep_rival(trial);
        trial->runs =
            (struct version){.trace = fragment->trace, .ledger = loop->ledger, .recipe = recipe};
        ahead_begin(translator, trial);
        trial_look_again(translator, loop, TRIAL);
    }
    return true;
}

/* Whether the path is that of the trace. */
static bool has_path(const struct fragment *trace, const struct path *path)
{
    const struct path *of = trace->path;
    const unsigned count = of->count / of->turns;

    if (path->count != count || path->next != of->next) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (path->blocks[i] != of->blocks[i] || path->second[i] != of->second[i]) {
            return false;
        }
    }
    return true;
}

/* The loop's trace is made once more, of the same path, with registers for constants.  False if that brings too little. */
static bool specialize(struct context *context, struct fragment *fragment)
{
    struct loop *loop = fragment->loop;
    struct trial *trial = loop->versions;
    const struct version runs = trial->runs;
    const struct path path = *runs.trace->path; /* unrolled, if that was worth it */
    struct recipe recipe = runs.recipe;

    recipe.unrolled = false;
    recipe.special = true;
    trial->specialized = true;
    if (!make(context, fragment, &path, recipe)) {
        return false;
    }
    if (loop->ledger == NULL) { /* nobody could tell when its comparisons fail too often */
        trace_lead(context->translator, loop, runs.trace, runs.ledger);
        return false;
    }
    return true;
}

/* The loop goes on in its fragments, and then the trace that lost is tried again. */
static void wait_for_rival(struct translator *translator, struct loop *loop)
{
    struct trial *trial = loop->versions;

    trial_look_again(translator, loop, trial->wait);
    trial->waited = trial->wait;
    trial->wait *= trial->wait < WAIT_MOST ? 2 : 1;
}

/* The loop leads to what was its rival, and that becomes the rival. */
static void challenge(struct translator *translator, struct loop *loop)
{
    struct trial *trial = loop->versions;
    const struct version rival = trial->rival;

    trial->since = 0;
    ahead_end(trial);
    if (rival.trace == NULL || !trace_lead(translator, loop, rival.trace, rival.ledger)) {
        trial->rival.trace = NULL;
        return;
    }
    trial->rival = trial->runs;
    trial->runs = rival;
    trial->runs.seen = trial->runs.led = trial_reckon(rival.ledger);
    loop->optimized = rival.recipe.passes;
    ahead_begin(translator, trial);
    translator->optimizer->totals.again++;
    loop->again++;
    trial_look_again(translator, loop, TRIAL);
}

/* What was tried did not pay. */
static void try_otherwise(struct translator *translator, struct loop *loop)
{
    if (++loop->tries < TRIES) {
        trial_record_again(translator, loop);
    } else {
        wait_for_rival(translator, loop);
    }
}

static bool is_same(const struct version *version, const struct path *path, struct recipe recipe)
{
    return version->trace != NULL && has_path(version->trace, path) &&
           recipe_is_same(version->recipe, recipe);
}

bool trial_make(struct context *context, struct fragment *fragment, const struct path *path,
                const struct looks *looks)
{
    struct translator *translator = context->translator;
    struct loop *loop = fragment->loop;
    const struct trial *trial = loop->versions;
    const struct recipe recipe = recipe_choose(translator, loop, path);
    const bool lost = trial != NULL && is_same(&trial->rival, path, recipe);
    const bool runs = trial != NULL && is_same(&trial->runs, path, recipe);

    if (!lost && !runs && make(context, fragment, path, recipe)) {
        if (loop->versions != NULL) {
            looks_join(&loop->versions->looks, looks);
        }
        if (recipe_wants_special(translator, loop)) {
            specialize(context, fragment);
        }
        return true;
    }
    if (trial != NULL && trial->runs.trace != NULL) {
        go_on(translator, loop);
        return true;
    }
    if (lost && trial->waited != 0) { /* the program goes that way again */
        challenge(translator, loop);
        return loop->traced;
    }
    if (trial != NULL && trial->rival.trace != NULL) {
        try_otherwise(translator, loop);
    }
    return false;
}

static bool leaves_early(const struct loop *loop)
{
    const struct turns turns = ledger_turns(loop);

    return turns.entries * TURNS_FEW > turns.executions;
}

static void undo(struct translator *translator, struct loop *loop)
{
    struct trial *trial = loop->versions;
    const struct account *all = &trial->runs.seen, *first = &trial->runs.led;
    const bool paid = all->after - first->after < all->before - first->before;

    loop->few_turns |= leaves_early(loop);
    ahead_end(trial);
    trace_lead(translator, loop, NULL, NULL);
    keep_rival(trial);
    trial->waited = 0;
    translator->optimizer->totals.undone++;
    loop->undone_traces++;
    if (paid) { /* it may pay again */
        trial->wait = WAIT_LEAST;
        wait_for_rival(translator, loop);
    } else {
        try_otherwise(translator, loop);
    }
}

/* What was done to the same path that lost; nothing if none did. */
static struct recipe rival_recipe(const struct trial *trial, const struct path *path)
{
    return trial->rival.trace != NULL && has_path(trial->rival.trace, path)
               ? trial->rival.recipe
               : (struct recipe){.passes = false};
}

/* Whether the trace is made once more, as it is worth by now. */
static bool make_better(struct context *context, struct fragment *fragment)
{
    struct translator *translator = context->translator;
    struct loop *loop = fragment->loop;
    const struct trial *trial = loop->versions;
    const struct path path = *fragment->trace->path;
    const struct recipe now = trial->runs.recipe, other = rival_recipe(trial, &path);
    const bool few = !loop->few_turns && leaves_early(loop);

    loop->few_turns |= few;
    struct recipe recipe = recipe_choose(translator, loop, &path);
    const bool passes = recipe.passes && !now.passes && !other.passes;
    const bool unrolled = recipe.unrolled && !now.unrolled && !other.unrolled;
    if (!few && !passes && !unrolled) {
        return recipe_wants_special(translator, loop) && specialize(context, fragment);
    }
    recipe.passes |= now.passes;
    return make(context, fragment, &path, recipe);
}

bool trial_looks_further(const struct loop *loop)
{
    return loop->versions != NULL && loop->versions->paths != 0;
}

/* Whether the loop's path is recorded once more: since it leads to what it does fragments would have executed, or have, so
 * much that a better path would repay itself. */
static bool look_for_path(struct translator *translator, struct loop *loop, uint64_t executed)
{
    struct trial *trial = loop->versions;

    if (trial->paths == TRIES || executed < loop->account.cost * PATH_MARGIN * PATH_SAVING) {
        return false;
    }
    trial->paths++;
    trial_record_again(translator, loop);
    return true;
}

static void review(struct context *context, struct fragment *fragment)
{
    struct translator *translator = context->translator;
    struct loop *loop = fragment->loop;
    struct trial *trial = loop->versions;

    if (trial->runs.trace == NULL) {
        const struct account *once = &trial->rival.judged;
        if (trial->rival.trace == NULL) { /* its code has changed */
            trial_record_again(translator, loop);
        } else if (!look_for_path(translator, loop, once->before / once->entries * trial->waited)) {
            challenge(translator, loop);
        }
        return;
    }
    const struct account last = trial->runs.judged;
    trial_look(&trial->runs);
    if (recipe_wants_looks(translator)) {
        looks_take(&trial->looks, context);
    }
    trial->since += trial->runs.judged.entries;
    if (ahead_is_tried(trial)) {
        ahead_review(context, fragment);
        return;
    }
    const bool beaten = trial->rival.trace != NULL && pays(&trial->rival) &&
                        rate(&trial->rival) + CLEARLY < rate(&trial->runs);
    const bool may_try = trial->since >= WAIT_LEAST;
    if (beaten && (trial->challenged || may_try || !pays(&trial->runs))) {
        trial->challenged = !trial->challenged;
        challenge(translator, loop);
        return;
    }
    trial->challenged = false;
    if (loses(trial)) {
        undo(translator, loop);
    } else if (may_try && last.entries != 0 && trial->rival.trace != NULL &&
               differs(&trial->runs.judged, &last)) {
        trial->challenged = true;
        challenge(translator, loop);
    } else if (!make_better(context, fragment) && !ahead_find_misses(translator, loop) &&
               (rate(&trial->runs) <= PATH_ENOUGH ||
                !look_for_path(translator, loop,
                               trial->runs.seen.before - trial->runs.led.before))) {
        go_on(translator, loop);
    }
}

/* The loop leads to something else than the trace that takes registers for constants: to one that does not, if there is one,
 * or to the fragments. */
static void leave_special(struct translator *translator, struct loop *loop, bool for_good)
{
    struct trial *trial = loop->versions;

    trial->challenged = false;
    challenge(translator, loop);
    if (trial->runs.trace == loop->fragment->trace && !trial->runs.recipe.special) {
        trial->rival.trace = for_good ? NULL : trial->rival.trace;
        return;
    }
    ahead_end(trial);
    trace_lead(translator, loop, NULL, NULL);
    trial->runs.trace = NULL;
    trial_record_again(translator, loop);
}

/* Whether what the failures of a trace's comparisons cost is more than what they bring. */
static bool fails_often(const struct entrance *entrance, const struct loop *loop)
{
    return entrance->failed > FAILURES_LEAST &&
           (entrance->failed - FAILURES_LEAST) * FAILURE_COST >
               ledger_executions(loop->ledger) * entrance->saves;
}

void trial_differs(struct context *context, struct fragment *fragment)
{
    struct translator *translator = context->translator;
    struct optimizer *optimizer = translator->optimizer;
    struct loop *loop = fragment->loop;
    const uint64_t began = target_clock(translator), first_cycle = target_cycles(translator);
    const struct fragment *trace = fragment->trace;

    if (trace == NULL || trace->entrance == NULL) {
        return; /* another thread has led the loop elsewhere */
    }
    trace->entrance->failed++;
    optimizer->totals.differed++;
    leave_special(translator, loop, fails_often(trace->entrance, loop));
    const uint64_t cost = target_clock(translator) - began;
    optimizer_spend(translator, loop, cost, target_cycles(translator) - first_cycle);
    optimizer->tried += cost;
}

void trial_review(struct context *context, struct fragment *fragment)
{
    struct translator *translator = context->translator;
    struct optimizer *optimizer = translator->optimizer;
    const uint64_t began = target_clock(translator), first_cycle = target_cycles(translator);
    const uint64_t traces = optimizer->totals.traces;

    review(context, fragment);
    const uint64_t cost = target_clock(translator) - began;
    optimizer_spend(translator, fragment->loop, cost, target_cycles(translator) - first_cycle);
    optimizer->tried += traces == optimizer->totals.traces ? cost : 0;
}
