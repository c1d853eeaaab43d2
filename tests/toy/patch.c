/* Patches the jumps of exits, and makes code that was written visible to instruction fetch. */
#include "emit.h"

#include "base/check.h"

#include <stdlib.h>

/* Written by one store, since another thread may be about to read it. */
void displacement_set(uint8_t *at, const uint8_t *to)
{
    ASSERT(((uintptr_t)at & 1) == 0 && displacement_reaches(at, to));
    __atomic_store_n((int16_t *)(void *)at, (int16_t)(to - (at + 2)), __ATOMIC_RELEASE);
}

const uint8_t *displacement_get(const uint8_t *at)
{
    return at + 2 + *(const int16_t *)(const void *)at;
}

bool displacement_reaches(const uint8_t *at, const uint8_t *to)
{
    const int64_t distance = to - (at + 2);

    return distance == (int16_t)distance;
}

void target_sync(struct translator *translator, enum code_class class, const uint8_t *start,
                 const uint8_t *end)
{
    struct target_process *process = &translator->process;

    process->syncs[class]++;
    if (class != CODE_ALL) {
        ASSERT(start >= translator->cache.start && end <= translator->cache.end && start <= end);
        __builtin_memcpy(process->visible + (start - translator->cache.start), start,
                         (size_t)(end - start));
    }
}

bool target_offer_last_words(struct translator *translator)
{
    (void)translator;
    return false;
}

/* The cache has a new place: nothing of it is visible. */
void target_announce(struct translator *translator)
{
    struct target_process *process = &translator->process;

    free(process->visible);
    process->visible_bytes = (size_t)(translator->cache.end - translator->cache.start);
    process->visible = calloc(1, process->visible_bytes + TARGET_LONGEST_INSTRUCTION);
    ASSERT(process->visible != NULL);
    process->announcements++;
}

static void patch(struct translator *translator, uint8_t *displacement, const uint8_t *to)
{
    displacement_set(displacement, to);
    target_sync(translator, CODE_FRAGMENT, displacement, displacement + 2);
}

/* Its place is that of the trampoline, which is not needed any more; or behind that. */
static const uint8_t *write_far(struct translator *translator, const struct exit *exit,
                                const struct fragment *to)
{
    uint8_t *place =
        exit->site.trampoline + (translator->far_way_bytes != 0 ? TRAMPOLINE_BYTES : 0);
    struct emitter emitter = {.translator = translator, .at = place};

    exit_emit_far(&emitter, to);
    target_sync(translator, CODE_TRAMPOLINE, place, emitter.at);
    return place;
}

void target_link(struct translator *translator, struct exit *exit, const struct fragment *to)
{
    uint8_t *displacement = exit->site.displacement;
    const bool reaches = displacement_reaches(displacement, to->landing);

    patch(translator, displacement, reaches ? to->landing : write_far(translator, exit, to));
}

/* The jump at the end of the code is shorter than the code. */
bool target_taken_reaches(const struct exit *exit, const uint8_t *code, const struct fragment *to)
{
    return displacement_reaches(exit->site.displacement, code) &&
           displacement_reaches(code, to->entry) &&
           displacement_reaches(code + target_taken_layout.bytes, to->entry);
}

void target_taken_link(struct translator *translator, struct exit *exit, uint8_t *code)
{
    patch(translator, exit->site.displacement, code);
    exit->site.maker = code;
}

uint8_t *target_taken_code(const struct exit *exit)
{
    return exit->site.maker;
}

void target_unlink(struct translator *translator, struct exit *exit)
{
    patch(translator, exit->site.displacement, exit->site.trampoline);
}

void target_redirect(struct translator *translator, struct fragment *fragment, const uint8_t *code)
{
    uint8_t *displacement = fragment->entry - TARGET_INDIRECT_ENTRY_BYTES + 1;

    patch(translator, displacement, code != NULL ? code : displacement + 2);
}
