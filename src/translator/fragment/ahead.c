/* Decides what is fetched ahead, by what the processor measures. */
#include "translator/fragment/ahead.h"

#include "translator/fragment/optimizer.h"
#include "translator/fragment/translator.h"

#define NO_COUNTER UINT64_MAX

/* Executions that say something, and after how many there is a look at how many were measured. */
#define ENOUGH 1000
#define LOOK 4000
#define LOOK_MOST (64 * LOOK)

/* A load is waited for that misses once in so many executions, with so many cycles for a miss, and for so many cycles more
 * than others in the mean. */
#define MISSES_ONE_IN 64
#define MISS_CYCLES 8
#define WAIT_CYCLES 2

/* Turns that something is fetched before: at the most; and where nothing is measured, as if a miss took so many instructions. */
#define TURNS_MOST 64
#define MISS_INSTRUCTIONS 400

/* Of ALL_OF_IT: what a trace that fetches ahead may take of what it takes without, to stay. */
#define ALL_OF_IT 1024
#define GAINS (ALL_OF_IT - ALL_OF_IT / 50)

bool ahead_measures(const struct translator *translator)
{
    return (translator->options.passes >> PASS_PREFETCH & 1) != 0 && ledger_counts(translator) &&
           target_hw_has_times();
}

static void add_times(struct target_times *to, const struct target_times *more)
{
    to->retired += more->retired;
    to->cycles += more->cycles;
    to->misses += more->misses;
    to->miss_cycles += more->miss_cycles;
}

void ahead_carry(const struct translator *translator, const struct loop *loop, const uint8_t *tag)
{
    if (loop->ledger != NULL && ahead_measures(translator)) {
        const struct target_times times = target_hw_times(tag);
        add_times(&loop->ledger->carried, &times);
    }
}

/* What was measured of an instruction of a trace: the first one has had several counters. */
static struct target_times times_at(const struct version *version, const uint8_t *at)
{
    struct target_times times = target_hw_times(at);

    if (at == version->trace->entry) {
        add_times(&times, &version->ledger->carried);
    }
    return times;
}

static uint64_t executions_of(const struct version *version)
{
    return times_at(version, version->trace->entry).retired;
}

static void start_counting(const struct version *version, bool only_loads)
{
    const uint8_t *at = version->trace->entry;

    while (at < version->ledger->told.path_end) {
        bool loads;
        const uint8_t *const next = target_behind(at, &loads);
        if ((loads || !only_loads) && target_hw_read(at) == NO_COUNTER) {
            target_hw_new(at, 0);
        }
        at = next;
    }
}

/* But blocks are counted anyway. */
static void stop_counting(const struct version *version)
{
    const struct ledger *ledger = version->ledger;
    const struct ledger_block *block = ledger->blocks;
    const struct ledger_block *const end = block + ledger->count + ledger->counts_end;
    const uint8_t *at = version->trace->entry;

    while (at < ledger->told.path_end) {
        bool loads;
        while (block != end && block->at < at) {
            block++;
        }
        if ((block == end || block->at != at) && target_hw_read(at) != NO_COUNTER) {
            target_hw_drop(at);
        }
        at = target_behind(at, &loads);
    }
}

/* What has been measured of a version, if all of it is. */
static struct ahead_sum sum_up(const struct version *version)
{
    struct ahead_sum sum = {.executions = executions_of(version),
                            .cycles = version->ledger->carried.cycles};
    const uint8_t *at = version->trace->entry;

    while (at < version->ledger->told.path_end) {
        bool loads;
        sum.cycles += target_hw_cycles(at);
        at = target_behind(at, &loads);
    }
    return sum;
}

void ahead_begin(const struct translator *translator, struct trial *trial)
{
    trial->ahead.stage = AHEAD_NOT;
    trial->ahead.looked = false;
    trial->plain.trace = NULL;
    if (ahead_measures(translator) && trial->runs.recipe.passes && !trial->runs.recipe.ahead &&
        !trial->runs.recipe.special) {
        start_counting(&trial->runs, true);
        trial->ahead.stage = AHEAD_LOADS;
    }
}

void ahead_end(struct trial *trial)
{
    if (trial->ahead.stage != AHEAD_NOT && trial->runs.trace != NULL) {
        stop_counting(&trial->runs);
    }
    trial->ahead.stage = AHEAD_NOT;
    trial->plain.trace = NULL;
}

bool ahead_is_tried(const struct trial *trial)
{
    return trial->ahead.stage >= AHEAD_PLAIN;
}

/* What was measured of one load of the program's, which may stand more than once in a trace. */
struct missed {
    guest_addr pc;
    struct target_times times;
};

static unsigned add_load(struct missed *missed, unsigned count, guest_addr pc,
                         const struct target_times *times)
{
    unsigned i = 0;

    while (i < count && missed[i].pc != pc) {
        i++;
    }
    if (i == AHEAD_WISHES) {
        return count;
    }
    if (i == count) {
        missed[count++] = (struct missed){.pc = pc};
    }
    add_times(&missed[i].times, times);
    return count;
}

static bool is_waited_for(const struct target_times *times)
{
    return times->misses * MISSES_ONE_IN > times->retired &&
           times->miss_cycles > times->misses * MISS_CYCLES &&
           times->cycles > times->retired * WAIT_CYCLES;
}

/* The loads of the version that are waited for. */
static unsigned find_missed(const struct translator *translator, const struct version *version,
                            struct missed *missed)
{
    const uint8_t *at = version->trace->entry;
    unsigned count = 0;

    while (at < version->ledger->told.path_end) {
        struct state state;
        bool loads;
        const uint8_t *const next = target_behind(at, &loads);
        if (loads && state_find(translator, at, &state)) {
            const struct target_times times = times_at(version, at);
            count = is_waited_for(&times) ? add_load(missed, count, state.pc, &times) : count;
        }
        at = next;
    }
    return count;
}

bool ahead_may_help(const struct trial *trial)
{
    return trial->ahead.stage == AHEAD_LOADS && !trial->ahead.looked;
}

bool ahead_find_misses(struct translator *translator, struct loop *loop)
{
    struct trial *trial = loop->versions;
    struct missed missed[AHEAD_WISHES];

    if (trial->ahead.stage != AHEAD_LOADS || executions_of(&trial->runs) < ENOUGH) {
        return false;
    }
    trial->ahead.looked = true;
    if (find_missed(translator, &trial->runs, missed) == 0) {
        return false;
    }
    start_counting(&trial->runs, false);
    trial->ahead.began = sum_up(&trial->runs);
    trial->ahead.stage = AHEAD_PLAIN;
    trial_look_again(translator, loop, LOOK);
    return true;
}

/* By how many turns a miss is longer than what a turn takes without waiting. */
static void wish(struct trial *trial, const struct missed *missed, unsigned count)
{
    const uint64_t executions = executions_of(&trial->runs);
    uint64_t turn = trial->ahead.plain.cycles / trial->ahead.plain.executions, waits = 0;

    for (unsigned i = 0; i < count; i++) {
        waits += missed[i].times.cycles;
    }
    waits /= executions != 0 ? executions : 1;
    turn = turn > waits ? turn - waits + 1 : 1;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t cycles = missed[i].times.miss_cycles / missed[i].times.misses;
        const uint64_t turns = cycles / turn + 1;
        trial->ahead.wishes[i] = (struct prefetch_wish){
            .pc = missed[i].pc, .turns = turns < TURNS_MOST ? (unsigned)turns : TURNS_MOST};
    }
    trial->ahead.wish_count = count;
}

static bool make(struct context *context, struct fragment *fragment)
{
    struct loop *loop = fragment->loop;
    struct trial *trial = loop->versions;
    const struct path path = *fragment->trace->path;
    struct recipe recipe = trial->runs.recipe;

    recipe.ahead = true;
    recipe.unrolled = false; /* the path is */
    if (trace_make(context, fragment, &path, recipe, NULL) != TRACE_MADE || loop->ledger == NULL) {
        return false;
    }
    recipe.unrolled = trial->runs.recipe.unrolled;
    loop->made_traces++;
    trial->plain = trial->runs;
    trial->runs =
        (struct version){.trace = fragment->trace, .ledger = loop->ledger, .recipe = recipe};
    return true;
}

static void begin_trial(struct context *context, struct fragment *fragment)
{
    struct translator *translator = context->translator;
    struct loop *loop = fragment->loop;
    struct trial *trial = loop->versions;
    const struct version plain = trial->runs;
    struct missed missed[AHEAD_WISHES];
    const unsigned count = find_missed(translator, &plain, missed);

    if (count != 0) {
        wish(trial, missed, count);
    }
    const bool made = count != 0 && make(context, fragment);
    stop_counting(&plain);
    trial->ahead.stage = made ? AHEAD_TRIED : AHEAD_NOT;
    if (made) {
        start_counting(&trial->runs, false);
        trial->ahead.began = sum_up(&trial->runs);
    }
}

/* In fewer cycles. */
static bool is_better(const struct ahead_sum *sum, const struct ahead_sum *than)
{
    const uint64_t now = sum->cycles * ALL_OF_IT / sum->executions;
    const uint64_t then = than->cycles * GAINS / than->executions;

    return now < then;
}

static void end_trial(struct translator *translator, struct loop *loop, const struct ahead_sum *sum)
{
    struct trial *trial = loop->versions;
    const struct version plain = trial->plain;
    const bool stays = is_better(sum, &trial->ahead.plain);

    ahead_end(trial);
    if (stays || plain.trace == NULL || !trace_lead(translator, loop, plain.trace, plain.ledger)) {
        return;
    }
    trial->runs = plain;
    trial->runs.seen = trial->runs.led = trial_reckon(plain.ledger);
    trial->runs.judged = plain.judged;
}

void ahead_review(struct context *context, struct fragment *fragment)
{
    struct translator *translator = context->translator;
    struct loop *loop = fragment->loop;
    struct trial *trial = loop->versions;

    if (executions_of(&trial->runs) - trial->ahead.began.executions < ENOUGH) {
        trial_look_again(translator, loop, loop->trial < LOOK_MOST ? 2 * loop->trial : LOOK_MOST);
        return;
    }
    const struct ahead_sum now = sum_up(&trial->runs);
    const struct ahead_sum sum = {.executions = now.executions - trial->ahead.began.executions,
                                  .cycles = now.cycles - trial->ahead.began.cycles};
    if (trial->ahead.stage == AHEAD_PLAIN) {
        trial->ahead.plain = sum;
        begin_trial(context, fragment);
    } else {
        end_trial(translator, loop, &sum);
    }
    trial_look_again(translator, loop, LOOK);
}

void ahead_find(const struct translator *translator, const struct loop *loop, struct ops *ops)
{
    if (!translator->options.prefetch_all) {
        const struct ahead_trial *ahead = &loop->versions->ahead;
        prefetch_find(ops, ahead->wishes, ahead->wish_count, 0);
        return;
    }
    const unsigned turns = MISS_INSTRUCTIONS / ops->count + 1;
    prefetch_find(ops, NULL, 0, turns < TURNS_MOST ? turns : TURNS_MOST);
}

bool ahead_must(const struct loop *loop)
{
    return loop->versions != NULL && loop->versions->ahead.stage == AHEAD_PLAIN;
}
