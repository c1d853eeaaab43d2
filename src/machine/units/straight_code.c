/* How many instructions stand between two addresses, for units that hear of branches alone. */
#include "machine/units/straight_code.h"

#include "base/check.h"

#include <stdlib.h>

#define PAGE_BYTES 4096

struct code_page {
    struct pc_item item;
    uint8_t bytes[PAGE_BYTES / 2]; /* of the instruction that begins there; 0: none does */
};

bool straight_code_create(struct straight_code *code)
{
    code->last = NULL;
    return pc_table_create(&code->pages);
}

void straight_code_destroy(struct straight_code *code)
{
    pc_table_destroy(&code->pages);
}

/* NULL if nothing of it has been decoded. */
static struct code_page *page_of(struct straight_code *code, uint64_t pc)
{
    const uint64_t start = pc - pc % PAGE_BYTES;

    if (code->last != NULL && code->last->item.pc == start) {
        return code->last;
    }
    struct pc_item *item = pc_table_first(&code->pages, start);
    while (item != NULL && item->pc != start) {
        item = item->next;
    }
    if (item != NULL) {
        code->last = (struct code_page *)(void *)item;
    }
    return (struct code_page *)(void *)item;
}

void straight_code_note(struct straight_code *code, const struct watch_instruction *instruction)
{
    struct code_page *page = page_of(code, instruction->pc);

    if (page == NULL) {
        page = calloc(1, sizeof *page);
        ASSERT(page != NULL);
        page->item.pc = instruction->pc - instruction->pc % PAGE_BYTES;
        pc_table_add(&code->pages, &page->item);
    }
    page->bytes[instruction->pc % PAGE_BYTES / 2] = instruction->bytes;
}

uint64_t straight_code_count(struct straight_code *code, uint64_t first, uint64_t last)
{
    uint64_t count = 1;

    while (first < last) {
        const struct code_page *page = page_of(code, first);
        const unsigned bytes = page != NULL ? page->bytes[first % PAGE_BYTES / 2] : 0;
        if (bytes == 0) {
            return 0;
        }
        first += bytes;
        count++;
    }
    return first == last ? count : 0;
}
