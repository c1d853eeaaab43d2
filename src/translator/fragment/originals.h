/* What fragments were made from: the code of each, piece by piece, found by the page that it stands on.
 *
 * Kept where the program's code or its mappings have changed once, which most programs never do; and always
 * where code is write-protected. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_ORIGINALS_H
#define STRATA_TRANSLATOR_FRAGMENT_ORIGINALS_H

#include "translator/fragment/code_ranges.h"
#include "translator/fragment/fragment.h"
#include "translator/fragment/plan.h"

/* Who may write to a page that code was translated from, and how that would be noticed. */
enum page_state {
    PAGE_OPEN,    /* nobody would notice, but nothing was translated from it since it was opened */
    PAGE_WATCHED, /* it is write-protected */
    PAGE_GUARDED, /* it is written so often, or in such ways, that fragments are compared instead */
    PAGE_FIXED,   /* it cannot be written to */
    PAGE_TORN, /* it was opened in passing: what was made from it must go before the program goes on */
};

struct code_page {
    guest_addr address;
    struct code_page *next; /* in the same bucket */
    struct piece *pieces;   /* code that fragments were made from */
    uint8_t state;          /* enum page_state */
    uint8_t permissions;    /* that the program gave it: HOST_READ and the others */
    bool never; /* it is never watched: the kernel writes there, and does not say if it cannot */
    bool by_others; /* it is guarded because others may write to it, unseen */
    uint16_t calm;  /* how often its code was found as it was, since it is guarded */
    uint8_t writes; /* how often it was written to while it was watched */
};

/* Straight code of one fragment on one page. */
struct piece {
    struct original *original;
    struct piece *next, **back; /* of the same page */
    guest_addr start;
    uint32_t bytes;
    uint32_t copy; /* where its bytes stand in the original's copy */
};

struct original {
    struct fragment *fragment;
    struct original
        *next; /* of those that are compared (told.c), or that sleep in the same bucket */
    uint32_t piece_count;
    uint8_t credit;      /* how often it is still compared before it is put to sleep, used or not */
    bool asleep;         /* nothing leads to the fragment */
    bool gone;           /* there is no such fragment any more */
    const uint8_t *copy; /* of all its code; NULL if that cannot change */
    struct piece pieces[];
};

#define ORIGINAL_PAGES 65536
#define ORIGINAL_BUCKETS 16384
#define ORIGINAL_SLEEP_BUCKETS 16384

/* In memory of its own.  A signal may look for a page at any time, so that stays where it is; what is known of
 * fragments is elsewhere. */
struct originals {
    uint8_t *memory, *next, *end; /* of fragments, taken from the beginning */
    unsigned page_count;
    struct code_page pages[ORIGINAL_PAGES];
    struct code_page *buckets[ORIGINAL_BUCKETS];
    struct original *asleep[ORIGINAL_SLEEP_BUCKETS]; /* told.c: by the program's address */
};

/* NULL if there is no memory.  The cache has `cache_bytes`. */
struct originals *originals_create(size_t cache_bytes);
/* The cache has more now, and is empty: so many fragments more find room, if there is memory. */
void originals_enlarge(struct originals *originals, size_t cache_bytes);
/* Whether one more fragment finds room. */
bool originals_have_room(const struct originals *originals);
/* Remembers what `fragment` is made from, with a copy of it or without. */
struct original *originals_add(struct originals *originals, struct fragment *fragment,
                               const struct plan *plan, bool copy);
/* The fragment goes. */
void originals_remove(struct original *original);
/* All fragments go; pages stay known. */
void originals_clear(struct originals *originals);
/* Pages go, too. */
void originals_forget_pages(struct originals *originals);
/* Whether there may be too few pages for one more fragment. */
bool originals_lack_pages(const struct originals *originals);
/* Whether these bytes are those that the original has from `offset` on, or all that it has of them; true if it has no
 * copy, since they cannot change. */
bool originals_have(const struct original *original, const uint8_t *code, uint64_t offset,
                    uint64_t bytes);
/* Whether the program's code is another than it was. */
bool originals_differ(const struct original *original);

/* The page of `address`; NULL if nothing was translated from it. */
struct code_page *originals_find_page(const struct originals *originals, guest_addr address);
/* The page of `address`, made if there is none: a new one is open.  NULL if there are too many. */
struct code_page *originals_get_page(struct originals *originals, guest_addr address);
/* Calls `visit` for each page that has a byte between `start` and `end`. */
void originals_each_page(struct originals *originals, guest_addr start, guest_addr end,
                         void (*visit)(void *argument, struct code_page *page), void *argument);

#endif
