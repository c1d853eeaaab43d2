/* Makes text, source, records, noise and pictures from a seed. */
#include "corpus.h"
#include <stdbool.h>
#include "program.h"

const char *const corpus_names[CORPUS_KINDS] = {"text", "source", "records", "random", "image"};

enum {
    CORPUS_WORDS = 4000,
    CORPUS_WORD_BYTES = 16,
    CORPUS_DETERMINERS = 24,
    CORPUS_PREPOSITIONS = 64,
    CORPUS_VERBS = 900,
    CORPUS_ADJECTIVES = 1000,
    CORPUS_LINE = 72,
    CORPUS_IMAGE_WIDTH = 640
};

/* What is put behind the end is dropped, so that no sentence needs to know where the end is. */
struct corpus {
    uint8_t *bytes;
    size_t size;
    size_t used;
    size_t line_start;
    uint64_t random;
    unsigned indent;
    char words[CORPUS_WORDS][CORPUS_WORD_BYTES];
};

static uint32_t corpus_below(struct corpus *corpus, uint32_t limit)
{
    return program_random_below(&corpus->random, limit);
}

static bool corpus_one_in(struct corpus *corpus, uint32_t n)
{
    return corpus_below(corpus, n) == 0;
}

static void corpus_put(struct corpus *corpus, uint32_t byte)
{
    if (corpus->used < corpus->size) {
        corpus->bytes[corpus->used++] = (uint8_t)byte;
    }
}

static void corpus_put_string(struct corpus *corpus, const char *string)
{
    for (; *string != '\0'; string++) {
        corpus_put(corpus, (uint8_t)*string);
    }
}

static void corpus_put_number(struct corpus *corpus, uint32_t number)
{
    if (number >= 10) {
        corpus_put_number(corpus, number / 10);
    }
    corpus_put(corpus, '0' + number % 10);
}

static void corpus_put_little(struct corpus *corpus, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        corpus_put(corpus, (uint32_t)(value >> (8 * i)) & 0xff);
    }
}

static char *corpus_append(char *end, const char *piece)
{
    while (*piece != '\0') {
        *end++ = *piece++;
    }
    return end;
}

static void corpus_make_word(struct corpus *corpus, char *word)
{
    static const char *const starts[] = {"b",  "c",  "d",  "f",  "g",  "h",  "l",  "m",
                                         "n",  "p",  "r",  "s",  "t",  "v",  "st", "tr",
                                         "ch", "th", "pr", "qu", "bl", "sh", "",   "gr"};
    static const char *const middles[] = {"a", "e", "i", "o", "u", "ea", "ou", "e", "a", "io"};
    static const char *const ends[] = {"", "", "n", "r", "s", "t", "l", "nd", "ck", "m", "st"};
    unsigned syllables = 1 + (unsigned)corpus_below(corpus, 5) / 2;
    for (unsigned i = 0; i < syllables; i++) {
        uint32_t end_kinds = i + 1 < syllables ? 4 : sizeof ends / sizeof *ends;
        word = corpus_append(word, starts[corpus_below(corpus, sizeof starts / sizeof *starts)]);
        word = corpus_append(word, middles[corpus_below(corpus, sizeof middles / sizeof *middles)]);
        word = corpus_append(word, ends[corpus_below(corpus, end_kinds)]);
    }
    *word = '\0';
}

/* A few words of each class are frequent and most are rare, as in a language. */
static const char *corpus_choose(struct corpus *corpus, uint32_t first, uint32_t count)
{
    uint64_t r = program_random(&corpus->random) >> 16;
    return corpus->words[first + (uint32_t)((r * r * r >> 16) * count >> 32)];
}

static void corpus_put_word(struct corpus *corpus, const char *word)
{
    size_t column = corpus->used - corpus->line_start;
    if (column + strlen(word) >= CORPUS_LINE) {
        corpus_put(corpus, '\n');
        corpus->line_start = corpus->used;
    } else if (column != 0) {
        corpus_put(corpus, ' ');
    }
    corpus_put_string(corpus, word);
}

static const char *corpus_noun(struct corpus *corpus)
{
    enum { FIRST = CORPUS_DETERMINERS + CORPUS_PREPOSITIONS + CORPUS_VERBS + CORPUS_ADJECTIVES };
    return corpus_choose(corpus, FIRST, CORPUS_WORDS - FIRST);
}

static const char *corpus_verb(struct corpus *corpus)
{
    return corpus_choose(corpus, CORPUS_DETERMINERS + CORPUS_PREPOSITIONS, CORPUS_VERBS);
}

static void corpus_noun_phrase(struct corpus *corpus, unsigned depth)
{
    corpus_put_word(corpus, corpus_choose(corpus, 0, CORPUS_DETERMINERS));
    while (corpus_one_in(corpus, 3)) {
        corpus_put_word(
            corpus, corpus_choose(corpus, CORPUS_DETERMINERS + CORPUS_PREPOSITIONS + CORPUS_VERBS,
                                  CORPUS_ADJECTIVES));
    }
    corpus_put_word(corpus, corpus_noun(corpus));
    if (depth < 3 && corpus_one_in(corpus, 3)) {
        corpus_put_word(corpus, corpus_choose(corpus, CORPUS_DETERMINERS, CORPUS_PREPOSITIONS));
        corpus_noun_phrase(corpus, depth + 1);
    }
}

static void corpus_clause(struct corpus *corpus)
{
    corpus_noun_phrase(corpus, 0);
    corpus_put_word(corpus, corpus_verb(corpus));
    if (corpus_one_in(corpus, 8)) {
        char year[8];
        snprintf(year, sizeof year, "%u", 1700 + (unsigned)corpus_below(corpus, 320));
        corpus_put_word(corpus, "in");
        corpus_put_word(corpus, year);
    }
    if (!corpus_one_in(corpus, 4)) {
        corpus_noun_phrase(corpus, 1);
    }
}

static void corpus_sentence(struct corpus *corpus)
{
    size_t first = corpus->used + (corpus->used != corpus->line_start);
    corpus_clause(corpus);
    while (corpus_one_in(corpus, 3)) {
        corpus_put(corpus, ',');
        corpus_put_word(corpus, corpus_choose(corpus, CORPUS_DETERMINERS, 4));
        corpus_clause(corpus);
    }
    corpus_put(corpus, corpus_one_in(corpus, 12) ? '?' : '.');
    if (first < corpus->size && corpus->bytes[first] >= 'a' && corpus->bytes[first] <= 'z') {
        corpus->bytes[first] = (uint8_t)(corpus->bytes[first] - 'a' + 'A');
    }
}

static void corpus_fill_text(struct corpus *corpus)
{
    while (corpus->used < corpus->size) {
        for (uint32_t left = 2 + corpus_below(corpus, 7); left > 0; left--) {
            corpus_sentence(corpus);
        }
        corpus_put_string(corpus, "\n\n");
        corpus->line_start = corpus->used;
    }
}

static void corpus_line(struct corpus *corpus)
{
    corpus_put(corpus, '\n');
    for (unsigned i = 0; i < corpus->indent; i++) {
        corpus_put_string(corpus, "    ");
    }
}

static void corpus_identifier(struct corpus *corpus)
{
    corpus_put_string(corpus, corpus_noun(corpus));
    if (corpus_one_in(corpus, 2)) {
        corpus_put(corpus, '_');
        corpus_put_string(corpus, corpus_choose(corpus, 0, 200));
    }
}

static void corpus_expression(struct corpus *corpus, unsigned depth)
{
    static const char *const operators[] = {" + ", " - ", " * ", " & ", " >> ", " < ", " == "};
    switch (corpus_below(corpus, depth > 2 ? 4 : 8)) {
    case 0:
        corpus_put_number(corpus, corpus_below(corpus, corpus_one_in(corpus, 4) ? 65536 : 16));
        break;
    case 1:
    case 2:
        corpus_identifier(corpus);
        break;
    case 3:
        corpus_identifier(corpus);
        corpus_put_string(corpus, "->");
        corpus_put_string(corpus, corpus_noun(corpus));
        break;
    case 4:
        corpus_put_string(corpus, corpus_verb(corpus));
        corpus_put_string(corpus, "(");
        corpus_expression(corpus, depth + 1);
        corpus_put_string(corpus, ", ");
        corpus_expression(corpus, depth + 1);
        corpus_put_string(corpus, ")");
        break;
    default:
        corpus_expression(corpus, depth + 1);
        corpus_put_string(corpus, operators[corpus_below(corpus, 7)]);
        corpus_expression(corpus, depth + 1);
        break;
    }
}

static void corpus_statement(struct corpus *corpus, unsigned depth);

static void corpus_body(struct corpus *corpus, unsigned depth)
{
    corpus->indent++;
    for (uint32_t left = 1 + corpus_below(corpus, 4); left > 0; left--) {
        corpus_statement(corpus, depth + 1);
    }
    corpus->indent--;
    corpus_line(corpus);
    corpus_put(corpus, '}');
}

static void corpus_statement(struct corpus *corpus, unsigned depth)
{
    corpus_line(corpus);
    switch (corpus_below(corpus, depth > 3 ? 6 : 10)) {
    case 0:
        corpus_put_string(corpus, "/* ");
        corpus->line_start = corpus->used;
        corpus_clause(corpus);
        corpus_put_string(corpus, " */");
        return;
    case 1:
        corpus_put_string(corpus, "return ");
        break;
    case 6:
    case 7:
        corpus_put_string(corpus, "if (");
        corpus_expression(corpus, 1);
        corpus_put_string(corpus, ") {");
        corpus_body(corpus, depth);
        return;
    case 8:
        corpus_put_string(corpus, "for (int i = 0; i < ");
        corpus_expression(corpus, 3);
        corpus_put_string(corpus, "; i++) {");
        corpus_body(corpus, depth);
        return;
    default:
        corpus_identifier(corpus);
        corpus_put_string(corpus, " = ");
        break;
    }
    corpus_expression(corpus, 0);
    corpus_put(corpus, ';');
}

static void corpus_fill_source(struct corpus *corpus)
{
    static const char *const types[] = {"int ", "void ", "static int ", "static bool ", "long "};
    while (corpus->used < corpus->size) {
        corpus_put_string(corpus, types[corpus_below(corpus, 5)]);
        corpus_put_string(corpus, corpus_verb(corpus));
        corpus_put_string(corpus, "(struct ");
        corpus_put_string(corpus, corpus_noun(corpus));
        corpus_put_string(corpus, " *");
        corpus_put_string(corpus, corpus_noun(corpus));
        corpus_put_string(corpus, ")\n{");
        corpus->indent = 0;
        corpus_body(corpus, 0);
        corpus_put_string(corpus, "\n\n");
    }
}

/* A table with a running key, small deltas, a padded name and a noisy measurement. */
static void corpus_table(struct corpus *corpus, uint32_t rows)
{
    uint32_t key = corpus_below(corpus, 100000);
    uint32_t time = program_random(&corpus->random);
    int32_t measure = 0;
    for (uint32_t row = 0; row < rows; row++) {
        const char *name = corpus_noun(corpus);
        key += 1 + corpus_below(corpus, 3) / 2;
        time += corpus_below(corpus, 900);
        measure += (int32_t)corpus_below(corpus, 513) - 256;
        corpus_put_little(corpus, key, 4);
        corpus_put_little(corpus, time, 4);
        corpus_put_little(corpus, (uint32_t)measure, 4);
        corpus_put_little(corpus, corpus_one_in(corpus, 10) ? 3 : 1, 2);
        corpus_put_little(corpus, 0, 2);
        for (size_t i = 0, length = strlen(name); i < CORPUS_WORD_BYTES; i++) {
            corpus_put(corpus, i < length ? (uint8_t)name[i] : 0);
        }
    }
}

/* Words in the shape of machine code: few operations, favoured registers, small constants. */
static void corpus_code(struct corpus *corpus, uint32_t words)
{
    static const uint8_t operations[16] = {0x13, 0x13, 0x13, 0x03, 0x03, 0x03, 0x23, 0x23,
                                           0x33, 0x33, 0x63, 0x63, 0x6f, 0x1b, 0x37, 0x67};
    uint32_t live[4] = {2, 10, 11, 15};
    for (uint32_t i = 0; i < words; i++) {
        uint32_t r = program_random(&corpus->random);
        if ((r & 7) == 0) {
            live[r >> 3 & 3] = r >> 5 & 31;
        }
        uint32_t word = operations[r >> 10 & 15] | live[r >> 14 & 3] << 7 | (r >> 16 & 3) << 12 |
                        live[r >> 18 & 3] << 15 |
                        corpus_below(corpus, (r >> 20 & 3) == 0 ? 4096 : 8) << 20;
        corpus_put_little(corpus, word, 4);
    }
}

static void corpus_fill_records(struct corpus *corpus)
{
    while (corpus->used < corpus->size) {
        corpus_table(corpus, 50 + corpus_below(corpus, 200));
        corpus_code(corpus, 400 + corpus_below(corpus, 1600));
    }
}

static void corpus_fill_random(struct corpus *corpus)
{
    while (corpus->used < corpus->size) {
        corpus_put(corpus, program_random(&corpus->random) >> 24);
    }
}

/* Flat and shaded boxes over each other, and a little noise: long runs with edges. */
static void corpus_fill_image(struct corpus *corpus)
{
    uint32_t rows = (uint32_t)(corpus->size / CORPUS_IMAGE_WIDTH) + 1;
    memset(corpus->bytes, 0x20, corpus->size);
    for (uint32_t box = 0; box < rows / 4 + 8; box++) {
        uint32_t left = corpus_below(corpus, CORPUS_IMAGE_WIDTH), top = corpus_below(corpus, rows);
        uint32_t width = 8 + corpus_below(corpus, 120), height = 4 + corpus_below(corpus, 40);
        uint32_t shade = corpus_below(corpus, 256), step = corpus_below(corpus, 4) / 3;
        for (uint32_t y = top; y < top + height && y < rows; y++) {
            for (uint32_t x = left; x < left + width && x < CORPUS_IMAGE_WIDTH; x++) {
                size_t at = (size_t)y * CORPUS_IMAGE_WIDTH + x;
                if (at < corpus->size) {
                    corpus->bytes[at] = (uint8_t)(shade + step * (y - top));
                }
            }
        }
    }
    for (size_t i = 0; i < corpus->size / 200; i++) {
        size_t at = corpus_below(corpus, (uint32_t)corpus->size);
        corpus->bytes[at] = (uint8_t)(corpus->bytes[at] + corpus_below(corpus, 3));
    }
}

struct corpus *corpus_create(uint64_t seed)
{
    struct corpus *corpus = program_allocate(1, sizeof *corpus);
    corpus->random = seed;
    for (unsigned i = 0; i < CORPUS_WORDS; i++) {
        corpus_make_word(corpus, corpus->words[i]);
    }
    return corpus;
}

void corpus_fill(struct corpus *corpus, enum corpus_kind kind, uint8_t *bytes, size_t size)
{
    static void (*const fill[CORPUS_KINDS])(struct corpus *) = {
        corpus_fill_text, corpus_fill_source, corpus_fill_records, corpus_fill_random,
        corpus_fill_image};
    corpus->bytes = bytes;
    corpus->size = size;
    corpus->used = 0;
    corpus->line_start = 0;
    fill[kind](corpus);
}
