/* Finds the slices of a program: its delinquent loads, a trigger for each, and what must be computed between both. */
#include "cli/slice_find.h"

#include "base/say.h"
#include "elf/image.h"
#include "slice/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The work on one program.  Runs know addresses in memory; slices get linked ones in the end. */
struct search {
    struct found *found;
    struct slice_runs *runs;
    const struct find_settings *settings;
    struct elf_image image;
    uint64_t bias;
    uint64_t pcs[FIND_LOADS_MAX]; /* of the delinquent loads, in memory */
    uint64_t misses[FIND_LOADS_MAX];
    uint64_t triggers[FIND_LOADS_MAX]; /* of each; 0: none */
};

static int fail(const char *reason)
{
    say(stderr, "strata: slice: %s\n", reason);
    return EXIT_STRATA_FAILED;
}

static bool linked_address(const struct elf_image *image, uint64_t offset, uint64_t *address)
{
    for (unsigned i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        if (offset >= segment->file_offset && offset - segment->file_offset < segment->file_bytes) {
            *address = segment->address + (offset - segment->file_offset);
            return true;
        }
    }
    return false;
}

/* The loads with the most misses, until they have enough of all. */
static void choose_loads(struct search *search, const struct load_profile *profile)
{
    struct found *found = search->found;
    uint64_t covered = 0;
    found->misses = profile->misses;
    found->elsewhere = profile->elsewhere;
    for (unsigned i = 0; i < profile->count && found->load_count < search->settings->loads_max;
         i++) {
        const struct profiled_load *load = &profile->loads[i];
        uint64_t linked;
        if (load->misses < FIND_MISSES_MIN ||
            (double)covered >= search->settings->share * (double)profile->misses ||
            !linked_address(&search->image, load->offset, &linked)) {
            break;
        }
        covered += load->misses;
        search->bias = load->pc - linked;
        search->pcs[found->load_count] = load->pc;
        search->misses[found->load_count] = load->misses;
        found->loads[found->load_count++] = (struct found_load){
            .pc = linked, .executions = load->executions, .misses = load->misses, .slice = -1};
    }
}

static struct sampler_plan *make_plan(unsigned before, unsigned after, const uint64_t *pcs,
                                      unsigned count)
{
    struct sampler_plan *plan = slice_runs_share(sampler_plan_bytes(before, after, count));
    if (plan != NULL) {
        sampler_plan_begin(plan, before, after, pcs, count);
    }
    return plan;
}

static void free_plan(struct sampler_plan *plan)
{
    munmap(plan, sampler_plan_bytes(plan->before, plan->after, plan->target_count));
}

static struct choose_windows windows_of(struct sampler_plan *plan, unsigned target,
                                        struct slice_window *windows)
{
    const unsigned count = plan->targets[target].samples;
    for (unsigned i = 0; i < count; i++) {
        windows[i] = sampler_window(plan, target, i);
    }
    return (struct choose_windows){.windows = windows, .count = count};
}

/* The first pass: what comes before each load. */
static int choose_triggers(struct search *search)
{
    const struct find_settings *settings = search->settings;
    const unsigned count = search->found->load_count;
    const struct slice_pcs loads = {.pcs = search->pcs, .misses = search->misses, .count = count};
    struct sampler_plan *plan = make_plan(settings->window, 0, search->pcs, count);
    if (plan == NULL) {
        return fail("not enough memory");
    }
    const int status = slice_runs_sample(search->runs, plan);
    for (unsigned i = 0; status == 0 && i < count; i++) {
        struct slice_window windows[SAMPLER_SAMPLES];
        const struct choose_windows before = windows_of(plan, i, windows);
        search->triggers[i] =
            choose_trigger(&before, search->pcs[i], &loads, &settings->rules, settings->distance);
    }
    free_plan(plan);
    return status;
}

static bool in_program(const struct search *search, const struct slice *slice)
{
    bool inside = true;
    for (unsigned i = 0; i <= slice->length; i++) {
        const uint64_t pc =
            (i < slice->length ? slice->instructions[i].pc : slice->trigger) - search->bias;
        inside &= pc >= search->image.low && pc < search->image.high;
    }
    return inside;
}

static const char *refuse(enum choose_result result, enum slice_built built)
{
    return result == CHOOSE_SELDOM            ? "it does not follow its trigger often enough"
           : built == SLICE_BUILT_TOO_LONG    ? "its slice is too long"
           : built == SLICE_BUILT_NOT_ALLOWED ? "its slice needs an instruction that none may have"
                                              : "no slice reaches it";
}

/* The slice is done: it has linked addresses, and stands for all the delinquent loads in it. */
static void accept(struct search *search, const struct slice *slice)
{
    struct found *found = search->found;
    struct slice *own = &found->set.slices[found->set.count];
    *own = *slice;
    own->trigger -= search->bias;
    for (unsigned i = 0; i < own->length; i++) {
        own->instructions[i].pc -= search->bias;
    }
    own->origin.misses = 0;
    for (unsigned k = 0; k < found->load_count; k++) {
        struct found_load *load = &found->loads[k];
        bool has = false;
        for (unsigned i = 0; i < own->length; i++) {
            has |= own->instructions[i].delinquent && own->instructions[i].pc == load->pc;
        }
        if (has && load->slice < 0) {
            load->slice = (int)found->set.count;
            own->origin.misses += load->misses;
        }
    }
    found->set.count++;
}

/* The delinquent loads that have no slice yet. */
static struct slice_pcs without_slice(const struct search *search, uint64_t pcs[FIND_LOADS_MAX])
{
    size_t count = 0;
    for (unsigned i = 0; i < search->found->load_count; i++) {
        if (search->found->loads[i].slice < 0) {
            pcs[count++] = search->pcs[i];
        }
    }
    return (struct slice_pcs){.pcs = pcs, .count = count};
}

/* The slice of a load from one trigger. */
static bool choose_from(struct search *search, struct sampler_plan *plan, unsigned load,
                        uint64_t trigger, struct slice *slice, const char **why)
{
    const struct find_settings *settings = search->settings;
    uint64_t pcs[FIND_LOADS_MAX];
    const struct slice_pcs loads = without_slice(search, pcs);
    struct slice_window windows[SAMPLER_SAMPLES];
    enum slice_built built = SLICE_BUILT_NO_LOAD;
    unsigned target = 0;
    while (plan->targets[target].pc != trigger) {
        target++;
    }
    const struct choose_windows after = windows_of(plan, target, windows);
    const enum choose_result result = choose_slice(slice, &after, search->pcs[load], &loads,
                                                   &settings->rules, settings->window, &built);
    *why = result != CHOOSE_OK          ? refuse(result, built)
           : !in_program(search, slice) ? "its slice goes through code of a library"
                                        : NULL;
    return *why == NULL;
}

/* From the trigger that the first pass chose, or, if there is no loop from there after all, from the load's last
 * instance, as hardware does it. */
static void choose_one(struct search *search, struct sampler_plan *plan, unsigned load)
{
    struct slice slice = {0}, own = {0};
    const char *why, *why_own;
    const bool chosen = choose_from(search, plan, load, search->triggers[load], &slice, &why);
    if ((!chosen || slice.prologue == 0) &&
        choose_from(search, plan, load, search->pcs[load], &own, &why_own) &&
        (!chosen || own.prologue > 0)) {
        accept(search, &own);
    } else if (chosen) {
        accept(search, &slice);
    } else {
        search->found->loads[load].why = why;
    }
}

static void add_target(uint64_t *targets, unsigned *count, uint64_t pc)
{
    const struct slice_pcs before = {.pcs = targets, .count = *count};
    if (!slice_pcs_have(&before, pc)) {
        targets[(*count)++] = pc;
    }
}

/* The second pass: what comes after each trigger. */
static int choose_slices(struct search *search)
{
    const unsigned count = search->found->load_count;
    uint64_t targets[SAMPLER_TARGETS_MAX];
    unsigned different = 0;
    for (unsigned i = 0; i < count; i++) {
        if (search->triggers[i] == 0) {
            search->found->loads[i].why = "nothing comes before it often enough";
            continue;
        }
        add_target(targets, &different, search->triggers[i]);
        add_target(targets, &different, search->pcs[i]);
    }
    struct sampler_plan *plan = make_plan(0, 2 * search->settings->window, targets, different);
    if (plan == NULL) {
        return fail("not enough memory");
    }
    const int status = slice_runs_sample(search->runs, plan);
    for (unsigned i = 0; status == 0 && i < count; i++) {
        if (search->triggers[i] != 0 && search->found->loads[i].slice < 0) {
            choose_one(search, plan, i);
        }
    }
    free_plan(plan);
    return status;
}

static int read_image(struct search *search, const char *path)
{
    struct slice_file file;
    const enum section_status status = slice_file_open(&file, path);
    if (status != SECTION_OK) {
        say(stderr, "strata: %s: %s\n", path, section_status_message(status));
        return EXIT_NOT_EXECUTABLE;
    }
    elf_read(&search->image, file.bytes, file.size, file.size, ELF_MACHINE_RISCV);
    slice_file_close(&file);
    return 0;
}

int slice_find(struct found *found, struct slice_runs *runs, const struct find_settings *settings)
{
    struct load_profile *profile = calloc(1, sizeof *profile);
    struct search search = {.found = found, .runs = runs, .settings = settings};
    *found = (struct found){.load_count = 0};
    found->set.slices = calloc(FIND_LOADS_MAX, sizeof *found->set.slices);
    if (profile == NULL || found->set.slices == NULL) {
        free(profile);
        return fail("not enough memory");
    }
    int status = slice_runs_profile(runs, profile);
    if (status == 0) {
        status = read_image(&search, runs->arguments[0]);
    }
    if (status == 0) {
        choose_loads(&search, profile);
    }
    if (status == 0 && found->load_count > 0) {
        status = choose_triggers(&search);
        if (status == 0) {
            status = choose_slices(&search);
        }
    }
    free(profile);
    return status;
}

void slice_found_free(struct found *found)
{
    slice_set_free(&found->set);
}
