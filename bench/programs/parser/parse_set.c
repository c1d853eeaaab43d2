/* All linkages of a sentence as a shared forest, from which any one is taken by its number. */
#include "parser.h"

enum { SET_SLOTS = 1 << 12 };

/* One way to fill the gap of a set: word `w` with disjunct `d`, and what lies on either side. */
struct choice {
    struct choice *next;
    struct parse_set *left;
    struct parse_set *right;
    const struct disjunct *d;
    const struct connector *left_from; /* NULL: no link to the left end */
    const struct connector *right_to;  /* NULL: no link to the right end */
    int w;
};

struct parse_set {
    struct parse_set *hash_next;
    const struct connector *le;
    const struct connector *re;
    struct choice *choices;
    struct choice *last;
    int64_t count;
    short lw;
    short rw;
    short null_count;
};

struct forest {
    struct parser *parser;
    struct matcher *matcher;
    struct counting *counting;
    struct parse_set *slot[SET_SLOTS];
};

static struct parse_set **find_slot(struct forest *forest, int lw, int rw,
                                    const struct connector *le, const struct connector *re,
                                    int null_count)
{
    unsigned hash = (unsigned)(lw * 53 + rw) * 7 + (unsigned)null_count;
    hash = hash * 1031 + (le == NULL ? 0 : (unsigned)le->id);
    hash = hash * 1031 + (re == NULL ? 0 : (unsigned)re->id);
    struct parse_set **at = &forest->slot[(hash ^ hash >> 13) % SET_SLOTS];
    while (*at != NULL && ((*at)->lw != lw || (*at)->rw != rw || (*at)->le != le ||
                           (*at)->re != re || (*at)->null_count != null_count)) {
        at = &(*at)->hash_next;
    }
    return at;
}

static struct parse_set *new_set(struct forest *forest, int lw, int rw, const struct connector *le,
                                 const struct connector *re, int null_count)
{
    struct parse_set *set = pool_take(&forest->parser->parse_pool, sizeof *set);
    set->lw = (short)lw;
    set->rw = (short)rw;
    set->le = le;
    set->re = re;
    set->null_count = (short)null_count;
    return set;
}

static void add_choice(struct forest *forest, struct parse_set *set, const struct choice *choice)
{
    struct choice *kept = pool_take(&forest->parser->parse_pool, sizeof *kept);
    *kept = *choice;
    if (set->last == NULL) {
        set->choices = kept;
    } else {
        set->last->next = kept;
    }
    set->last = kept;
    set->count += kept->left->count * kept->right->count;
    if (set->count > INT32_MAX) {
        set->count = INT32_MAX;
    }
}

static struct parse_set *build(struct forest *forest, int lw, int rw, const struct connector *le,
                               const struct connector *re, int null_count);

/* The sets under a link between two words, one for each way to go on with multiple connectors. */
static int build_under_link(struct forest *forest, int lw, int rw, const struct connector *lc,
                            const struct connector *rc, int null_count, struct parse_set *sets[4])
{
    int found = 0;
    for (int way = 0; way < 4; way++) {
        if (((way & 1) && !lc->multi) || ((way & 2) && !rc->multi)) {
            continue;
        }
        struct parse_set *set =
            build(forest, lw, rw, (way & 1) ? lc : lc->next, (way & 2) ? rc : rc->next, null_count);
        if (set != NULL) {
            sets[found++] = set;
        }
    }
    return found;
}

static void pair_sets(struct forest *forest, struct parse_set *set, struct choice *choice,
                      struct parse_set *const *left, int lefts, struct parse_set *const *right,
                      int rights)
{
    for (int i = 0; i < lefts; i++) {
        for (int j = 0; j < rights; j++) {
            choice->left = left[i];
            choice->right = right[j];
            add_choice(forest, set, choice);
        }
    }
}

static void add_left_linked(struct forest *forest, struct parse_set *set, int w,
                            const struct disjunct *d, int right_links, int left_nulls)
{
    struct parse_set *left[4];
    struct parse_set *right[4];
    int right_nulls = set->null_count - left_nulls;
    int lefts = build_under_link(forest, set->lw, w, set->le, d->left, left_nulls, left);
    if (lefts == 0) {
        return;
    }
    struct choice choice = {.d = d, .w = w, .left_from = set->le};
    struct parse_set *open = build(forest, w, set->rw, d->right, set->re, right_nulls);
    if (open != NULL) {
        pair_sets(forest, set, &choice, left, lefts, &open, 1);
    }
    if (right_links) {
        int rights = build_under_link(forest, w, set->rw, d->right, set->re, right_nulls, right);
        choice.right_to = set->re;
        pair_sets(forest, set, &choice, left, lefts, right, rights);
    }
}

static void add_right_linked(struct forest *forest, struct parse_set *set, int w,
                             const struct disjunct *d, int left_nulls)
{
    struct parse_set *right[4];
    int right_nulls = set->null_count - left_nulls;
    int rights = build_under_link(forest, w, set->rw, d->right, set->re, right_nulls, right);
    if (rights == 0) {
        return;
    }
    struct choice choice = {.d = d, .w = w, .right_to = set->re};
    struct parse_set *open = build(forest, set->lw, w, NULL, d->left, left_nulls);
    if (open != NULL) {
        pair_sets(forest, set, &choice, &open, 1, right, rights);
    }
}

static void add_word(struct forest *forest, struct parse_set *set, int w, const struct disjunct *d)
{
    const struct connector *le = set->le;
    const struct connector *re = set->re;
    int left_links = le != NULL && d->left != NULL && connector_matches(le, d->left, w - set->lw);
    int right_links =
        re != NULL && d->right != NULL && connector_matches(d->right, re, set->rw - w);
    for (int left_nulls = 0; left_nulls <= set->null_count; left_nulls++) {
        if (left_links) {
            add_left_linked(forest, set, w, d, right_links, left_nulls);
        } else if (le == NULL && right_links) {
            add_right_linked(forest, set, w, d, left_nulls);
        }
    }
}

/* NULL if there is no linkage. */
static struct parse_set *build(struct forest *forest, int lw, int rw, const struct connector *le,
                               const struct connector *re, int null_count)
{
    int closed = le == NULL && re == NULL;
    if (closed ? null_count != rw - lw - 1
               : counting_known(forest->counting, lw, rw, le, re, null_count) <= 0) {
        return NULL;
    }
    struct parse_set **slot = find_slot(forest, lw, rw, le, re, null_count);
    if (*slot != NULL) {
        return *slot;
    }
    struct parse_set *set = *slot = new_set(forest, lw, rw, le, re, null_count);
    if (closed) {
        set->count = 1;
        return set;
    }
    int first = le == NULL ? lw + 1 : le->word;
    int last = re == NULL ? rw - 1 : re->word;
    for (int w = first; w <= last; w++) {
        struct match_list *list = matcher_find(forest->matcher, w, le, lw, re, rw);
        for (const struct match_list *m = list; m != NULL; m = m->next) {
            add_word(forest, set, w, m->d);
        }
        matcher_release(forest->matcher, list);
    }
    return set;
}

/* The set of the whole sentence: the wall's disjuncts are its choices. */
struct parse_set *parse_set_build(struct parser *parser, struct matcher *matcher,
                                  struct counting *counting, int null_count)
{
    struct forest *forest = pool_take(&parser->parse_pool, sizeof *forest);
    forest->parser = parser;
    forest->matcher = matcher;
    forest->counting = counting;
    struct parse_set *whole = new_set(forest, -1, parser->words, NULL, NULL, null_count);
    struct parse_set *nothing = new_set(forest, -1, 0, NULL, NULL, 0);
    nothing->count = 1;
    for (const struct disjunct *d = parser->word[0].disjuncts; d != NULL; d = d->next) {
        struct parse_set *rest = build(forest, 0, parser->words, d->right, NULL, null_count);
        if (rest != NULL) {
            struct choice choice = {.left = nothing, .right = rest, .d = d, .w = 0};
            add_choice(forest, whole, &choice);
        }
    }
    return whole;
}

int64_t parse_set_count(const struct parse_set *set)
{
    return set->count;
}

static void add_link(struct linkage *linkage, int left, int right, const struct connector *from,
                     const struct connector *to)
{
    program_check(linkage->links < MAX_LINKS, "too many links");
    struct link *link = &linkage->link[linkage->links++];
    link->left = (short)left;
    link->right = (short)right;
    link->from = from;
    link->to = to;
}

static void extract(const struct parse_set *set, int64_t index, struct linkage *linkage)
{
    const struct choice *choice = set->choices;
    if (choice == NULL) {
        return;
    }
    while (index >= choice->left->count * choice->right->count) {
        index -= choice->left->count * choice->right->count;
        choice = choice->next;
    }
    linkage->chosen[choice->w] = choice->d;
    if (choice->left_from != NULL) {
        add_link(linkage, set->lw, choice->w, choice->left_from, choice->d->left);
    }
    if (choice->right_to != NULL) {
        add_link(linkage, choice->w, set->rw, choice->d->right, choice->right_to);
    }
    extract(choice->left, index % choice->left->count, linkage);
    extract(choice->right, index / choice->left->count, linkage);
}

void parse_set_extract(const struct parse_set *set, int64_t index, struct linkage *linkage)
{
    memset(linkage, 0, sizeof *linkage);
    linkage->index = index;
    extract(set, index, linkage);
}
