/* What /proc says of the program itself: its own file and arguments, not the translator's. */
#include "translator/system.h"

#include "base/text.h"

#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/memfd.h>

/* Whether *path goes on with `part`; moves behind it. */
static bool take_part(const char **path, const char *part)
{
    const char *at = *path;

    for (; *part != '\0'; part++, at++) {
        if (*at != *part) {
            return false;
        }
    }
    *path = at;
    return true;
}

static bool take_own_number(const char **path)
{
    const char *at = *path;
    int64_t number = 0;

    for (; *at >= '0' && *at <= '9' && number <= INT32_MAX; at++) {
        number = number * 10 + (*at - '0');
    }
    *path = at;
    return number == host_call(__NR_getpid);
}

/* Whether `address` points to the name of this process's own file `name` in /proc. */
static bool names_own(uint64_t address, const char *name)
{
    const char *path = (const char *)(uintptr_t)address;

    return take_part(&path, "/proc/") && (take_part(&path, "self") || take_own_number(&path)) &&
           take_part(&path, name) && *path == '\0';
}

int64_t self_read_name(int64_t fd, uint64_t buffer, uint64_t bytes)
{
    char name[32];
    struct text text;

    text_begin(&text, name, sizeof name);
    text_put_string(&text, "/proc/self/fd/");
    text_put_decimal(&text, fd);
    return host_call(__NR_readlinkat, (long)AT_FDCWD, name, buffer, bytes);
}

static int64_t open_executable(const struct translator *translator, uint64_t flags)
{
    return host_call(__NR_openat, (long)AT_FDCWD, translator->executable, flags, 0L);
}

/* A copy: the file in /proc would show later changes, too. */
static int64_t open_arguments(const struct translator *translator, uint64_t flags)
{
    const bool closes = (flags & O_CLOEXEC) != 0;
    const int64_t fd = host_call(__NR_memfd_create, "cmdline", closes ? (long)MFD_CLOEXEC : 0L);

    if (!host_is_error(fd)) {
        host_call(__NR_pwrite64, fd, translator->arguments,
                  translator->arguments_end - translator->arguments, 0L);
    }
    return fd;
}

/* The kernel goes first: where it succeeds the name can be read. */
int64_t system_openat(struct context *context, const struct call *call)
{
    const struct translator *translator = context->translator;
    const uint64_t flags = call->arguments[2];
    const int64_t fd = system_pass(context, call);

    if (host_is_error(fd)) {
        return fd;
    }
    const bool executable = names_own(call->arguments[1], "/exe");
    if (executable || names_own(call->arguments[1], "/cmdline")) {
        host_call(__NR_close, fd);
        return executable ? open_executable(translator, flags) : open_arguments(translator, flags);
    }
    return fd;
}

/* The kernel writes the answer: it knows whether the program's buffer is good. */
int64_t system_readlinkat(struct context *context, const struct call *call)
{
    const int64_t result = system_pass(context, call);

    if (host_is_error(result) || !names_own(call->arguments[1], "/exe")) {
        return result;
    }
    const int64_t fd = open_executable(context->translator, O_PATH | O_CLOEXEC);
    if (host_is_error(fd)) {
        return fd;
    }
    const int64_t length = self_read_name(fd, call->arguments[2], call->arguments[3]);
    host_call(__NR_close, fd);
    return length;
}
