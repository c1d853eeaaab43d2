/* Takes a command line apart as a shell does, without expanding anything. */
#include "cli/words.h"

#include "base/check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* Between double quotes a backslash stands for itself, except before these. */
static bool is_special_in_quotes(char c)
{
    return c == '"' || c == '\\' || c == '$' || c == '`' || c == '\n';
}

/* Copies what stands between quotes of either kind; `from` is behind the first one.  Returns where the last one
 * stands, NULL if there is none. */
static const char *copy_quoted(const char *from, char quote, char **to)
{
    for (; *from != quote; from++) {
        if (*from == '\0') {
            return NULL;
        }
        if (quote == '"' && *from == '\\' && is_special_in_quotes(from[1])) {
            from++;
        }
        *(*to)++ = *from;
    }
    return from;
}

/* Copies a word and its end.  Returns what is behind it, NULL with *problem set if it has no end. */
static const char *copy_word(const char *from, char **to, const char **problem)
{
    for (; *from != '\0' && !is_blank(*from); from++) {
        if (*from == '\'' || *from == '"') {
            from = copy_quoted(from + 1, *from, to);
            if (from == NULL) {
                *problem = "a quote is not closed:";
                return NULL;
            }
        } else if (*from != '\\') {
            *(*to)++ = *from;
        } else if (*++from == '\0') {
            *problem = "nothing stands behind the last backslash:";
            return NULL;
        } else if (*from != '\n') { /* a line that goes on */
            *(*to)++ = *from;
        }
    }
    *(*to)++ = '\0';
    return from;
}

char **words_split(const char *line, const char **problem)
{
    /* There are fewer words than characters, and none is longer than what it is made from. */
    const size_t length = strlen(line);
    const size_t most = length / 2 + 2;
    char **words = malloc(most * sizeof *words + length + 1);
    ASSERT(words != NULL);
    char *text = (char *)(words + most);
    size_t count = 0;
    while (is_blank(*line)) {
        line++;
    }
    while (*line != '\0') {
        words[count++] = text;
        line = copy_word(line, &text, problem);
        if (line == NULL) {
            free(words);
            return NULL;
        }
        while (is_blank(*line)) {
            line++;
        }
    }
    words[count] = NULL;
    return words;
}
