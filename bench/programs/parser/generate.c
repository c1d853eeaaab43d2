/* Generates sentences by a grammar of phrases, and damages some of them. */
#include "parser.h"

enum { MAX_GENERATED = 40 };

struct generator {
    const struct lexicon *lexicon;
    uint64_t *random;
    int budget; /* how many more modifiers and clauses there may be */
    int count;
    char word[MAX_GENERATED][MAX_TOKEN];
};

static int chance(struct generator *g, uint32_t percent)
{
    return program_random_below(g->random, 100) < percent;
}

/* An addition to the plain sentence, while there is budget for it. */
static int extend(struct generator *g, uint32_t percent)
{
    if (g->budget <= 0 || !chance(g, percent)) {
        return 0;
    }
    g->budget--;
    return 1;
}

static void say(struct generator *g, const char *word)
{
    if (g->count == MAX_GENERATED) {
        return;
    }
    size_t length = strcspn(word, ".");
    if (length == 0) {
        length = strlen(word);
    }
    memcpy(g->word[g->count], word, length);
    g->word[g->count][length] = '\0';
    g->count++;
}

/* Often used words are few: the draw is the smaller of two. */
static void say_of(struct generator *g, const char *class_name)
{
    const struct word_class *word_class = lexicon_find(g->lexicon, class_name);
    program_check(word_class->count > 0, "an empty word class");
    uint32_t first = program_random_below(g->random, (uint32_t)word_class->count);
    uint32_t second = program_random_below(g->random, (uint32_t)word_class->count);
    say(g, word_class->word[first < second ? first : second]);
}

static void say_one(struct generator *g, const char *const *words, uint32_t count)
{
    say(g, words[program_random_below(g->random, count)]);
}

static void say_clause(struct generator *g);
static void say_noun_phrase(struct generator *g, int plural);
static void say_object(struct generator *g);
static void say_verb_phrase(struct generator *g, const char *form);

static void say_adjectives(struct generator *g)
{
    while (extend(g, 30)) {
        if (chance(g, 25)) {
            say(g, "very");
        }
        say_of(g, "adjective");
    }
}

static void say_preposition_phrase(struct generator *g)
{
    say_of(g, "preposition");
    say_object(g);
}

static void say_relative(struct generator *g, int plural)
{
    static const char *const relatives[] = {"who", "that", "which"};
    say_one(g, relatives, 3);
    if (chance(g, 60)) {
        say_verb_phrase(g, plural ? "base" : "s");
        return;
    }
    int inner_plural = chance(g, 50);
    say_noun_phrase(g, inner_plural);
    say_of(g, inner_plural ? "t-base" : "t-s");
}

static void say_determiner(struct generator *g, int plural)
{
    static const char *const single[] = {"the", "a", "this", "every", "his", "my"};
    static const char *const many[] = {"the", "these", "many", "two", "their", "all"};
    if (plural) {
        if (chance(g, 70)) {
            say_one(g, many, 6);
        }
    } else {
        say_one(g, single, 6);
    }
}

static void say_common(struct generator *g, int plural)
{
    if (!plural && extend(g, 10)) {
        say_of(g, "name");
        say(g, "'s");
    } else {
        say_determiner(g, plural);
    }
    say_adjectives(g);
    if (extend(g, 15)) {
        say_of(g, "noun-s");
    }
    say_of(g, plural ? "noun-p" : "noun-s");
    if (extend(g, 25)) {
        say_preposition_phrase(g);
    } else if (extend(g, 25)) {
        say_relative(g, plural);
    }
}

static void say_noun_phrase(struct generator *g, int plural)
{
    static const char *const single[] = {"he", "she", "it"};
    static const char *const many[] = {"they", "we", "you", "I"};
    switch (program_random_below(g->random, 8)) {
    case 0:
        say_one(g, plural ? many : single, plural ? 4 : 3);
        break;
    case 1:
        if (plural) {
            say_of(g, "name");
            say(g, "and");
            say_of(g, "name");
        } else {
            if (chance(g, 20)) {
                say_of(g, "title");
            }
            say_of(g, "name");
        }
        break;
    case 2:
        if (!plural && chance(g, 40)) {
            say_of(g, "noun-u");
            break;
        }
        say_common(g, plural);
        break;
    default:
        say_common(g, plural);
        break;
    }
}

static void say_object(struct generator *g)
{
    static const char *const pronouns[] = {"him", "her", "them", "it", "us"};
    switch (program_random_below(g->random, 7)) {
    case 0:
        say_one(g, pronouns, 5);
        break;
    case 1:
        say_of(g, "name");
        break;
    default:
        say_common(g, chance(g, 40));
        break;
    }
}

static void say_verb(struct generator *g, const char *frame, const char *form)
{
    char name[MAX_TOKEN];
    snprintf(name, sizeof name, "%s-%s", frame, form);
    say_of(g, name);
}

static void say_modifiers(struct generator *g)
{
    static const char *const joins[] = {"and", "but"};
    while (extend(g, 30)) {
        if (chance(g, 60)) {
            say_preposition_phrase(g);
        } else {
            say_of(g, chance(g, 70) ? "adverb" : "adverb-late");
        }
    }
    if (extend(g, 10)) {
        if (chance(g, 50)) {
            say_of(g, "conjunction");
        } else {
            say_one(g, joins, 2);
        }
        say_clause(g);
    }
}

static void say_verb_phrase(struct generator *g, const char *form)
{
    static const char *const particles[] = {"up", "out", "away"};
    if (extend(g, 15)) {
        say_of(g, "adverb");
    }
    switch (program_random_below(g->random, 12)) {
    case 0:
        say_verb(g, "i", form);
        break;
    case 1:
        say_verb(g, "d", form);
        say_object(g);
        say_common(g, chance(g, 50));
        break;
    case 2:
        say_verb(g, "c", form);
        if (g->budget-- > 0) {
            if (chance(g, 70)) {
                say(g, "that");
            }
            say_clause(g);
        } else {
            say_object(g);
        }
        break;
    case 3:
        say_verb(g, "to", form);
        say(g, "to");
        if (g->budget-- > 0) {
            say_verb_phrase(g, "base");
        } else {
            say_verb(g, "i", "base");
        }
        break;
    case 4:
        say_verb(g, "k", form);
        say_one(g, particles, 3);
        say_object(g);
        break;
    case 5:
        say_verb(g, "link", form);
        say_of(g, "adjective");
        break;
    case 6:
    case 7:
        say_verb(g, "ti", form);
        break;
    default:
        say_verb(g, "t", form);
        say_object(g);
        break;
    }
    say_modifiers(g);
}

static void say_predicate(struct generator *g, int plural)
{
    static const char *const modals[] = {"will", "can", "may", "could", "should"};
    switch (program_random_below(g->random, 9)) {
    case 0:
        say_one(g, modals, 5);
        if (chance(g, 30)) {
            say(g, "not");
        }
        say_verb_phrase(g, "base");
        break;
    case 1:
        say(g, plural ? "have" : "has");
        say_verb_phrase(g, "participle");
        break;
    case 2:
        say(g, plural ? "are" : "is");
        say_verb_phrase(g, "gerund");
        break;
    case 3:
        say(g, plural ? "were" : "was");
        say_of(g, "passive");
        say_modifiers(g);
        break;
    case 4:
        say(g, plural ? "are" : "is");
        say_of(g, "adjective");
        if (chance(g, 30)) {
            say(g, "and");
            say_of(g, "adjective");
        }
        say_modifiers(g);
        break;
    case 5:
    case 6:
        say_verb_phrase(g, "past");
        break;
    default:
        say_verb_phrase(g, plural ? "base" : "s");
        break;
    }
}

static void say_clause(struct generator *g)
{
    int plural = chance(g, 45);
    say_noun_phrase(g, plural);
    say_predicate(g, plural);
}

static const char *say_question(struct generator *g)
{
    static const char *const openers[] = {"when", "where", "why"};
    int plural = chance(g, 45);
    if (chance(g, 40)) {
        say_one(g, openers, 3);
    }
    say(g, plural ? "do" : "does");
    say_noun_phrase(g, plural);
    say_verb_phrase(g, "base");
    return "?";
}

static const char *say_sentence(struct generator *g)
{
    if (chance(g, 10)) {
        return say_question(g);
    }
    if (extend(g, 10)) {
        say_of(g, "adverb");
        say(g, ",");
    } else if (extend(g, 8)) {
        say_preposition_phrase(g);
        say(g, ",");
    }
    say_clause(g);
    return ".";
}

static void swap_words(struct generator *g)
{
    int at = (int)program_random_below(g->random, (uint32_t)g->count - 1);
    char kept[MAX_TOKEN];
    memcpy(kept, g->word[at], MAX_TOKEN);
    memcpy(g->word[at], g->word[at + 1], MAX_TOKEN);
    memcpy(g->word[at + 1], kept, MAX_TOKEN);
}

static void drop_word(struct generator *g)
{
    int at = (int)program_random_below(g->random, (uint32_t)g->count);
    for (int i = at; i + 1 < g->count; i++) {
        memcpy(g->word[i], g->word[i + 1], MAX_TOKEN);
    }
    g->count--;
}

static void repeat_word(struct generator *g)
{
    if (g->count == MAX_GENERATED) {
        return;
    }
    int at = (int)program_random_below(g->random, (uint32_t)g->count);
    for (int i = g->count; i > at; i--) {
        memcpy(g->word[i], g->word[i - 1], MAX_TOKEN);
    }
    g->count++;
}

/* A word that no dictionary has: its letters turned round. */
static void garble_word(struct generator *g)
{
    int at = (int)program_random_below(g->random, (uint32_t)g->count);
    char *word = g->word[at];
    size_t length = strlen(word);
    for (size_t i = 0; i < length / 2; i++) {
        char kept = word[i];
        word[i] = word[length - 1 - i];
        word[length - 1 - i] = kept;
    }
}

static void damage(struct generator *g)
{
    if (g->count < 3) {
        return;
    }
    switch (program_random_below(g->random, 4)) {
    case 0:
        swap_words(g);
        break;
    case 1:
        drop_word(g);
        break;
    case 2:
        repeat_word(g);
        break;
    default:
        garble_word(g);
        break;
    }
}

/* Writes the words as a writer would: no blank before punctuation, a capital at the start. */
static void write_sentence(const struct generator *g, const char *end, char *text)
{
    size_t length = 0;
    for (int i = 0; i < g->count; i++) {
        int attached = g->word[i][0] == ',' || g->word[i][0] == '\'';
        if (i > 0 && !attached) {
            text[length++] = ' ';
        }
        size_t word_length = strlen(g->word[i]);
        memcpy(text + length, g->word[i], word_length);
        length += word_length;
    }
    if (text[0] >= 'a' && text[0] <= 'z') {
        text[0] = (char)(text[0] - 'a' + 'A');
    }
    strcpy(text + length, end);
}

/* `text` has room for MAX_SENTENCE_TEXT characters. */
void sentence_generate(const struct lexicon *lexicon, uint64_t *random, int budget, char *text)
{
    struct generator g = {.lexicon = lexicon, .random = random, .budget = budget};
    const char *end = say_sentence(&g);
    if (chance(&g, 25)) {
        damage(&g);
    }
    write_sentence(&g, end, text);
}
