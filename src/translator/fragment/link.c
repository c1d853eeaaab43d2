/* Sends the exits of fragments straight to other fragments, as soon as these exist.
 *
 * An exit is in one list: of those that wait for its target, or of those that are linked to a fragment.  One
 * whose own fragment has gone stays there, dead, until somebody walks the list. */
#include "translator/fragment/link.h"

#include "translator/fragment/translator.h"

#include "base/check.h"

void link_note(struct translator *translator, struct exit *exit, struct fragment *to)
{
    exit->to = to;
    exit->next = to->incoming;
    to->incoming = exit;
    translator->statistics.links++;
}

void link_straight(struct translator *translator, struct exit *exit, struct fragment *to)
{
    target_link(translator, exit, to);
    link_note(translator, exit, to);
}

struct fragment *link_find_or_wait(struct translator *translator, struct exit *exit)
{
    struct bucket *bucket = index_bucket(&translator->index, exit->target);
    struct fragment *to = index_find_in(bucket, exit->target);

    if (UNLIKELY(!translator->options.link)) {
        return NULL;
    }
    if (to == NULL) {
        exit->next = bucket->waiting;
        bucket->waiting = exit;
        return NULL;
    }
    return LIKELY(!to->guarded) ? to : NULL;
}

void link_exit(struct translator *translator, struct exit *exit)
{
    struct fragment *to = link_find_or_wait(translator, exit);

    if (to != NULL) {
        link_straight(translator, exit, to);
    }
}

struct exit *link_take_waiting(struct translator *translator, const struct fragment *fragment)
{
    struct exit **place = &index_bucket(&translator->index, fragment->start)->waiting;
    struct exit *exit;

    while ((exit = *place) != NULL) {
        if (exit->target != fragment->start && LIKELY(!exit->dead)) {
            place = &exit->next;
            continue;
        }
        *place = exit->next;
        if (LIKELY(!exit->dead)) {
            return exit;
        }
    }
    return NULL;
}

/* Takes all exits that are linked to `fragment` out of its list, but for dead ones. */
static struct exit *take_incoming(struct fragment *fragment)
{
    struct exit *taken = fragment->incoming;
    struct exit **place = &taken;

    fragment->incoming = NULL;
    while (*place != NULL) {
        if ((*place)->dead) {
            *place = (*place)->next;
        } else {
            place = &(*place)->next;
        }
    }
    return taken;
}

void link_detach(struct translator *translator, struct fragment *fragment)
{
    struct bucket *bucket = index_bucket(&translator->index, fragment->start);
    struct exit *exit = take_incoming(fragment);

    index_remove(&translator->index, fragment);
    while (exit != NULL) {
        struct exit *next = exit->next;
        count_unlink(fragment, exit);
        target_unlink(translator, exit);
        if (fragment->loop != NULL) { /* the next one shall have a counter again */
            exit->grows = fragment->loop->hidden;
            exit->counts = true;
        }
        exit->to = NULL;
        exit->next = bucket->waiting;
        bucket->waiting = exit;
        exit = next;
    }
}

bool link_let_go(struct translator *translator, struct fragment *to, const struct exit *but)
{
    struct exit *exit = take_incoming(to);
    bool any = false;

    while (exit != NULL) {
        struct exit *next = exit->next;
        if (exit == but) {
            exit->next = to->incoming;
            to->incoming = exit;
        } else {
            any = true;
            exit->to = NULL;
            exit->counts = true;
            exit->grows = to->loop->hidden;
            target_unlink(translator, exit);
            translator->statistics.links--;
        }
        exit = next;
    }
    return any;
}

void link_again(struct translator *translator, struct fragment *fragment)
{
    fragment->incoming = take_incoming(fragment);
    for (struct exit *exit = fragment->incoming; exit != NULL; exit = exit->next) {
        target_link(translator, exit, fragment);
    }
}

/* Those that have gone have none. */
void link_undo(struct translator *translator)
{
    for (struct fragment *to = translator->index.last; to != NULL; to = to->before) {
        for (struct exit *exit = to->incoming; exit != NULL; exit = exit->next) {
            count_unlink(to, exit);
            target_unlink(translator, exit);
        }
    }
}

static void connect_again(struct translator *translator, struct fragment *to)
{
    struct exit *exit = take_incoming(to);

    while (exit != NULL) {
        struct exit *next = exit->next;
        exit->to = NULL;
        translator->statistics.links--;
        if (LIKELY(!exit->counts)) {
            link_straight(translator, exit, to);
        } else {
            translator->counts->kind->link(translator, exit);
        }
        exit = next;
    }
}

void link_redo(struct translator *translator)
{
    for (struct fragment *to = translator->index.last; to != NULL; to = to->before) {
        connect_again(translator, to);
    }
}
