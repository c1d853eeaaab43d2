/* Reads the study's text files line by line, and says in one line what is wrong with one. */
#ifndef STRATA_STUDY_SCRIPT_H
#define STRATA_STUDY_SCRIPT_H

#include "study/pool.h"

#include <stdbool.h>

#define SCRIPT_PROBLEM_BYTES 512

/* A file of words, `#` before comments, and "text in quotes".  `next` is where the current line
 * goes on; lines end with a zero. */
struct script {
    struct pool *pool;
    const char *path;
    unsigned line;
    char *next;
    char *text; /* what follows the current line */
    char *end;
    char problem[SCRIPT_PROBLEM_BYTES]; /* FILE:LINE: what is wrong; empty while nothing is */
};

/* False if the file cannot be read. */
bool script_open(struct script *script, struct pool *pool, const char *path);
/* For what is in memory already; `path` is only a name for messages. */
bool script_begin(struct script *script, struct pool *pool, const char *path, const char *text,
                  size_t bytes);
/* Goes to the next line that holds anything; false at the end, and after a problem. */
bool script_next_line(struct script *script);

/* The next word of the line, without its quotes; NULL if there is none or its quote is open. */
const char *script_take_word(struct script *script);
/* The next word of the line if it is in quotes, without them; else NULL. */
const char *script_take_quoted(struct script *script);
/* All up to the next quote or the end of the line; NULL if that is nothing. */
const char *script_take_raw(struct script *script);
bool script_line_is_over(const struct script *script);

/* Notes the problem with the current line, unless there is one already; always false. */
__attribute__((format(printf, 2, 3))) bool script_wrong(struct script *script, const char *format,
                                                        ...);

#endif
