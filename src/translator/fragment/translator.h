/* The translator as a whole: its options, its tables, and the program that it runs. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_TRANSLATOR_H
#define STRATA_TRANSLATOR_FRAGMENT_TRANSLATOR_H

#include "translator/fragment/cache.h"
#include "translator/fragment/changes.h"
#include "translator/fragment/count.h"
#include "translator/fragment/index.h"
#include "translator/fragment/optimizer.h"
#include "translator/fragment/placement.h"
#include "translator/fragment/space.h"
#include "translator/fragment/state.h"
#include "translator/fragment/threshold.h"
#include "translator/fragment/fetch.h"
#include "translator/host/host.h"
#include "translator/host/output_file.h"
#include "translator/host/lock.h"
#include "translator/host/actions.h"
#include "translator/fragment/target.h"

/* How an indirect branch finds its fragment. */
enum indirect {
    INDIRECT_SIEVE,   /* a table of code that compares the target, and goes to the fragment */
    INDIRECT_IBTC,    /* a table of targets, looked up inline */
    INDIRECT_BUILDER, /* as in the paper: every one through dispatch */
};

/* How a return does. */
enum returns {
    RETURNS_CACHE,    /* as in the sieve, in a table of their own */
    RETURNS_INDIRECT, /* as any other indirect branch */
    RETURNS_FAST,     /* calls leave an address in the cache; programs can tell */
};

/* What a program that the program executes has from the one before it, both under Strata. */
struct inherited {
    int first;      /* the process that began, or 0: this one */
    int records_fd; /* where processes that end leave their numbers, or -1 */
    int program_fd; /* the program's file, or -1: to be opened by its path */
};

struct detector;
struct regions;

struct options {
    const struct detector *detector; /* what finds hot spots */
    const char *detector_name;
    size_t cache_bytes;
    bool cache_fixed;       /* it never has more */
    const char *stats_path; /* NULL: no statistics are written to a file */
    const char *dump_path;  /* NULL: no dump is written */
    int stats_fd;           /* where the statistics go instead, or -1 */
    bool link;              /* --no-link clears it */
    bool follow;            /* --no-follow clears it */
    bool follow_exec;       /* --no-follow-exec does */
    bool traces;            /* hot loops become traces */
    unsigned passes;        /* and these passes go over them, one bit for each enum pass */
    bool prefetch_all;      /* the pass `prefetch` is over all loads, and asks no processor */
    bool opt_given;         /* --opt says so, or that they do not */
    bool effort_given;      /* --effort says effort_level, whatever a loop's share is */
    uint8_t effort_level;
    threshold_rule
        *threshold_rule;        /* by loop; `threshold` is when each is asked for the first time */
    const char *threshold_name; /* of that rule */
    const char *argv0;          /* NULL: the program's path */
    const char *execfn;         /* what it was executed by, a script perhaps; NULL: the same */
    struct inherited inherited;
    enum indirect indirect;
    enum returns returns;
    unsigned lookup_bits; /* logarithm of the number of entries */
    bool lookup_fixed;    /* they never have more */
    bool threshold_given; /* it is not the detector's own */
    enum code_changes code_changes;
    bool evicted_again; /* loops whose counters the hardware evicts get others */
    enum counters counters;
    enum placement placement;
    uint64_t threshold;
    bool tells_traces;       /* the processor is told where each trace is */
    struct regions *regions; /* where hot spots are looked for; NULL: everywhere */
    uint64_t max_loss; /* percent of what the program executes, for optimizing it; 100: no limit */
    uint64_t builder_cost; /* instructions that each call of dispatch takes more */
};

/* The options as they were given, but for those that are of one run only. */
#define OPTION_WORDS 64
struct option_words {
    const char *words[OPTION_WORDS];
    unsigned count;
};

struct statistics {
    uint64_t fragments;
    uint64_t dispatches;
    uint64_t links;
    uint64_t lookup_misses;
    uint64_t flushes;
    uint64_t code_syncs;
    uint64_t fragments_changed;
    uint64_t instructions_translated;
    uint64_t finds;           /* of hardware, that began where the program has a block; */
    uint64_t finds_elsewhere; /* and those that did not, or were known */
};

/* What report.c has open; -1 for nothing. */
struct reports {
    int64_t stats_fd, dump_fd;
    int64_t records_fd;    /* processes.c: where those that end leave their numbers */
    int64_t parent_fd;     /* vfork.c: open as long as another process waits for this one */
    int64_t shared_fds[2]; /* another process's first two, where both have the same descriptors */
    int64_t process;       /* the process whose memory this is */
    int64_t first;         /* the process that the user started; 0 if nothing is to be reported */
    const char *earlier;   /* what the program before this one, in this process, has reported, */
    size_t earlier_bytes;  /* and how much that is; 0: there was none */
    bool written;          /* everything was */
    bool failed;           /* or something could not be */
    bool again;            /* something was written before, by a process that lived on */
};

/* Linux's PATH_MAX. */
#define EXECUTABLE_BYTES 4096

/* What building needs comes first, and arrays that it does not need come last: what
 * is far from the beginning costs more instructions. */
struct translator {
    struct options options;
    struct statistics statistics;
    struct reports reports;
    struct cache cache;
    struct pool pool;
    struct marks marks; /* where in the program code comes from, in the order of the cache */
    struct index index;
    unsigned lookup_bits;  /* logarithm of the size of the tables of lookups */
    uint64_t lookup_count; /* how many fragments the target has entered into them */

    struct code_range window;   /* where the program's code is read now; empty if not known */
    uint64_t window_safe_bytes; /* from its beginning: from there a whole plan is within it */
    guest_addr unreadable;      /* where code could not be read that is in the window, or 0 */

    guest_addr brk_start, brk_end; /* the program's, which the translator emulates */
    struct lock brk_lock;
    bool has_hardware;     /* the processor has counters, and more for translators */
    bool has_last_words;   /* report_last_words is called when the program is ended from outside */
    struct counts *counts; /* NULL without counters */
    struct placement_rule placement;
    void *detector_state; /* the detector's own */
    bool threaded;        /* there was more than one: code is changed by single words */
    bool shares_memory;   /* with another process, or did */
    size_t
        far_way_bytes; /* TARGET_FAR_WAY_BYTES with threads and where fragments go one by one, or 0 */
    bool emptying;     /* a thread waits for the others to leave the cache */
    struct lock lock;        /* guards all of the translator but brk_end, where there are threads */
    struct context *threads; /* those that there are */
    struct context *context; /* of the first */
    struct context *master;  /* whose tables lookups of all threads are noted in */
    struct exit missed[LOOKUP_KINDS]; /* what failed lookups leave through */

    struct changes changes;
    struct plan plan;         /* of the fragment that is being built */
    struct code_ranges code;  /* where code was translated from */
    uint64_t largest_segment; /* in bytes, of those of System V that were ever attached */
    struct fetchable fetchable;
    struct fetchable fixed;  /* of the first: private, and cannot be written to */
    struct fetchable closed; /* not executable: some emulators' lists of mappings are not exact */
    guest_addr name;         /* the program's first argument */
    guest_addr arguments, arguments_end; /* the others, as strings one behind the other */
    struct code_range auxiliary;         /* its auxiliary vector */
    struct code_range vdso; /* the kernel's code in the process; empty if there is none */
    struct option_words option_words;
    struct optimizer *optimizer;       /* NULL without --opt */
    char executable[EXECUTABLE_BYTES]; /* the name of its file, from the root on */
    char stats_path[EXECUTABLE_BYTES]; /* those of the options, from the root on, or empty */
    char dump_path[EXECUTABLE_BYTES];
    struct actions actions;        /* the process's; one that borrows the memory has its own */
    struct target_process process; /* what the target keeps */
    struct file_identity program;  /* its file, into which nothing is written */
    struct output_file stats_file; /* while it is being written */
    struct cache_gap gaps[CACHE_CHUNKS_MAX]; /* the cache's; last, for its size */
};

#endif
