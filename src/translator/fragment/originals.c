/* Remembers what fragments were made from, and compares it with what is there now. */
#include "translator/fragment/originals.h"

#include "translator/host/host.h"

#include "base/check.h"

/* What one fragment may need: a piece for each step, and another where that stands on two pages. */
#define PIECES_MAX (2 * FRAGMENT_STEPS)
_Static_assert(PLAN_CODE_BYTES < CODE_PAGE, "no step stands on three");
#define NEED                                                                                       \
    (sizeof(struct original) + PIECES_MAX * sizeof(struct piece) +                                 \
     PLAN_INSTRUCTIONS * TARGET_LONGEST_INSTRUCTION)
/* Beside the cache's own bytes; fragments are larger than what they were made from. */
#define SPARE_BYTES (4 * NEED)

static size_t page_up(size_t bytes)
{
    return (bytes + CODE_PAGE - 1) & ~(size_t)(CODE_PAGE - 1);
}

static void take_memory(struct originals *originals, uint8_t *memory, size_t bytes)
{
    originals->memory = originals->next = memory;
    originals->end = memory + bytes;
}

struct originals *originals_create(size_t cache_bytes)
{
    struct originals *originals = host_map(page_up(sizeof *originals), false);
    const size_t bytes = page_up(2 * cache_bytes + SPARE_BYTES);
    uint8_t *memory = originals != NULL ? host_map(bytes, false) : NULL;

    if (memory == NULL) {
        if (originals != NULL) {
            host_unmap(originals, page_up(sizeof *originals));
        }
        return NULL;
    }
    take_memory(originals, memory, bytes);
    return originals;
}

void originals_enlarge(struct originals *originals, size_t cache_bytes)
{
    const size_t bytes = page_up(2 * cache_bytes + SPARE_BYTES);
    const size_t old_bytes = (size_t)(originals->end - originals->memory);
    uint8_t *memory = bytes > old_bytes ? host_map(bytes, false) : NULL;

    if (memory != NULL) {
        host_unmap(originals->memory, old_bytes);
        take_memory(originals, memory, bytes);
    }
}

bool originals_lack_pages(const struct originals *originals)
{
    return originals->page_count + PIECES_MAX > ORIGINAL_PAGES;
}

bool originals_have_room(const struct originals *originals)
{
    return (size_t)(originals->end - originals->next) >= NEED && !originals_lack_pages(originals);
}

static struct code_page **bucket_of(struct originals *originals, guest_addr address)
{
    return &originals->buckets[address / CODE_PAGE % ORIGINAL_BUCKETS];
}

struct code_page *originals_find_page(const struct originals *originals, guest_addr address)
{
    const guest_addr start = address & ~(CODE_PAGE - 1);
    struct code_page *page = originals->buckets[address / CODE_PAGE % ORIGINAL_BUCKETS];

    while (page != NULL && page->address != start) {
        page = page->next;
    }
    return page;
}

/* A signal may look for a page at any time: it is complete before it is there. */
struct code_page *originals_get_page(struct originals *originals, guest_addr address)
{
    struct code_page *page = originals_find_page(originals, address);

    if (page != NULL || originals->page_count == ORIGINAL_PAGES) {
        return page;
    }
    struct code_page **bucket = bucket_of(originals, address);
    page = &originals->pages[originals->page_count++];
    *page = (struct code_page){.address = address & ~(CODE_PAGE - 1), .next = *bucket};
    __atomic_store_n(bucket, page, __ATOMIC_RELEASE);
    return page;
}

void originals_each_page(struct originals *originals, guest_addr start, guest_addr end,
                         void (*visit)(void *argument, struct code_page *page), void *argument)
{
    if ((end - start) / CODE_PAGE > originals->page_count) {
        for (unsigned i = 0; i < originals->page_count; i++) {
            struct code_page *page = &originals->pages[i];
            if (page->address < end && page->address + CODE_PAGE > start) {
                visit(argument, page);
            }
        }
        return;
    }
    if (end <= start) {
        return;
    }
    /* Counted, for the last page may be the last of all addresses. */
    const uint64_t count = (end - 1) / CODE_PAGE - start / CODE_PAGE + 1;
    for (uint64_t i = 0; i < count; i++) {
        struct code_page *page = originals_find_page(originals, start + i * CODE_PAGE);
        if (page != NULL) {
            visit(argument, page);
        }
    }
}

/* From `start` on, as far as the page goes; returns how much that is, 0 if there is no page for it. */
static uint32_t add_piece(struct originals *originals, struct original *original, guest_addr start,
                          uint32_t bytes, uint32_t copy)
{
    struct code_page *page = originals_get_page(originals, start);
    const uint64_t rest = CODE_PAGE - start % CODE_PAGE;
    struct piece *piece = &original->pieces[original->piece_count];

    if (page == NULL) {
        return 0;
    }
    *piece = (struct piece){.original = original,
                            .next = page->pieces,
                            .back = &page->pieces,
                            .start = start,
                            .bytes = bytes < rest ? bytes : (uint32_t)rest,
                            .copy = copy};
    if (page->pieces != NULL) {
        page->pieces->back = &piece->next;
    }
    page->pieces = piece;
    original->piece_count++;
    return piece->bytes;
}

/* Code that stands together in the program and in the plan; returns the step behind it.  The code of a side
 * is that of the whole before it. */
static const struct step *take_straight(const struct plan *plan, const struct step *step,
                                        guest_addr *start, uint32_t *bytes)
{
    *start = step->pc;
    *bytes = 0;
    while (step != plan->end && (step->kind == STEP_SIDE || step->pc == *start + *bytes)) {
        *bytes += step->bytes;
        step++;
    }
    return step;
}

struct original *originals_add(struct originals *originals, struct fragment *fragment,
                               const struct plan *plan, bool copy)
{
    struct original *original = (struct original *)(void *)originals->next;
    const struct step *step = plan->steps;
    const size_t code_bytes = (size_t)(plan->code_end - plan->code);
    uint32_t taken = 0;

    ASSERT(originals_have_room(originals));
    *original = (struct original){.fragment = fragment};
    while (step != plan->end) {
        guest_addr start;
        uint32_t bytes;
        step = take_straight(plan, step, &start, &bytes);
        while (bytes > 0) {
            const uint32_t added = add_piece(originals, original, start, bytes, taken);
            ASSERT(added > 0);
            start += added;
            taken += added;
            bytes -= added;
        }
    }
    uint8_t *behind = (uint8_t *)&original->pieces[original->piece_count];
    if (copy) {
        __builtin_memcpy(behind, plan->code, code_bytes);
        original->copy = behind;
        behind += (code_bytes + 7) & ~(size_t)7;
    }
    originals->next = behind;
    return original;
}

void originals_remove(struct original *original)
{
    for (unsigned i = 0; i < original->piece_count; i++) {
        struct piece *piece = &original->pieces[i];
        *piece->back = piece->next;
        if (piece->next != NULL) {
            piece->next->back = piece->back;
        }
    }
    original->piece_count = 0;
    original->gone = true;
}

void originals_clear(struct originals *originals)
{
    for (unsigned i = 0; i < originals->page_count; i++) {
        originals->pages[i].pieces = NULL;
    }
    originals->next = originals->memory;
}

void originals_forget_pages(struct originals *originals)
{
    originals->page_count = 0;
    __builtin_memset(originals->buckets, 0, sizeof originals->buckets);
}

/* Eight at a time, where both are aligned alike. */
static bool bytes_differ(const uint8_t *a, const uint8_t *b, uint32_t count)
{
    uint32_t i = 0;

    if ((((uintptr_t)a ^ (uintptr_t)b) & 7) == 0) {
        for (; i < count && ((uintptr_t)(a + i) & 7) != 0; i++) {
            if (a[i] != b[i]) {
                return true;
            }
        }
        for (; i + 8 <= count; i += 8) {
            if (*(const uint64_t *)(const void *)(a + i) !=
                *(const uint64_t *)(const void *)(b + i)) {
                return true;
            }
        }
    }
    for (; i < count; i++) {
        if (a[i] != b[i]) {
            return true;
        }
    }
    return false;
}

bool originals_have(const struct original *original, const uint8_t *code, uint64_t offset,
                    uint64_t bytes)
{
    uint64_t length = 0;

    if (original == NULL || original->copy == NULL) {
        return original != NULL;
    }
    for (unsigned i = 0; i < original->piece_count; i++) {
        length += original->pieces[i].bytes;
    }
    return offset + bytes <= length && __builtin_memcmp(original->copy + offset, code, bytes) == 0;
}

bool originals_differ(const struct original *original)
{
    for (unsigned i = 0; i < original->piece_count; i++) {
        const struct piece *piece = &original->pieces[i];
        if (bytes_differ((const uint8_t *)(uintptr_t)piece->start, original->copy + piece->copy,
                         piece->bytes)) {
            return true;
        }
    }
    return false;
}
