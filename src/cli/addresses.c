/* Reads files that name instructions: one hexadecimal address in each line. */
#include "cli/addresses.h"

#include "base/number.h"
#include "base/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One address; false if there is anything else but nothing. */
static bool read_line(char *line, size_t length, void (*take)(void *context, guest_addr address),
                      void *context)
{
    uint64_t address;
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r')) {
        line[--length] = '\0';
    }
    if (length == 0) {
        return true;
    }
    if (strlen(line) != length || !number_read_hex(line, &address) || address % 2 != 0 ||
        address >= GUEST_SPACE_BYTES) {
        return false;
    }
    take(context, address);
    return true;
}

bool addresses_read(const char *path, const char *what,
                    void (*take)(void *context, guest_addr address), void *context)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        say(stderr, "strata: cannot read the %s in %s: %s\n", what, path, strerror(errno));
        return false;
    }
    char *line = NULL;
    size_t capacity = 0;
    unsigned number = 0;
    bool valid = true;
    ssize_t length;
    while (valid && (length = getline(&line, &capacity, file)) > 0) {
        number++;
        valid = read_line(line, (size_t)length, take, context);
    }
    if (!valid) {
        say(stderr, "strata: %s:%u: expected the hexadecimal address of an instruction\n", path,
            number);
    } else if (ferror(file)) {
        say(stderr, "strata: cannot read the %s in %s: %s\n", what, path, strerror(errno));
        valid = false;
    }
    free(line);
    fclose(file);
    return valid;
}
