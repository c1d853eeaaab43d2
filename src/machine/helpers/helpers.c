/* Starts slices on free contexts, lets them start each other, and keeps the account of each. */
#include "machine/helpers/helpers.h"

#include "machine/helpers/capture.h"
#include "machine/helpers/dsp.h"
#include "machine/helpers/slice_program.h"
#include "machine/pipeline/window.h"
#include "machine/units/origins.h"
#include "slice/slice.h"

#include <stdlib.h>
#include <string.h>

#define INTEGER_REGISTERS 32

/* What a slice starts with: values, and the instructions that still have to make them. */
struct live_ins {
    uint64_t values[INTEGER_REGISTERS];
    uint32_t writers[INTEGER_REGISTERS];
};

struct helper_slice {
    struct slice_program *program; /* NULL: the number is free */
    guest_addr trigger, target;
    bool own; /* the program's, and so are these addresses: else they are of what is executed */
    struct slice_place told_trigger, told_target;
    bool chaining;
    unsigned length, live_ins;
    unsigned loads; /* delinquent ones: lines that it asks for */
    bool removed;   /* goes on until nothing of it runs */
    unsigned running;
    uint8_t chain; /* the number of the chain under way: those of older ones start no more */
    bool waits;    /* the next of its chain is to be started when that may be */
    struct live_ins next;
    unsigned depth;       /* in its chain, of the one started last */
    unsigned outstanding; /* started in its chain and not yet used up by the main thread */
    struct slice_ledger ledger;
};

struct helpers {
    struct pipeline *pipeline;
    const struct memory *memory;
    const struct origins *origins;
    struct unit_host host; /* of what captures at triggers */
    struct helper_slice slices[SLICES_MAX + 1];
    unsigned slice_count; /* the highest number in use */
    unsigned refused;     /* slices that cannot be run */
    unsigned waiting;     /* slices that wait to be started */
    struct captures *captures;
    struct dsp *dsp; /* NULL unless the hardware makes slices */
};

static const struct helper_hooks hooks;

struct helpers *helpers_create(struct pipeline *pipeline, const struct memory *memory,
                               const struct origins *origins)
{
    struct helpers *helpers = calloc(1, sizeof *helpers);
    struct captures *captures = captures_create();
    if (helpers == NULL || captures == NULL) {
        free(helpers);
        captures_destroy(captures);
        return NULL;
    }
    helpers->captures = captures;
    helpers->pipeline = pipeline;
    helpers->memory = memory;
    helpers->origins = origins;
    pipeline_set_helpers(pipeline, helpers, &hooks);
    return helpers;
}

struct unit *helpers_make_slices(struct helpers *helpers, bool optimize)
{
    helpers->dsp = dsp_create(&helpers->pipeline->parameters, helpers, optimize);
    return helpers->dsp != NULL ? dsp_unit(helpers->dsp) : NULL;
}

void helpers_set_host(struct helpers *helpers, struct unit_host host)
{
    helpers->host = host;
}

void helpers_destroy(struct helpers *helpers)
{
    if (helpers == NULL) {
        return;
    }
    for (unsigned i = 1; i <= helpers->slice_count; i++) {
        free(helpers->slices[i].program);
    }
    captures_destroy(helpers->captures);
    free(helpers);
}

struct captures *helpers_captures(struct helpers *helpers)
{
    return helpers->captures;
}

void helpers_follow(struct helpers *helpers)
{
    captures_follow(helpers->captures);
}

static void given(struct helpers *helpers, unsigned context, uint64_t position,
                  const struct record *records, unsigned count)
{
    captures_given(helpers->captures, context, position, records, count);
}

static void loaded(struct helpers *helpers, unsigned slice)
{
    helpers->slices[slice].ledger.loads++;
}

static void note_line(struct helpers *helpers, unsigned slice, enum line_fate fate)
{
    struct slice_ledger *ledger = &helpers->slices[slice].ledger;
    uint64_t *const counts[] = {[LINE_BROUGHT] = &ledger->lines,
                                [LINE_REDUNDANT] = &ledger->redundant,
                                [LINE_TIMELY] = &ledger->timely,
                                [LINE_LATE] = &ledger->late,
                                [LINE_EVICTED] = &ledger->evicted};
    ++*counts[fate];
}

struct slice_ledger *helpers_ledger(struct helpers *helpers, unsigned number)
{
    return &helpers->slices[number].ledger;
}

static guest_addr first_delinquent(const struct slice *slice)
{
    for (unsigned i = 0; i < slice->length; i++) {
        if (slice->instructions[i].delinquent) {
            return slice->instructions[i].pc;
        }
    }
    return slice->instructions[slice->length - 1].pc;
}

/* At least one. */
static unsigned count_delinquent(const struct slice *slice)
{
    unsigned count = 0;
    for (unsigned i = 0; i < slice->length; i++) {
        count += slice->instructions[i].delinquent;
    }
    return count > 0 ? count : 1;
}

/* What the program's instruction at an address is, or the one that is executed there. */
static struct slice_place place_of(const struct helpers *helpers, guest_addr pc, bool own)
{
    const struct static_insn *insn =
        own ? NULL : static_insns_find(helpers->pipeline->static_insns, pc);
    return insn != NULL ? (struct slice_place){.pc = insn->origin, .owner = insn->owner}
                        : (struct slice_place){.pc = pc, .owner = OWNER_PROGRAM};
}

static unsigned add(struct helpers *helpers, const struct slice *slice, guest_addr bias,
                    bool is_own)
{
    unsigned number = helpers->slice_count + 1;
    if (number > SLICES_MAX) { /* what is known of one that was removed is lost: the last resort */
        number = 1;
        while (number <= SLICES_MAX && helpers->slices[number].program != NULL) {
            number++;
        }
        cache_disown(&helpers->pipeline->l1d, number);
    }
    struct slice_program *program =
        number <= SLICES_MAX ? slice_program_create(slice, bias, &helpers->pipeline->parameters)
                             : NULL;
    if (program == NULL) {
        helpers->refused++;
        return 0;
    }
    struct helper_slice *own = &helpers->slices[number];
    *own = (struct helper_slice){.program = program,
                                 .trigger = slice->trigger + bias,
                                 .target = first_delinquent(slice) + bias,
                                 .own = is_own,
                                 .chaining = slice->kind == SLICE_CHAINING,
                                 .length = slice->length,
                                 .loads = count_delinquent(slice),
                                 .live_ins = (unsigned)__builtin_popcountll(slice->live_ins)};
    own->told_trigger = place_of(helpers, own->trigger, is_own);
    own->told_target = place_of(helpers, own->target, is_own);
    if (!static_insns_mark(helpers->pipeline->static_insns, own->trigger, STATIC_TRIGGER) ||
        !static_insns_mark(helpers->pipeline->static_insns, own->target, STATIC_TARGET)) {
        free(program);
        own->program = NULL;
        return 0;
    }
    if (number > helpers->slice_count) {
        helpers->slice_count = number;
    }
    helpers->host.rewatch(helpers->host.machine, own->trigger, 2);
    return number;
}

unsigned helpers_add(struct helpers *helpers, const struct slice *slice, guest_addr bias)
{
    return add(helpers, slice, bias, false);
}

#define THREAD_POINTER 4

unsigned helpers_add_own(struct helpers *helpers, const struct slice *slice, guest_addr bias)
{
    const bool translated = helpers->origins->classes != NULL;
    if (translated && (slice->live_ins >> THREAD_POINTER & 1) != 0) {
        helpers->refused++;
        return 0;
    }
    return add(helpers, slice, bias, true);
}

static void forget_next(struct helpers *helpers, struct helper_slice *own)
{
    helpers->waiting -= own->waits;
    own->waits = false;
}

/* Nothing of a slice that was removed runs any more. */
static void release(struct helpers *helpers, struct helper_slice *own)
{
    forget_next(helpers, own);
    free(own->program);
    own->program = NULL;
}

void helpers_remove(struct helpers *helpers, unsigned number)
{
    struct helper_slice *own = &helpers->slices[number];
    own->removed = true;
    if (own->running == 0) {
        release(helpers, own);
    }
}

/* An address that is executed, and the program's that it stands for. */
struct place {
    guest_addr executed, program;
};

static bool is_at(const struct helper_slice *own, guest_addr address, struct place place)
{
    return own->program != NULL && address == (own->own ? place.program : place.executed);
}

static struct place place_at(const struct static_insn *insn)
{
    return (struct place){.executed = insn->site.pc, .program = insn->origin};
}

bool helpers_triggers(const struct helpers *helpers, guest_addr pc, const struct rv64_insn *insn)
{
    if (helpers->slice_count == 0) {
        return false;
    }
    const struct place place = {.executed = pc,
                                .program = origins_find(helpers->origins, pc, insn).pc};
    for (unsigned i = 1; i <= helpers->slice_count; i++) {
        if (is_at(&helpers->slices[i], helpers->slices[i].trigger, place)) {
            return true;
        }
    }
    return false;
}

bool helpers_context_free(const struct pipeline *pipeline, unsigned context)
{
    const struct context *c = &pipeline->contexts[context];
    return !c->active && c->slice == 0 && c->stream_count == 0 && c->queue_count == 0 &&
           c->count == 0;
}

static unsigned find_context(const struct pipeline *pipeline)
{
    unsigned context = 0;
    while (context < pipeline->context_count && !helpers_context_free(pipeline, context)) {
        context++;
    }
    return context;
}

/* Those that are not there yet, of what the context's next instruction would find in its registers. */
static void note_writers(struct pipeline *pipeline, unsigned context, struct live_ins *live_ins)
{
    for (unsigned i = 0; i < INTEGER_REGISTERS; i++) {
        const uint32_t writer = pipeline->contexts[context].writers[i];
        const bool there = writer == NO_ENTRY || entry_of(pipeline, writer)->state == ENTRY_DONE;
        live_ins->writers[i] = there ? NO_ENTRY : writer;
    }
}

/* Runs the slice on the context, which is free, from step `from` on. */
static void start(struct helpers *helpers, unsigned number, unsigned context_number, unsigned from,
                  const struct live_ins *live_ins)
{
    struct pipeline *pipeline = helpers->pipeline;
    struct helper_slice *own = &helpers->slices[number];
    struct context *context = &pipeline->contexts[context_number];
    struct record records[SLICE_STEPS_MAX];
    static struct hart hart; /* large, and each start sets what is read of it */
    unsigned count;
    memcpy(hart.x, live_ins->values, sizeof live_ins->values);
    hart.x[0] = 0;
    const enum slice_end end = slice_program_run(own->program, from, &hart, helpers->memory,
                                                 records, &count, context->chain_values);
    own->ledger.guarded += end == SLICE_GUARDED;
    own->ledger.faulted += end == SLICE_FAULTED;
    if (count == 0) {
        return;
    }
    const struct parameters *p = &pipeline->parameters;
    const unsigned copied = (unsigned)__builtin_popcountll(own->program->slice.live_ins);
    context->slice = (uint8_t)number;
    context->slice_chain = own->chain;
    context->slice_guarded = end == SLICE_GUARDED;
    context->slice_left = count;
    pipeline->slices |= 1u << context_number;
    context->fetch_blocked = false;
    context->fetch_cause = CAUSE_spawn;
    context->fetch_from = pipeline->now + p->slices_spawn_cycles + copied * p->slices_copy_cycles;
    for (unsigned i = 0; i < REGISTERS; i++) {
        const bool live_in = i < INTEGER_REGISTERS && own->program->slice.live_ins >> i & 1;
        context->writers[i] = live_in ? live_ins->writers[i] : NO_ENTRY;
    }
    own->running++;
    own->ledger.instructions += count;
    pipeline_give(pipeline, context_number, records, count);
}

/* The main thread dispatched the slice's trigger. */
static void trigger(struct helpers *helpers, unsigned number, unsigned main_context,
                    const uint64_t *registers)
{
    struct pipeline *pipeline = helpers->pipeline;
    struct helper_slice *own = &helpers->slices[number];
    own->ledger.triggers++;
    if (own->removed) {
        return;
    }
    /* A chain that the main thread has overtaken is of no use any more. */
    if (own->program->chains_after != 0 && (own->running > 0 || own->waits)) {
        if (own->outstanding > 0) {
            return;
        }
        own->chain++;
        own->ledger.overtaken++;
        forget_next(helpers, own);
    }
    const unsigned context = find_context(pipeline);
    if (context == pipeline->context_count) {
        own->ledger.no_context++;
        return;
    }
    struct live_ins live_ins;
    memcpy(live_ins.values, registers, sizeof live_ins.values);
    note_writers(pipeline, main_context, &live_ins);
    own->depth = own->outstanding = 1;
    own->ledger.started++;
    start(helpers, number, context, 0, &live_ins);
    const uint64_t from = pipeline->now + pipeline->parameters.slices_flush_cycles;
    struct context *main = &pipeline->contexts[main_context];
    if (from > main->alone_until) {
        main->alone_until = from;
    }
}

static unsigned throttle_of(const struct helpers *helpers, const struct helper_slice *own)
{
    const unsigned wanted = own->program->slice.throttle;
    if (wanted != 0) {
        return wanted;
    }
    /* What is not used yet may take half of the first level: else some of it is evicted before it is. */
    const struct parameters *p = &helpers->pipeline->parameters;
    const uint64_t room = p->l1d_bytes != 0 ? p->l1d_bytes / p->l1d_line / 2 : UINT64_MAX;
    const uint64_t most = room / own->loads;
    return (unsigned)(most < p->slices_throttle ? most > 0 ? most : 1 : p->slices_throttle);
}

/* Starts the next of a chain, if it may be. */
static void try_chain(struct helpers *helpers, unsigned number)
{
    struct helper_slice *own = &helpers->slices[number];
    const unsigned context = find_context(helpers->pipeline);
    if (own->outstanding >= throttle_of(helpers, own) ||
        context == helpers->pipeline->context_count) {
        return;
    }
    own->waits = false;
    helpers->waiting--;
    own->outstanding++;
    own->depth++;
    own->ledger.chained++;
    start(helpers, number, context, own->program->chained_from, &own->next);
}

static void chain(struct helpers *helpers, unsigned number, unsigned context)
{
    struct pipeline *pipeline = helpers->pipeline;
    struct helper_slice *own = &helpers->slices[number];
    if (own->waits || own->removed || pipeline->contexts[context].slice_guarded ||
        own->chain != pipeline->contexts[context].slice_chain ||
        own->depth >= pipeline->parameters.slices_chain) {
        return;
    }
    memcpy(own->next.values, pipeline->contexts[context].chain_values, sizeof own->next.values);
    note_writers(pipeline, context, &own->next);
    own->waits = true;
    helpers->waiting++;
    own->ledger.throttled += own->outstanding >= throttle_of(helpers, own);
    try_chain(helpers, number);
}

static void try_all_chains(struct helpers *helpers)
{
    for (unsigned i = 1; i <= helpers->slice_count && helpers->waiting > 0; i++) {
        if (helpers->slices[i].waits) {
            try_chain(helpers, i);
        }
    }
}

static void dispatched(struct helpers *helpers, unsigned context, uint32_t id, uint64_t position)
{
    struct pipeline *pipeline = helpers->pipeline;
    const struct static_insn *insn = entry_of(pipeline, id)->insn;
    if (insn->flags & STATIC_HELPER) {
        chain(helpers, pipeline->contexts[context].slice, context);
        return;
    }
    const struct place place = place_at(insn);
    const uint64_t *registers = captures_find(helpers->captures, context, position);
    for (unsigned i = 1; registers != NULL && i <= helpers->slice_count; i++) {
        if (is_at(&helpers->slices[i], helpers->slices[i].trigger, place)) {
            trigger(helpers, i, context, registers);
        }
    }
}

/* A thread has executed the delinquent load at an address: what was started for it is used up. */
static void use_up(struct helpers *helpers, struct place place)
{
    for (unsigned i = 1; i <= helpers->slice_count; i++) {
        struct helper_slice *own = &helpers->slices[i];
        own->outstanding -= is_at(own, own->target, place) && own->outstanding > 0;
    }
    try_all_chains(helpers);
}

static void forget(uint32_t *writers, uint32_t id, unsigned destination)
{
    if (writers[destination] == id) {
        writers[destination] = NO_ENTRY;
    }
}

/* The context's slice has ended: others may have it. */
static void end_slice(struct helpers *helpers, struct context *context)
{
    struct helper_slice *own = &helpers->slices[context->slice];
    context->slice = 0;
    helpers->pipeline->slices &= ~(1u << (context - helpers->pipeline->contexts));
    own->running--;
    if (own->removed && own->running == 0) {
        release(helpers, own);
    }
    try_all_chains(helpers);
}

static void retired(struct helpers *helpers, unsigned number, uint32_t id)
{
    struct pipeline *pipeline = helpers->pipeline;
    struct context *context = &pipeline->contexts[number];
    const struct entry *entry = entry_of(pipeline, id);
    const struct static_insn *insn = entry->insn;
    const unsigned destination = insn->destination;
    if (destination < INTEGER_REGISTERS) {
        for (unsigned i = 0; i < pipeline->context_count; i++) {
            if (pipeline->contexts[i].slice != 0) {
                forget(pipeline->contexts[i].writers, id, destination);
            }
        }
        for (unsigned i = 1; helpers->waiting > 0 && i <= helpers->slice_count; i++) {
            if (helpers->slices[i].waits) {
                forget(helpers->slices[i].next.writers, id, destination);
            }
        }
    }
    if (insn->flags & STATIC_TARGET) {
        use_up(helpers, place_at(insn));
    }
    if (insn->flags & STATIC_HELPER) {
        context->statistics.helper_instructions++;
        pipeline->slice_use.entries--;
        pipeline->slice_use.memory -= (insn->flags & STATIC_LOAD) != 0;
        if (--context->slice_left == 0) {
            end_slice(helpers, context);
        }
    }
}

/* What the slice on a context has not dispatched is dropped. */
static void cut_short(struct helpers *helpers, struct context *context)
{
    const unsigned dropped = context->stream_count + context->queue_count;
    helpers->pipeline->queued -= context->queue_count;
    context->stream_count = context->queue_count = 0;
    context->given -= dropped;
    context->slice_left -= dropped;
    helpers->slices[context->slice].ledger.cut_short += dropped > 0;
    if (context->slice_left == 0) {
        end_slice(helpers, context);
    }
}

static void left(struct helpers *helpers, unsigned number)
{
    struct pipeline *pipeline = helpers->pipeline;
    struct context *context = &pipeline->contexts[number];
    pipeline->slices &= ~(1u << number);
    cut_short(helpers, context);
    for (unsigned i = 0; i < REGISTERS; i++) {
        context->writers[i] = NO_ENTRY;
    }
    context->fetch_blocked = false;
    context->fetch_from = pipeline->now;
    context->fetch_cause = CAUSE_fetch;
}

static void ended(struct helpers *helpers)
{
    const struct pipeline *pipeline = helpers->pipeline;
    for (unsigned i = 1; i <= helpers->slice_count; i++) {
        forget_next(helpers, &helpers->slices[i]);
        helpers->slices[i].chain++;
    }
    for (unsigned i = 0; i < pipeline->context_count; i++) {
        if (pipeline->contexts[i].slice != 0) {
            cut_short(helpers, &pipeline->contexts[i]);
        }
    }
}

static const struct helper_hooks hooks = {.given = given,
                                          .dispatched = dispatched,
                                          .loaded = loaded,
                                          .line = note_line,
                                          .retired = retired,
                                          .left = left,
                                          .ended = ended};

bool helpers_account(const struct helpers *helpers, unsigned number, struct slice_account *account)
{
    if (number == 0 || number > helpers->slice_count) {
        return false;
    }
    const struct helper_slice *own = &helpers->slices[number];
    *account = (struct slice_account){.trigger = own->told_trigger,
                                      .target = own->told_target,
                                      .chaining = own->chaining,
                                      .length = own->length,
                                      .live_ins = own->live_ins,
                                      .removed = own->removed,
                                      .ledger = own->ledger};
    return true;
}

unsigned helpers_refused(const struct helpers *helpers)
{
    return helpers->refused;
}

void helpers_report(const struct helpers *helpers, struct statistics *statistics)
{
    if (helpers->dsp != NULL) {
        dsp_report(helpers->dsp, statistics);
    }
}
