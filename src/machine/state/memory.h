/* Guest memory: one reserved region of the host's address space, and the permissions of its pages.
 *
 * Guest address A lives at host address base + A.  An access needs no lookup:
 * a page that the guest may not touch is protected in the host too, and the
 * host's fault becomes the guest's.  Execute permission exists only in the map
 * of page permissions, since the host never runs guest bytes. */
#ifndef STRATA_MACHINE_STATE_MEMORY_H
#define STRATA_MACHINE_STATE_MEMORY_H

#include "machine/state/hart.h"

#define GUEST_PAGE_BYTES UINT64_C(4096)
#define MEMORY_GROUP_PAGES UINT64_C(512)

enum {
    PAGE_READ = 1,
    PAGE_WRITE = 2,
    PAGE_EXECUTE = 4,
    PAGE_MAPPED = 8, /* also set for pages without any permission */
    PAGE_SHARED = 16,
};

struct memory {
    uint8_t *base;
    uint8_t *pages;   /* permissions, one byte per page, lazily backed */
    uint16_t *groups; /* mapped pages among each MEMORY_GROUP_PAGES, to step over empty space */
    uint64_t mapped_bytes; /* now, and at the most */
    uint64_t peak_bytes;
    uint64_t resident_peak_bytes; /* the most seen when it was looked at */
    /* Called when bytes that may have been decoded go away or lose execute
     * permission. */
    void (*code_changed)(void *context, guest_addr start, uint64_t bytes);
    void *code_changed_context;
};

/* Returns false, with errno set, when the host cannot reserve the region. */
bool memory_create(struct memory *memory);
void memory_destroy(struct memory *memory);

/* All ranges are page aligned and inside the guest's space: the caller checks.
 * Each returns 0 or a negative errno.  `permissions` are PAGE_* bits. */
int memory_map(struct memory *memory, guest_addr start, uint64_t bytes, unsigned permissions,
               bool shared, int host_fd, uint64_t offset);
/* Maps segment `segment` of System V's shared memory, with the flags of shmat that the permissions stand for. */
int memory_attach(struct memory *memory, guest_addr start, uint64_t bytes, unsigned permissions,
                  int segment, int flags);
int memory_unmap(struct memory *memory, guest_addr start, uint64_t bytes);
int memory_protect(struct memory *memory, guest_addr start, uint64_t bytes, unsigned permissions);
/* Moves pages for mremap; the target range is replaced. */
int memory_move(struct memory *memory, guest_addr from, uint64_t old_bytes, guest_addr to,
                uint64_t new_bytes);

/* The lowest free range of `bytes` at or above `from` (top_down: the highest
 * below `from`); 0 if there is none. */
guest_addr memory_find_free(const struct memory *memory, guest_addr from, uint64_t bytes,
                            bool top_down);
bool memory_is_free(const struct memory *memory, guest_addr start, uint64_t bytes);

/* True if every page of the range has all `permissions`. */
bool memory_allows(const struct memory *memory, guest_addr start, uint64_t bytes,
                   unsigned permissions);

static inline unsigned memory_permissions(const struct memory *memory, guest_addr address)
{
    return address < GUEST_SPACE_BYTES ? memory->pages[address / GUEST_PAGE_BYTES] : 0u;
}

static inline void *memory_host(const struct memory *memory, guest_addr address)
{
    return memory->base + address;
}

/* Looks how many of the guest's bytes the host holds in memory now. */
void memory_sample_resident(struct memory *memory);

/* Of what is mapped: the addresses and permissions of pages, and what they hold, wherever the program may read it.
 * The same for a page of zeros that was touched and for one that was not.  Reads it all. */
uint64_t memory_checksum(const struct memory *memory);

/* Checked copies for system calls: false if the guest may not access it all. */
bool memory_read(const struct memory *memory, void *to, guest_addr from, uint64_t bytes);
bool memory_write(struct memory *memory, guest_addr to, const void *from, uint64_t bytes);
/* Host pointer to a readable NUL-terminated string, or NULL. */
const char *memory_string(const struct memory *memory, guest_addr address);

#endif
