/* Reserves the guest's address space in the host's, and maps, protects and checks its pages. */
#include "machine/state/memory.h"

#include "base/check.h"
#include "machine/state/host_fault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>

#define PAGES (GUEST_SPACE_BYTES / GUEST_PAGE_BYTES)
#define GROUPS (PAGES / MEMORY_GROUP_PAGES)
/* An access that begins on the last byte of the space may reach into the guard. */
#define REGION_BYTES (GUEST_SPACE_BYTES + GUEST_PAGE_BYTES)

/* Large arrays are worth huge pages in the host: a guest load that misses the
 * host's TLB costs an interpreter more than it costs the real machine, since
 * fewer of them overlap.  Stacks (8 MB) and small heaps stay as they are: the
 * host would clear 2 MB for the first byte. */
#define HUGE_PAGES_FROM (UINT64_C(16) << 20)

/* Unmapping less than this hardly changes how much of the guest is resident. */
#define RESIDENT_SAMPLED_FROM (UINT64_C(4) << 20)

bool memory_create(struct memory *memory)
{
    memset(memory, 0, sizeof *memory);
    memory->base =
        mmap(NULL, REGION_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory->base == MAP_FAILED) {
        return false;
    }
    memory->pages = mmap(NULL, PAGES, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory->pages == MAP_FAILED) {
        munmap(memory->base, REGION_BYTES);
        return false;
    }
    memory->groups = calloc(GROUPS, sizeof *memory->groups);
    if (memory->groups == NULL) {
        memory_destroy(memory);
        return false;
    }
    return true;
}

void memory_destroy(struct memory *memory)
{
    munmap(memory->base, REGION_BYTES);
    munmap(memory->pages, PAGES);
    free(memory->groups);
}

/* The host never executes guest bytes, but must read them to decode. */
static int host_protection(unsigned permissions)
{
    int protection = PROT_NONE;
    if (permissions & (PAGE_READ | PAGE_EXECUTE)) {
        protection |= PROT_READ;
    }
    if (permissions & PAGE_WRITE) {
        protection |= PROT_READ | PROT_WRITE; /* RISC-V has no write-only pages */
    }
    return protection;
}

static void check_range(guest_addr start, uint64_t bytes)
{
    ASSERT(start % GUEST_PAGE_BYTES == 0 && bytes % GUEST_PAGE_BYTES == 0);
    ASSERT(start <= GUEST_SPACE_BYTES && bytes <= GUEST_SPACE_BYTES - start);
}

static uint8_t *page_at(const struct memory *memory, guest_addr address)
{
    return memory->pages + address / GUEST_PAGE_BYTES;
}

/* Bytes that were executable may have been decoded: tell whoever decodes. */
static void code_goes(struct memory *memory, guest_addr start, uint64_t bytes)
{
    const uint8_t *page = page_at(memory, start);
    const uint8_t *end = page_at(memory, start + bytes);
    for (; page < end; page++) {
        if (*page & PAGE_EXECUTE) {
            if (memory->code_changed != NULL) {
                memory->code_changed(memory->code_changed_context, start, bytes);
            }
            return;
        }
    }
}

static void set_pages(struct memory *memory, guest_addr start, uint64_t bytes, uint8_t value)
{
    uint8_t *page = page_at(memory, start);
    const uint8_t *end = page_at(memory, start + bytes);
    for (; page < end; page++) {
        const bool was = *page & PAGE_MAPPED;
        const bool is = value & PAGE_MAPPED;
        uint16_t *group = &memory->groups[(size_t)(page - memory->pages) / MEMORY_GROUP_PAGES];
        *group = (uint16_t)(*group + is - was);
        memory->mapped_bytes += (uint64_t)(is - was) * GUEST_PAGE_BYTES;
        if (*page != value) { /* do not touch the map's own pages for nothing */
            *page = value;
        }
    }
    if (memory->mapped_bytes > memory->peak_bytes) {
        memory->peak_bytes = memory->mapped_bytes;
    }
}

/* A file's driver may refuse after the host has taken away what was there.  The
 * hole must not be left to the host, which would put Strata's own data there. */
static void close_hole(struct memory *memory, guest_addr start, uint64_t bytes)
{
    if (mmap(memory->base + start, bytes, PROT_NONE,
             MAP_FIXED_NOREPLACE | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
             0) != MAP_FAILED) {
        set_pages(memory, start, bytes, 0);
    }
}

int memory_map(struct memory *memory, guest_addr start, uint64_t bytes, unsigned permissions,
               bool shared, int host_fd, uint64_t offset)
{
    check_range(start, bytes);
    code_goes(memory, start, bytes);
    int flags = MAP_FIXED | (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_NORESERVE;
    if (host_fd < 0) {
        flags |= MAP_ANONYMOUS;
    }
    void *mapped = mmap(memory->base + start, bytes, host_protection(permissions), flags, host_fd,
                        (off_t)offset);
    if (mapped == MAP_FAILED) {
        const int error = errno;
        close_hole(memory, start, bytes);
        return -error;
    }
    if (host_fd < 0 && !shared && bytes >= HUGE_PAGES_FROM) {
        madvise(mapped, bytes, MADV_HUGEPAGE); /* advice: whether it helps is the host's affair */
    }
    set_pages(memory, start, bytes,
              (uint8_t)(permissions | PAGE_MAPPED | (shared ? PAGE_SHARED : 0u)));
    return 0;
}

int memory_attach(struct memory *memory, guest_addr start, uint64_t bytes, unsigned permissions,
                  int segment, int flags)
{
    check_range(start, bytes);
    code_goes(memory, start, bytes);
    /* The reservation is there already. */
    if (shmat(segment, memory->base + start, flags | SHM_REMAP) == (void *)-1) {
        const int error = errno;
        close_hole(memory, start, bytes);
        return -error;
    }
    set_pages(memory, start, bytes, (uint8_t)(permissions | PAGE_MAPPED | PAGE_SHARED));
    return 0;
}

int memory_unmap(struct memory *memory, guest_addr start, uint64_t bytes)
{
    check_range(start, bytes);
    if (bytes >= RESIDENT_SAMPLED_FROM) {
        memory_sample_resident(memory);
    }
    code_goes(memory, start, bytes);
    void *mapped = mmap(memory->base + start, bytes, PROT_NONE,
                        MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
        return -errno;
    }
    set_pages(memory, start, bytes, 0);
    return 0;
}

int memory_protect(struct memory *memory, guest_addr start, uint64_t bytes, unsigned permissions)
{
    check_range(start, bytes);
    if (!(permissions & PAGE_EXECUTE)) {
        code_goes(memory, start, bytes);
    }
    if (mprotect(memory->base + start, bytes, host_protection(permissions)) != 0) {
        return -errno;
    }
    for (guest_addr at = start; at < start + bytes; at += GUEST_PAGE_BYTES) {
        uint8_t *page = page_at(memory, at);
        *page = (uint8_t)((*page & (PAGE_MAPPED | PAGE_SHARED)) | permissions);
    }
    return 0;
}

int memory_move(struct memory *memory, guest_addr from, uint64_t old_bytes, guest_addr to,
                uint64_t new_bytes)
{
    check_range(from, old_bytes);
    check_range(to, new_bytes);
    const uint8_t kind = *page_at(memory, from);
    code_goes(memory, from, old_bytes);
    code_goes(memory, to, new_bytes);
    void *moved = mremap(memory->base + from, old_bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                         memory->base + to);
    if (moved == MAP_FAILED) {
        return -errno;
    }
    set_pages(memory, from, old_bytes, 0);
    set_pages(memory, to, new_bytes, kind);
    /* The host has left a hole in the reservation. */
    void *hole = mmap(memory->base + from, old_bytes, PROT_NONE,
                      MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return hole == MAP_FAILED ? -errno : 0;
}

bool memory_is_free(const struct memory *memory, guest_addr start, uint64_t bytes)
{
    if (start > GUEST_SPACE_BYTES || bytes > GUEST_SPACE_BYTES - start) {
        return false;
    }
    const uint8_t *page = page_at(memory, start);
    const uint8_t *end = page_at(memory, start + bytes);
    while (page < end && *page == 0) {
        page++;
    }
    return page >= end;
}

static guest_addr find_down(const struct memory *memory, guest_addr from, uint64_t count)
{
    const uint64_t lowest = 16; /* never at address 0 */
    uint64_t page = from / GUEST_PAGE_BYTES;
    while (page >= lowest + count) {
        /* Free pages are the zero bytes of the map. */
        const uint8_t *last = memrchr(memory->pages + lowest, 0, page - lowest);
        if (last == NULL) {
            return 0;
        }
        page = (uint64_t)(last - memory->pages) + 1;
        uint64_t run = 1;
        while (run < count && page - run > lowest && memory->pages[page - run - 1] == 0) {
            run++;
        }
        if (run == count) {
            return (page - count) * GUEST_PAGE_BYTES;
        }
        page -= run;
    }
    return 0;
}

static guest_addr find_up(const struct memory *memory, guest_addr from, uint64_t count)
{
    uint64_t run = 0;
    for (uint64_t page = from / GUEST_PAGE_BYTES; page < PAGES; page++) {
        run = memory->pages[page] == 0 ? run + 1 : 0;
        if (run == count) {
            return (page + 1 - count) * GUEST_PAGE_BYTES;
        }
    }
    return 0;
}

guest_addr memory_find_free(const struct memory *memory, guest_addr from, uint64_t bytes,
                            bool top_down)
{
    const uint64_t count = (bytes + GUEST_PAGE_BYTES - 1) / GUEST_PAGE_BYTES;
    if (count == 0 || count > PAGES) {
        return 0;
    }
    return top_down ? find_down(memory, from, count) : find_up(memory, from, count);
}

bool memory_allows(const struct memory *memory, guest_addr start, uint64_t bytes,
                   unsigned permissions)
{
    if (bytes == 0) {
        return true;
    }
    if (start >= GUEST_SPACE_BYTES || bytes > GUEST_SPACE_BYTES - start) {
        return false;
    }
    const uint8_t *page = page_at(memory, start);
    const uint8_t *last = page_at(memory, start + bytes - 1);
    for (; page <= last; page++) {
        if ((*page & permissions) != permissions) {
            return false;
        }
    }
    return true;
}

/* Resident bytes of `pages` pages from `first` on. */
static uint64_t resident_run(const struct memory *memory, uint64_t first, uint64_t pages)
{
    unsigned char present[1024];
    uint64_t resident = 0;
    while (pages > 0) {
        const uint64_t some = pages < sizeof present ? pages : sizeof present;
        if (mincore(memory->base + first * GUEST_PAGE_BYTES, some * GUEST_PAGE_BYTES, present) ==
            0) {
            for (uint64_t i = 0; i < some; i++) {
                resident += present[i] & 1 ? GUEST_PAGE_BYTES : 0;
            }
        }
        first += some;
        pages -= some;
    }
    return resident;
}

/* Resident bytes of the mapped pages from `page` up to `end`. */
static uint64_t resident_among(const struct memory *memory, uint64_t page, uint64_t end)
{
    uint64_t resident = 0;
    while (page < end) {
        const uint64_t first = page;
        while (page < end && memory->pages[page] != 0) {
            page++;
        }
        resident += resident_run(memory, first, page - first);
        while (page < end && memory->pages[page] == 0) {
            page++;
        }
    }
    return resident;
}

void memory_sample_resident(struct memory *memory)
{
    if (memory->mapped_bytes <= memory->resident_peak_bytes) {
        return; /* it cannot be more */
    }
    uint64_t resident = 0;
    for (uint64_t group = 0; group < GROUPS; group++) {
        if (memory->groups[group] != 0) {
            const uint64_t page = group * MEMORY_GROUP_PAGES;
            resident += resident_among(memory, page, page + MEMORY_GROUP_PAGES);
        }
    }
    if (resident > memory->resident_peak_bytes) {
        memory->resident_peak_bytes = resident;
    }
}

static uint64_t mix(uint64_t sum, uint64_t value)
{
    sum = (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 29;
}

static uint64_t mix_page(const struct memory *memory, uint64_t sum, uint64_t page)
{
    uint64_t words[GUEST_PAGE_BYTES / sizeof(uint64_t)];
    uint64_t any = 0;
    sum = mix(sum, page << 8 | memory->pages[page]);
    /* What the host cannot read is behind the end of a file. */
    if (host_protection(memory->pages[page]) == PROT_NONE ||
        !host_fault_try_copy(words, memory->base + page * GUEST_PAGE_BYTES, sizeof words)) {
        return sum;
    }
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        any |= words[i];
    }
    for (unsigned i = 0; any != 0 && i < sizeof words / sizeof words[0]; i++) {
        sum = mix(sum, words[i]);
    }
    return sum;
}

uint64_t memory_checksum(const struct memory *memory)
{
    uint64_t sum = 0;
    for (uint64_t page = 0; page < PAGES; page++) {
        if (memory->groups[page / MEMORY_GROUP_PAGES] == 0) {
            page += MEMORY_GROUP_PAGES - 1;
        } else if (memory->pages[page] != 0) {
            sum = mix_page(memory, sum, page);
        }
    }
    return sum;
}

bool memory_read(const struct memory *memory, void *to, guest_addr from, uint64_t bytes)
{
    return memory_allows(memory, from, bytes, PAGE_READ) &&
           host_fault_try_copy(to, memory_host(memory, from), bytes);
}

bool memory_write(struct memory *memory, guest_addr to, const void *from, uint64_t bytes)
{
    return memory_allows(memory, to, bytes, PAGE_WRITE) &&
           host_fault_try_copy(memory_host(memory, to), from, bytes);
}

const char *memory_string(const struct memory *memory, guest_addr address)
{
    for (guest_addr at = address; memory_allows(memory, at, 1, PAGE_READ);) {
        const uint64_t rest = GUEST_PAGE_BYTES - at % GUEST_PAGE_BYTES;
        const int found = host_fault_try_find_zero(memory_host(memory, at), rest);
        if (found != 0) {
            return found > 0 ? memory_host(memory, address) : NULL;
        }
        at += rest;
    }
    return NULL;
}
