/* Reads what hardware has found, finds out which code of the program that is, and leaves the cache for it. */
#include "translator/fragment/arrival.h"

#include "translator/fragment/detector.h"
#include "translator/fragment/translator.h"

static void look_at_cache(const struct translator *translator)
{
    const struct cache *cache = &translator->cache;

    target_found_look(cache->start, cache->end, translator->options.detector->only_told);
}

void arrival_start(struct translator *translator)
{
    const struct detector *detector = translator->options.detector;

    if (translator->counts != NULL && detector->start != NULL) {
        detector->start(translator);
    }
    if (!detector->finds) {
        return;
    }
    if (translator->options.counters != COUNTERS_HW) {
        host_fail(STATUS_FAILED, "--detector ", translator->options.detector_name,
                  ": it goes with --counters auto and hw, on a machine that has hardware counters",
                  NULL);
    }
    if (!target_found_exists()) {
        host_fail(STATUS_FAILED, "--detector ", translator->options.detector_name,
                  ": this machine has no hardware that finds hot spots; strata run adds it", NULL);
    }
    look_at_cache(translator);
}

void arrival_move(const struct translator *translator)
{
    if (translator->counts != NULL && translator->options.detector->finds) {
        look_at_cache(translator);
    }
}

/* The fragment that the program is at the beginning of, be it in a trace, when `code` is about to be executed; NULL if it is
 * elsewhere. */
static struct fragment *fragment_at(const struct translator *translator, const uint8_t *code)
{
    struct state state;

    return state_find(translator, code, &state) ? index_find(&translator->index, state.pc) : NULL;
}

/* The fragment with which the program comes from `from` to `to` by a jump alone; NULL if none is there.  Hardware takes what
 * is nothing but a jump for a trampoline, and leaves it out; a trace has to pass it. */
static const struct fragment *jump_between(const struct translator *translator,
                                           const struct fragment *from, guest_addr to)
{
    const struct fragment *jump = NULL;

    for (uint64_t i = 0; i < from->exit_count; i++) {
        if (from->exits[i].kind != EXIT_DIRECT || from->exits[i].target == to) {
            return NULL;
        }
        const struct fragment *way = index_find(&translator->index, from->exits[i].target);
        if (way != NULL && way->exit_count == 1 && way->exits[0].kind == EXIT_DIRECT &&
            way->exits[0].target == to) {
            jump = way;
        }
    }
    return jump;
}

/* The path goes on with the block, or ends before it. */
static void append(struct path *path, guest_addr block, bool ends)
{
    if (path->next != 0) {
        return;
    }
    if (ends || path->count == PATH_BLOCKS) {
        path->next = block;
    } else {
        path->blocks[path->count++] = block;
    }
}

/* Adds the blocks behind the first.  What is no block of the program is left out: a trampoline, or code that looks for the
 * target of an indirect jump. */
static void read_path(const struct translator *translator, const struct fragment *first,
                      struct path *path)
{
    const uint64_t count = target_found_word(0);
    const struct fragment *last = first;

    for (uint64_t i = 2; i <= count + 1 && path->next == 0; i++) {
        const uint8_t *code = (const uint8_t *)(uintptr_t)target_found_word(i);
        const struct fragment *fragment = code != NULL ? fragment_at(translator, code) : NULL;
        if (fragment == NULL) {
            continue;
        }
        const struct fragment *jump = jump_between(translator, last, fragment->start);
        if (jump != NULL) {
            append(path, jump->start, false);
        }
        append(path, fragment->start, i > count);
        last = fragment;
    }
}

void arrival_callback(struct context *context, const uint8_t *at)
{
    struct translator *translator = context->translator;
    struct arrival *arrival = context->arrival;
    arrival->began = target_clock(translator);
    const struct fragment *fragment = fragment_at(translator, at);

    /* What leads to a trace has been found before; and only where a fragment begins are all registers the program's. */
    if (fragment == NULL || fragment->trace != NULL || fragment->entry != at ||
        target_found_word(0) == UINT64_MAX ||
        !translator->options.detector->wants(translator, fragment)) {
        __atomic_fetch_add(&translator->statistics.finds_elsewhere, 1, __ATOMIC_RELAXED);
        return;
    }
    arrival->path = (struct path){.count = 1, .turns = 1, .blocks = {fragment->start}};
    read_path(translator, fragment, &arrival->path);
    arrival->exit = (struct exit){.kind = EXIT_FOUND, .target = fragment->start};
    context->hot = &arrival->exit;
    target_hw_leave(NULL);
}
