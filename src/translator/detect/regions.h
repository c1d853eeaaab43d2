/* Where in the program, and when, hot spots are looked for: what --region says.
 *
 * A hot spot belongs to a region by its head, where its trace begins; its path goes where the program goes.  Without
 * --region none of this exists, and nothing asks for it. */
#ifndef STRATA_TRANSLATOR_DETECT_REGIONS_H
#define STRATA_TRANSLATOR_DETECT_REGIONS_H

#include "translator/fragment/count.h"
#include "translator/fragment/detector.h"

/* Values of --region, which leave room for other options (OPTION_WORDS); and places, of which a source file may have
 * hundreds. */
#define REGION_WORDS 24
#define REGION_PLACES 8192
/* Heads outside that are remembered so that each is counted once: a power of two. */
#define REGION_HEADS (1u << 16)

/* One value of --region. */
struct region_word {
    const char *text;
    unsigned length; /* of what it is called: without the places that a name stands for */
    bool mapped;     /* something of it is in memory, or was */
    bool times;      /* it says no place, only when */
};

/* From `low` on, up to before `high`: addresses, or bytes of a file. */
struct region_place {
    const char *file; /* where its name stands in the value; NULL: none, these are addresses */
    unsigned length;  /* of that */
    unsigned word;
    uint64_t low, high;
};

/* A place where it is in memory. */
struct region_range {
    guest_addr start, end;
    unsigned word;
};

/* When a loop was asked last that is too early, and how often it had been executed then. */
struct region_pace {
    uint64_t asked, executions;
};

struct regions {
    struct region_word words[REGION_WORDS];
    unsigned word_count;
    uint64_t from, until;         /* by the clock of target_clock, 0 when the translator begins */
    bool from_given, until_given; /* else 0, and the end of time */
    uint64_t began;
    bool arrived; /* the loops that were too early have been told that they are not any more */
    struct detector detector; /* which asks `asked`, within the region */
    const struct detector *asked;
    struct counter_kind kind; /* the same for counters */
    uint64_t heads_outside, finds_outside;
    uint64_t too_early; /* times that a loop was too early, */
    uint64_t too_late;  /* and loops that were too late */
    unsigned place_count, range_count;
    struct region_place places[REGION_PLACES];
    struct region_range ranges[REGION_PLACES]; /* sorted, none touches another */
    guest_addr outside[REGION_HEADS];          /* heads, by hash */
    struct region_pace paces[LOOPS];           /* by the number of the loop */
};

/* Takes a value of --region: NULL, or what is wrong with it.  `regions` are made with the first. */
const char *regions_take(struct regions **regions, const char *value);
/* The detector and its counters keep to the regions from now on, if there are any. */
void regions_start(struct translator *translator);

/* Which range `pc` is in, NULL if none: of a program for which no place was named, one that is everywhere. */
const struct region_range *regions_find(struct translator *translator, guest_addr pc);
/* Notes which files of the places are mapped, as far as the kernel says it now. */
void regions_look(struct translator *translator);
/* Heads of loops in the places of a value of --region: those that got a counter. */
uint64_t regions_count_heads(struct translator *translator, unsigned word);

/* mapped.c: where the places are in memory, as the kernel's list of mappings says; false if it cannot be read, and what was
 * known stays.  Without the list: those that are addresses. */
bool mapped_read(struct regions *regions);
void mapped_add_addresses(struct regions *regions);

#endif
