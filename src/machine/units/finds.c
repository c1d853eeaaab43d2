/* Keeps what hardware has found until the program comes to its head, and hands it out word by word. */
#include "machine/units/finds.h"

#include "base/check.h"
#include "base/spread.h"
#include "machine/state/hart.h"
#include "machine/state/statistics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS_BITS 64
#define COUNT_BITS 7 /* 0 to FIND_BLOCKS */
#define DIGEST_BITS 32

/* For statistics. */
struct found_path {
    uint64_t instruction, next;
    unsigned count;
    uint64_t *blocks;
};

static struct finds *of(const struct unit *unit)
{
    return (struct finds *)(uintptr_t)unit;
}

void finds_start(struct finds *finds)
{
    memset(finds, 0, sizeof *finds);
}

void finds_release(struct finds *finds)
{
    for (size_t i = 0; i < finds->log_count; i++) {
        free(finds->log[i].blocks);
    }
    free(finds->log);
}

bool finds_wants(const struct finds *finds, uint64_t head)
{
    bool wanted = !finds->unit.host.orders->only_told;

    for (unsigned i = 0; i < finds->named_count && !wanted; i++) {
        wanted = finds->named[i] == head;
    }
    return wanted;
}

static unsigned told_place(uint64_t head)
{
    return (unsigned)((spread_mix(head) >> 32) % FINDS_TOLD);
}

bool finds_is_due(const struct finds *finds, uint64_t head, uint64_t executions, uint64_t threshold)
{
    const bool doubled = executions > threshold && (executions & (executions - 1)) == 0;

    return executions == threshold ||
           (doubled && finds->told_digests[told_place(head)] == TELL_AGAIN);
}

void finds_name(struct unit *unit, uint64_t address)
{
    struct finds *finds = of(unit);
    const struct watch_orders *orders = finds->unit.host.orders;

    if (finds->told_digests[told_place(address)] != 0) {
        finds->told_digests[told_place(address)] = TELL_AGAIN;
    }
    if (orders->only_told && !finds_wants(finds, address)) {
        finds->named[finds->named_next] = address;
        finds->named_next = (finds->named_next + 1) % FINDS_NAMED;
        finds->named_count += finds->named_count < FINDS_NAMED;
    }
}

bool finds_ordered(struct finds *finds)
{
    const struct watch_orders *orders = finds->unit.host.orders;

    if (!orders->only_told) {
        finds->named_count = finds->named_next = 0;
    }
    memset(finds->told_digests, 0, sizeof finds->told_digests);
    const bool same = orders->low == finds->low && orders->high == finds->high;
    if (!same) {
        finds->low = orders->low;
        finds->high = orders->high;
        unit_rewatch(&finds->unit, 0, UINT64_MAX);
    }
    return !same;
}

static void note(struct finds *finds, const struct watch_event *event, const struct find *find)
{
    if (finds->log_count == FINDS_LISTED) {
        return;
    }
    if (finds->log_count == finds->log_capacity) {
        finds->log_capacity = finds->log_capacity * 2 + 64;
        finds->log = realloc(finds->log, finds->log_capacity * sizeof *finds->log);
        ASSERT(finds->log != NULL);
    }
    struct found_path *path = &finds->log[finds->log_count++];
    *path = (struct found_path){.instruction = unit_executed(&finds->unit, event),
                                .next = find->next,
                                .count = find->count,
                                .blocks = malloc(find->count * sizeof *path->blocks)};
    ASSERT(path->blocks != NULL);
    memcpy(path->blocks, find->blocks, find->count * sizeof *path->blocks);
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

/* Never 0. */
static uint32_t digest_of(const struct find *find)
{
    uint64_t digest = spread_mix(find->next);

    for (unsigned i = 0; i < find->count; i++) {
        digest = spread_mix(digest ^ find->blocks[i]);
    }
    return (uint32_t)(digest >> 32) | 1;
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
    if (finds->unit.host.orders->callback == 0) {
        return;
    }
    if (finds->told_digests[told_place(find->blocks[0])] == digest_of(find)) {
        finds->repeated++;
        return;
    }
    const unsigned same = number_of(finds, find->blocks[0]);
    const bool raised = same < finds->count && finds->raised[same];
    if (same < finds->count || finds->count == FINDS_WAITING) {
        take_out(finds, same < finds->count ? same : 0);
        finds->lost++;
    }
    finds->waiting[finds->count] = *find;
    finds->raised[finds->count++] = raised;
}

void finds_arrive(struct finds *finds, const struct watch_event *event, uint64_t address)
{
    const uint64_t callback = finds->unit.host.orders->callback;
    const unsigned number = number_of(finds, address);

    if (number < finds->count && !finds->raised[number] && callback != 0 &&
        !event->hart->in_callback && event->hart->pending_count == 0) {
        finds->raised[number] = true;
        unit_raise(&finds->unit, event, callback, address);
    }
}

void finds_callback_begins(struct unit *unit, uint64_t head)
{
    struct finds *finds = of(unit);
    const unsigned number = number_of(finds, head);

    finds->current.count = 0;
    if (number < finds->count) {
        finds->current = finds->waiting[number];
        finds->told_digests[told_place(head)] = digest_of(&finds->current);
        take_out(finds, number);
        finds->told++;
    }
}

uint64_t finds_word(const struct unit *unit, uint64_t number)
{
    const struct find *find = &of(unit)->current;

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

    return (FINDS_WAITING + 1) * find_bits + FINDS_WAITING + FINDS_NAMED * (ADDRESS_BITS + 1) +
           (uint64_t)FINDS_TOLD * DIGEST_BITS;
}

uint64_t finds_comparators(void)
{
    return FINDS_WAITING + FINDS_NAMED + 1; /* one digest */
}

static void report_address(struct statistics *statistics, const char *key, uint64_t address)
{
    char text[24];

    snprintf(text, sizeof text, "0x%" PRIx64, address);
    statistics->text(statistics, key, text);
}

void finds_report_path(struct statistics *statistics, const uint64_t *blocks, unsigned count,
                       uint64_t next)
{
    report_address(statistics, "head", blocks[0]);
    statistics->number(statistics, "blocks", count);
    statistics->begin_list(statistics, "path");
    for (unsigned i = 0; i < count; i++) {
        report_address(statistics, NULL, blocks[i]);
    }
    statistics->end(statistics);
    report_address(statistics, "next", next);
}

void finds_report(const struct finds *finds, struct statistics *statistics)
{
    statistics->number(statistics, "found", finds->found);
    statistics->number(statistics, "told", finds->told);
    statistics->number(statistics, "lost", finds->lost);
    statistics->number(statistics, "repeated", finds->repeated);
    statistics->begin_list(statistics, "finds");
    for (size_t i = 0; i < finds->log_count; i++) {
        const struct found_path *path = &finds->log[i];
        statistics->begin(statistics, NULL);
        finds_report_path(statistics, path->blocks, path->count, path->next);
        statistics->number(statistics, "instruction", path->instruction);
        statistics->end(statistics);
    }
    statistics->end(statistics);
    statistics->number(statistics, "finds_left_out", finds->found - finds->log_count);
}
