/* Sends the exits of fragments straight to other fragments, as soon as these exist. */
#include "translator/target.h"
#include "translator/translator.h"

#include "base/check.h"

static void note_link(struct translator *translator, struct exit *exit, struct fragment *to)
{
    exit->to = to;
    exit->next = to->incoming;
    to->incoming = exit;
    translator->statistics.links++;
}

__attribute__((noinline)) static void connect_slowly(struct translator *translator,
                                                     struct exit *exit, struct fragment *to)
{
    ASSERT(exit->to == NULL);
    if (!exit->counts) {
        target_link(translator, exit, to);
    } else if (!count_link(translator, exit, to)) {
        return;
    }
    note_link(translator, exit, to);
}

static void connect(struct translator *translator, struct exit *exit, struct fragment *to)
{
    if (LIKELY(!exit->counts && target_link_new(translator, exit, to))) {
        note_link(translator, exit, to);
    } else {
        connect_slowly(translator, exit, to);
    }
}

struct fragment *link_later(struct translator *translator, struct exit *exit)
{
    struct bucket *bucket = find_bucket(translator, exit->target);
    struct fragment *to = find_fragment_in(bucket, exit->target);
    if (to == NULL) {
        exit->next = bucket->waiting;
        bucket->waiting = exit;
    }
    return to;
}

__attribute__((noinline)) void link_now(struct translator *translator, struct exit *exit,
                                        struct fragment *to, struct exit *second,
                                        struct fragment *to_second)
{
    if (to != NULL) {
        connect(translator, exit, to);
    }
    if (to_second != NULL) {
        connect(translator, second, to_second);
    }
}

void link_exit(struct translator *translator, struct exit *exit)
{
    if (translator->options.link) {
        struct fragment *to = link_later(translator, exit);
        if (to != NULL) {
            connect(translator, exit, to);
        }
    }
}

void link_detach(struct translator *translator, struct fragment *fragment)
{
    struct bucket *bucket = find_bucket(translator, fragment->start);

    while (fragment->incoming != NULL) {
        struct exit *exit = fragment->incoming;
        fragment->incoming = exit->next;
        count_unlink(fragment, exit);
        target_unlink(translator, exit);
        exit->to = NULL;
        exit->next = bucket->waiting;
        bucket->waiting = exit;
    }
}

void link_undo(struct translator *translator)
{
    for (size_t i = 0; i <= translator->bucket_mask; i++) {
        for (struct fragment *to = translator->buckets[i].fragments; to != NULL; to = to->next) {
            for (struct exit *exit = to->incoming; exit != NULL; exit = exit->next) {
                count_unlink(to, exit);
                target_unlink(translator, exit);
            }
        }
    }
}

static void connect_again(struct translator *translator, struct fragment *to)
{
    struct exit *exit = to->incoming;

    to->incoming = NULL;
    while (exit != NULL) {
        struct exit *next = exit->next;
        exit->to = NULL;
        translator->statistics.links--;
        connect(translator, exit, to);
        exit = next;
    }
}

void link_redo(struct translator *translator)
{
    for (size_t i = 0; i <= translator->bucket_mask; i++) {
        for (struct fragment *to = translator->buckets[i].fragments; to != NULL; to = to->next) {
            connect_again(translator, to);
        }
    }
}

__attribute__((noinline)) static struct fragment *
link_rest(struct translator *translator, struct exit **place, struct fragment *fragment)
{
    struct exit *exit;
    while ((exit = *place) != NULL) {
        if (exit->target == fragment->start) {
            *place = exit->next;
            connect(translator, exit, fragment);
        } else {
            place = &exit->next;
        }
    }
    return fragment;
}

/* Nearly always one waits, and it is near: that needs no stack. */
__attribute__((noinline)) struct fragment *
link_waiting(struct translator *translator, struct bucket *bucket, struct fragment *fragment)
{
    struct exit *exit = bucket->waiting;
    if (LIKELY(exit != NULL && exit->target == fragment->start && !exit->counts &&
               target_link_new(translator, exit, fragment))) {
        bucket->waiting = exit->next;
        note_link(translator, exit, fragment);
    }
    return bucket->waiting == NULL ? fragment : link_rest(translator, &bucket->waiting, fragment);
}
