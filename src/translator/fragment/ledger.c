/* Adds up what traces cost and bring. */
#include "translator/fragment/ledger.h"

#include "translator/fragment/translator.h"

#define NO_COUNTER UINT64_MAX

static uint64_t read_count(const uint8_t *tag)
{
    const uint64_t count = target_hw_read(tag);

    return count != NO_COUNTER ? count : 0;
}

/* Where the program goes on behind a block: on the trace, and off it; 0 if an indirect jump decides. */
struct ways {
    guest_addr on, off;
    const struct exit *exit; /* off the trace, or NULL */
    bool second;             /* off the trace, one more target is compared first */
    unsigned way_out;        /* and so many instructions executed */
};

static uint16_t way_length(const struct translator *translator, const struct fragment *fragment,
                           guest_addr next)
{
    return (uint16_t)target_way_length(fragment, next, index_find(&translator->index, next));
}

/* Adds a block; false if it is not known what fragments would execute. */
static bool add_block(const struct translator *translator, struct ledger *ledger, guest_addr start,
                      const uint8_t *at, const struct ways *ways)
{
    struct ledger_block *block = &ledger->blocks[ledger->count++];
    const struct fragment *fragment = index_find(&translator->index, start);

    if (fragment == NULL) {
        return false;
    }
    block->at = at;
    block->start = start;
    block->fragment = fragment;
    block->before_on = way_length(translator, fragment, ways->on);
    block->before_off = way_length(translator, fragment, ways->off);
    block->after_off = (uint16_t)(target_miss_length(translator, fragment) +
                                  (ways->second ? 3 : 0) + ways->way_out);
    block->exit = ways->exit;
    return block->before_on != 0 && block->before_off != 0;
}

/* The ways behind the block that begins at `step`; *end is where the next one does. */
static struct ways find_ways(const struct fragment *trace, const struct plan *plan,
                             const struct step *step, const struct step **end,
                             const struct exit **sides, const uint8_t *way_outs)
{
    struct ways ways = {0};
    bool guarded = false;

    for (; step != plan->end && step->kind != STEP_BLOCK; step++) {
        switch (step->kind) {
        case STEP_GUARD:
            ways.exit = (*sides)++;
            ways.off = ways.exit->target;
            guarded = true;
            break;
        case STEP_GUARD_TARGET:
            guarded = true;
            ways.way_out = way_outs[step - plan->steps];
            break;
        case STEP_SIDE:
        case STEP_SECOND_TARGET:
            (*sides)++;
            ways.second = true;
            break;
        default:
            break;
        }
    }
    *end = step;
    if (step != plan->end) {
        ways.on = step->value;
        ways.off = guarded ? ways.off : ways.on;
    } else if (step[-1].kind == STEP_BRANCH) {
        ways.on = trace->exits[0].target;
        ways.off = trace->exits[1].target;
        ways.exit = &trace->exits[1];
    } else {
        ways.on = ways.off = trace->exit_count > plan->side_count ? trace->exits[0].target : 0;
    }
    return ways;
}

static bool fill(const struct translator *translator, struct ledger *ledger,
                 const struct fragment *trace, const struct plan *plan,
                 const struct emission_special *special)
{
    const uint8_t *const *blocks = special->blocks;
    const struct exit *sides = trace->exits + trace->exit_count - plan->side_count;
    const struct step *step = plan->steps;
    const uint8_t *at = trace->entry;
    guest_addr start = plan->start;

    for (;;) {
        const struct step *end;
        const struct ways ways = find_ways(trace, plan, step, &end, &sides, special->way_outs);
        if (!add_block(translator, ledger, start, at, &ways)) {
            return false;
        }
        if (special->shares != NULL) {
            special->shares[ledger->count - 1].way_out = (int16_t)ways.way_out;
        }
        if (end == plan->end) {
            break;
        }
        start = end->value;
        at = *blocks++;
        step = end + 1;
    }
    ledger->counts_end = plan->end[-1].kind == STEP_BRANCH;
    if (ledger->counts_end) { /* the last way on is a jump */
        at = target_exit_begin(&trace->exits[0]);
        ledger->blocks[ledger->count] = (struct ledger_block){
            .at = at, .after_on = (uint16_t)target_exit_length(&trace->exits[0])};
    }
    return true;
}

/* Up to the next block each; the last one up to its branch, or what else it ends with. */
static void measure(struct ledger *ledger, const struct fragment *trace, bool leaves)
{
    for (unsigned i = 0; i < ledger->count; i++) {
        const uint8_t *end = i + 1 < ledger->count || ledger->counts_end
                                 ? ledger->blocks[i + 1].at
                                 : target_last_way(trace, leaves);
        ledger->blocks[i].after_on = (uint16_t)target_length(ledger->blocks[i].at, end);
        ledger->told.path_end = end;
    }
}

/* measure has told where the path ends. */
static void tell(struct ledger *ledger, const struct fragment *trace)
{
    struct ledger_told *told = &ledger->told;

    told->head = ledger->loop->head;
    told->code = trace->code;
    told->end = trace->end;
    told->first_block = ledger->blocks;
    told->blocks = ledger->count;
    told->block_bytes = sizeof ledger->blocks[0];
    told->check_bytes = TARGET_CHECK_BYTES;
}

bool ledger_counts(const struct translator *translator)
{
    return translator->counts->chosen == &hw_counter && target_hw_unlimited();
}

/* What passes have left out of each block, if they have changed the trace. */
static void take_shares(struct translator *translator, struct ledger *ledger,
                        const struct emission_special *special)
{
    if (special->shares == NULL) {
        ledger->shares = NULL;
        return;
    }
    const size_t bytes = ledger->count * sizeof(struct block_shares);
    struct block_shares *shares = pool_take(&translator->pool, bytes);
    __builtin_memcpy(shares, special->shares, bytes);
    ledger->shares = shares;
    ledger->put_away = (uint16_t)count_bits(special->placed->spares);
    ledger->fetches_ahead = special->placed->touches != 0;
}

void ledger_open(struct translator *translator, const struct fragment *fragment,
                 const struct plan *plan, const struct emission_special *special)
{
    const struct fragment *trace = fragment->trace;

    if (!ledger_counts(translator) || target_hw_read(trace->entry) == NO_COUNTER) {
        return;
    }
    struct ledger *ledger = pool_take(&translator->pool, LEDGER_BYTES);
    ledger->loop = fragment->loop;
    if (!fill(translator, ledger, trace, plan, special)) {
        return;
    }
    take_shares(translator, ledger, special);
    measure(ledger, trace, trace->exit_count > plan->side_count);
    tell(ledger, trace);
    for (unsigned i = 1; i < ledger->count + ledger->counts_end; i++) {
        if (target_hw_read(ledger->blocks[i].at) == NO_COUNTER) {
            target_hw_new(ledger->blocks[i].at, 0);
        }
    }
    if (trace->landing != trace->entry) {
        ledger->landing = trace->landing;
        ledger->landing_length = (uint16_t)target_length(trace->landing, trace->entry);
        ledger->compared = (uint16_t)(trace->entrance != NULL ? trace->entrance->length : 0);
        target_hw_new(trace->landing, 0);
    }
    ledger->next = translator->optimizer->ledgers;
    translator->optimizer->ledgers = ledger;
    ledger->loop->ledger = ledger;
}

void ledger_carry(const struct loop *loop, uint64_t count)
{
    if (loop->ledger != NULL) {
        loop->ledger->base += count;
    }
}

/* How often the program came to the block behind block `i`, of which it came to this `count` times. */
static uint64_t count_on(const struct ledger *ledger, unsigned i, uint64_t count)
{
    return i + 1 < ledger->count || ledger->counts_end ? read_count(ledger->blocks[i + 1].at)
                                                       : count;
}

uint64_t ledger_reckon_ahead(const struct ledger *ledger)
{
    uint64_t count = ledger->base + read_count(ledger->blocks[0].at), ahead = 0;

    for (unsigned i = 0; i < ledger->count; i++) {
        ahead += count * (uint64_t)-ledger->shares[i].left_out[PASS_PREFETCH];
        count = count_on(ledger, i, count);
    }
    return ahead;
}

struct account ledger_reckon(const struct ledger *ledger)
{
    struct account account = {.entries = ledger->base + read_count(ledger->blocks[0].at)};
    uint64_t count = account.entries;

    for (unsigned i = 0; i < ledger->count; i++) {
        const struct ledger_block *block = &ledger->blocks[i];
        const uint64_t on = count_on(ledger, i, count);
        const uint64_t off = count - on;
        account.left += i + 1 < ledger->count || ledger->counts_end ? off : 0;
        account.before += on * block->before_on + off * block->before_off;
        account.after +=
            count * block->after_on +
            off * (block->exit != NULL ? target_exit_length(block->exit) : block->after_off);
        count = on;
    }
    if (ledger->landing != NULL) {
        account.after += read_count(ledger->landing) * ledger->landing_length;
    }
    account.after += ledger->counts_end ? count * ledger->blocks[ledger->count].after_on : 0;
    return account;
}

/* Of a way out, what stands before its jump. */
static int64_t way_out_length(const struct exit *exit)
{
    const unsigned length = target_exit_length(exit);

    return length > 0 ? length - 1 : 0;
}

static void add_block_shares(struct shares *to, const struct ledger *ledger, unsigned i,
                             int64_t count, int64_t off)
{
    const struct block_shares *of = &ledger->shares[i];
    const struct exit *exit = ledger->blocks[i].exit;

    for (unsigned pass = 0; pass < PASS_COUNT; pass++) {
        to->left_out[pass] += count * of->left_out[pass];
    }
    to->added += count * of->added + off * (exit != NULL ? way_out_length(exit) : of->way_out);
}

/* What the trace has done, pass by pass: the same counts as in reckon. */
static void add_shares(struct shares *to, const struct ledger *ledger)
{
    uint64_t count = ledger->base + read_count(ledger->blocks[0].at);

    if (ledger->shares == NULL) {
        return;
    }
    for (unsigned i = 0; i < ledger->count; i++) {
        const uint64_t on = count_on(ledger, i, count);
        add_block_shares(to, ledger, i, (int64_t)count, (int64_t)(count - on));
        count = on;
    }
    if (ledger->counts_end && ledger->blocks[ledger->count].after_on > 0) {
        to->added += (int64_t)count * (ledger->blocks[ledger->count].after_on - 1);
    }
    if (ledger->landing != NULL) {
        const int64_t entries = (int64_t)read_count(ledger->landing);
        to->added += entries * ledger->put_away;
        to->left_out[PASS_SPECIALIZE] -= entries * ledger->compared;
        to->left_out[PASS_INVARIANT] -=
            entries * (ledger->landing_length - ledger->put_away - ledger->compared);
    }
    to->changed = true;
    to->put_away |= ledger->put_away != 0;
}

void ledger_undone(const struct loop *loop)
{
    if (loop->ledger != NULL) {
        loop->ledger->told.undone = true;
    }
}

struct turns ledger_turns(const struct loop *loop)
{
    const struct ledger *ledger = loop->ledger;

    return ledger->landing == NULL
               ? (struct turns){0, 0}
               : (struct turns){read_count(ledger->landing), ledger_reckon(ledger).entries};
}

uint64_t ledger_executions(const struct ledger *ledger)
{
    return ledger->base + read_count(ledger->blocks[0].at);
}

static void add(struct account *to, const struct account *more)
{
    to->entries += more->entries;
    to->before += more->before;
    to->after += more->after;
}

struct account ledger_read(const struct translator *translator, const struct loop *loop)
{
    struct account account = loop->account;

    for (const struct ledger *at = translator->optimizer->ledgers; at != NULL; at = at->next) {
        if (at->loop == loop) {
            const struct account live = ledger_reckon(at);
            add(&account, &live);
        }
    }
    return account;
}

struct shares ledger_shares(const struct translator *translator, const struct loop *loop)
{
    struct shares shares = loop->shares;

    for (const struct ledger *at = translator->optimizer->ledgers; at != NULL; at = at->next) {
        if (at->loop == loop) {
            add_shares(&shares, at);
        }
    }
    return shares;
}

static void add_to_sum(struct ledger_sum *sum, const struct ledger *ledger,
                       const struct account *live)
{
    sum->gain += (int64_t)(live->before - live->after);
    sum->heads += live->entries * ledger->blocks[0].before_on;
}

struct ledger_sum ledger_sum(const struct translator *translator)
{
    const struct optimizer *optimizer = translator->optimizer;
    struct ledger_sum sum = optimizer->settled;

    for (const struct ledger *at = optimizer->ledgers; at != NULL; at = at->next) {
        const struct account live = ledger_reckon(at);
        add_to_sum(&sum, at, &live);
    }
    return sum;
}

void ledger_settle(struct translator *translator)
{
    struct optimizer *optimizer = translator->optimizer;

    for (const struct ledger *at = optimizer->ledgers; at != NULL; at = at->next) {
        const struct account live = ledger_reckon(at);
        add(&at->loop->account, &live);
        add_shares(&at->loop->shares, at);
        add_to_sum(&optimizer->settled, at, &live);
    }
}

void ledger_close(struct translator *translator)
{
    for (const struct ledger *at = translator->optimizer->ledgers; at != NULL; at = at->next) {
        for (unsigned i = 1; i < at->count + at->counts_end; i++) {
            target_hw_drop(at->blocks[i].at);
        }
        if (at->landing != NULL) {
            target_hw_drop(at->landing);
        }
        at->loop->ledger = NULL;
    }
    translator->optimizer->ledgers = NULL;
}
