/* Keeps what hardware has found until the program comes to its head, and hands it out word by word. */
#include "machine/units/finds.h"

#include "base/check.h"
#include "machine/state/hart.h"
#include "machine/state/statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS_BITS 64
#define COUNT_BITS 7 /* 0 to FIND_BLOCKS */

/* For statistics. */
struct found_head {
    uint64_t head, instruction;
    unsigned blocks;
};

void finds_start(struct finds *finds, struct unit *unit)
{
    memset(finds, 0, sizeof *finds);
    finds->unit = unit;
}

void finds_release(struct finds *finds)
{
    free(finds->log);
}

static void note(struct finds *finds, const struct watch_event *event, const struct find *find)
{
    if (finds->log_count == finds->log_capacity) {
        finds->log_capacity = finds->log_capacity * 2 + 64;
        finds->log = realloc(finds->log, finds->log_capacity * sizeof *finds->log);
        ASSERT(finds->log != NULL);
    }
    finds->log[finds->log_count++] =
        (struct found_head){.head = find->blocks[0],
                            .instruction = event->hart != NULL ? event->hart->instructions : 0,
                            .blocks = find->count};
}

/* The number of the find that begins at `head`; finds->count if none waits there. */
static unsigned number_of(const struct finds *finds, uint64_t head)
{
    unsigned number = 0;

    while (number < finds->count && finds->waiting[number].blocks[0] != head) {
        number++;
    }
    return number;
}

static void take_out(struct finds *finds, unsigned number)
{
    for (finds->count--; number < finds->count; number++) {
        finds->waiting[number] = finds->waiting[number + 1];
        finds->raised[number] = finds->raised[number + 1];
    }
}

void finds_add(struct finds *finds, const struct watch_event *event, const struct find *find)
{
    ASSERT(find->count >= 1 && find->count <= FIND_BLOCKS);
    finds->found++;
    note(finds, event, find);
    if (finds->unit->host.orders->callback == 0) {
        return;
    }
    const unsigned same = number_of(finds, find->blocks[0]);
    if (same < finds->count || finds->count == FINDS_WAITING) {
        take_out(finds, same < finds->count ? same : 0);
        finds->lost++;
    }
    finds->waiting[finds->count] = *find;
    finds->raised[finds->count++] = false;
}

void finds_arrive(struct finds *finds, const struct watch_event *event, uint64_t address)
{
    const unsigned number = number_of(finds, address);

    if (number < finds->count && !finds->raised[number]) {
        finds->raised[number] = true;
        unit_raise(finds->unit, event, finds->unit->host.orders->callback, address);
    }
}

void finds_callback_begins(struct finds *finds, uint64_t head)
{
    const unsigned number = number_of(finds, head);

    finds->current.count = 0;
    if (number < finds->count) {
        finds->current = finds->waiting[number];
        take_out(finds, number);
        finds->told++;
    }
}

uint64_t finds_word(const struct finds *finds, uint64_t number)
{
    const struct find *find = &finds->current;

    if (find->count == 0 || number > find->count + 1) {
        return UINT64_MAX;
    }
    return number == 0             ? find->count
           : number <= find->count ? find->blocks[number - 1]
                                   : find->next;
}

uint64_t finds_storage_bits(unsigned blocks)
{
    const uint64_t find_bits = COUNT_BITS + (blocks + UINT64_C(1)) * ADDRESS_BITS;

    return (FINDS_WAITING + 1) * find_bits + FINDS_WAITING;
}

uint64_t finds_comparators(void)
{
    return FINDS_WAITING;
}

void finds_report(const struct finds *finds, struct statistics *statistics)
{
    statistics->number(statistics, "found", finds->found);
    statistics->number(statistics, "told", finds->told);
    statistics->number(statistics, "lost", finds->lost);
    statistics->begin_list(statistics, "finds");
    for (size_t i = 0; i < finds->log_count; i++) {
        statistics->begin(statistics, NULL);
        char head[24];
        snprintf(head, sizeof head, "0x%llx", (unsigned long long)finds->log[i].head);
        statistics->text(statistics, "head", head);
        statistics->number(statistics, "blocks", finds->log[i].blocks);
        statistics->number(statistics, "instruction", finds->log[i].instruction);
        statistics->end(statistics);
    }
    statistics->end(statistics);
}
