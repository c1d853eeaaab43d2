/* Makes traces of paths that hardware has found. */
#include "translator/detect/found.h"

#include "translator/fragment/arrival.h"
#include "translator/fragment/effort.h"
#include "translator/fragment/recorder.h"
#include "translator/fragment/translator.h"
#include "translator/fragment/trial.h"

/* The path of the loop that waits; NULL if there is none. */
static struct found_path *find(struct optimizer *optimizer, const struct loop *loop)
{
    for (unsigned i = 0; i < FOUND_PATHS; i++) {
        if (optimizer->found[i].loop == loop) {
            return &optimizer->found[i];
        }
    }
    return NULL;
}

bool found_waits(const struct optimizer *optimizer, const struct loop *loop)
{
    return find((struct optimizer *)(uintptr_t)optimizer, loop) != NULL;
}

void found_keep(struct optimizer *optimizer, struct loop *loop, const struct path *path)
{
    struct found_path *place = find(optimizer, loop);

    if (place == NULL) {
        place = find(optimizer, NULL);
    }
    if (place == NULL) {
        place = &optimizer->found[optimizer->next_found++ % FOUND_PATHS];
    }
    place->loop = loop;
    place->path = *path;
}

/* Instructions that one execution of the path takes in fragments. */
static uint64_t path_length(const struct translator *translator, const struct path *path)
{
    uint64_t length = 0;

    for (unsigned i = 0; i < path->count; i++) {
        const struct fragment *fragment = index_find(&translator->index, path->blocks[i]);
        const guest_addr next = i + 1 < path->count ? path->blocks[i + 1] : path->next;
        length += fragment != NULL ? target_way_length(fragment, next, NULL) : 0;
    }
    return length;
}

void found_make(struct context *context, struct fragment *fragment, const struct path *path)
{
    static const struct looks no_looks;
    struct translator *translator = context->translator;
    struct loop *loop = fragment->loop;

    loop->profiled = true;
    loop->effort = effort_for(translator, loop, path_length(translator, path));
    translator->counts->kind->calm(translator, loop);
    loop->traced = trial_make(context, fragment, path, &no_looks);
}

/* A path of the loop of `fragment` waits.  `counted` is as for optimizer_allows. */
static const uint8_t *make(struct context *context, struct fragment *fragment,
                           struct found_path *found, bool counted)
{
    struct translator *translator = context->translator;
    struct loop *loop = fragment->loop;
    const uint8_t *plain = fragment_indirect_entry(fragment);

    if (!optimizer_allows(translator, fragment, counted)) {
        return plain;
    }
    const struct path path = found->path;
    found->loop = NULL;
    if (counted) {
        translator->counts->kind->uncount(translator, loop);
    }
    found_make(context, fragment, &path);
    return plain;
}

bool found_wants(const struct translator *translator, const struct fragment *fragment)
{
    const struct loop *loop = fragment->loop;

    if (translator->optimizer == NULL) {
        return loop == NULL;
    }
    if (loop != NULL && found_waits(translator->optimizer, loop)) {
        return false;
    }
    if (!optimizer_may_ask(translator)) {
        target_found_watch(fragment_tag(fragment)); /* the hardware shall tell of it again */
        return false;
    }
    return true;
}

const uint8_t *found_take(struct context *context, struct fragment *fragment,
                          const struct path *path)
{
    struct translator *translator = context->translator;
    const uint64_t first_cycle = target_cycles(translator);
    const uint8_t *on = fragment_indirect_entry(fragment);

    count_called(translator, fragment);
    struct loop *loop = fragment->loop;
    if (loop == NULL) {
        return on; /* no more can be remembered */
    }
    count_note_hot(translator->counts, loop);
    if (translator->optimizer == NULL) {
        return on;
    }
    if (found_waits(translator->optimizer, loop)) {
        return on; /* another thread came here first; the loop calls when it has waited */
    }
    const unsigned made = loop->made_traces;
    found_keep(translator->optimizer, loop, path);
    if (path->count == 1) {
        /* Its counter calls at once, and found_again has it recorded. */
        loop->profiled = false;
        translator->counts->kind->again(translator, loop, 1);
    } else {
        on = make(context, fragment, find(translator->optimizer, loop), false);
    }
    const uint64_t cost = target_clock(translator) - context->arrival->began;
    optimizer_spend(translator, loop, cost, target_cycles(translator) - first_cycle);
    translator->optimizer->asked += loop->made_traces == made ? cost : 0;
    return on;
}

const uint8_t *found_again(struct context *context, struct fragment *fragment, const uint8_t *plain)
{
    struct translator *translator = context->translator;
    struct found_path *found = find(translator->optimizer, fragment->loop);

    if (found == NULL || found->path.count == 1) {
        return recorder_begin(context, fragment, plain);
    }
    const uint64_t began = target_clock(translator), first_cycle = target_cycles(translator);
    const uint8_t *on = make(context, fragment, found, true);
    optimizer_spend(translator, fragment->loop, target_clock(translator) - began,
                    target_cycles(translator) - first_cycle);
    return on;
}
