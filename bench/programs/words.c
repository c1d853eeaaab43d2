/* Reads text word by word. */
#include "words.h"
#include <ctype.h>
#include "program.h"

void words_fail(const struct words *words, const char *what)
{
    fprintf(stderr, "line %d: %s\n", words->line, what);
    exit(4);
}

static void skip_blanks(struct words *words)
{
    for (;; words->next++) {
        if (*words->next == '#') {
            while (words->next[1] != '\0' && words->next[1] != '\n') {
                words->next++;
            }
        } else if (*words->next == '\n') {
            words->line++;
        } else if (*words->next != ' ' && *words->next != '\t') {
            return;
        }
    }
}

bool words_take(struct words *words)
{
    skip_blanks(words);
    int length = 0;
    while (*words->next != '\0' && !isspace((unsigned char)*words->next)) {
        if (length == WORD_BYTES - 1) {
            words_fail(words, "a word that is too long");
        }
        words->word[length++] = *words->next++;
    }
    words->word[length] = '\0';
    return length > 0;
}

void words_need(struct words *words)
{
    if (!words_take(words)) {
        words_fail(words, "the text ends too soon");
    }
}

bool words_are_at(const struct words *words, const char *word)
{
    return strcmp(words->word, word) == 0;
}

void words_expect(struct words *words, const char *word)
{
    words_need(words);
    if (!words_are_at(words, word)) {
        words_fail(words, "another word was expected");
    }
}

int words_number(struct words *words)
{
    words_need(words);
    const char *digit = words->word;
    bool negative = *digit == '-';
    digit += negative;
    int value = 0;
    do {
        if (!isdigit((unsigned char)*digit)) {
            words_fail(words, "a bad number");
        }
        value = value * 10 + (*digit - '0');
    } while (*++digit != '\0');
    return negative ? -value : value;
}
