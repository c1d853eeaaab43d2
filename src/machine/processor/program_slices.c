/* The slices that a program brings with it go to the processor that runs it. */
#include "machine/processor/program_slices.h"

#include "base/say.h"
#include "slice/file.h"

#include <stdio.h>

void program_slices_attach(struct machine *machine, const char *path, guest_addr bias)
{
    struct slice_set set;
    const char *wrong = NULL;
    if (machine->pipeline == NULL || machine->options.no_slices || machine->seat != NULL ||
        machine->options.beside_others) {
        return;
    }
    enum section_status status = slice_file_read(path, &set, &wrong);
    if (status == SECTION_OK) {
        status = machine_add_slices(machine, &set, bias) ? SECTION_OK : SECTION_NO_MEMORY;
        slice_set_free(&set);
    }
    /* One that cannot be read, though it was just loaded, has none. */
    if (status != SECTION_OK && status != SECTION_NONE && status != SECTION_UNREADABLE) {
        say(stderr, "strata: %s %s%s%s\n", path, section_status_message(status),
            wrong != NULL ? ": " : "", wrong != NULL ? wrong : "");
    }
}
