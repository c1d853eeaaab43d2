/* What the simulated processor is like: its parameters, read from a configuration file. */
#ifndef STRATA_MACHINE_PIPELINE_PARAMETERS_H
#define STRATA_MACHINE_PIPELINE_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* In the order of the words in the table. */
enum issue_order { ORDER_IN, ORDER_OUT };
enum fetch_policy { FETCH_ICOUNT, FETCH_ROUND_ROBIN, FETCH_MAIN_FIRST };
enum disambiguation { LOADS_WAIT, LOADS_PERFECT };
enum slice_precedence { SLICES_EQUAL, SLICES_ISSUE_AFTER_THREADS, SLICES_AFTER_THREADS };
enum slice_loads { SLICE_LOADS_PREFETCH, SLICE_LOADS_NOTHING };
enum clock_counts { CLOCK_COUNTS_CYCLES, CLOCK_COUNTS_INSTRUCTIONS };

struct parameters {
#define NUMBER(section, name, value, lowest, highest, meaning) uint64_t section##_##name;
#define CHOICE(section, name, value, words, meaning) uint64_t section##_##name;
#include "machine/pipeline/parameters.def"
#undef NUMBER
#undef CHOICE
};

/* What the table says of one parameter, for documents and statistics. */
struct parameter_row {
    const char *section, *name;
    uint64_t value, lowest, highest;
    const char *words; /* of a choice; else NULL */
    const char *meaning;
    size_t offset; /* in struct parameters */
};
extern const struct parameter_row parameter_rows[];
extern const size_t parameter_count;

void parameters_set_defaults(struct parameters *parameters);

/* Which of the parameters somebody gave, one for each row; the others have their defaults. */
struct parameters_given {
    bool rows[sizeof(struct parameters) / sizeof(uint64_t)];
    bool rest; /* the file says that the others shall have them: rest = default */
};

/* Sets what the file names.  False with a message, FILE:LINE: what is wrong, if it names what is not
 * there or is out of range, or if the whole cannot be built. */
#define PARAMETERS_PROBLEM_BYTES 400
bool parameters_read(struct parameters *parameters, struct parameters_given *given,
                     const char *path, char problem[PARAMETERS_PROBLEM_BYTES]);

/* Sets some of them, each SECTION.NAME=VALUE, checked as lines of a file are; of two for the same one the last
 * holds. */
bool parameters_assign(struct parameters *parameters, struct parameters_given *given,
                       const char *const *assignments, size_t count,
                       char problem[PARAMETERS_PROBLEM_BYTES]);

/* One line on standard error if some of them have their defaults because nobody gave them, unless the file, which is
 * called `name`, says that it means so. */
void parameters_tell_defaults(const char *name, const struct parameters_given *given);

/* The file that `name` means: one of configs/ if it is a bare word, else itself.  malloc'ed, or NULL. */
char *parameters_find(const char *name);
/* Whether it is such a bare word. */
bool parameters_is_name(const char *name);
#define PARAMETERS_ENDING ".ini"
/* The folder configs/, in the tree or where Strata is installed; malloc'ed, or NULL. */
char *parameters_folder(void);

uint64_t parameter_get(const struct parameters *parameters, const struct parameter_row *row);
/* The value as a configuration file would have it. */
void parameter_print(FILE *file, const struct parameters *parameters,
                     const struct parameter_row *row);

#endif
