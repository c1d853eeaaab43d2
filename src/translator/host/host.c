/* The operating system as the translator itself uses it: memory, messages, the end. */
#include "translator/host/host.h"

#include "base/check.h"
#include "base/shown.h"
#include "base/text.h"

#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/resource.h>
#include <linux/uio.h>

#define STANDARD_OUTPUT 1
#define STANDARD_ERROR 2

/* More than that makes the kernel's tables large. */
#define DESCRIPTOR_LIMIT 65536

_Noreturn void host_exit(int status)
{
    for (;;) {
        host_call(__NR_exit_group, (long)status);
    }
}

void *host_map(size_t bytes, bool executable)
{
    const long protection = PROT_READ | PROT_WRITE | (executable ? PROT_EXEC : 0);
    const int64_t result = host_call(__NR_mmap, NULL, bytes, protection,
                                     (long)(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE), -1L, 0L);

    return host_is_error(result) ? NULL : (void *)(uintptr_t)result;
}

void host_unmap(void *memory, size_t bytes)
{
    host_call(__NR_munmap, memory, bytes);
}

_Static_assert(HOST_READ == PROT_READ && HOST_WRITE == PROT_WRITE && HOST_EXECUTE == PROT_EXEC,
               "the kernel's numbers");

bool host_protect(uint64_t start, uint64_t bytes, unsigned permissions)
{
    return !host_is_error(host_call(__NR_mprotect, start, bytes, (long)permissions));
}

static size_t length_of(const char *string)
{
    size_t length = 0;

    while (string[length] != '\0') {
        length++;
    }
    return length;
}

void host_print(const char *string)
{
    host_call(__NR_write, (long)STANDARD_OUTPUT, string, length_of(string));
}

static bool is_plain(const char *string)
{
    while (*string >= ' ' && *string < 0x7f) {
        string++;
    }
    return *string == '\0';
}

/* Names come from anywhere: what is no plain text is shown. */
static void warn_shown(const char *string)
{
    const size_t length = length_of(string);

    for (size_t at = 0; at < length;) {
        char shown[SHOWN_BYTES];
        at += shown_take(string + at, length - at, shown);
        host_call(__NR_write, (long)STANDARD_ERROR, shown, length_of(shown));
    }
}

/* In one call, so that lines of several processes do not mix; but for names that hold anything. */
void host_warn(const char *a, const char *b, const char *c, const char *d)
{
    const char *parts[] = {"strata: ", a, b, c, d, "\n"};
    enum { PARTS = sizeof parts / sizeof parts[0] };
    struct iovec vector[PARTS];
    unsigned count = 0;

    for (unsigned i = 0; i < PARTS; i++) {
        if (parts[i] != NULL && (i + 1 == PARTS || is_plain(parts[i]))) {
            vector[count].iov_base = (void *)(uintptr_t)parts[i];
            vector[count].iov_len = length_of(parts[i]);
            count++;
        } else if (parts[i] != NULL) {
            host_call(__NR_writev, (long)STANDARD_ERROR, vector, (long)count);
            count = 0;
            warn_shown(parts[i]);
        }
    }
    host_call(__NR_writev, (long)STANDARD_ERROR, vector, (long)count);
}

_Noreturn void host_fail(int status, const char *a, const char *b, const char *c, const char *d)
{
    host_warn(a, b, c, d);
    host_exit(status);
}

_Noreturn void check_failed(const char *condition, const char *file, int line)
{
    char place[160];
    struct text text;

    text_begin(&text, place, sizeof place);
    text_put_string(&text, " (");
    text_put_string(&text, file);
    text_put_char(&text, ':');
    text_put_decimal(&text, line);
    text_put_char(&text, ')');
    host_fail(STATUS_FAILED, "internal error: ", condition, place, NULL);
}

int64_t host_move_up(int64_t fd)
{
    struct rlimit64 limit;

    if (host_is_error(host_call(__NR_prlimit64, 0L, (long)RLIMIT_NOFILE, NULL, &limit))) {
        return fd;
    }
    const uint64_t end = limit.rlim_cur < DESCRIPTOR_LIMIT ? limit.rlim_cur : DESCRIPTOR_LIMIT;
    if (end < 2 * HOST_HIGH_DESCRIPTORS) {
        return fd;
    }
    const int64_t high =
        host_call(__NR_fcntl, fd, (long)F_DUPFD_CLOEXEC, end - HOST_HIGH_DESCRIPTORS);
    if (host_is_error(high)) {
        return fd;
    }
    host_call(__NR_close, fd);
    return high;
}
