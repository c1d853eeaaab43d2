/* The slices that a program brings with it go to the processor that runs it. */
#include "machine/processor/program_slices.h"

#include "base/say.h"
#include "machine/helpers/helpers.h"
#include "machine/pipeline/parameters.h"
#include "slice/file.h"

#include <stdio.h>
#include <stdlib.h>

/* A translator loads the program itself, later: until then they wait. */
static enum section_status add(struct machine *machine, struct slice_set *set, guest_addr bias)
{
    if (machine->options.program == NULL) {
        const bool added = machine_add_slices(machine, set, bias);
        slice_set_free(set);
        return added ? SECTION_OK : SECTION_NO_MEMORY;
    }
    machine->waiting_slices = malloc(sizeof *machine->waiting_slices);
    if (machine->waiting_slices == NULL || !machine_prepare_slices(machine)) {
        slice_set_free(set);
        free(machine->waiting_slices);
        machine->waiting_slices = NULL;
        return SECTION_NO_MEMORY;
    }
    *machine->waiting_slices = *set;
    return SECTION_OK;
}

/* Why a program's slices cannot start on this processor; NULL if they can. */
static const char *find_obstacle(const struct machine *machine)
{
    return machine->seat != NULL || machine->options.beside_others ? "other programs run beside it"
           : machine->options.processor->core_contexts == 1
               ? "the processor has no context besides the program's (core.contexts)"
               : NULL;
}

void program_slices_attach(struct machine *machine, const char *path, guest_addr bias)
{
    struct slice_set set;
    const char *wrong = NULL;
    if (machine->pipeline == NULL || machine->options.no_slices) {
        return;
    }
    const char *program = machine->options.program != NULL ? machine->options.program : path;
    const char *obstacle = find_obstacle(machine);
    enum section_status status = slice_file_read(program, &set, &wrong);
    if (status == SECTION_OK && set.count > 0 && obstacle != NULL) {
        say(stderr, "strata: %s: its slices are not run: %s\n", program, obstacle);
    }
    if (status == SECTION_OK && (machine->seat != NULL || machine->options.beside_others)) {
        slice_set_free(&set);
    } else if (status == SECTION_OK) {
        status = add(machine, &set, bias);
    }
    /* One that cannot be read, though it was just loaded, has none; what is no program, the translator says. */
    if (status != SECTION_OK && status != SECTION_NONE && status != SECTION_UNREADABLE &&
        (status != SECTION_NOT_ELF || machine->options.program == NULL)) {
        say(stderr, "strata: %s %s%s%s\n", program, section_status_message(status),
            wrong != NULL ? ": " : "", wrong != NULL ? wrong : "");
    }
}

static void forget(struct machine *machine)
{
    slice_set_free(machine->waiting_slices);
    free(machine->waiting_slices);
    machine->waiting_slices = NULL;
}

void program_slices_loaded(struct machine *machine, guest_addr bias)
{
    const unsigned refused = helpers_refused(machine->helpers);
    machine_add_slices(machine, machine->waiting_slices, bias);
    const unsigned more = helpers_refused(machine->helpers) - refused;
    if (more > 0) {
        say(stderr,
            "strata: %s: %u of its %u slices cannot run under the translator: they begin with the "
            "thread pointer, or contexts cannot run them\n",
            machine->options.program, more, machine->waiting_slices->count);
    }
    forget(machine);
}

void program_slices_lost(struct machine *machine)
{
    say(stderr, "strata: %s: its slices are not run: the translator has loaded another file\n",
        machine->options.program);
    forget(machine);
}
