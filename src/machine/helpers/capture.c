/* Keeps the main thread's registers at triggers, for the slices that start there. */
#include "machine/helpers/capture.h"

#include "base/check.h"
#include "machine/helpers/helpers.h"
#include "machine/pipeline/window.h"

#include <stdlib.h>
#include <string.h>

#define INTEGER_REGISTERS 32

struct capture {
    guest_addr pc;
    uint64_t position; /* of the trigger's record */
    uint64_t values[INTEGER_REGISTERS];
};

/* Those of one context, in order: it has room even if each instruction is a trigger. */
struct capture_ring {
    struct capture entries[INCOMING];
    unsigned head, count;
    unsigned placed; /* from the head on, those whose position is known */
};

struct captures {
    bool follows; /* what is executed goes to the pipeline */
    struct capture_ring rings[CONTEXTS_MAX];
};

struct captures *captures_create(void)
{
    return calloc(1, sizeof(struct captures));
}

void captures_destroy(struct captures *captures)
{
    free(captures);
}

void captures_follow(struct captures *captures)
{
    captures->follows = true;
}

void captures_take(struct captures *captures, const struct hart *hart, guest_addr pc)
{
    struct capture_ring *ring = &captures->rings[hart->context];
    if (!captures->follows) { /* executed to warm caches, or by a child of vfork */
        return;
    }
    ASSERT(ring->count < INCOMING);
    struct capture *capture = &ring->entries[(ring->head + ring->count++) % INCOMING];
    capture->pc = pc;
    memcpy(capture->values, hart->x, sizeof capture->values);
}

/* Whether a trigger's instruction is watched changes between runs of the engine only, so those
 * that it captured in the last one are all that are among its records, in order. */
void captures_given(struct captures *captures, unsigned context, uint64_t position,
                    const struct record *records, unsigned count)
{
    struct capture_ring *ring = &captures->rings[context];
    for (unsigned i = 0; i < count && ring->placed < ring->count; i++) {
        struct capture *next = &ring->entries[(ring->head + ring->placed) % INCOMING];
        if (records[i].insn->site.pc == next->pc) {
            next->position = position + i;
            ring->placed++;
        }
    }
    ring->count = ring->placed; /* what is left did not retire */
    captures->follows = false;
}

const uint64_t *captures_find(struct captures *captures, unsigned context, uint64_t position)
{
    struct capture_ring *ring = &captures->rings[context];
    while (ring->placed > 0) {
        const struct capture *first = &ring->entries[ring->head];
        if (first->position > position) {
            return NULL;
        }
        ring->head = (ring->head + 1) % INCOMING;
        ring->placed--;
        ring->count--;
        if (first->position == position) {
            return first->values;
        }
    }
    return NULL;
}

struct capture_unit {
    struct unit unit;
    struct helpers *helpers;
};

static struct helpers *helpers_of(struct unit *unit)
{
    return ((struct capture_unit *)(void *)unit)->helpers;
}

static struct watch_request watches(struct unit *unit, const struct watch_instruction *instruction)
{
    const bool triggers = helpers_triggers(helpers_of(unit), instruction->pc, instruction->insn);
    return (struct watch_request){.events = triggers ? WATCH_EXECUTED : 0};
}

static void on_executed(struct unit *unit, const struct watch_event *event)
{
    captures_take(helpers_captures(helpers_of(unit)), event->hart, event->instruction->pc);
}

static void destroy(struct unit *unit)
{
    free(unit);
}

static const struct unit_kind kind = {
    .name = "capture", .watches = watches, .executed = on_executed, .destroy = destroy};

struct unit *capture_unit_create(struct helpers *helpers, struct unit_host host)
{
    struct capture_unit *own = calloc(1, sizeof *own);
    if (own == NULL) {
        return NULL;
    }
    own->unit = (struct unit){.kind = &kind, .host = host};
    own->helpers = helpers;
    helpers_set_host(helpers, host);
    return &own->unit;
}
