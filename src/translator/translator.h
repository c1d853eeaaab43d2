/* The translator as a whole: its options, its tables, and the program that it runs. */
#ifndef STRATA_TRANSLATOR_TRANSLATOR_H
#define STRATA_TRANSLATOR_TRANSLATOR_H

#include "isa/rv64/xstrata_abi.h"
#include "translator/process/actions.h"
#include "translator/fragment/cache.h"
#include "translator/fragment/count.h"
#include "translator/fragment/fragment.h"
#include "translator/process/lock.h"
#include "translator/fragment/placement.h"
#include "translator/target.h"

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

struct options {
    size_t cache_bytes;
    const char *stats_path; /* NULL: none, as the next */
    const char *dump_path;
    int stats_fd;       /* where the statistics go instead, or -1 */
    bool link;          /* --no-link clears it */
    bool follow;        /* --no-follow clears it */
    bool follow_exec;   /* --no-follow-exec does */
    const char *argv0;  /* NULL: the program's path */
    const char *execfn; /* what it was executed by, a script perhaps; NULL: the same */
    struct inherited inherited;
    enum indirect indirect;
    enum returns returns;
    unsigned lookup_bits; /* logarithm of the number of entries */
    enum counters counters;
    enum placement placement;
    uint64_t threshold;
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
};

/* Of a hash table by addresses of the program. */
struct bucket {
    struct fragment *fragments; /* that begin there */
    struct exit *waiting;       /* unlinked ones that go there */
};
#define BUCKETS 16384 /* at the most, and a power of two */
#define CACHE_BYTES_PER_BUCKET 256

/* Pages of the program from which code was translated; when there are too many
 * pieces, two become one, with what lies between them. */
struct code_range {
    guest_addr start, end;
};
#define CODE_PAGE 4096
#define CODE_RANGES 64
#define KNOWN_PAGES 64

/* Memory of the program that is executable, or that is not; not all of it, and sorted.
 * Lisp systems have hundreds of pieces, in which code and data take turns. */
#define FETCH_RANGES 1024
struct fetchable {
    struct code_range ranges[FETCH_RANGES];
    unsigned count;
};

/* What code was when it was translated (changes.c), in memory of its own. */
struct original;
struct changes {
    struct original *start, *next;
    struct original *open;                /* of a fragment that is being built, or NULL */
    const struct xstrata_mark *open_mark; /* where its marks begin */
    uint8_t *end;
    bool expected; /* the program has said once that there are some */
    bool all;      /* and they may be anywhere */
};

/* What report.c has open; -1 for nothing. */
struct reports {
    int64_t stats_fd, dump_fd;
    int64_t records_fd;    /* processes.c: where those that end leave their numbers */
    int64_t parent_fd;     /* vfork.c: open as long as another process waits for this one */
    int64_t shared_fds[2]; /* another process's first two, where both have the same descriptors */
    int64_t process;       /* whose memory this is, */
    int64_t first;         /* and that which began; 0 if nothing is to be reported */
    bool written;
    bool again; /* and not for the first time */
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
    /* Fragments and exits, taken from the beginning; a flush starts over. */
    uint8_t *pool, *pool_end, *pool_next;
    uint8_t *pool_last; /* behind it, a fragment might find too little; as for the marks */

    /* Where in the program code comes from (state.h), in the order of the cache. */
    struct xstrata_mark *marks;
    struct xstrata_mark *mark_next, *mark_last, *marks_end;

    struct builder builder;     /* of the fragment that is being built */
    struct code_range window;   /* where the builder reads now; empty if not known */
    uint64_t window_safe_bytes; /* from which a whole fragment is within it */
    struct context *building;   /* whose fault in the translator is one of reading code */
    guest_addr unreadable;      /* where that happened, or 0 */

    guest_addr brk_start, brk_end; /* the program's, which the translator emulates */
    struct lock brk_lock;
    bool has_xstrata;      /* ic.sync instead of fence.i */
    struct counts *counts; /* NULL without counters */
    struct placement_rule placement;
    bool notice_built;                /* count_built or changes_end_fragment has something to do */
    bool threaded;                    /* there was more than one: code is changed by single words */
    size_t far_way_bytes;             /* TARGET_FAR_WAY_BYTES, then, and when code changes */
    bool emptying;                    /* a thread waits for the others to leave the cache */
    struct lock lock;                 /* for all of this, then */
    struct context *threads;          /* those that there are */
    struct context *context;          /* of the first */
    struct context *master;           /* whose tables lookups of all threads are noted in */
    struct exit missed[LOOKUP_KINDS]; /* what failed lookups leave through */
    guest_addr
        known_pages[KNOWN_PAGES]; /* of `code`, by their last byte: one for each hash, or 0 */

    /* A small cache uses few of the buckets, so that a flush is cheap. */
    size_t bucket_mask;
    struct bucket buckets[BUCKETS];

    struct side sides[FRAGMENT_SIDES];   /* of the fragment that is being built */
    struct code_range code[CODE_RANGES]; /* sorted */
    unsigned code_count;
    struct fetchable fetchable;
    struct fetchable fixed;  /* of the first: private, and cannot be written to */
    struct fetchable closed; /* not executable: some emulators' lists of mappings are not exact */
    struct changes changes;
    guest_addr name;                     /* the program's first argument, */
    guest_addr arguments, arguments_end; /* and the others, as strings one behind the other */
    struct code_range auxiliary;         /* its auxiliary vector */
    struct option_words option_words;
    char executable[EXECUTABLE_BYTES]; /* the name of its file, from the root on */
    char stats_path[EXECUTABLE_BYTES]; /* those of the options, from the root on, or empty */
    char dump_path[EXECUTABLE_BYTES];
    struct xstrata_origins origins; /* what target_announce shows */
    struct actions actions;         /* the process's; one that borrows the memory has its own */
    guest_addr signal_return;       /* where handlers return to, if that is in the cache */
    struct cache_gap gaps[CACHE_CHUNKS_MAX]; /* the cache's; last, for its size */
};

/* Code lies dense enough for its addresses to be their own hash. */
static inline struct bucket *find_bucket(struct translator *translator, guest_addr start)
{
    return &translator->buckets[start / 2 & translator->bucket_mask];
}

static inline struct fragment *find_fragment_in(const struct bucket *bucket, guest_addr start)
{
    struct fragment *fragment = bucket->fragments;
    while (fragment != NULL && fragment->start != start) {
        fragment = fragment->next;
    }
    return fragment;
}

static inline struct fragment *find_fragment(struct translator *translator, guest_addr start)
{
    return find_fragment_in(find_bucket(translator, start), start);
}

/* dispatch.c: finds or builds the fragment that the program goes on with. */
const uint8_t *dispatch(struct context *context, struct exit *exit);
/* Forgets all translated code; only while no thread is in the cache. */
void flush_all(struct translator *translator);

/* build.c: fragments and exits will be in `pool`, marks in `marks`, each of `bytes`,
 * which are zero. */
void build_create(struct translator *translator, void *pool, void *marks, size_t bytes);
/* There are no fragments any more. */
void build_clear(struct translator *translator);
/* NULL if the program cannot execute anything at `start`.  `lookup` is the kind
 * of the lookup that failed to find it, if one did. */
struct fragment *build_fragment(struct context *context, guest_addr start, unsigned lookup);
/* For the target: the fragment goes on at builder->pc, unless it is too long; */
struct fragment *build_on(struct builder *builder);
/* the target itself translates what is there, as far as the page's end; */
void build_note(struct builder *builder);
/* nothing follows in it; */
struct fragment *build_end(struct builder *builder);
/* and the processor sees it.  Returns it. */
struct fragment *build_commit(struct builder *builder);
/* Whether four bytes can be read as code at `pc`; never wrongly yes. */
static inline bool can_fetch(const struct translator *translator, guest_addr pc)
{
    return pc >= translator->window.start && pc + 4 <= translator->window.end;
}

/* link.c */
/* For those who make exits, if these are to be linked: `exit` waits for its target,
 * or that is returned; then link_now sends each exit there whose target is not NULL. */
struct fragment *link_later(struct translator *translator, struct exit *exit);
void link_now(struct translator *translator, struct exit *exit, struct fragment *to,
              struct exit *second, struct fragment *to_second);
void link_exit(struct translator *translator, struct exit *exit);
/* Links all that wait for `fragment`, which is new in `bucket`; returns it. */
struct fragment *link_waiting(struct translator *translator, struct bucket *bucket,
                              struct fragment *fragment);
/* Those that lead to `fragment`, which goes, wait for another. */
void link_detach(struct translator *translator, struct fragment *fragment);
/* All exits lead to their trampolines again; and back to fragments. */
void link_undo(struct translator *translator);
void link_redo(struct translator *translator);

/* Memory for fragments and exits, all zero, which a flush takes back; build.c makes
 * sure that there is enough. */
static inline void *pool_take(struct translator *translator, size_t bytes)
{
    void *taken = translator->pool_next;
    translator->pool_next += bytes;
    return taken;
}

/* system.c: does what the program's system call in context->x asks for, and
 * leaves its result in x[10].  Returns where the program goes on: at `next`, or
 * at the call itself if a signal comes first. */
guest_addr system_call(struct context *context, guest_addr next);

/* code.c: remembers that code was translated from `start` to `end`. */
void code_add(struct translator *translator, guest_addr start, guest_addr end);
/* Whether code was translated from one of these pages; never wrongly no. */
bool code_overlaps(const struct translator *translator, guest_addr start, uint64_t bytes);
void code_forget(struct translator *translator);

/* self.c: the name of an open file, without a zero at its end; or an error. */
int64_t self_read_name(int64_t fd, uint64_t buffer, uint64_t bytes);

/* options.c: reads the translator's own options; returns the index of the
 * program's name.  Ends the process after --help or a mistake. */
unsigned options_read(struct options *options, struct option_words *words, unsigned count,
                      char *const *arguments);

/* main.c: the first function, called with the stack as the kernel made it. */
_Noreturn void translator_start(uint64_t *stack);

/* The translator's own exit statuses; a program's passes through. */
enum { STATUS_FAILED = 125, STATUS_UNUSABLE = 126, STATUS_MISSING = 127 };

/* host.c: the operating system as the translator itself uses it.  Arguments of a
 * call must be as wide as a register. */
int64_t host_call(long number, ...);
static inline bool host_is_error(int64_t result)
{
    return (uint64_t)result > (uint64_t)-4096;
}
void host_print(const char *string);
/* One line on standard error that begins with "strata: ", from up to four parts. */
void host_warn(const char *a, const char *b, const char *c, const char *d);
_Noreturn void host_exit(int status);
/* A whole number of pages, readable, writable and, if asked, executable; NULL if
 * there is no memory. */
void *host_map(size_t bytes, bool executable);
/* The same; then the process ends with `status`. */
_Noreturn void host_fail(int status, const char *a, const char *b, const char *c, const char *d);

/* load.c: maps the program whose path is the first argument behind `skip`
 * arguments of the translator's own, and its interpreter; makes the stack that
 * it starts with.  Ends the process with a message if it cannot. */
struct program {
    guest_addr entry; /* of the interpreter, if there is one */
    uint64_t stack;   /* the stack pointer to start with */
};
struct program load_program(struct translator *translator, uint64_t *stack, unsigned skip);

#endif
