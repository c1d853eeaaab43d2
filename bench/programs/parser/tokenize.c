/* Cuts a sentence into words, looks them up, and guesses what unknown ones are. */
#include "parser.h"

#include <ctype.h>

static const struct guess {
    const char *ending;
    const char *entry;
} guesses[] = {
    {"ing", "UNKNOWN-ENDING-ING"}, {"ed", "UNKNOWN-ENDING-ED"}, {"ly", "UNKNOWN-ENDING-LY"},
    {"s", "UNKNOWN-ENDING-S"},     {"", "UNKNOWN-WORD"},
};

static int is_number(const char *word)
{
    int digits = 0;
    for (; *word != '\0'; word++) {
        if (isdigit((unsigned char)*word)) {
            digits++;
        } else if (strchr(".,:%-", *word) == NULL) {
            return 0;
        }
    }
    return digits > 0;
}

static int ends_with(const char *word, const char *ending)
{
    size_t length = strlen(word);
    size_t ending_length = strlen(ending);
    return length > ending_length && strcmp(word + length - ending_length, ending) == 0;
}

static const char *guess_entry(const char *word)
{
    if (is_number(word)) {
        return "NUMBER";
    }
    if (isupper((unsigned char)word[0])) {
        return "CAPITAL-WORD";
    }
    int i = 0;
    while (!ends_with(word, guesses[i].ending) && guesses[i].ending[0] != '\0') {
        i++;
    }
    return guesses[i].entry;
}

static struct exp *copy_exp(struct pool *pool, const struct exp *exp)
{
    struct exp *copy = pool_take(pool, sizeof *copy);
    *copy = *exp;
    struct exp_list **last = &copy->list;
    for (const struct exp_list *item = exp->list; item != NULL; item = item->next) {
        *last = pool_take(pool, sizeof **last);
        (*last)->exp = copy_exp(pool, item->exp);
        last = &(*last)->next;
    }
    *last = NULL;
    return copy;
}

static void add_meanings(struct parser *parser, struct word *word, const char *entry)
{
    struct lookup lookup;
    dictionary_lookup(&parser->dict, entry, &lookup);
    for (int i = 0; i < lookup.count; i++) {
        struct meaning *meaning = pool_take(&parser->pool, sizeof *meaning);
        meaning->word = lookup.found[i]->word;
        meaning->exp = copy_exp(&parser->pool, lookup.found[i]->exp);
        meaning->next = word->meanings;
        word->meanings = meaning;
    }
}

/* The first word has a capital in any case: it may be the word without. */
static void find_meanings(struct parser *parser, int at)
{
    struct word *word = &parser->word[at];
    char lower[MAX_TOKEN];
    strcpy(lower, word->text);
    lower[0] = (char)tolower((unsigned char)lower[0]);
    if (at == 1 && strcmp(lower, word->text) != 0) {
        add_meanings(parser, word, lower);
    }
    add_meanings(parser, word, word->text);
    if (word->meanings == NULL) {
        word->guessed = 1;
        parser->totals.guessed++;
        add_meanings(parser, word, guess_entry(at == 1 ? lower : word->text));
    }
    program_check(word->meanings != NULL, "a word without any meaning");
}

static int add_token(struct parser *parser, const char *text, size_t length)
{
    if (length == 0 || length >= MAX_TOKEN || parser->words == MAX_WORDS) {
        return length == 0;
    }
    struct word *word = &parser->word[parser->words++];
    memset(word, 0, sizeof *word);
    memcpy(word->text, text, length);
    return 1;
}

static size_t strip_right(const char *text, size_t length, size_t *mark)
{
    static const char *const marks[] = {"'s", ",", ".", "?", "!"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        size_t mark_length = strlen(marks[i]);
        if (length > mark_length &&
            memcmp(text + length - mark_length, marks[i], mark_length) == 0) {
            *mark = mark_length;
            return length - mark_length;
        }
    }
    *mark = 0;
    return length;
}

/* A word, with what hangs at its end ("dog's,") as tokens of their own. */
static int add_with_marks(struct parser *parser, const char *text, size_t length)
{
    size_t marks[8];
    int stripped = 0;
    while (length > 1 && strchr("\"(", *text) != NULL) {
        text++;
        length--;
    }
    while (stripped < 8) {
        size_t mark;
        length = strip_right(text, length, &mark);
        if (mark == 0) {
            break;
        }
        marks[stripped++] = mark;
    }
    if (!add_token(parser, text, length)) {
        return 0;
    }
    text += length;
    while (stripped > 0) {
        size_t mark = marks[--stripped];
        if (!add_token(parser, text, mark)) {
            return 0;
        }
        text += mark;
    }
    return 1;
}

/* Returns 0 if there is no room for the sentence. */
int tokenize(struct parser *parser, const char *text)
{
    parser->words = 0;
    add_token(parser, "LEFT-WALL", 9);
    while (*text != '\0') {
        while (isspace((unsigned char)*text)) {
            text++;
        }
        size_t length = 0;
        while (text[length] != '\0' && !isspace((unsigned char)text[length])) {
            length++;
        }
        if (length > 0 && !add_with_marks(parser, text, length)) {
            return 0;
        }
        text += length;
    }
    for (int i = 0; i < parser->words; i++) {
        find_meanings(parser, i);
    }
    return parser->words > 2;
}
