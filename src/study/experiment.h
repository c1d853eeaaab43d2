/* An experiment: what is run, what is drawn from it, and what the paper says of it. */
#ifndef STRATA_STUDY_EXPERIMENT_H
#define STRATA_STUDY_EXPERIMENT_H

#include "study/script.h"

/* A row of words: a command, names. */
struct words {
    const char **words;
    size_t count;
    unsigned line;
};

/* A value of the axis: `label` names it, `text` is what stands for it in commands. */
struct axis_value {
    const char *label;
    const char *text;
};

struct experiment_run {
    const char *name;
    struct words command; /* `sim` or `run`, and options */
};

/* A word of a run's command that stands for a file of addresses, @RUN.KEY.KEY:N: the first members of
 * the first N elements of a list in the statistics of a run before it. */
struct addresses {
    const char *word;
    size_t run;
    const char *path; /* key.key */
    size_t count;
};

enum value_unit { UNIT_NUMBER, UNIT_PERCENT, UNIT_RATIO };

/* What the paper gives for a program. */
struct given {
    const char *program;
    double number;
};

struct experiment_value {
    const char *name;
    const char *expression; /* NULL: it is given, or a rank */
    const char *ranked;     /* the value that it is the rank of among the programs; or NULL */
    struct given *given;
    size_t given_count;
    const char *label;
    enum value_unit unit;
    unsigned line;
};

/* A column of the table of loops: a key of hotspots.loops, or computed from such keys. */
struct experiment_column {
    const char *name;
    const char *expression; /* NULL: the key itself */
};

enum chart_kind {
    CHART_BARS,
    CHART_LINES,
    CHART_LADDER,
    CHART_MULTIPLES,
    CHART_RANKING,
    CHART_SCATTER,
    CHART_TABLE
};

struct experiment_chart {
    enum chart_kind kind;
    struct words values; /* of a scatter: columns of the loops */
    bool log;
    const char
        *by; /* of lines: the axis, if each of its points is one, along the programs; or NULL */
    const char *axis_title; /* what the axis of values is of; NULL: the values' labels say it */
};

struct experiment_check {
    const char *name;
    const char *expression;
    const char *statement;
    bool
        stated; /* a statement of the paper, judged once; if not, a question of the experiment's own */
    unsigned line;
};

/* A figure that was published, which stands beside what was measured, without a verdict. */
struct experiment_published {
    const char *name;
    double number;
    const char *expression; /* of what was measured */
    const char *what;
    enum value_unit unit;
    unsigned line;
};

/* Text for one outcome of a check, with figures as {EXPRESSION} in it. */
struct experiment_reason {
    const char *check;
    enum reason_when { REASON_ALWAYS, REASON_IF_HOLDS, REASON_IF_FAILS } when;
    const char *text;
    unsigned line;
};

/* A program by its command, where a name in the programs' folder is not enough. */
struct own_program {
    const char *name;
    const char *size;   /* it is this one when the programs have this size; NULL: with any other */
    const char *folder; /* it runs there; NULL: where the file is that names it */
    const char *input;  /* standard input; NULL: none */
    struct words command; /* its file first, relative to the folder */
};

/* The run of which a part of the statistics is shown as it is. */
struct shown_run {
    const char *name; /* NULL: none */
    unsigned line;
};

/* Options that runs with --machine have besides, when the programs have this size. */
struct size_options {
    const char *size;
    struct words options;
};

struct experiment {
    const char *name; /* of the file, without folder and ending */
    const char *path;
    const char *title;
    const char *figure; /* NULL: not one of the paper's */
    const char *suite;  /* NULL: `programs` */
    unsigned suite_line;
    const char *axis; /* its name; NULL: there is none */
    unsigned axis_line;
    struct axis_value *axis_values;
    size_t axis_count;
    const char *source;    /* who states it, such as "the slides"; NULL: the paper */
    struct words papers;   /* what the source states */
    struct words programs; /* by name */
    struct own_program *own_programs;
    size_t own_program_count;
    struct experiment_run *runs;
    size_t run_count;
    struct size_options *sizes;
    size_t size_count;
    struct experiment_value *values;
    size_t value_count;
    struct shown_run cycles; /* its cycles and loads */
    struct shown_run slices;
    const char *loops_run; /* NULL: no table of loops */
    unsigned loops_line;
    struct experiment_column *columns;
    size_t column_count;
    struct experiment_chart *charts;
    size_t chart_count;
    struct experiment_check *checks;
    size_t check_count;
    struct experiment_reason *reasons; /* why checks come out as they do */
    size_t reason_count;
    struct experiment_reason *lessons; /* what the experiment teaches, by the outcome of a check */
    size_t lesson_count;
    struct experiment_published *published;
    size_t published_count;
};

#define MACHINE_OPTION "--machine"

extern const char *const value_unit_names[];
extern const char *const chart_kind_names[];

/* Reads what is in `script`, which has been opened.  NULL if something is wrong: script->problem. */
struct experiment *experiment_read(struct script *script);

/* What follows the word `program`: NAME [at SIZE] [in FOLDER] COMMAND ARGUMENTS [<INPUT]. */
bool experiment_read_program(struct script *script, struct own_program *program);

/* Points of the axis; 1 if there is none. */
size_t experiment_points(const struct experiment *experiment);
/* `text` with {AXIS} replaced. */
const char *experiment_fill(struct pool *pool, const struct experiment *experiment, size_t point,
                            const char *text);
/* A reason's text, piece by piece: text, then an expression that stood in braces, if any. */
struct reason_piece {
    const char *text;
    const char *expression; /* NULL: the text ends here */
    bool unclosed;
};
/* False at the end; `next` goes on behind the piece. */
bool experiment_next_piece(struct pool *pool, const char **next, struct reason_piece *piece);
/* What runs with --machine have besides at a size; NULL if nothing. */
const struct words *experiment_size_options(const struct experiment *experiment, const char *size);
bool experiment_is_addresses(const char *word);
/* Reads such a word; false if it is not one. */
bool experiment_read_addresses(struct pool *pool, const struct experiment *experiment,
                               const char *word, struct addresses *addresses);
bool words_have(const struct words *words, const char *word);
/* Positions by name; the count if there is no such name. */
size_t experiment_find_run(const struct experiment *experiment, const char *name);
size_t experiment_find_value(const struct experiment *experiment, const char *name);
size_t experiment_find_check(const struct experiment *experiment, const char *name);

#endif
