/* The fast matcher: for each word, which disjuncts can link to a given connector on either side. */
#include "parser.h"

struct side {
    unsigned buckets;
    struct match_list **bucket;
};

struct matcher {
    struct parser *parser;
    struct side left[MAX_WORDS];
    struct side right[MAX_WORDS];
    struct match_list *unused;
    int mark;
};

/* Lists are in order of reach, so that a search stops at the first that cannot reach the word. */
static void insert_left(struct matcher *matcher, struct side *side, struct disjunct *d)
{
    struct match_list *node = pool_take(&matcher->parser->parse_pool, sizeof *node);
    struct match_list **at = &side->bucket[d->left->hash & (side->buckets - 1)];
    while (*at != NULL && (*at)->d->left->word > d->left->word) {
        at = &(*at)->next;
    }
    node->d = d;
    node->next = *at;
    *at = node;
}

static void insert_right(struct matcher *matcher, struct side *side, struct disjunct *d)
{
    struct match_list *node = pool_take(&matcher->parser->parse_pool, sizeof *node);
    struct match_list **at = &side->bucket[d->right->hash & (side->buckets - 1)];
    while (*at != NULL && (*at)->d->right->word < d->right->word) {
        at = &(*at)->next;
    }
    node->d = d;
    node->next = *at;
    *at = node;
}

static void side_create(struct matcher *matcher, struct side *side, int count)
{
    side->buckets = 8;
    while ((int)side->buckets < count && side->buckets < 128) {
        side->buckets *= 2;
    }
    side->bucket = pool_take(&matcher->parser->parse_pool, side->buckets * sizeof *side->bucket);
}

struct matcher *matcher_create(struct parser *parser)
{
    struct matcher *matcher = pool_take(&parser->parse_pool, sizeof *matcher);
    matcher->parser = parser;
    for (int w = 0; w < parser->words; w++) {
        struct disjunct *list = parser->word[w].disjuncts;
        int count = disjuncts_count(list);
        side_create(matcher, &matcher->left[w], count);
        side_create(matcher, &matcher->right[w], count);
        for (struct disjunct *d = list; d != NULL; d = d->next) {
            d->mark = 0;
            if (d->left != NULL) {
                insert_left(matcher, &matcher->left[w], d);
            }
            if (d->right != NULL) {
                insert_right(matcher, &matcher->right[w], d);
            }
        }
    }
    return matcher;
}

static struct match_list *take(struct matcher *matcher, struct disjunct *d, struct match_list *list)
{
    struct match_list *node = matcher->unused;
    if (node != NULL) {
        matcher->unused = node->next;
    } else {
        node = pool_take(&matcher->parser->parse_pool, sizeof *node);
    }
    node->d = d;
    node->next = list;
    return node;
}

void matcher_release(struct matcher *matcher, struct match_list *list)
{
    while (list != NULL) {
        struct match_list *next = list->next;
        list->next = matcher->unused;
        matcher->unused = list;
        list = next;
    }
}

/* All disjuncts of word w that might link to le at lw, or to re at rw; each once. */
struct match_list *matcher_find(struct matcher *matcher, int w, const struct connector *le, int lw,
                                const struct connector *re, int rw)
{
    struct match_list *found = NULL;
    int mark = ++matcher->mark;
    if (le != NULL) {
        const struct side *side = &matcher->left[w];
        for (struct match_list *m = side->bucket[le->hash & (side->buckets - 1)];
             m != NULL && m->d->left->word >= lw; m = m->next) {
            if (m->d->left->hash == le->hash) {
                m->d->mark = mark;
                found = take(matcher, m->d, found);
            }
        }
    }
    if (re != NULL) {
        const struct side *side = &matcher->right[w];
        for (struct match_list *m = side->bucket[re->hash & (side->buckets - 1)];
             m != NULL && m->d->right->word <= rw; m = m->next) {
            if (m->d->right->hash == re->hash && m->d->mark != mark) {
                found = take(matcher, m->d, found);
            }
        }
    }
    return found;
}
