/* The code that makes a counter of the processor's, once, and then takes itself out of the way. */
#include "emit.h"
#include "interpreter.h"

#include "base/check.h"

#define NO_COUNTER UINT64_MAX

static struct toy_counters *processor;
static bool leaves;

void hw_counter_use(struct toy_counters *counters)
{
    processor = counters;
}

void hw_counter_set_threshold(uint64_t threshold)
{
    if (processor != NULL) {
        processor->threshold = threshold;
    }
}

void target_hw_new(const uint8_t *tag, uint64_t threshold)
{
    toy_counter_new(processor, tag, threshold);
}

/* The toy's processor tells of no evictions, and finds nothing by itself. */
bool target_hw_tell(void)
{
    return false;
}

uint64_t target_hw_gone(void)
{
    return 0;
}

bool target_found_exists(void)
{
    return false;
}

void target_found_look(const uint8_t *low, const uint8_t *high, bool only_told)
{
    (void)low, (void)high, (void)only_told;
}

void target_found_watch(const uint8_t *head)
{
    (void)head;
}

uint64_t target_found_word(uint64_t number)
{
    (void)number;
    return UINT64_MAX;
}

void target_hw_leave(const uint8_t *way)
{
    (void)way;
    leaves = true;
}

bool hw_counter_leaves(void)
{
    const bool left = leaves;

    leaves = false;
    return left;
}

uint64_t target_hw_read(const uint8_t *tag)
{
    const unsigned i = toy_counter_find(processor, tag);

    return i == processor->entries ? NO_COUNTER : processor->of[i].count;
}

bool target_hw_unlimited(void)
{
    return processor->entries == TOY_COUNTERS_MAX;
}

void target_hw_drop(const uint8_t *tag)
{
    const unsigned i = toy_counter_find(processor, tag);

    if (i != processor->entries) {
        processor->of[i].tag = NULL;
        processor->dropped++;
    }
}

/* Two registers saved, the tag, the counter; the place of the displacement, what it shall be, the store; the
 * registers, and an aligned jump. */
#define MAKER_BYTES (2 * 2 + 9 + 2 + 9 + 5 + 2 + 2 * 2 + 4)

bool target_hw_link(struct translator *translator, struct exit *exit, const struct fragment *to)
{
    struct cache *cache = &translator->cache;
    uint8_t *displacement = exit->site.displacement;
    const size_t bytes = (MAKER_BYTES + 7) / 8 * 8;
    uint8_t *place = cache->trampolines - bytes;

    if (!cache_has_room(cache, bytes) || !displacement_reaches(displacement, place) ||
        !displacement_reaches(displacement, to->landing) ||
        !displacement_reaches(place, to->landing) ||
        !displacement_reaches(place + bytes, to->landing)) {
        return false;
    }
    struct emitter emitter = {.translator = translator, .at = cache_add_trampoline(cache, bytes)};
    ASSERT(emitter.at == place);
    emit(&emitter, TOY_OWN_SAVE, R0, 0, SLOT_SPARE(0));
    emit(&emitter, TOY_OWN_SAVE, R1, 0, SLOT_SPARE(1));
    emit(&emitter, TOY_CONST64, R0, 0, (int64_t)(uintptr_t)to->landing);
    emit(&emitter, TOY_OWN_NEW, count_threshold(translator, to->loop) == 0, R0, 0);
    emit(&emitter, TOY_CONST64, R0, 0, (int64_t)(uintptr_t)displacement);
    emit(&emitter, TOY_CONST32, R1, 0, to->landing - (displacement + 2));
    emit(&emitter, TOY_OWN_POKE, R1, R0, 0);
    emit(&emitter, TOY_OWN_RESTORE, R0, 0, SLOT_SPARE(0));
    emit(&emitter, TOY_OWN_RESTORE, R1, 0, SLOT_SPARE(1));
    emit_own_jump(&emitter, to->landing);
    ASSERT(emitter.at <= place + bytes);
    target_sync(translator, CODE_COUNTER, place, emitter.at);
    displacement_set(displacement, place);
    target_sync(translator, CODE_FRAGMENT, displacement, displacement + 2);
    exit->site.maker = place;
    return true;
}

bool target_hw_linked(const struct exit *exit)
{
    return displacement_get(exit->site.displacement) != exit->site.maker;
}

/* The toy's executions have no cycles. */
bool target_hw_has_times(void)
{
    return false;
}

uint64_t target_hw_cycles(const uint8_t *tag)
{
    (void)tag;
    return 0;
}

struct target_times target_hw_times(const uint8_t *tag)
{
    (void)tag;
    return (struct target_times){.retired = 0};
}

const uint8_t *target_behind(const uint8_t *code, bool *loads)
{
    *loads = false;
    return code + TARGET_SHORTEST_INSTRUCTION;
}
