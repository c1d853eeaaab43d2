/* Issue: instructions whose operands are there go to functional units and to the caches. */
#include "base/check.h"
#include "machine/pipeline/tell.h"

#define PAGE_SHIFT 12

static unsigned place_of(const struct pipeline *pipeline, const struct context *context,
                         uint32_t id)
{
    return (id - context->head) & (pipeline->ring - 1);
}

/* The place of the oldest store whose address is not known; beyond all if there is none. */
static unsigned first_unknown(const struct pipeline *pipeline, const struct context *context)
{
    if (context->stores_known == context->store_count) {
        return UINT32_MAX;
    }
    const struct pending_store *store =
        &context->stores[(context->store_head + context->stores_known) & (pipeline->ring - 1)];
    return place_of(pipeline, context, store->id);
}

static bool must_wait(const struct pipeline *pipeline, const struct context *context, uint32_t id)
{
    return pipeline->parameters.core_disambiguation == LOADS_WAIT &&
           first_unknown(pipeline, context) < place_of(pipeline, context, id);
}

static void set_ready(struct context *context, unsigned bit)
{
    set_bit(context->ready, bit);
    context->ready_words |= 1u << bit / 64;
}

static void clear_ready(struct context *context, unsigned bit)
{
    clear_bit(context->ready, bit);
    context->ready_words &= ~((unsigned)(context->ready[bit / 64] == 0) << bit / 64);
}

void issue_make_ready(struct pipeline *pipeline, uint32_t id)
{
    struct context *context = &pipeline->contexts[context_of(pipeline, id)];
    struct entry *entry = entry_of(pipeline, id);
    const unsigned bit = id & (pipeline->ring - 1);
    entry->state = ENTRY_READY;
    if (entry->insn->flags & STATIC_LOAD && must_wait(pipeline, context, id)) {
        set_bit(context->parked, bit);
    } else {
        set_ready(context, bit);
    }
}

void issue_store_known(struct pipeline *pipeline, uint32_t id)
{
    struct context *context = &pipeline->contexts[context_of(pipeline, id)];
    const unsigned before = context->stores_known;
    entry_of(pipeline, id)->address_known = true;
    while (context->stores_known < context->store_count) {
        const struct pending_store *store =
            &context->stores[(context->store_head + context->stores_known) & (pipeline->ring - 1)];
        if (!entry_of(pipeline, store->id)->address_known) {
            break;
        }
        context->stores_known++;
    }
    if (context->stores_known == before) {
        return;
    }
    const unsigned limit = first_unknown(pipeline, context);
    const uint32_t base = id & ~(pipeline->ring - 1);
    for (unsigned word = 0; word < pipeline->ring_words; word++) {
        for (uint64_t bits = context->parked[word]; bits != 0; bits &= bits - 1) {
            const unsigned bit = word * 64 + (unsigned)__builtin_ctzll(bits);
            if (place_of(pipeline, context, base + bit) < limit) {
                clear_bit(context->parked, bit);
                set_ready(context, bit);
            }
        }
    }
}

/* A free unit of the class; NULL if there is none. */
static uint64_t *find_unit(struct pipeline *pipeline, unsigned class)
{
    unsigned i = pipeline->unit_next[class];
    while (i < pipeline->unit_counts[class] && pipeline->unit_free[class][i] > pipeline->now) {
        i++;
    }
    pipeline->unit_next[class] = (uint8_t)i;
    return i < pipeline->unit_counts[class] ? &pipeline->unit_free[class][i] : NULL;
}

static uint8_t cause_of_level(enum level level)
{
    static const uint8_t causes[LEVEL_COUNT] = {CAUSE_l1, CAUSE_l2, CAUSE_l3, CAUSE_memory};
    return causes[level];
}

/* The cycle in which the data is there; CACHE_BUSY if the access must be tried again.  `translated` is what
 * earlier tries left, `cause` becomes what the access waits for, and `found` what it found. */
static uint64_t access_data(struct pipeline *pipeline, uint64_t address, enum access_kind kind,
                            uint64_t *translated, uint8_t *cause, struct watch_access *found,
                            uint8_t slice)
{
    const uint64_t now = pipeline->now;
    if (pipeline->parameters.ideal_memory) {
        *cause = CAUSE_l1;
        return now + pipeline->parameters.l1d_cycles;
    }
    const bool again = *translated != 0;
    if (!again) {
        const bool there = cache_translate(&pipeline->dtlb, address >> PAGE_SHIFT, now);
        *translated = there ? now : now + pipeline->parameters.tlb_miss_cycles;
    }
    const bool walks = *translated > now;
    found->looked = true;
    if (kind != ACCESS_PREFETCH) {
        const uint64_t hit = cache_hit_first(&pipeline->l1d, address, walks ? *translated : now,
                                             kind == ACCESS_WRITE);
        if (hit != CACHE_BUSY) {
            *cause = walks ? CAUSE_tlb : CAUSE_l1;
            return hit;
        }
    }
    if (UNLIKELY(pipeline->fetch_first) && !cache_holds(&pipeline->l1d, address)) {
        *cause = CAUSE_mshrs;
        return CACHE_BUSY;
    }
    struct access access = {.line = address,
                            .now = walks ? *translated : now,
                            .kind = kind,
                            .slice = slice,
                            .again = again};
    const uint64_t ready = cache_access(&pipeline->l1d, &access);
    *cause = ready == CACHE_BUSY                 ? CAUSE_mshrs
             : walks && access.level == LEVEL_L1 ? CAUSE_tlb
                                                 : cause_of_level(access.level);
    found->missed = access.missed;
    found->merged = access.merged;
    found->capacity = access.capacity;
    return ready;
}

/* The prefetcher sees what loads read.  It takes what is free, and never walks for a
 * translation. */
static void prefetch(struct pipeline *pipeline, const struct entry *entry, unsigned context)
{
    uint64_t ahead[PREFETCH_DEGREE_MAX];
    const uint64_t address = context_address(pipeline, context, entry->address);
    const unsigned count =
        prefetch_learn(&pipeline->prefetcher,
                       context_address(pipeline, context, entry->insn->site.pc), address, ahead);
    for (unsigned i = 0; i < count && !pipeline->fetch_first; i++) {
        if ((ahead[i] ^ address) >> GUEST_SPACE_BITS != 0 ||
            cache_holds(&pipeline->l1d, ahead[i])) {
            continue;
        }
        struct access access = {.line = ahead[i], .now = pipeline->now, .kind = ACCESS_PREFETCH};
        const bool asked = cache_holds(&pipeline->dtlb, ahead[i] >> PAGE_SHIFT) &&
                           cache_access(&pipeline->l1d, &access) != CACHE_BUSY;
        pipeline->prefetcher.issued += asked;
        pipeline->prefetcher.dropped += !asked;
    }
}

/* It prefetches for the main thread, and waits for its data if the slice needs it. */
static uint64_t load_of_slice(struct pipeline *pipeline, struct entry *entry, unsigned context,
                              struct watch_access *found)
{
    const uint8_t number = pipeline->contexts[context].slice;
    if (pipeline->parameters.slices_loads == SLICE_LOADS_NOTHING) {
        entry->cause = CAUSE_l1;
        return pipeline->now + pipeline->parameters.l1d_cycles;
    }
    const uint64_t done =
        access_data(pipeline, context_address(pipeline, context, entry->address), ACCESS_PREFETCH,
                    &entry->translated, &entry->cause, found, number);
    if (done == CACHE_BUSY) {
        return done;
    }
    pipeline->hooks->loaded(pipeline->helpers, number);
    return entry->insn->flags & STATIC_PREFETCH ? pipeline->now + pipeline->parameters.l1d_cycles
                                                : done;
}

/* The cycle in which a load has its data; CACHE_BUSY if it must be tried again.  `found` becomes what it found. */
static uint64_t load(struct pipeline *pipeline, struct entry *entry, unsigned context,
                     struct watch_access *found)
{
    uint64_t done;
    if (UNLIKELY(entry->insn->flags & STATIC_HELPER)) {
        return load_of_slice(pipeline, entry, context, found);
    }
    found->forwarded = entry->forwarded;
    if (entry->forwarded) {
        done = pipeline->now + pipeline->parameters.core_forward_cycles;
        entry->cause = CAUSE_forward;
    } else if (UNLIKELY(entry->insn->flags & STATIC_PERFECT)) {
        done = pipeline->now + pipeline->parameters.l1d_cycles;
        entry->cause = CAUSE_l1;
        cache_install(&pipeline->l1d, context_address(pipeline, context, entry->address),
                      pipeline->now);
    } else {
        done = access_data(pipeline, context_address(pipeline, context, entry->address),
                           ACCESS_READ, &entry->translated, &entry->cause, found, 0);
        if (done == CACHE_BUSY) {
            return done;
        }
    }
    if (UNLIKELY(pipeline->prefetcher.kind != NULL) && !pipeline->parameters.ideal_memory) {
        prefetch(pipeline, entry, context);
    }
    return done;
}

static bool try_issue(struct pipeline *pipeline, unsigned number, uint32_t id)
{
    struct entry *entry = entry_of(pipeline, id);
    const struct static_insn *insn = entry->insn;
    struct context *context = &pipeline->contexts[number];
    uint64_t *unit = find_unit(pipeline, insn->unit);
    if (unit == NULL) {
        return false;
    }
    uint64_t done = pipeline->now + insn->latency;
    struct watch_access found = {.looked = false};
    entry->cause = CAUSE_execute;
    if (insn->flags & STATIC_LOAD) {
        done = load(pipeline, entry, number, &found);
        if (done == CACHE_BUSY) {
            pipeline->busy = true;
            return false;
        }
    } else if (insn->flags & STATIC_PREFETCH) {
        uint8_t cause; /* nobody waits for it */
        if (entry->address >> GUEST_SPACE_BITS == 0) {
            access_data(pipeline, context_address(pipeline, number, entry->address),
                        ACCESS_PREFETCH, &entry->translated, &cause, &found, 0);
        }
        pipeline->statistics.prefetches++;
    }
    *unit = pipeline->now + insn->busy;
    if (UNLIKELY(*unit > pipeline->units_until)) {
        pipeline->units_until = *unit;
    }
    clear_ready(context, id & (pipeline->ring - 1));
    if (tell_needs_times(pipeline)) {
        pipeline->times[id].issued = pipeline->now;
    }
    context->in_queues--;
    pipeline->waiting--;
    pipeline->slice_use.queue -= (insn->flags & STATIC_HELPER) != 0;
    complete_at(pipeline, id, done);
    if (tell_is_wanted(pipeline, insn, WATCH_ISSUED)) {
        tell(pipeline, WATCH_ISSUED, id, &(struct watch_event){.access = found});
    }
    if (tell_is_wanted(pipeline, insn, WATCH_MISSED) && tell_has_missed(entry)) {
        tell(pipeline, WATCH_MISSED, id, &(struct watch_event){.access = found});
    }
    return true;
}

/* The oldest first; those that cannot go are left for another cycle. */
static unsigned issue_any(struct pipeline *pipeline, unsigned number, unsigned room)
{
    struct context *context = &pipeline->contexts[number];
    const unsigned first = context->head / 64, words = pipeline->ring_words;
    const uint64_t older = ~(UINT64_MAX << context->head % 64);
    unsigned issued = 0;
    /* From the head's word on, which comes once more in the end with what is before the head in it. */
    unsigned used = (context->ready_words >> first | context->ready_words << (words - first)) &
                    ((1u << words) - 1);
    for (used |= (used & 1) << words; used != 0 && issued < room; used &= used - 1) {
        const unsigned i = (unsigned)__builtin_ctz(used), word = (first + i) & (words - 1);
        uint64_t bits = context->ready[word];
        bits &= i == 0 ? ~older : i == words ? older : UINT64_MAX;
        for (; bits != 0 && issued < room; bits &= bits - 1) {
            const unsigned bit = word * 64 + (unsigned)__builtin_ctzll(bits);
            issued += try_issue(pipeline, number, (number << pipeline->ring_shift) + bit);
        }
    }
    return issued;
}

static unsigned issue_in_order(struct pipeline *pipeline, unsigned number, unsigned room)
{
    struct context *context = &pipeline->contexts[number];
    unsigned issued = 0;
    while (issued < room && context->unissued < context->count) {
        const uint32_t id = entry_at(pipeline, number, context->unissued);
        const struct entry *entry = entry_of(pipeline, id);
        if (entry->state == ENTRY_WAITS ||
            (entry->state == ENTRY_READY && !try_issue(pipeline, number, id))) {
            break;
        }
        issued++;
        context->unissued++;
    }
    return issued;
}

/* Stores that have retired use the ports that loads leave. */
static bool drain_stores(struct pipeline *pipeline)
{
    bool any = false;
    while (pipeline->leaving_count > 0) {
        uint64_t *unit = find_unit(pipeline, CLASS_MEMORY);
        if (unit == NULL) {
            break;
        }
        struct leaving_store *store = &pipeline->leaving[pipeline->leaving_head];
        uint8_t cause; /* nobody waits for it */
        struct watch_access found;
        if (access_data(pipeline, context_address(pipeline, store->context, store->address),
                        ACCESS_WRITE, &store->translated, &cause, &found, 0) == CACHE_BUSY) {
            pipeline->busy = true;
            break;
        }
        *unit = pipeline->now + 1;
        pipeline->leaving_head = (pipeline->leaving_head + 1) & pipeline->leaving_mask;
        pipeline->leaving_count--;
        any = true;
    }
    return any;
}

bool issue_stage(struct pipeline *pipeline)
{
    unsigned room = (unsigned)pipeline->parameters.core_issue_width, issued = 0;
    const bool in_order = pipeline->parameters.core_order == ORDER_IN;
    unsigned left = pipeline->live;
    while (left != 0) {
        const unsigned first = with_precedence(pipeline, left, SLICES_ISSUE_AFTER_THREADS);
        left &= ~first;
        for (unsigned turn = from_context(pipeline, first, pipeline->turn);
             turn != 0 && issued < room; turn &= turn - 1) {
            const unsigned number = context_in_turn(pipeline, (unsigned)__builtin_ctz(turn));
            if (in_order || pipeline->contexts[number].ready_words != 0) {
                issued += in_order ? issue_in_order(pipeline, number, room - issued)
                                   : issue_any(pipeline, number, room - issued);
            }
        }
    }
    const bool drained = pipeline->leaving_count > 0 && drain_stores(pipeline);
    return issued > 0 || drained;
}
