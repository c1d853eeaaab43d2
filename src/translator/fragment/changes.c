/* What becomes of fragments when the program's code or its mappings change. */
#include "translator/fragment/changes.h"

#include "translator/fragment/flush.h"
#include "translator/fragment/link.h"
#include "translator/fragment/outside.h"
#include "translator/fragment/protect.h"
#include "translator/fragment/told.h"
#include "translator/fragment/translator.h"

#include "base/check.h"

static bool protects(const struct translator *translator)
{
    return translator->options.code_changes == CHANGES_PROTECT;
}

static size_t cache_bytes(const struct translator *translator)
{
    return (size_t)(translator->cache.end - translator->cache.start);
}

/* Where fragments go one by one, the way to a target must not be where its exit's trampoline is. */
static bool begin_index(struct translator *translator)
{
    struct changes *changes = &translator->changes;

    if (changes->originals == NULL) {
        changes->originals = originals_create(cache_bytes(translator));
    }
    changes->indexed = changes->originals != NULL;
    translator->far_way_bytes = TARGET_FAR_WAY_BYTES;
    return changes->indexed;
}

void changes_start(struct translator *translator)
{
    if (protects(translator) && !begin_index(translator)) {
        host_fail(STATUS_FAILED, "not enough memory for --code-changes protect", NULL, NULL, NULL);
    }
}

uint64_t changes_limit(struct translator *translator, struct plan *plan, uint64_t readable)
{
    return protects(translator) ? protect_limit(translator, plan, readable) : readable;
}

bool changes_guard(const struct translator *translator, const struct plan *plan)
{
    return protects(translator) && protect_guards(translator, plan);
}

/* Private memory that cannot be written to does not change by itself. */
static bool is_fixed(const struct translator *translator, const struct plan *plan)
{
    for (const struct step *step = plan->steps; step != plan->end; step++) {
        if (step->pc + step->bytes > fetch_find(&translator->fixed, step->pc).end) {
            return false;
        }
    }
    return true;
}

void changes_note(struct translator *translator, struct fragment *fragment, const struct plan *plan)
{
    struct changes *changes = &translator->changes;
    const bool told = changes->told && (changes->all || !is_fixed(translator, plan));
    struct original *original =
        originals_add(changes->originals, fragment, plan, told || fragment->guarded);

    fragment->original = original;
    if (told) {
        told_add(changes, original);
    }
    if (!originals_have_room(changes->originals)) {
        translator->pool.last = NULL; /* the next fragment finds no room, and all of them go */
    }
}

struct fragment *changes_wake(struct context *context, guest_addr start)
{
    return context->translator->changes.asleep_count != 0 ? told_wake(context, start) : NULL;
}

/* What cannot be read any more is another than before. */
bool changes_differ(struct context *context, const struct fragment *fragment)
{
    context->reading = 1;
    const bool differs = originals_differ(fragment->original) || context->spoiled != 0;
    context->reading = context->spoiled = 0;
    return differs;
}

SELDOM bool changes_spoil(struct context *context, struct fragment *fragment)
{
    struct translator *translator = context->translator;

    if (!changes_differ(context, fragment)) {
        return protect_calm(translator, fragment);
    }
    const bool unlinked = outside_bring_out(translator);
    changes_drop(translator, fragment->original);
    if (unlinked) {
        link_redo(translator);
    }
    return true;
}

void changes_forget(struct translator *translator)
{
    struct changes *changes = &translator->changes;

    if (changes->originals != NULL) {
        originals_clear(changes->originals);
        if (originals_lack_pages(changes->originals)) {
            protect_forget(translator);
        }
    }
    changes->compared = NULL;
    if (changes->asleep_count != 0) {
        __builtin_memset(changes->originals->asleep, 0, sizeof changes->originals->asleep);
        changes->asleep_count = 0;
    }
}

void changes_grow(struct translator *translator)
{
    if (translator->changes.originals != NULL) {
        originals_enlarge(translator->changes.originals, cache_bytes(translator));
    }
}

void changes_drop(struct translator *translator, struct original *original)
{
    if (!original->asleep) {
        flush_cut(translator, original->fragment);
    }
    flush_fragment(translator, original->fragment);
    originals_remove(original);
    translator->statistics.fragments_changed++;
}

/* From now on what may change is kept; what there is was not. */
static void begin_told(struct translator *translator)
{
    translator->changes.told = begin_index(translator);
    flush_all(translator);
}

void changes_apply(struct context *context)
{
    struct translator *translator = context->translator;

    translator->statistics.code_syncs++;
    if (protects(translator)) {
        return; /* it is known already */
    }
    if (!translator->changes.told) {
        begin_told(translator);
        return;
    }
    context->reading = 1; /* what cannot be read any more is another than before */
    told_compare(translator);
    context->reading = 0;
    if (context->spoiled != 0) {
        context->spoiled = 0;
        flush_all(translator);
    }
}

void changes_expect_all(struct translator *translator)
{
    translator->changes.all = true;
    if (protects(translator)) {
        flush_all(translator); /* from now on all fragments compare themselves */
        protect_forget(translator);
    } else {
        begin_told(translator);
    }
}

/* Drops what was made from a page. */
static void drop_made(void *argument, struct code_page *page)
{
    struct translator *translator = argument;

    while (page->pieces != NULL) {
        changes_drop(translator, page->pieces->original);
    }
}

/* Drops what was made from a page, and forgets the page. */
static void drop_page(void *argument, struct code_page *page)
{
    struct translator *translator = argument;

    drop_made(translator, page);
    translator->changes.watched_count -=
        page->state == PAGE_WATCHED || page->state == PAGE_TORN ? 1 : 0;
    page->state = page->never ? PAGE_GUARDED : PAGE_OPEN;
    page->permissions = 0;
    page->by_others = false;
    page->calm = 0;
    page->writes = 0;
}

void changes_before_mapping(struct translator *translator, guest_addr start, uint64_t bytes)
{
    protect_open(translator, start, bytes > ~start ? ~UINT64_C(0) : start + bytes);
}

/* The first time all fragments go, and it is kept from then on where they come from. */
void changes_unmap(struct translator *translator, guest_addr start, uint64_t bytes)
{
    struct changes *changes = &translator->changes;
    const guest_addr end = bytes > ~start ? ~UINT64_C(0) : start + bytes;

    changes->mapping = (struct fetch_mapping){.range = {0, 0}};
    if (!code_ranges_overlap(&translator->code, start, bytes)) {
        if (protects(
                translator)) { /* nothing was made from these pages, but what they were is known */
            /* With what was cut at the beginning of the range, since nothing could be read there. */
            const guest_addr from = start < CODE_PAGE ? 0 : start - CODE_PAGE;
            originals_each_page(changes->originals, from, start, drop_made, translator);
            originals_each_page(changes->originals, start, end, drop_page, translator);
        }
        return;
    }
    if (!changes->indexed || translator->options.returns == RETURNS_FAST) {
        begin_index(translator);
        flush_all(translator);
        return;
    }
    const bool unlinked = outside_bring_out(translator);
    /* With what was cut at the beginning of the range, since nothing could be read there. */
    const guest_addr from = start < CODE_PAGE ? 0 : start - CODE_PAGE;
    originals_each_page(changes->originals, from, start, drop_made, translator);
    originals_each_page(changes->originals, start, end, drop_page, translator);
    if (unlinked) {
        link_redo(translator);
    }
    if (translator->threaded) {
        target_sync(translator, CODE_ALL, NULL, NULL);
    }
}
