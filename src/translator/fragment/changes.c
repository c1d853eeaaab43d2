/* Notices what the program has changed of its code since that was translated.
 *
 * A processor may use old code until the program executes fence.i, or asks the kernel
 * for the same; most programs never do.  The first time all fragments go.  From then on a copy
 * is kept of what a fragment was translated from, unless that cannot be
 * written to, and the next time the two are compared: programs that compile at run time
 * mostly add code, and change little. */
#include "translator/fragment/changes.h"

#include "translator/process/fetch.h"
#include "translator/fragment/state.h"
#include "translator/target.h"
#include "translator/target_lookup.h"
#include "translator/process/thread.h"

/* Code is compared in words that do not cross pages. */
#define WORD_BYTES ((uint64_t)sizeof(uint64_t))

/* One piece of straight code of a fragment, in the words that it is in. */
struct original {
    struct fragment *fragment; /* NULL: is no longer used */
    const uint64_t *code;      /* the first of them */
    uint64_t count;
    uint64_t first_mask, last_mask; /* what is code of the first and the last */
    uint64_t words[];
};

#define LONGEST_WORDS (FRAGMENT_INSTRUCTIONS * TARGET_LONGEST_INSTRUCTION / WORD_BYTES + 1)
/* What one fragment may need: all pieces of it, and what is read ahead of the last. */
#define NEED                                                                                       \
    (FRAGMENT_INSTRUCTIONS * (sizeof(struct original) + 2 * WORD_BYTES) +                          \
     LONGEST_WORDS * WORD_BYTES)

static struct original *behind(struct original *original)
{
    return (struct original *)(void *)(original->words + original->count);
}

bool changes_may_come(const struct translator *translator, guest_addr start, guest_addr end)
{
    const struct changes *changes = &translator->changes;

    if (!changes->expected || changes->all) {
        return changes->expected;
    }
    return end > fetch_find(&translator->fixed, start).end;
}

/* Where the last instruction begins that has a mark, from the first word on.  The fragment may
 * have gone on in code that is not noted. */
static uint64_t last_offset(const struct translator *translator, const struct original *original)
{
    const guest_addr start = (uintptr_t)original->code;
    uint64_t last = 0;

    for (const struct xstrata_mark *mark = translator->changes.open_mark;
         mark != translator->mark_next && mark->pc - start < original->count * WORD_BYTES; mark++) {
        last = mark->pc - start;
    }
    return last;
}

static void end_piece(struct translator *translator)
{
    struct changes *changes = &translator->changes;
    struct original *original = changes->open;
    const uint64_t offset = last_offset(translator, original);
    uint64_t bytes = offset + target_read_bytes((const uint8_t *)original->words + offset);

    if (bytes > original->count * WORD_BYTES) { /* not so much could be read */
        bytes = original->count * WORD_BYTES;
    }
    original->count = (bytes + WORD_BYTES - 1) / WORD_BYTES;
    original->last_mask = ~UINT64_C(0) >> -bytes % WORD_BYTES * 8;
    if (original->count == 1) {
        original->first_mask = original->last_mask &= original->first_mask;
    }
    changes->next = behind(original);
    changes->open = NULL;
}

/* What is read ahead must not be on another page, which perhaps is never reached,
 * and cannot be read. */
static guest_addr readable_end(guest_addr pc)
{
    const guest_addr page_end = (pc | (CODE_PAGE - 1)) + 1;

    if (pc + TARGET_LONGEST_INSTRUCTION <= page_end) {
        return page_end;
    }
    return pc + (target_fits(pc, page_end) ? page_end - pc : TARGET_LONGEST_INSTRUCTION);
}

/* Then comes the next piece. */
static void stay_in_page(struct builder *builder)
{
    const uint64_t instructions = builder_instructions(builder);
    const uint64_t rest =
        (CODE_PAGE - builder->pc % CODE_PAGE) / (uint64_t)TARGET_LONGEST_INSTRUCTION;
    const uint64_t limit = instructions + (rest > 0 ? rest : 1);

    if (limit < builder->limit) {
        builder->limit = limit;
        builder->left = 2 * (int64_t)(limit - instructions);
    }
}

/* Before it is translated: if another thread changes it meanwhile, the copy is the
 * older one of the two, and the change is noticed. */
void changes_note(struct builder *builder)
{
    struct translator *translator = builder->translator;
    struct changes *changes = &translator->changes;
    const guest_addr start = builder->pc & ~(WORD_BYTES - 1);
    const guest_addr end = readable_end(builder->pc);
    const uint64_t readable = (end - start + WORD_BYTES - 1) / WORD_BYTES;

    if (changes->open != NULL) {
        end_piece(translator);
    }
    stay_in_page(builder);
    struct original *original = changes->next;
    original->fragment = builder->fragment;
    original->code = (const uint64_t *)(uintptr_t)start;
    original->count = readable < LONGEST_WORDS ? readable : LONGEST_WORDS;
    original->first_mask = ~UINT64_C(0) << (builder->pc - start) * 8;
    for (uint64_t i = 0; i < original->count; i++) {
        original->words[i] = *(const volatile uint64_t *)&original->code[i];
    }
    changes->open = original;
    changes->open_mark = translator->mark_next;
    translator->notice_built = true;
}

void changes_end_fragment(struct translator *translator)
{
    struct changes *changes = &translator->changes;

    if (changes->open == NULL) {
        return;
    }
    end_piece(translator);
    if (changes->end - (uint8_t *)changes->next < (ptrdiff_t)NEED) {
        translator->pool_last = NULL; /* the next fragment finds no room, and all of them go */
    }
}

void changes_forget(struct translator *translator)
{
    translator->changes.next = translator->changes.start;
    translator->changes.open = NULL;
}

static bool is_changed(const struct original *original)
{
    const uint64_t *now = original->code;
    const uint64_t *old = original->words;
    const uint64_t *last = old + original->count - 1;

    if (((*now ^ *old) & original->first_mask) != 0) {
        return true;
    }
    while (old != last) {
        now++;
        old++;
        if (*now != *old && (old != last || ((*now ^ *old) & original->last_mask) != 0)) {
            return true;
        }
    }
    return false;
}

/* No other thread is in the cache: what is in a fragment would go on in it. */
static void remove(struct translator *translator, struct fragment *fragment)
{
    struct fragment **place = &find_bucket(translator, fragment->start)->fragments;

    while (*place != fragment) {
        place = &(*place)->next;
    }
    *place = fragment->next;
    link_detach(translator, fragment);
    target_lookup_remove(translator, fragment);
    count_drop(translator, fragment);
    translator->statistics.fragments_changed++;
}

static void forget(struct original *at, const struct original *end)
{
    for (; at != end; at = behind(at)) {
        at->fragment = NULL;
    }
}

/* Calls that are looked up by two targets would need more. */
static bool can_remove(const struct translator *translator)
{
    return !placement_marks_calls(&translator->placement) &&
           translator->options.returns != RETURNS_FAST;
}

static void compare(struct translator *translator)
{
    const struct original *end = translator->changes.next;
    struct original *at = translator->changes.start;
    bool any = false, unlinked = false;

    while (at != end) {
        struct original *first = at; /* of one fragment, whose pieces lie one behind the other */
        bool changed = false;
        while (at != end && at->fragment == first->fragment) {
            changed |= at->fragment != NULL && is_changed(at);
            at = behind(at);
        }
        if (changed && !can_remove(translator)) {
            flush_all(translator);
            return;
        }
        if (changed) {
            unlinked |= !any && thread_bring_out(translator);
            any = true;
            remove(translator, first->fragment);
            forget(first, at);
        }
    }
    if (unlinked) {
        link_redo(translator);
    }
    if (any && translator->threaded) {
        target_sync_threads(translator);
    }
}

static void begin(struct translator *translator)
{
    struct changes *changes = &translator->changes;
    const size_t bytes = translator->options.cache_bytes + 2 * NEED;

    flush_all(translator);
    if (changes->start == NULL) {
        changes->start = changes->next = host_map(bytes, false);
        changes->end = (uint8_t *)changes->start + bytes;
    }
    /* Without the memory for it all goes each time. */
    changes->expected = changes->start != NULL;
    /* A way to a removed fragment must not be where its exit's trampoline is. */
    translator->far_way_bytes = TARGET_FAR_WAY_BYTES;
}

void changes_apply(struct context *context)
{
    struct translator *translator = context->translator;

    translator->statistics.code_syncs++;
    if (!translator->changes.expected) {
        begin(translator);
        return;
    }
    translator->building = context; /* what cannot be read any more is another than before */
    compare(translator);
    translator->building = NULL;
    if (translator->builder.spoiled) {
        translator->builder.spoiled = false;
        translator->unreadable = 0;
        flush_all(translator);
    }
}

void changes_expect_all(struct translator *translator)
{
    translator->changes.all = true;
    begin(translator);
}
