/* Counts linkages a second way: word by word from the left, with a stack of words that still want links. */
#include "parser.h"

enum { MAX_SIDE = 24 };

/* A word on the stack and its connectors to the right, the nearest first. */
struct pending {
    const struct connector *connector[MAX_SIDE];
    int count;
    int at;   /* the one that must link next */
    int used; /* it is multiple and has linked already */
};

struct search {
    struct parser *parser;
    struct pending pending[MAX_WORDS];
    int parent[MAX_WORDS];  /* union-find without compression, undone on the way back */
    int covered[MAX_WORDS]; /* links that go over the word */
    int pieces;
    int64_t found;
    int64_t steps;
    int64_t limit;
};

static int lay_out(const struct connector *list, const struct connector **nearest_first)
{
    int count = 0;
    for (const struct connector *c = list; c != NULL; c = c->next) {
        count++;
    }
    program_check(count <= MAX_SIDE, "a disjunct is too long");
    int at = count;
    for (const struct connector *c = list; c != NULL; c = c->next) {
        nearest_first[--at] = c;
    }
    return count;
}

static int find_piece(const struct search *search, int w)
{
    while (search->parent[w] != w) {
        w = search->parent[w];
    }
    return w;
}

/* Nothing more must link. */
static int is_satisfied(const struct pending *pending)
{
    return pending->at + (pending->used ? 1 : 0) >= pending->count;
}

static void cover(struct search *search, int v, int w, int change)
{
    for (int i = v + 1; i < w; i++) {
        search->covered[i] += change;
    }
}

static void take_word(struct search *search, int w);

struct left_side {
    const struct connector *connector[MAX_SIDE];
    int count;
};

static void link_left(struct search *search, int w, const struct left_side *left, int at, int used,
                      int below);

/* Links connector `at` of word w with connector `from` of word v, and goes on. */
static void link_with(struct search *search, int w, const struct left_side *left, int at, int v,
                      int from)
{
    struct pending *pending = &search->pending[v];
    const struct connector *lc = pending->connector[from];
    const struct connector *rc = left->connector[at];
    if (!connector_matches(lc, rc, w - v)) {
        return;
    }
    struct pending kept = *pending;
    int piece = find_piece(search, v);
    int own = find_piece(search, w);
    pending->at = lc->multi ? from : from + 1;
    pending->used = lc->multi;
    cover(search, v, w, 1);
    if (piece != own) {
        search->parent[own] = piece;
        search->pieces--;
    }
    if (rc->multi) {
        link_left(search, w, left, at, 1, v);
    } else {
        link_left(search, w, left, at + 1, 0, v);
    }
    if (piece != own) {
        search->parent[own] = own;
        search->pieces++;
    }
    cover(search, v, w, -1);
    *pending = kept;
}

/* The rest of word w's left connectors, each to a word left of `below`.  A word that still must
 * link cannot be passed over, and one that is covered by a link gets no more. */
static void link_left(struct search *search, int w, const struct left_side *left, int at, int used,
                      int below)
{
    if (++search->steps > search->limit) {
        return;
    }
    if (at + (used ? 1 : 0) >= left->count) {
        take_word(search, w + 1);
    }
    for (int v = below - 1; v >= 0; v--) {
        if (search->covered[v] > 0) {
            continue;
        }
        struct pending *pending = &search->pending[v];
        for (int own = at; own <= at + used && own < left->count; own++) {
            for (int from = pending->at; from <= pending->at + pending->used; from++) {
                if (from < pending->count) {
                    link_with(search, w, left, own, v, from);
                }
            }
        }
        if (!is_satisfied(pending)) {
            return;
        }
    }
}

static void take_word(struct search *search, int w)
{
    struct parser *parser = search->parser;
    if (w == parser->words) {
        int complete = search->pieces == 1;
        for (int i = 0; i < w && complete; i++) {
            complete = is_satisfied(&search->pending[i]);
        }
        search->found += complete;
        return;
    }
    for (const struct disjunct *d = parser->word[w].disjuncts; d != NULL; d = d->next) {
        struct left_side left;
        left.count = lay_out(d->left, left.connector);
        struct pending *pending = &search->pending[w];
        memset(pending, 0, sizeof *pending);
        pending->count = lay_out(d->right, pending->connector);
        search->parent[w] = w;
        search->pieces++;
        link_left(search, w, &left, 0, 0, w);
        search->pieces--;
    }
}

/* How many complete linkages there are, or -1 if the search takes more steps than the limit. */
int64_t enumerate_linkages(struct parser *parser, int64_t limit)
{
    struct search *search = program_allocate(1, sizeof *search);
    search->parser = parser;
    search->limit = limit;
    take_word(search, 0);
    int64_t found = search->steps > limit ? -1 : search->found;
    free(search);
    return found;
}
