/* Sends the exits of fragments straight to other fragments, as soon as these exist. */
#include "translator/target.h"
#include "translator/translator.h"

#include "base/check.h"

/* A function of its own, so that most exits, which wait, need no stack. */
__attribute__((noinline)) static void connect(struct translator *translator, struct exit *exit,
                                              struct fragment *to)
{
    ASSERT(exit->to == NULL && to->start == exit->target);
    if (!exit->counts) {
        target_link(translator, exit, to);
    } else if (!count_link(translator, exit, to)) {
        return;
    }
    exit->to = to;
    exit->next = to->incoming;
    to->incoming = exit;
    translator->statistics.links++;
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

void link_exit(struct translator *translator, struct exit *exit)
{
    if (!translator->options.link) {
        return;
    }
    struct bucket *bucket = find_bucket(translator, exit->target);
    struct fragment *to = find_fragment_in(bucket, exit->target);
    if (to != NULL) {
        connect(translator, exit, to);
        return;
    }
    exit->next = bucket->waiting;
    bucket->waiting = exit;
}

void link_waiting(struct translator *translator, struct fragment *fragment)
{
    struct exit **place = &find_bucket(translator, fragment->start)->waiting;
    while (*place != NULL) {
        struct exit *exit = *place;
        if (exit->target == fragment->start) {
            *place = exit->next;
            connect(translator, exit, fragment);
        } else {
            place = &exit->next;
        }
    }
}
