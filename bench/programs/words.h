/* Reads text word by word; a # starts a comment, which ends with its line. */
#ifndef BENCH_WORDS_H
#define BENCH_WORDS_H

#include <stdbool.h>

enum { WORD_BYTES = 12 }; /* the longest word with the zero behind it */

struct words {
    const char *next;
    int line;
    char word[WORD_BYTES]; /* the one that was taken last */
};

static inline struct words words_of(const char *text)
{
    return (struct words){.next = text, .line = 1};
}

/* Ends the program, which says in which line. */
_Noreturn void words_fail(const struct words *words, const char *what);

/* False at the end of the text. */
bool words_take(struct words *words);

/* A text that ends here is wrong. */
void words_need(struct words *words);

bool words_are_at(const struct words *words, const char *word);
void words_expect(struct words *words, const char *word);
int words_number(struct words *words);

#endif
