/* Changes of code that nobody tells of: watches pages, opens them, and guards those that are written often. */
#include "translator/fragment/protect.h"

#include "translator/fragment/build.h"
#include "translator/fragment/flush.h"
#include "translator/fragment/link.h"
#include "translator/fragment/outside.h"
#include "translator/fragment/translator.h"

#include "base/check.h"

/* A page that was written so often while it was watched is guarded; until its code was found unchanged so often:
 * a store that faults costs some hundred times what comparing does. */
#define WRITES_MAX 4
#define CALM_MAX 1000

static bool is_writable(const struct code_page *page)
{
    return (page->permissions & HOST_WRITE) != 0;
}

/* What the program may do with a page; asks the kernel once for each mapping. */
static struct fetch_mapping ask(struct changes *changes, guest_addr address)
{
    struct fetch_mapping *known = &changes->mapping;

    if (address < known->range.start || address >= known->range.end) {
        if (!fetch_ask(address, known)) {
            /* Nobody says: it may be anything. */
            return (struct fetch_mapping){.permissions = HOST_READ | HOST_EXECUTE, .shared = true};
        }
    }
    return *known;
}

static void set_state(struct code_page *page, enum page_state state)
{
    __atomic_store_n(&page->state, (uint8_t)state, __ATOMIC_RELEASE);
}

/* From now on nothing is written to the page unseen. */
static void watch(struct translator *translator, guest_addr address)
{
    struct changes *changes = &translator->changes;
    struct code_page *page = originals_get_page(changes->originals, address);

    ASSERT(page != NULL);
    if (page->state != PAGE_OPEN) {
        return;
    }
    if (changes->all || page->never) {
        set_state(page, PAGE_GUARDED);
        return;
    }
    if (fetch_find(&translator->fixed, page->address).end >= page->address + CODE_PAGE) {
        set_state(page, PAGE_FIXED);
        return;
    }
    const struct fetch_mapping mapping = ask(changes, page->address);
    page->permissions = (uint8_t)mapping.permissions;
    page->by_others = mapping.shared || (mapping.file && is_writable(page));
    if (page->by_others ||
        outside_may_write(translator, page->address, page->address + CODE_PAGE)) {
        set_state(page, PAGE_GUARDED);
    } else if (!is_writable(page)) {
        set_state(page, PAGE_FIXED);
    } else {
        set_state(
            page,
            PAGE_WATCHED); /* before it is: a store of another thread must know why it faults */
        changes->watched_count++;
        host_protect(page->address, CODE_PAGE, mapping.permissions & ~(unsigned)HOST_WRITE);
    }
}

static bool is_guarded(const struct translator *translator, guest_addr address)
{
    const struct code_page *page = originals_find_page(translator->changes.originals, address);

    return page != NULL && page->state == PAGE_GUARDED;
}

/* Up to the page's end.  What may reach into the next page has both watched: one instruction, or, where a plan
 * begins, a sequence that must stay whole.  A plan of code on a guarded page ends behind a store, which may be to
 * that code; so code before the page, which may have stores in it, is a plan of its own. */
uint64_t protect_limit(struct translator *translator, struct plan *plan, uint64_t readable)
{
    const guest_addr pc = plan->pc;
    const uint64_t in_page = (CODE_PAGE - pc % CODE_PAGE) / TARGET_LONGEST_INSTRUCTION;
    const uint64_t least = plan->end == plan->steps ? TARGET_WHOLE_INSTRUCTIONS : 1;
    const uint64_t wanted = in_page > least ? in_page : least;
    const uint64_t limit = readable < wanted ? readable : wanted;

    if (limit == 0) {
        return 0;
    }
    watch(translator, pc);
    bool guarded = is_guarded(translator, pc);
    const guest_addr last = pc + limit * TARGET_LONGEST_INSTRUCTION - 1;
    if (limit > in_page && fetch_find(&translator->fetchable, last).end != 0) {
        watch(translator, last);
        guarded |= is_guarded(translator, last);
    }
    if (guarded && !plan->careful && plan->end != plan->steps) {
        return 0;
    }
    plan->careful = guarded;
    if (plan->readable_end > (last | (CODE_PAGE - 1)) + 1) { /* what is behind it is not watched */
        plan->readable_end = (last | (CODE_PAGE - 1)) + 1;
    }
    return limit;
}

bool protect_guards(const struct translator *translator, const struct plan *plan)
{
    for (const struct step *step = plan->steps; step != plan->end; step++) {
        if (step->bytes != 0 &&
            (is_guarded(translator, step->pc) || is_guarded(translator, step_end(step) - 1))) {
            return true;
        }
    }
    return false;
}

bool protect_owns(const struct translator *translator, guest_addr address)
{
    const struct changes *changes = &translator->changes;

    if (translator->options.code_changes != CHANGES_PROTECT || changes->originals == NULL) {
        return false;
    }
    const struct code_page *page = originals_find_page(changes->originals, address);
    return page != NULL && is_writable(page);
}

static void drop_all(struct translator *translator, struct code_page *page)
{
    while (page->pieces != NULL) {
        changes_drop(translator, page->pieces->original);
    }
}

/* The program may write to it; `state` is what it is then. */
static void open_page(struct translator *translator, struct code_page *page, enum page_state state)
{
    if (page->state == PAGE_WATCHED) {
        translator->changes.watched_count--;
        drop_all(translator, page);
        host_protect(page->address, CODE_PAGE, page->permissions);
    }
    set_state(page, state);
}

/* Nobody is in the cache while fragments go; links that were cut for that are made again. */
static void begin(struct translator *translator, bool *unlinked)
{
    *unlinked = outside_bring_out(translator);
}

static void end(struct translator *translator, bool unlinked)
{
    if (unlinked) {
        link_redo(translator);
    }
    if (translator->threaded) {
        target_sync(translator, CODE_ALL, NULL, NULL);
    }
}

/* What becomes of a watched page that is written to. */
static enum page_state count_write(struct code_page *page)
{
    page->writes++;
    return page->writes < WRITES_MAX ? PAGE_OPEN : PAGE_GUARDED;
}

const uint8_t *protect_store(struct context *context, guest_addr address)
{
    struct translator *translator = context->translator;
    struct code_page *page = originals_find_page(translator->changes.originals, address);
    bool unlinked;

    if (page != NULL && page->state == PAGE_WATCHED) {
        translator->statistics.code_syncs++;
        begin(translator, &unlinked);
        open_page(translator, page, count_write(page));
        end(translator, unlinked);
    }
    return build_alone(context, context->target);
}

/* What was made from the page goes later: the lock may be held by this very thread. */
void protect_tear(struct translator *translator, guest_addr address)
{
    struct code_page *page = originals_find_page(translator->changes.originals, address);

    if (page->state == PAGE_WATCHED) {
        set_state(page, PAGE_TORN);
        __atomic_store_n(&translator->changes.torn, 1, __ATOMIC_RELEASE);
        host_protect(page->address, CODE_PAGE, page->permissions);
    }
}

static void mend_page(void *argument, struct code_page *page)
{
    struct translator *translator = argument;

    if (page->state == PAGE_TORN) {
        translator->changes.watched_count--;
        drop_all(translator, page);
        set_state(page, PAGE_OPEN);
    }
}

void protect_mend(struct translator *translator)
{
    struct changes *changes = &translator->changes;
    bool unlinked;

    if (!__atomic_exchange_n(&changes->torn, 0, __ATOMIC_ACQ_REL)) {
        return;
    }
    begin(translator, &unlinked);
    originals_each_page(changes->originals, 0, ~UINT64_C(0), mend_page, translator);
    end(translator, unlinked);
}

struct opening {
    struct translator *translator;
    bool writes; /* to be counted */
    bool begun, unlinked;
};

static void open_watched(void *argument, struct code_page *page)
{
    struct opening *opening = argument;

    if (page->state != PAGE_WATCHED) {
        return;
    }
    if (!opening->begun) {
        begin(opening->translator, &opening->unlinked);
        opening->begun = true;
    }
    open_page(opening->translator, page, opening->writes ? count_write(page) : PAGE_OPEN);
}

static void open_range(struct opening *opening, guest_addr start, guest_addr end_address)
{
    struct translator *translator = opening->translator;

    if (!protect_watches(translator)) {
        return;
    }
    originals_each_page(translator->changes.originals, start, end_address, open_watched, opening);
    if (opening->begun) {
        end(translator, opening->unlinked);
    }
}

void protect_open(struct translator *translator, guest_addr start, guest_addr end_address)
{
    struct opening opening = {.translator = translator};

    open_range(&opening, start, end_address);
}

void protect_open_for_call(struct translator *translator, guest_addr start, guest_addr end_address)
{
    struct opening opening = {.translator = translator, .writes = true};

    open_range(&opening, start, end_address);
}

/* The page that makes `fragment` guarded, or NULL if that cannot be helped. */
static struct code_page *find_calm_page(const struct translator *translator,
                                        const struct fragment *fragment)
{
    const struct original *original = fragment->original;

    for (unsigned i = 0; i < original->piece_count; i++) {
        struct code_page *page =
            originals_find_page(translator->changes.originals, original->pieces[i].start);
        if (page->state == PAGE_GUARDED) {
            return page->by_others || page->never || translator->changes.all ? NULL : page;
        }
    }
    return NULL;
}

bool protect_calm(struct translator *translator, const struct fragment *fragment)
{
    struct code_page *page = find_calm_page(translator, fragment);
    bool unlinked;

    if (page == NULL || ++page->calm < CALM_MAX ||
        outside_may_write(translator, page->address, page->address + CODE_PAGE)) {
        return false;
    }
    begin(translator, &unlinked);
    drop_all(translator, page);
    page->calm = 0;
    page->writes = 0;
    set_state(page, PAGE_OPEN);
    end(translator, unlinked);
    return true;
}

bool protect_watches(const struct translator *translator)
{
    return translator->changes.watched_count != 0;
}

void protect_never(struct translator *translator, guest_addr address)
{
    if (translator->options.code_changes == CHANGES_PROTECT) {
        protect_open(translator, address, address + 1);
        struct code_page *page = originals_get_page(translator->changes.originals, address);
        if (page != NULL) {
            page->never = true;
            set_state(page, PAGE_GUARDED);
        }
    }
}

void protect_forget(struct translator *translator)
{
    struct originals *originals = translator->changes.originals;

    for (unsigned i = 0; i < originals->page_count; i++) {
        struct code_page *page = &originals->pages[i];
        if (page->state == PAGE_WATCHED) {
            host_protect(page->address, CODE_PAGE, page->permissions);
        }
    }
    translator->changes.watched_count = 0;
    originals_forget_pages(originals);
}
