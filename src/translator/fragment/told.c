/* Changes of code that the program tells of: compares what may have changed with what it was.
 *
 * The program says that something has changed, not what.  Each fragment that is in use is compared then, but
 * only a few times: after that nothing leads to it any more, and it sleeps until the program comes to
 * it again.  So what a fragment costs is paid for by its use, and a program that has written much code in its
 * life does not pay for all of it each time that it writes more. */
#include "translator/fragment/told.h"

#include "translator/fragment/flush.h"
#include "translator/fragment/link.h"
#include "translator/fragment/outside.h"
#include "translator/fragment/translator.h"

/* Going to sleep and waking costs as much as comparing some ten times. */
#define CREDIT 8

static void list(struct changes *changes, struct original *original)
{
    original->next = changes->compared;
    changes->compared = original;
}

void told_add(struct changes *changes, struct original *original)
{
    original->credit = CREDIT;
    list(changes, original);
}

static struct original **bucket_of(struct changes *changes, guest_addr start)
{
    return &changes->originals
                ->asleep[start / TARGET_SHORTEST_INSTRUCTION % ORIGINAL_SLEEP_BUCKETS];
}

/* Its code and its counter stay. */
static void put_to_sleep(struct translator *translator, struct original *original)
{
    struct changes *changes = &translator->changes;
    struct original **bucket = bucket_of(changes, original->fragment->start);

    flush_cut(translator, original->fragment);
    original->asleep = true;
    original->next = *bucket;
    *bucket = original;
    changes->asleep_count++;
}

/* The one for `start`, out of the list; NULL if there is none. */
static struct original *take_sleeping(struct changes *changes, guest_addr start)
{
    struct original **place = bucket_of(changes, start);

    while (*place != NULL) {
        struct original *original = *place;
        if (original->gone || original->fragment->start == start) {
            *place = original->next;
            changes->asleep_count--;
            if (!original->gone) {
                return original;
            }
        } else {
            place = &original->next;
        }
    }
    return NULL;
}

struct fragment *told_wake(struct context *context, guest_addr start)
{
    struct translator *translator = context->translator;
    struct changes *changes = &translator->changes;
    struct original *original = take_sleeping(changes, start);

    if (original == NULL) {
        return NULL;
    }
    if (changes_differ(context, original->fragment)) {
        changes_drop(translator, original);
        return NULL;
    }
    original->asleep = false;
    told_add(changes, original);
    index_add(&translator->index, original->fragment);
    return original->fragment;
}

/* No other thread is in the cache where anything goes: what is in a fragment would go on in it. */
void told_compare(struct translator *translator)
{
    struct changes *changes = &translator->changes;
    struct original *at = changes->compared;
    bool any = false, unlinked = false;

    changes->compared = NULL;
    while (at != NULL) {
        struct original *original = at;
        at = at->next;
        if (original->gone) {
            continue;
        }
        const bool differs = originals_differ(original);
        if (!differs && original->credit > 0) {
            original->credit--;
            list(changes, original);
            continue;
        }
        unlinked |= !any && outside_bring_out(translator);
        any = true;
        if (differs) {
            changes_drop(translator, original);
        } else {
            put_to_sleep(translator, original);
        }
    }
    if (unlinked) {
        link_redo(translator);
    }
    if (any && translator->threaded) {
        target_sync(translator, CODE_ALL, NULL, NULL);
    }
}
