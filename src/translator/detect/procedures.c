/* The detectors that divide whole procedures into traces: all of them, or those in which a counter says that it is worth
 * it.  The paper: that "could clearly be implemented using counter instructions, which would only execute a speculative
 * profiler after a hot spot is detected". */
#include "translator/detect/detectors.h"
#include "translator/detect/found.h"
#include "translator/detect/procedure.h"
#include "translator/fragment/translator.h"

struct known {
    struct procedures procedures;
    struct procedure_blocks blocks; /* of the one that is looked at */
};

static struct procedures *procedures_of(const struct translator *translator)
{
    return &((struct known *)translator->detector_state)->procedures;
}

static void start(struct translator *translator)
{
    translator->detector_state = host_map(sizeof(struct known), false);
    if (translator->detector_state == NULL) {
        host_fail(STATUS_FAILED, "not enough memory for --detector ",
                  translator->options.detector_name, NULL, NULL);
    }
    procedures_note(procedures_of(translator), 0); /* what runs before anything is called */
}

static void called(const struct translator *translator, guest_addr entry)
{
    procedures_note(procedures_of(translator), entry);
}

/* A block that needs no trace of its own calls no more. */
static void settle(struct translator *translator, struct loop *loop)
{
    loop->profiled = true;
    translator->counts->kind->calm(translator, loop);
}

/* All that is executed of the procedure of `fragment` gets traces, as far as that may be spent. */
static void cover(struct context *context, const struct procedure *procedure)
{
    struct translator *translator = context->translator;
    struct known *known = translator->detector_state;
    struct path path;

    procedure_read(context, &known->procedures, procedure, &known->blocks);
    for (;;) {
        const struct procedure_block *block = procedure_cover(&known->blocks, &path);
        if (block == NULL) {
            return;
        }
        struct loop *loop = block->fragment->loop;
        const bool alone = path.count == 1 && path.next != path.blocks[0];
        if (alone && !translator->options.tells_traces) {
            settle(
                translator,
                loop); /* it is a fragment already; trace_make would find that out, and tell of it */
        } else {
            found_make(context, block->fragment, &path);
        }
    }
}

/* The block was counted, and goes on in what has been made meanwhile. */
static const uint8_t *go_on(struct translator *translator, struct fragment *fragment)
{
    translator->counts->kind->uncount(translator, fragment->loop);
    return fragment_indirect_entry(fragment);
}

static const uint8_t *hot(struct context *context, struct fragment *fragment, const uint8_t *plain)
{
    struct translator *translator = context->translator;
    const struct procedure *procedure = procedures_find(procedures_of(translator), fragment->start);

    if (fragment->holders != NULL) {
        optimizer_leave_plain(translator, fragment->loop, true);
        return plain;
    }
    if (!optimizer_allows(translator, fragment, true)) {
        return plain;
    }
    const uint64_t began = target_clock(translator), first_cycle = target_cycles(translator);
    cover(context, procedure);
    optimizer_spend(translator, fragment->loop, target_clock(translator) - began,
                    target_cycles(translator) - first_cycle);
    return go_on(translator, fragment);
}

/* Each block of the procedure gets a counter.  Those that have one already begin anew, or they would seem to lead
 * elsewhere as often as they were executed before. */
static void count_blocks(struct translator *translator, struct procedure *procedure)
{
    const struct procedures *procedures = procedures_of(translator);
    struct fragment *block = NULL;

    while ((block = procedure_next(translator, procedures, procedure, block)) != NULL) {
        count_grown(translator, block);
        if (block->loop != NULL) {
            block->loop->executions_alone =
                translator->counts->kind->read(translator, block->loop).executions;
        }
    }
    procedure->counted = true;
}

/* So does each that is executed for the first time later on. */
static void built_where_counted(struct translator *translator, struct fragment *fragment)
{
    const struct procedure *procedure = procedures_find(procedures_of(translator), fragment->start);

    if (procedure != NULL && procedure->counted) {
        count_grown(translator, fragment);
    }
}

/* The first counter that calls starts those of its procedure; the next one that calls in it has waited for as many
 * executions more. */
static const uint8_t *hot_where_counted(struct context *context, struct fragment *fragment,
                                        const uint8_t *plain)
{
    struct translator *translator = context->translator;
    struct procedure *procedure = procedures_find(procedures_of(translator), fragment->start);

    if (procedure->counted) {
        return hot(context, fragment, plain);
    }
    if (!optimizer_allows(translator, fragment, true)) {
        return plain; /* counting a procedure is a part of what its traces cost */
    }
    const uint64_t began = target_clock(translator);
    translator->counts->kind->uncount(translator, fragment->loop);
    count_blocks(translator, procedure);
    translator->counts->kind->again(translator, fragment->loop, translator->options.threshold);
    optimizer_spend(translator, fragment->loop, target_clock(translator) - began, 0);
    return plain;
}

const struct detector procedure_detector = {
    .heads = HEADS_OWN,
    .rule = {.ways = 1 << WAY_CALL, .built = BUILT_OR_NOT, .all = true},
    .threshold = 100,
    .start = start,
    .called = called,
    .hot = hot};

const struct detector counted_procedure_detector = {
    .heads = HEADS_OWN,
    .rule = {.ways = 1 << WAY_BRANCH | 1 << WAY_JUMP,
             .backward = true,
             .built = BUILT_OR_NOT,
             .all = true,
             .ends_at_calls = true},
    .threshold = 100,
    .start = start,
    .called = called,
    .built = built_where_counted,
    .hot = hot_where_counted};
