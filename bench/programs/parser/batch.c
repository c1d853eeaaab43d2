/* The batch language: lines that start with ! set options or show a word, all others are sentences. */
#include "parser.h"

static const struct setting {
    const char *name;
    size_t offset;
    int least;
    int most;
} settings[] = {
    {"null", offsetof(struct options, max_null), 0, 8},
    {"cost", offsetof(struct options, max_cost), 0, 9},
    {"limit", offsetof(struct options, max_linkages), 1, 1000},
    {"short", offsetof(struct options, short_length), 2, UNLIMITED_LENGTH},
};

static int read_setting(struct options *options, const char *line)
{
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        size_t length = strlen(settings[i].name);
        if (strncmp(line, settings[i].name, length) != 0 || line[length] != '=') {
            continue;
        }
        int value = atoi(line + length + 1);
        if (value < settings[i].least || value > settings[i].most) {
            return 0;
        }
        memcpy((char *)options + settings[i].offset, &value, sizeof value);
        return 1;
    }
    return 0;
}

static void write_exp(const struct exp *exp, struct text *text)
{
    for (int i = 0; i < exp->cost; i++) {
        text_append_char(text, '[');
    }
    if (exp->kind == EXP_CONNECTOR) {
        if (exp->multi) {
            text_append_char(text, '@');
        }
        text_append(text, exp->name);
        text_append_char(text, exp->direction);
    } else {
        text_append_char(text, '(');
        for (const struct exp_list *item = exp->list; item != NULL; item = item->next) {
            write_exp(item->exp, text);
            if (item->next != NULL) {
                text_append(text, exp->kind == EXP_OR ? " or " : " & ");
            }
        }
        text_append_char(text, ')');
    }
    for (int i = 0; i < exp->cost; i++) {
        text_append_char(text, ']');
    }
}

static int count_disjuncts(const struct exp *exp)
{
    if (exp->kind == EXP_CONNECTOR) {
        return 1;
    }
    int count = exp->kind == EXP_AND;
    for (const struct exp_list *item = exp->list; item != NULL; item = item->next) {
        int part = count_disjuncts(item->exp);
        count = exp->kind == EXP_AND ? count * part : count + part;
    }
    return count;
}

/* What the dictionary says of a word. */
static int show_word(struct parser *parser, const char *word, struct text *text)
{
    struct lookup lookup;
    dictionary_lookup(&parser->dict, word, &lookup);
    for (int i = 0; i < lookup.count; i++) {
        text_append(text, lookup.found[i]->word);
        text_append_char(text, ' ');
        text_append_number(text, count_disjuncts(lookup.found[i]->exp));
        text_append(text, " disjuncts: ");
        write_exp(lookup.found[i]->exp, text);
        text_append_char(text, '\n');
    }
    return lookup.count > 0;
}

static void run_line(struct parser *parser, const char *line)
{
    struct text text = {0};
    int understood = 1;
    if (line[0] == '!' && line[1] == '!') {
        understood = show_word(parser, line + 2, &text);
        parser->digest = program_mix(parser->digest, text_digest(&text));
    } else if (line[0] == '!') {
        understood = read_setting(&parser->options, line + 1);
    } else if (line[0] != '%' && line[0] != '\0') {
        parse_sentence(parser, line);
    }
    parser->totals.bad_commands += !understood;
    text_destroy(&text);
}

void batch_run(struct parser *parser, const char *text)
{
    char line[2 * MAX_SENTENCE_TEXT];
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        size_t kept = length < sizeof line ? length : sizeof line - 1;
        memcpy(line, text, kept);
        while (kept > 0 && line[kept - 1] == ' ') {
            kept--;
        }
        line[kept] = '\0';
        run_line(parser, line);
        text += length;
        text += *text == '\n';
    }
}

/* A batch as a tester would write it: options change now and then, and some words are looked at. */
void batch_write(const struct lexicon *lexicon, uint64_t *random, int sentences, int budget,
                 struct text *text)
{
    static const char *const commands[] = {"!limit=100", "!null=2",    "!cost=3",
                                           "!short=12",  "!limit=40",  "!null=3",
                                           "!cost=2",    "!short=100", "!nonsense=1"};
    char sentence[2 * MAX_SENTENCE_TEXT];
    text_append(text, "% sentences\n!null=3\n!cost=2\n!limit=100\n!short=100\n");
    for (int i = 0; i < sentences; i++) {
        if (i % 16 == 11) {
            text_append(text, commands[(size_t)(i / 16) % (sizeof commands / sizeof *commands)]);
            text_append_char(text, '\n');
        }
        if (i % 10 == 7) {
            const struct word_class *word_class =
                &lexicon->word_class[program_random_below(random, (uint32_t)lexicon->classes)];
            if (word_class->count > 0) {
                const char *word =
                    word_class->word[program_random_below(random, (uint32_t)word_class->count)];
                snprintf(sentence, sizeof sentence, "!!%.*s\n", (int)strcspn(word, "."), word);
                text_append(text, sentence);
            }
        }
        sentence_generate(lexicon, random, budget, sentence);
        text_append(text, sentence);
        text_append_char(text, '\n');
    }
}
