/* Text that the translator writes to a descriptor of its own: statistics and dumps. */
#ifndef STRATA_TRANSLATOR_HOST_OUTPUT_H
#define STRATA_TRANSLATOR_HOST_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OUTPUT_NONE (-1)

struct output {
    int64_t fd;
    bool failed; /* something could not be written */
    size_t length;
    char buffer[4096];
};

void output_begin(struct output *output, int64_t fd);
/* Of at most OUTPUT_STRING_BYTES. */
#define OUTPUT_STRING_BYTES 128
void output_string(struct output *output, const char *string);
/* Any bytes, however many. */
void output_bytes(struct output *output, const char *bytes, size_t count);
void output_unsigned(struct output *output, uint64_t value);
/* Hexadecimal with 0x. */
void output_address(struct output *output, uint64_t value);
/* Spaces up to `column` of a line of which `length` characters are there. */
void output_pad(struct output *output, size_t length, size_t column);
void output_flush(struct output *output);

#endif
