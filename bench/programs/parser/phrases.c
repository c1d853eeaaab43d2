/* Reads phrases off a linkage and writes the sentence with brackets around them. */
#include "parser.h"

enum { MAX_PHRASES = 2 * MAX_LINKS };

/* A link of this name means a phrase at its right or left end: all that hangs there. */
static const struct phrase_rule {
    const char *link;
    const char *label;
    int at_right;
} phrase_rules[] = {
    {"Wd", "S", 1},    {"Wq", "SQ", 1},    {"Wh", "SBARQ", 1}, {"Cs", "S", 1},    {"Ce", "S", 1},
    {"TH", "SBAR", 1}, {"R", "SBAR", 1},   {"RS", "VP", 1},    {"S", "VP", 1},    {"S", "NP", 0},
    {"SI", "NP", 1},   {"O", "NP", 1},     {"OX", "NP", 1},    {"J", "NP", 1},    {"Mp", "PP", 1},
    {"MVp", "PP", 1},  {"MVa", "ADVP", 1}, {"MVs", "SBAR", 1}, {"I", "VP", 1},    {"TO", "VP", 1},
    {"PP", "VP", 1},   {"Pg", "VP", 1},    {"Pv", "VP", 1},    {"Pa", "ADJP", 1}, {"E", "ADVP", 0},
    {"YS", "NP", 0},   {"K", "PRT", 1},    {"EA", "ADVP", 0},
};

struct phrase {
    const char *label;
    int first;
    int last;
};

struct phrases {
    const struct parser *parser;
    const struct linkage *linkage;
    struct phrase phrase[MAX_PHRASES];
    int count;
};

/* A subject hangs at the wall or at a conjunction, which are no part of its phrase. */
static int leads_out(const struct link *link, int from)
{
    return link->left == 0 || (link->right == from && strchr("WC", link->name[0]) != NULL);
}

/* Grows the span from one word over all links that stay on its side of the other end. */
static void grow(const struct phrases *phrases, int from, int closed, struct phrase *phrase)
{
    char inside[MAX_WORDS] = {0};
    int grown = 1;
    inside[from] = 1;
    while (grown) {
        grown = 0;
        for (int i = 0; i < phrases->linkage->links; i++) {
            const struct link *link = &phrases->linkage->link[i];
            int beyond = closed < from ? link->left <= closed
                                       : link->right >= closed || leads_out(link, from);
            if (!beyond && inside[link->left] != inside[link->right]) {
                inside[link->left] = inside[link->right] = 1;
                grown = 1;
            }
        }
    }
    phrase->first = phrase->last = from;
    while (phrase->first > 0 && inside[phrase->first - 1]) {
        phrase->first--;
    }
    while (phrase->last + 1 < phrases->parser->words && inside[phrase->last + 1]) {
        phrase->last++;
    }
}

static void collect(struct phrases *phrases)
{
    for (int i = 0; i < phrases->linkage->links; i++) {
        const struct link *link = &phrases->linkage->link[i];
        for (size_t r = 0; r < sizeof phrase_rules / sizeof phrase_rules[0]; r++) {
            const struct phrase_rule *rule = &phrase_rules[r];
            if (!link_has_name(link, rule->link) || phrases->count == MAX_PHRASES) {
                continue;
            }
            struct phrase *phrase = &phrases->phrase[phrases->count++];
            phrase->label = rule->label;
            grow(phrases, rule->at_right ? link->right : link->left,
                 rule->at_right ? link->left : link->right, phrase);
        }
    }
}

static int compare_phrases(const void *left, const void *right)
{
    const struct phrase *a = left;
    const struct phrase *b = right;
    if (a->first != b->first) {
        return a->first - b->first;
    }
    if (a->last != b->last) {
        return b->last - a->last;
    }
    return strcmp(a->label, b->label);
}

/* The same phrase may come from two links. */
static void remove_repeated(struct phrases *phrases)
{
    int kept = 0;
    for (int i = 0; i < phrases->count; i++) {
        if (kept == 0 || compare_phrases(&phrases->phrase[kept - 1], &phrases->phrase[i]) != 0) {
            phrases->phrase[kept++] = phrases->phrase[i];
        }
    }
    phrases->count = kept;
}

/* A phrase that sticks out of another is cut to what both share, as a reader would bracket it. */
static void make_nested(struct phrases *phrases)
{
    int changed = 1;
    while (changed) {
        changed = 0;
        for (int i = 0; i < phrases->count; i++) {
            for (int j = 0; j < phrases->count; j++) {
                const struct phrase *outer = &phrases->phrase[i];
                struct phrase *inner = &phrases->phrase[j];
                if (outer->first < inner->first && inner->first <= outer->last &&
                    outer->last < inner->last) {
                    inner->last = outer->last;
                    changed = 1;
                }
            }
        }
    }
}

static void check_nested(const struct phrases *phrases)
{
    int open[MAX_PHRASES];
    int depth = 0;
    for (int i = 0; i < phrases->count; i++) {
        const struct phrase *phrase = &phrases->phrase[i];
        while (depth > 0 && open[depth - 1] < phrase->first) {
            depth--;
        }
        program_check(depth == 0 || phrase->last <= open[depth - 1], "phrases overlap");
        open[depth++] = phrase->last;
    }
}

static void write_brackets(const struct phrases *phrases, struct text *text)
{
    for (int w = 1; w < phrases->parser->words; w++) {
        for (int i = 0; i < phrases->count; i++) {
            if (phrases->phrase[i].first == w) {
                text_append_char(text, '[');
                text_append(text, phrases->phrase[i].label);
                text_append_char(text, ' ');
            }
        }
        text_append(text, phrases->parser->word[w].text);
        for (int i = 0; i < phrases->count; i++) {
            if (phrases->phrase[i].last == w) {
                text_append_char(text, ']');
            }
        }
        text_append_char(text, ' ');
    }
    text_append_char(text, '\n');
}

void phrases_write(const struct parser *parser, const struct linkage *linkage, struct text *text)
{
    struct phrases phrases = {.parser = parser, .linkage = linkage};
    collect(&phrases);
    qsort(phrases.phrase, (size_t)phrases.count, sizeof *phrases.phrase, compare_phrases);
    make_nested(&phrases);
    qsort(phrases.phrase, (size_t)phrases.count, sizeof *phrases.phrase, compare_phrases);
    remove_repeated(&phrases);
    check_nested(&phrases);
    write_brackets(&phrases, text);
}
