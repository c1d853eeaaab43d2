/* Where the translator begins: it reads its options, loads the program and enters it. */
#include "translator/tell/report.h"
#include "translator/process/signal.h"
#include "translator/fragment/state.h"
#include "translator/target.h"
#include "translator/target_call.h"
#include "translator/process/thread.h"
#include "translator/translator.h"

/* The pool's share of the cache, so large that the cache is full first. */
#define POOL_PER_CACHE 4

static void *map_or_fail(size_t bytes, bool executable)
{
    void *memory = host_map(bytes, executable);

    if (memory == NULL) {
        host_fail(STATUS_FAILED, "not enough memory for the translator", NULL, NULL, NULL);
    }
    return memory;
}

static struct translator *create_translator(const struct options *options)
{
    struct translator *translator = map_or_fail(sizeof *translator, false);
    const size_t pool_bytes = options->cache_bytes * POOL_PER_CACHE;

    translator->options = *options;
    uint8_t *cache =
        map_or_fail(options->cache_bytes + count_cache_bytes(options->cache_bytes), true);
    cache_create(&translator->cache, cache, options->cache_bytes, translator->gaps);
    build_create(translator, map_or_fail(pool_bytes, false), map_or_fail(pool_bytes, false),
                 pool_bytes);
    for (unsigned kind = 0; kind < LOOKUP_KINDS; kind++) {
        translator->missed[kind].kind = EXIT_INDIRECT;
        translator->missed[kind].lookup = (uint8_t)kind;
    }
    translator->bucket_mask = BUCKETS - 1;
    while (translator->bucket_mask >= options->cache_bytes / CACHE_BYTES_PER_BUCKET) {
        translator->bucket_mask /= 2;
    }
    return translator;
}

static struct context *create_context(struct translator *translator)
{
    struct context *context = thread_create(translator);

    if (context == NULL) {
        host_fail(STATUS_FAILED, "not enough memory for the translator", NULL, NULL, NULL);
    }
    thread_add(context);
    translator->context = translator->master = context;
    return context;
}

_Noreturn void translator_start(uint64_t *stack)
{
    struct options options;
    struct option_words words;
    const unsigned skip =
        options_read(&options, &words, (unsigned)stack[0], (char *const *)(stack + 1));
    struct translator *translator = create_translator(&options);
    translator->option_words = words;
    struct context *context = create_context(translator);
    report_start(translator);
    const struct program program = load_program(translator, stack, skip);

    target_announce(translator);
    count_start(translator);
    target_set_stack(context, program.stack);
    context->target = program.entry;
    signal_start(context);
    target_resume(context);
}
