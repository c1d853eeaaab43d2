/* Shows the fragments in the cache, with the program's code beside the cache's. */
#include "translator/fragment/fetch.h"
#include "translator/fragment/build.h"
#include "translator/fragment/trace.h"
#include "translator/host/output.h"
#include "translator/tell/plan_text.h"
#include "translator/tell/report.h"
#include "translator/fragment/outside.h"

#include <asm/unistd.h>

/* Where the cache's column begins. */
#define CACHE_COLUMN 54
#define TRAMPOLINES_MAX 16
#define TRAMPOLINE_INSTRUCTIONS 24

struct dump {
    struct translator *translator;
    struct output output;
    const struct fragment **fragments; /* in the order of their code */
    size_t count;
    const uint8_t *trampolines[TRAMPOLINES_MAX]; /* of the fragment being shown */
    unsigned trampoline_count;
};

static size_t length_of(const char *string)
{
    size_t length = 0;

    while (string[length] != '\0') {
        length++;
    }
    return length;
}

static size_t count_fragments(const struct translator *translator)
{
    size_t count = 0;

    for (size_t i = 0; i <= translator->index.mask; i++) {
        for (const struct fragment *at = translator->index.buckets[i].fragments; at != NULL;
             at = at->next) {
            count += at->trace != NULL ? 2 : 1;
        }
    }
    return count;
}

/* Shell's sort: short, and good for some ten thousand. */
static void sort_fragments(struct dump *dump)
{
    for (size_t gap = dump->count / 2; gap > 0; gap /= 2) {
        for (size_t i = gap; i < dump->count; i++) {
            const struct fragment *moved = dump->fragments[i];
            size_t to = i;
            for (; to >= gap && dump->fragments[to - gap]->entry > moved->entry; to -= gap) {
                dump->fragments[to] = dump->fragments[to - gap];
            }
            dump->fragments[to] = moved;
        }
    }
}

static bool collect_fragments(struct dump *dump)
{
    const struct translator *translator = dump->translator;
    const size_t bytes = (count_fragments(translator) + 1) * sizeof *dump->fragments;

    dump->fragments = host_map(bytes, false);
    if (dump->fragments == NULL) {
        return false;
    }
    for (size_t i = 0; i <= translator->index.mask; i++) {
        for (const struct fragment *at = translator->index.buckets[i].fragments; at != NULL;
             at = at->next) {
            dump->fragments[dump->count++] = at;
            if (at->trace != NULL) {
                dump->fragments[dump->count++] = at->trace;
            }
        }
    }
    sort_fragments(dump);
    return true;
}

/* The fragment that `code` belongs to, or NULL. */
static const struct fragment *find_by_code(const struct dump *dump, const uint8_t *code)
{
    size_t low = 0;
    size_t high = dump->count;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (dump->fragments[middle]->code <= code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && code < dump->fragments[low - 1]->end ? dump->fragments[low - 1] : NULL;
}

static void note_trampoline(struct dump *dump, const uint8_t *code)
{
    for (unsigned i = 0; i < dump->trampoline_count; i++) {
        if (dump->trampolines[i] == code) {
            return;
        }
    }
    if (dump->trampoline_count < TRAMPOLINES_MAX) {
        dump->trampolines[dump->trampoline_count++] = code;
    }
}

/* Where a jump leads, if it is not within one piece of code. */
static void show_destination(struct dump *dump, uint64_t target)
{
    const struct cache *cache = &dump->translator->cache;
    const uint8_t *code = (const uint8_t *)(uintptr_t)target;

    if (code < cache->start || code >= cache->end) {
        return;
    }
    const struct fragment *to = find_by_code(dump, code);
    if (to == NULL) {
        output_string(&dump->output, "  trampoline");
        note_trampoline(dump, code);
    } else if (code == to->entry || code == to->landing) {
        output_string(&dump->output, to->path != NULL ? "  trace " : "  fragment ");
        output_address(&dump->output, to->start);
    }
}

/* Shows the instruction of the cache behind `shown` characters of its line. */
static void show_cache(struct dump *dump, const struct target_instruction *instruction,
                       size_t shown)
{
    output_pad(&dump->output, shown, CACHE_COLUMN);
    output_string(&dump->output, instruction->text);
    show_destination(dump, instruction->target);
    output_string(&dump->output, "\n");
}

/* Shows what the program has at `pc`, if it is still there; returns the text's length. */
static size_t show_program(struct dump *dump, guest_addr pc)
{
    struct target_instruction instruction;

    if (fetch_count(dump->translator, pc) == 0) {
        output_address(&dump->output, pc);
        return CACHE_COLUMN - 1;
    }
    target_describe((const uint8_t *)(uintptr_t)pc, pc, &instruction);
    output_string(&dump->output, instruction.text);
    return length_of(instruction.text);
}

/* The plan that the fragment was made of: made again, since plans are not kept. */
static void show_plan(struct dump *dump, const struct fragment *fragment)
{
    struct translator *translator = dump->translator;
    struct plan *plan = &translator->plan;

    struct context *context = TARGET_CURRENT_CONTEXT();
    unsigned straightened;
    const bool made = fragment->path != NULL
                          ? trace_plan(context, fragment->path, plan, &straightened)
                          : build_plan(context, fragment->start, plan);
    if (!made) {
        output_string(&dump->output, "plan unknown: the program's code has gone\n");
        return;
    }
    plan_text_put(&dump->output, plan);
}

static void show_fragment(struct dump *dump, const struct fragment *fragment)
{
    const uint8_t *at = fragment->code;
    guest_addr last = 1; /* odd: no instruction is there */

    output_string(&dump->output, fragment->path != NULL ? "\ntrace " : "\nfragment ");
    output_address(&dump->output, fragment->start);
    output_string(&dump->output, "\n");
    show_plan(dump, fragment);
    while (at < fragment->end) {
        struct target_instruction instruction;
        struct state state;
        size_t shown = 0;
        if (at >= fragment->entry && state_find(dump->translator, at, &state) && state.pc != last) {
            shown = show_program(dump, state.pc);
            last = state.pc;
        }
        target_describe(at, (uintptr_t)at, &instruction);
        show_cache(dump, &instruction, shown);
        at += instruction.bytes;
    }
}

/* A trampoline may lead to another. */
static void show_trampolines(struct dump *dump)
{
    for (unsigned i = 0; i < dump->trampoline_count; i++) {
        const uint8_t *at = dump->trampolines[i];
        output_string(&dump->output, "trampoline\n");
        for (unsigned n = 0; n < TRAMPOLINE_INSTRUCTIONS; n++) {
            struct target_instruction instruction;
            target_describe(at, (uintptr_t)at, &instruction);
            show_cache(dump, &instruction, 0);
            at += instruction.bytes;
            if (instruction.leaves) {
                break;
            }
        }
    }
    dump->trampoline_count = 0;
}

void outside_before_flush(struct translator *translator)
{
    dump_fragments(translator);
}

void dump_fragments(struct translator *translator)
{
    struct dump dump = {.translator = translator};

    if (translator->reports.dump_fd == OUTPUT_NONE) {
        return;
    }
    output_begin(&dump.output, translator->reports.dump_fd);
    output_string(&dump.output, "cache after ");
    output_unsigned(&dump.output, translator->statistics.flushes);
    output_string(&dump.output, " flushes\n");
    if (collect_fragments(&dump)) {
        for (size_t i = 0; i < dump.count; i++) {
            show_fragment(&dump, dump.fragments[i]);
            show_trampolines(&dump);
        }
        host_call(__NR_munmap, dump.fragments, (dump.count + 1) * sizeof *dump.fragments);
    } else {
        dump.output.failed = true;
    }
    output_flush(&dump.output);
    if (dump.output.failed) {
        report_failed(translator, "fragments", translator->options.dump_path);
        host_call(__NR_close, translator->reports.dump_fd);
        translator->reports.dump_fd = OUTPUT_NONE; /* one line about it is enough */
    }
}
