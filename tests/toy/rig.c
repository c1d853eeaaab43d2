/* Makes a process of the toy, and does what tests want of it that does not run it. */
#include "translator/detect/detectors.h"
#include "translator/fragment/arrival.h"
#include "inside.h"

#include "translator/fragment/build.h"
#include "translator/fragment/dispatch.h"
#include "translator/fragment/lookups.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

struct options rig_options(void)
{
    return (struct options){.detector = &counters_detector,
                            .detector_name = "counters",
                            .cache_bytes = 256 * 1024,
                            .max_loss = 100,
                            .cache_fixed = true,
                            .link = true,
                            .follow = true,
                            .indirect = INDIRECT_SIEVE,
                            .returns = RETURNS_CACHE,
                            .lookup_bits = 6,
                            .code_changes = CHANGES_TOLD,
                            .counters = COUNTERS_OFF,
                            .placement = PLACEMENT_BACKWARD,
                            .threshold = 100,
                            .stats_fd = -1};
}

static void set_pages(struct toy_memory *memory, guest_addr start, uint64_t bytes, unsigned pages)
{
    memset(&memory->pages[(start - memory->start) / PAGE], (int)pages, bytes / PAGE);
}

static void map_program(guest_addr shift)
{
    void *wanted = (void *)(uintptr_t)(CODE + shift);

    if (mmap(wanted, MEMORY_BYTES, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != wanted) {
        rig_fail("the program's memory is not free");
    }
}

static struct translator *create_translator(const struct options *options, bool has_hardware)
{
    struct translator *translator = host_map(sizeof *translator, false);

    if (translator == NULL || !space_create(translator, options->cache_bytes)) {
        rig_fail("no memory");
    }
    translator->options = *options;
    translator->has_hardware = has_hardware;
    translator->lookup_bits = options->lookup_bits;
    for (unsigned kind = 0; kind < LOOKUP_KINDS; kind++) {
        translator->missed[kind].kind = EXIT_INDIRECT;
        translator->missed[kind].lookup = (uint8_t)kind;
    }
    return translator;
}

/* As thread_create. */
struct context *rig_create_context(struct translator *translator)
{
    const size_t bytes =
        (sizeof(struct context) + TARGET_LOOKUP_BYTES_BEHIND(LOOKUP_BITS_MAX) + PAGE - 1) &
        ~(size_t)(PAGE - 1);
    struct context *context = host_map(bytes, false);

    if (context == NULL) {
        rig_fail("no memory");
    }
    context->translator = translator;
    context->block = context;
    context->block_bytes = bytes;
    context->recording = host_map(PAGE, false);
    for (unsigned kind = 0; kind < LOOKUP_KINDS; kind++) {
        context->missed[kind] = &translator->missed[kind];
    }
    if (context->recording == NULL) {
        rig_fail("no memory");
    }
    target_lookup_clear(context);
    return context;
}

struct rig_thread *rig_create_thread(struct rig *rig)
{
    struct rig_thread *thread = &rig->threads[rig->thread_count];
    struct translator *translator = rig->translator;

    thread->rig = rig;
    thread->context = rig_create_context(translator);
    thread->context->next = translator->threads;
    translator->threads = thread->context;
    thread->context->registers.r[SP] = STACK - rig->thread_count * RIG_STACK_BYTES;
    thread->machine =
        (struct toy_machine){.memory = &rig->memory,
                             .context = thread->context,
                             .counters = rig->counters.entries > 0 ? &rig->counters : NULL};
    thread->alone = (struct toy_machine){.memory = &rig->made, .shift = ALONE_SHIFT};
    rig->thread_count++;
    return thread;
}

void rig_create_with_counters(struct rig *rig, const struct options *options, unsigned entries)
{
    memset(rig, 0, sizeof *rig);
    rig->maps_left = UINT32_MAX;
    rig->maps_readable = true;
    rig->compares = true;
    rig->budget = 100 * 1000 * 1000;
    rig->code.at = CODE;
    rig->counters.entries = entries;
    outside_use(rig);
    map_program(0);
    map_program(ALONE_SHIFT);
    rig->memory.start = CODE;
    set_pages(&rig->memory, CODE, CODE_BYTES, HOST_READ | HOST_WRITE | HOST_EXECUTE);
    set_pages(&rig->memory, DATA, DATA_BYTES, HOST_READ | HOST_WRITE);
    rig->made = rig->memory;
    rig->translator = create_translator(options, entries > 0);
    const struct rig_thread *first = rig_create_thread(rig);
    rig->translator->context = rig->translator->master = first->context;
    target_announce(rig->translator);
    hw_counter_use(entries > 0 ? &rig->counters : NULL);
    count_start(rig->translator);
    optimizer_start(rig->translator);
    arrival_start(rig->translator);
    changes_start(rig->translator);
}

void rig_create(struct rig *rig, const struct options *options)
{
    rig_create_with_counters(rig, options, 0);
}

void rig_destroy(struct rig *rig)
{
    free(rig->translator->process.visible);
    for (unsigned i = 0; i < RIG_MAPS; i++) {
        if (rig->maps[i].start != NULL) {
            munmap(rig->maps[i].start, rig->maps[i].bytes);
        }
    }
    munmap((void *)(uintptr_t)CODE, MEMORY_BYTES);
    munmap((void *)(uintptr_t)(CODE + ALONE_SHIFT), MEMORY_BYTES);
    outside_use(NULL);
    rig->translator = NULL;
}

const uint8_t *rig_dispatch_to(struct rig *rig, guest_addr pc)
{
    struct exit resume = {.kind = EXIT_RESUME};

    rig->threads[0].context->target = pc;
    return dispatch(rig->threads[0].context, &resume);
}

struct fragment *rig_find(struct rig *rig, guest_addr start)
{
    return index_find(&rig->translator->index, start);
}

struct fragment *rig_build(struct rig *rig, guest_addr start)
{
    return build_fragment(rig->threads[0].context, start, LOOKUP_INLINE);
}

struct search {
    guest_addr head;
    struct loop_counts found;
};

static void visit_loop(void *argument, const struct loop_counts *counts)
{
    struct search *search = argument;

    if (counts->head == search->head) {
        search->found = *counts;
    }
}

struct loop_counts rig_loop(struct rig *rig, guest_addr head)
{
    struct search search = {.head = head, .found = {.head = 0}};

    count_each(rig->translator, visit_loop, &search);
    return search.found;
}

uint64_t rig_executions(struct rig *rig, guest_addr head)
{
    return rig_loop(rig, head).executions;
}

uint64_t rig_counted(const struct rig *rig, guest_addr head)
{
    for (unsigned i = 0; i < rig->head_count; i++) {
        if (rig->heads[i].head == head) {
            return rig->heads[i].executions;
        }
    }
    return 0;
}

void rig_set_permissions(struct rig *rig, guest_addr start, uint64_t bytes, unsigned permissions)
{
    struct translator *translator = rig->translator;

    changes_before_mapping(translator, start, bytes);
    set_pages(&rig->memory, start, bytes, permissions);
    set_pages(&rig->made, start, bytes, permissions);
    fetch_remove(&translator->fetchable, start, bytes);
    fetch_remove(&translator->fixed, start, bytes);
    fetch_remove(&translator->closed, start, bytes);
    fetch_forget_window(translator);
    changes_unmap(translator, start, bytes);
    if (permissions != 0) {
        fetch_add((permissions & HOST_EXECUTE) != 0 ? &translator->fetchable : &translator->closed,
                  start, start + bytes);
    }
}

void rig_sync(struct rig *rig)
{
    changes_apply(rig->threads[0].context);
}

_Noreturn void rig_fail(const char *format, ...)
{
    char message[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    outside_stop(message);
}
