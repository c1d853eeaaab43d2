/* Where the translator begins: it reads its options, loads the program and enters it. */
#include "translator/detect/regions.h"
#include "translator/fragment/arrival.h"
#include "translator/fragment/translator.h"
#include "translator/options.h"
#include "translator/process/load.h"
#include "translator/process/signal.h"
#include "translator/process/stack.h"
#include "translator/process/thread.h"
#include "translator/tell/report.h"

/* The first function, called by the target's start with the stack as the kernel made it. */
_Noreturn void translator_start(uint64_t *stack);

static _Noreturn void fail_without_memory(void)
{
    host_fail(STATUS_FAILED, "not enough memory for the translator", NULL, NULL, NULL);
}

static struct translator *create_translator(const struct options *options)
{
    struct translator *translator = host_map(sizeof *translator, false);

    if (translator == NULL || !space_create(translator, options->cache_bytes)) {
        fail_without_memory();
    }
    translator->options = *options;
    translator->lookup_bits = options->lookup_bits;
    for (unsigned kind = 0; kind < LOOKUP_KINDS; kind++) {
        translator->missed[kind].kind = EXIT_INDIRECT;
        translator->missed[kind].lookup = (uint8_t)kind;
    }
    return translator;
}

static struct context *create_context(struct translator *translator)
{
    struct context *context = thread_create(translator);

    if (context == NULL) {
        fail_without_memory();
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
    optimizer_choose(&options, stack_has_hardware(stack));
    struct translator *translator = create_translator(&options);
    translator->option_words = words;
    target_look_at_processor(translator);
    if (options.traces) {
        target_take_scratch(translator);
    }
    struct context *context = create_context(translator);
    const struct program program = load_program(translator, stack, skip);

    target_announce(translator);
    translator->has_last_words = target_offer_last_words(translator);
    count_start(translator);
    optimizer_start(translator);
    regions_start(translator);
    arrival_start(translator);
    changes_start(translator);
    report_start(translator);
    TARGET_STACK_POINTER(&context->registers) = program.stack;
    context->target = program.entry;
    signal_start(context);
    target_resume(context);
}
