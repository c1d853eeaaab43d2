/* Text that the translator writes to a descriptor of its own: statistics and dumps. */
#include "translator/output.h"

#include "translator/translator.h"

#include <asm/unistd.h>
#include <linux/fcntl.h>

/* Above what programs use, and below the usual limit of 1024. */
#define DESCRIPTOR_WANTED 1000L

int64_t output_open(const char *path)
{
    const int64_t fd = host_call(__NR_openat, (long)AT_FDCWD, path,
                                 (long)(O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC), 0666L);

    if (host_is_error(fd)) {
        return fd;
    }
    const int64_t high = host_call(__NR_fcntl, fd, (long)F_DUPFD_CLOEXEC, DESCRIPTOR_WANTED);
    if (host_is_error(high)) {
        return fd;
    }
    host_call(__NR_close, fd);
    return high;
}

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

void output_unsigned(struct output *output, uint64_t value)
{
    char digits[24];
    char *at = digits + sizeof digits;

    *--at = '\0';
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    output_string(output, at);
}

void output_address(struct output *output, uint64_t value)
{
    char digits[24];
    char *at = digits + sizeof digits;

    *--at = '\0';
    do {
        *--at = "0123456789abcdef"[value % 16];
        value /= 16;
    } while (value != 0);
    *--at = 'x';
    *--at = '0';
    output_string(output, at);
}

void output_pad(struct output *output, size_t length, size_t column)
{
    do {
        output_string(output, " ");
        length++;
    } while (length < column);
}
