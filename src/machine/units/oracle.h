/* Judges the traces of a translator: which of the paths that the program takes often run in them, and from when on.
 *
 * Paths are the program's, in its own addresses, whatever code executes them: the same as those of the unit `paths` where
 * the program runs without a translator.  Nothing is added to what the machine executes. */
#ifndef STRATA_MACHINE_UNITS_ORACLE_H
#define STRATA_MACHINE_UNITS_ORACLE_H

#include "machine/engine/unit.h"
#include "machine/units/origins.h"

struct oracle;

/* NULL if memory runs out. */
struct oracle *oracle_create(struct unit_host host, const struct origins *origins);
struct unit *oracle_unit(struct oracle *oracle);

/* A translator has made a trace, whose path is the code from `start` to before `end`. */
void oracle_trace_made(struct oracle *oracle, guest_addr start, guest_addr end);
/* Other code comes there: traces that it overlaps are gone. */
void oracle_code_written(struct oracle *oracle, guest_addr start, guest_addr end);
/* The hart's program has ended: another may get the same one. */
void oracle_forget(struct oracle *oracle, const struct hart *hart);

/* What predictions are judged by: a path is predicted if traces execute all of it, however many it takes, or if one does. */
enum oracle_by { ORACLE_BY_TRACES, ORACLE_BY_ONE_TRACE, ORACLE_WAYS };

/* How well hot paths were predicted. */
struct oracle_prediction {
    uint64_t hot_predicted;    /* hot paths that were */
    uint64_t cold_predicted;   /* others that were */
    uint64_t hits;             /* executions of hot paths from their prediction on, */
    uint64_t hits_elsewhere;   /* and those of them that were not in traces all the same */
    uint64_t noise;            /* executions of predicted paths that are not hot, from their prediction on */
    uint64_t missed_before;    /* executions of hot paths before their prediction, */
    uint64_t missed_never;     /* and of those that never were predicted */
    double latency_mean;       /* of hot paths that were predicted, in instructions of the program */
    uint64_t latency_median;
};

struct oracle_sums {
    uint64_t paths, executions; /* paths that were executed, and how often in all */
    uint64_t cut, dropped;      /* as of the unit `paths` */
    uint64_t unknown;           /* branches of which it is not known where they led */
    uint64_t hot_paths, hot_executions;
    uint64_t traces, trace_executions, trace_completions;
    uint64_t instructions, trace_instructions; /* the program's */
    struct oracle_prediction by[ORACLE_WAYS];
};
struct oracle_sums oracle_sums(const struct oracle *oracle);

/* Into an object: all of these, and the list of hot paths. */
void oracle_report(const struct oracle *oracle, struct statistics *statistics);

#endif
