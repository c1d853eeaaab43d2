/* Power pruning: removes disjuncts by where their connectors could reach, until nothing changes. */
#include "parser.h"

enum { DEAD = -2 };

/* A connector is shallow if it is its disjunct's outermost on that side.  Two deep ones never link:
 * what lies outside of them would have to cross. */
struct node {
    struct node *next;
    struct connector *connector;
    int shallow;
};

struct side {
    unsigned buckets;
    struct node **bucket;
};

struct power {
    struct parser *parser;
    struct side left[MAX_WORDS];
    struct side right[MAX_WORDS];
    int changed;
};

static void side_insert(struct power *power, struct side *side, struct connector *c, int shallow)
{
    struct node *node = pool_take(&power->parser->pool, sizeof *node);
    struct node **bucket = &side->bucket[c->hash & (side->buckets - 1)];
    node->connector = c;
    node->shallow = shallow;
    /* Shallow ones first: they match more. */
    while (!shallow && *bucket != NULL && (*bucket)->shallow) {
        bucket = &(*bucket)->next;
    }
    node->next = *bucket;
    *bucket = node;
}

static void side_create(struct power *power, struct side *side, const struct disjunct *list,
                        int right)
{
    unsigned count = 0;
    for (const struct disjunct *d = list; d != NULL; d = d->next) {
        for (const struct connector *c = right ? d->right : d->left; c != NULL; c = c->next) {
            count++;
        }
    }
    side->buckets = 8;
    while (side->buckets < count / 4) {
        side->buckets *= 2;
    }
    side->bucket = pool_take(&power->parser->pool, side->buckets * sizeof *side->bucket);
    for (const struct disjunct *d = list; d != NULL; d = d->next) {
        int shallow = 1;
        for (struct connector *c = right ? d->right : d->left; c != NULL; c = c->next) {
            side_insert(power, side, c, shallow);
            shallow = 0;
        }
    }
}

static int could_link(const struct power *power, const struct connector *lc,
                      const struct connector *rc, int shallow, int lw, int rw)
{
    if (!shallow || lc->word > rw || rc->word < lw) {
        return 0;
    }
    int inner = lc->next != NULL || rc->next != NULL;
    if (lw + 1 == rw) {
        if (inner) {
            return 0;
        }
    } else if (power->parser->null_links == 0 && !inner && !lc->multi && !rc->multi) {
        return 0;
    }
    return connector_matches(lc, rc, rw - lw);
}

static int left_of_can_link(struct power *power, int lw, const struct connector *c, int shallow,
                            int rw)
{
    const struct side *side = &power->right[lw];
    struct node **at = &side->bucket[c->hash & (side->buckets - 1)];
    while (*at != NULL) {
        if ((*at)->connector->word == DEAD) {
            *at = (*at)->next;
            continue;
        }
        if (could_link(power, (*at)->connector, c, shallow || (*at)->shallow, lw, rw)) {
            return 1;
        }
        at = &(*at)->next;
    }
    return 0;
}

static int right_of_can_link(struct power *power, int rw, const struct connector *c, int shallow,
                             int lw)
{
    const struct side *side = &power->left[rw];
    struct node **at = &side->bucket[c->hash & (side->buckets - 1)];
    while (*at != NULL) {
        if ((*at)->connector->word == DEAD) {
            *at = (*at)->next;
            continue;
        }
        if (could_link(power, c, (*at)->connector, shallow || (*at)->shallow, lw, rw)) {
            return 1;
        }
        at = &(*at)->next;
    }
    return 0;
}

/* The nearest word that the list's outermost connector can reach, or -1 if there is none. */
static int update_left(struct power *power, struct connector *c, int w, int shallow)
{
    if (c == NULL) {
        return w;
    }
    int n = update_left(power, c->next, w, 0) - 1;
    if (c->word < n) {
        n = c->word;
    }
    int bound = w - c->length_limit < 0 ? 0 : w - c->length_limit;
    while (n >= bound && !left_of_can_link(power, n, c, shallow, w)) {
        n--;
    }
    if (n < bound) {
        return -1;
    }
    if (n != c->word) {
        c->word = (short)n;
        power->changed++;
    }
    return n;
}

static int update_right(struct power *power, struct connector *c, int w, int shallow)
{
    if (c == NULL) {
        return w;
    }
    int words = power->parser->words;
    int n = update_right(power, c->next, w, 0) + 1;
    if (c->word > n) {
        n = c->word;
    }
    int bound = w + c->length_limit >= words ? words - 1 : w + c->length_limit;
    while (n <= bound && !right_of_can_link(power, n, c, shallow, w)) {
        n++;
    }
    if (n > bound) {
        return words;
    }
    if (n != c->word) {
        c->word = (short)n;
        power->changed++;
    }
    return n;
}

static void kill_list(struct connector *c)
{
    for (; c != NULL; c = c->next) {
        c->word = DEAD;
    }
}

static int pass(struct power *power, int forward)
{
    struct parser *parser = power->parser;
    int killed = 0;
    for (int i = 0; i < parser->words; i++) {
        int w = forward ? i : parser->words - 1 - i;
        struct disjunct **at = &parser->word[w].disjuncts;
        while (*at != NULL) {
            struct disjunct *d = *at;
            int fits = forward ? update_left(power, d->left, w, 1) >= 0
                               : update_right(power, d->right, w, 1) < parser->words;
            if (fits) {
                at = &d->next;
                continue;
            }
            kill_list(d->left);
            kill_list(d->right);
            *at = d->next;
            killed++;
        }
    }
    return killed;
}

void prune_by_power(struct parser *parser)
{
    struct power *power = pool_take(&parser->pool, sizeof *power);
    power->parser = parser;
    for (int i = 0; i < parser->words; i++) {
        side_create(power, &power->left[i], parser->word[i].disjuncts, 0);
        side_create(power, &power->right[i], parser->word[i].disjuncts, 1);
    }
    int forward = 1;
    int quiet = 0;
    while (quiet < 2) {
        power->changed = 0;
        int killed = pass(power, forward);
        parser->totals.disjuncts_pruned += killed;
        quiet = killed == 0 && power->changed == 0 ? quiet + 1 : 0;
        forward = !forward;
    }
}
