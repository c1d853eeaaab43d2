/* Counts all linkages by dynamic programming over pairs of words and their open connectors. */
#include "parser.h"

static const int64_t most = INT32_MAX; /* products of two still fit */

struct memo {
    struct memo *next;
    const struct connector *le;
    const struct connector *re;
    int64_t count;
    short lw;
    short rw;
    short null_count;
};

struct counting {
    struct parser *parser;
    struct matcher *matcher;
    struct memo **table;
    unsigned slots;
    int64_t entries;
};

static unsigned hash_key(const struct counting *counting, int lw, int rw,
                         const struct connector *le, const struct connector *re, int null_count)
{
    unsigned hash = (unsigned)null_count;
    hash = hash * 31 + (unsigned)lw;
    hash = hash * 31 + (unsigned)rw;
    hash = hash * 4099 + (le == NULL ? 0 : (unsigned)le->id);
    hash = hash * 4099 + (re == NULL ? 0 : (unsigned)re->id);
    return (hash ^ hash >> 15) & (counting->slots - 1);
}

static struct memo *find(const struct counting *counting, int lw, int rw,
                         const struct connector *le, const struct connector *re, int null_count)
{
    struct memo *memo = counting->table[hash_key(counting, lw, rw, le, re, null_count)];
    while (memo != NULL && (memo->lw != lw || memo->rw != rw || memo->le != le || memo->re != re ||
                            memo->null_count != null_count)) {
        memo = memo->next;
    }
    return memo;
}

static struct memo *store(struct counting *counting, int lw, int rw, const struct connector *le,
                          const struct connector *re, int null_count)
{
    struct memo *memo = pool_take(&counting->parser->parse_pool, sizeof *memo);
    struct memo **slot = &counting->table[hash_key(counting, lw, rw, le, re, null_count)];
    memo->lw = (short)lw;
    memo->rw = (short)rw;
    memo->le = le;
    memo->re = re;
    memo->null_count = (short)null_count;
    memo->next = *slot;
    *slot = memo;
    counting->entries++;
    return memo;
}

static int64_t limit(int64_t count)
{
    return count > most ? most : count;
}

static int64_t count_between(struct counting *counting, int lw, int rw, const struct connector *le,
                             const struct connector *re, int null_count);

/* Nothing is open: before the sentence, its linkage starts with the wall; elsewhere all words are
 * unused. */
static int64_t count_closed(struct counting *counting, int lw, int rw, int null_count)
{
    if (lw != -1) {
        return null_count == rw - lw - 1;
    }
    int64_t total = 0;
    for (const struct disjunct *d = counting->parser->word[0].disjuncts; d != NULL; d = d->next) {
        total += count_between(counting, 0, rw, d->right, NULL, null_count);
    }
    return limit(total);
}

/* Between two words that are linked by lc and rc.  A multiple connector may go on being used. */
static int64_t count_under_link(struct counting *counting, int lw, int rw,
                                const struct connector *lc, const struct connector *rc,
                                int null_count)
{
    int64_t total = count_between(counting, lw, rw, lc->next, rc->next, null_count);
    if (lc->multi) {
        total += count_between(counting, lw, rw, lc, rc->next, null_count);
    }
    if (rc->multi) {
        total += count_between(counting, lw, rw, lc->next, rc, null_count);
    }
    if (lc->multi && rc->multi) {
        total += count_between(counting, lw, rw, lc, rc, null_count);
    }
    return limit(total);
}

static int64_t count_with(struct counting *counting, int lw, int rw, const struct connector *le,
                          const struct connector *re, int w, const struct disjunct *d,
                          int null_count)
{
    int left_links = le != NULL && d->left != NULL && connector_matches(le, d->left, w - lw);
    int right_links = re != NULL && d->right != NULL && connector_matches(d->right, re, rw - w);
    int64_t total = 0;
    if (!left_links && (le != NULL || !right_links)) {
        return 0;
    }
    for (int left_nulls = 0; left_nulls <= null_count; left_nulls++) {
        int right_nulls = null_count - left_nulls;
        int64_t left = left_links ? count_under_link(counting, lw, w, le, d->left, left_nulls) : 0;
        if (left_links && left == 0) {
            continue;
        }
        int64_t right =
            right_links ? count_under_link(counting, w, rw, d->right, re, right_nulls) : 0;
        if (left_links) {
            total += left * right;
            total += left * count_between(counting, w, rw, d->right, re, right_nulls);
        } else if (right > 0) {
            total += right * count_between(counting, lw, w, NULL, d->left, left_nulls);
        }
        total = limit(total);
    }
    return total;
}

static int64_t count_open(struct counting *counting, int lw, int rw, const struct connector *le,
                          const struct connector *re, int null_count)
{
    int first = le == NULL ? lw + 1 : le->word;
    int last = re == NULL ? rw - 1 : re->word;
    int64_t total = 0;
    for (int w = first; w <= last; w++) {
        struct match_list *list = matcher_find(counting->matcher, w, le, lw, re, rw);
        for (const struct match_list *m = list; m != NULL; m = m->next) {
            total += count_with(counting, lw, rw, le, re, w, m->d, null_count);
        }
        matcher_release(counting->matcher, list);
        total = limit(total);
    }
    return total;
}

static int64_t count_between(struct counting *counting, int lw, int rw, const struct connector *le,
                             const struct connector *re, int null_count)
{
    if (null_count < 0) {
        return 0;
    }
    if (lw + 1 == rw) {
        return le == NULL && re == NULL && null_count == 0;
    }
    if (le == NULL && re == NULL) {
        return count_closed(counting, lw, rw, null_count);
    }
    if ((le != NULL && le->word >= rw) || (re != NULL && re->word <= lw)) {
        return 0;
    }
    struct memo *memo = find(counting, lw, rw, le, re, null_count);
    if (memo != NULL) {
        return memo->count;
    }
    int64_t total = count_open(counting, lw, rw, le, re, null_count);
    store(counting, lw, rw, le, re, null_count)->count = total;
    return total;
}

struct counting *counting_create(struct parser *parser, struct matcher *matcher)
{
    struct counting *counting = pool_take(&parser->parse_pool, sizeof *counting);
    counting->parser = parser;
    counting->matcher = matcher;
    counting->slots = parser->words < 10 ? 1 << 11 : parser->words < 20 ? 1 << 13 : 1 << 15;
    counting->table = pool_take(&parser->parse_pool, counting->slots * sizeof *counting->table);
    return counting;
}

int64_t counting_run(struct counting *counting, int null_count)
{
    return count_closed(counting, -1, counting->parser->words, null_count);
}

int64_t counting_known(const struct counting *counting, int lw, int rw, const struct connector *le,
                       const struct connector *re, int null_count)
{
    const struct memo *memo = find(counting, lw, rw, le, re, null_count);
    return memo == NULL ? -1 : memo->count;
}

int64_t counting_entries(const struct counting *counting)
{
    return counting->entries;
}
