/* A command line in one string, taken apart. */
#ifndef STRATA_CLI_WORDS_H
#define STRATA_CLI_WORDS_H

/* The words of `line` as a shell has them: quotes and backslashes count, nothing is expanded.  Malloc'ed as a whole,
 * NULL at the end; NULL, with *problem set, if a quote is not closed or nothing stands behind a last backslash. */
char **words_split(const char *line, const char **problem);

#endif
