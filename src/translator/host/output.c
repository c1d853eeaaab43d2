/* Text that the translator writes to a descriptor of its own: statistics and dumps. */
#include "translator/host/output.h"

#include "translator/host/host.h"

#include <asm/unistd.h>

void output_begin(struct output *output, int64_t fd)
{
    output->fd = fd;
    output->failed = false;
    output->length = 0;
}

void output_flush(struct output *output)
{
    size_t done = 0;

    while (done < output->length && !output->failed) {
        const int64_t count =
            host_call(__NR_write, output->fd, output->buffer + done, output->length - done);
        output->failed = host_is_error(count) || count == 0;
        done += output->failed ? 0 : (size_t)count;
    }
    output->length = 0;
}

/* Written at the end of every run, also of the shortest: each instruction counts. */
void output_string(struct output *output, const char *string)
{
    if (output->length > sizeof output->buffer - OUTPUT_STRING_BYTES) {
        output_flush(output);
    }
    char *at = output->buffer + output->length;
    while (*string != '\0') {
        *at++ = *string++;
    }
    output->length = (size_t)(at - output->buffer);
}

void output_bytes(struct output *output, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (output->length == sizeof output->buffer) {
            output_flush(output);
        }
        output->buffer[output->length++] = bytes[i];
    }
}

static void put_digits(struct output *output, uint64_t value, uint64_t base)
{
    char digits[24];
    char *at = digits + sizeof digits;

    *--at = '\0';
    do {
        *--at = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    output_string(output, at);
}

void output_unsigned(struct output *output, uint64_t value)
{
    put_digits(output, value, 10);
}

void output_address(struct output *output, uint64_t value)
{
    output_string(output, "0x");
    put_digits(output, value, 16);
}

void output_pad(struct output *output, size_t length, size_t column)
{
    do {
        output_string(output, " ");
        length++;
    } while (length < column);
}
