/* What /proc says of the program itself: its own file, arguments and memory, not the translator's. */
#include "translator/process/self.h"

#include "translator/fragment/changes.h"
#include "translator/process/descriptors.h"
#include "translator/process/execve.h"

#include "base/text.h"

#include <asm/errno.h>
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

/* -1 if there is none. */
static int64_t take_number(const char **path)
{
    const char *at = *path;
    int64_t number = -1;

    for (; *at >= '0' && *at <= '9' && number <= INT32_MAX; at++) {
        number = (number < 0 ? 0 : number * 10) + (*at - '0');
    }
    *path = at;
    return number;
}

/* Of a thread it does not matter which: all have the same. */
static bool take_own_folder(const char **path)
{
    if (!take_part(path, "/proc/")) {
        return false;
    }
    if (!take_part(path, "self/") && !take_part(path, "thread-self/") &&
        (take_number(path) != host_call(__NR_getpid) || !take_part(path, "/"))) {
        return false;
    }
    return !take_part(path, "task/") || (take_number(path) >= 0 && take_part(path, "/"));
}

bool self_names(const char *path, const char *name)
{
    return take_own_folder(&path) && take_part(&path, name) && *path == '\0';
}

bool self_names_executable(const char *path)
{
    return self_names(path, "exe");
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

static void put_arguments(struct translator *translator, int64_t from, struct output *output)
{
    (void)from;
    const char *name = (const char *)(uintptr_t)translator->name;
    const char *end = name;
    while (*end++ != '\0') {
    }
    output_bytes(output, name, (size_t)(end - name));
    output_bytes(output, (const char *)(uintptr_t)translator->arguments,
                 translator->arguments_end - translator->arguments);
}

static void put_auxiliary(struct translator *translator, int64_t from, struct output *output)
{
    const struct code_range range = translator->auxiliary;

    (void)from;
    output_bytes(output, (const char *)(uintptr_t)range.start, range.end - range.start);
}

/* Files that the kernel writes about the translator, and who writes what the program gets
 * instead; `from` is the kernel's. */
static const struct self_file {
    const char *name;
    void (*put)(struct translator *translator, int64_t from, struct output *output);
} files[] = {
    {"exe", NULL},      {"cmdline", put_arguments}, {"auxv", put_auxiliary},
    {"maps", maps_put}, {"smaps", maps_put},
};
#define FILES (sizeof files / sizeof files[0])

static bool ends_with_name(const char *path, const char *name)
{
    const char *last = path;

    for (; *path != '\0'; path++) {
        last = *path == '/' ? path + 1 : last;
    }
    return take_part(&last, name) && *last == '\0';
}

/* Under whatever name it was opened; but a link that leads on leaves no trace. */
static bool is_own_file(const char *path, int64_t fd, const char *name)
{
    char real[64] = "";

    if (!ends_with_name(path, name)) {
        return false;
    }
    if (!self_names(path, name)) {
        self_read_name(fd, (uintptr_t)real, sizeof real - 1);
    }
    return self_names(real[0] != '\0' ? real : path, name);
}

static const struct self_file *find_file(const char *path, int64_t fd)
{
    for (size_t i = 0; i < FILES; i++) {
        if (is_own_file(path, fd, files[i].name)) {
            return &files[i];
        }
    }
    return NULL;
}

/* A copy as it is now: the kernel's file would show later changes, too. */
static int64_t open_copy(struct translator *translator, const struct self_file *file, int64_t from,
                         uint64_t flags)
{
    const bool closes = (flags & O_CLOEXEC) != 0;
    const int64_t fd = host_call(__NR_memfd_create, file->name, closes ? (long)MFD_CLOEXEC : 0L);
    struct output output;

    if (!host_is_error(fd)) {
        output_begin(&output, fd);
        file->put(translator, from, &output);
        output_flush(&output);
        host_call(__NR_lseek, fd, 0L, 0L);
    }
    return fd;
}

/* Takes the place of what the kernel opened, so that the program has the number that it expects. */
static int64_t replace(int64_t fd, int64_t other, uint64_t flags)
{
    if (host_is_error(other)) {
        host_call(__NR_close, fd);
        return other;
    }
    host_call(__NR_dup3, other, fd, flags & O_CLOEXEC);
    host_call(__NR_close, other);
    return fd;
}

static int64_t open_executable(const struct translator *translator, uint64_t flags)
{
    return host_call(__NR_openat, (long)AT_FDCWD, translator->executable, flags, 0L);
}

/* The kernel goes first: where it succeeds the name can be read. */
int64_t system_openat(struct context *context, const struct call *call)
{
    struct translator *translator = context->translator;
    const uint64_t flags = call->arguments[2];
    const int64_t fd = system_pass(context, call);

    if (host_is_error(fd)) {
        return fd;
    }
    const char *path = (const char *)(uintptr_t)call->arguments[1];
    if ((flags & O_ACCMODE) != O_RDONLY && is_own_file(path, fd, "mem")) {
        lock_acquire(&translator->lock);
        changes_expect_all(translator);
        lock_release(&translator->lock);
        return fd;
    }
    const struct self_file *file = find_file(path, fd);
    if (file == NULL || (file->put != NULL && (flags & O_PATH) != 0)) {
        return fd;
    }
    return replace(fd,
                   file->put == NULL ? open_executable(translator, flags)
                                     : open_copy(translator, file, fd, flags),
                   flags);
}

/* Nothing is written to the program's buffer but the answer, and by the kernel, which knows whether
 * the buffer is good.  Before that it has to read the name. */
int64_t system_readlinkat(struct context *context, const struct call *call)
{
    char first;
    const int64_t exists =
        host_call(__NR_readlinkat, call->arguments[0], call->arguments[1], &first, sizeof first);

    if (host_is_error(exists) ||
        !self_names_executable((const char *)(uintptr_t)call->arguments[1])) {
        return system_pass(context, call);
    }
    const int64_t fd = open_executable(context->translator, O_PATH | O_CLOEXEC);
    if (host_is_error(fd)) {
        return fd;
    }
    const int64_t length = self_read_name(fd, call->arguments[2], call->arguments[3]);
    host_call(__NR_close, fd);
    return length;
}

/* What the kernel says of the file behind the link; it has said it of Strata's first, where the
 * answer of the same size goes now. */
static int64_t ask_of_executable(struct context *context, const struct call *call, uint64_t flags)
{
    const int64_t result = system_pass(context, call);

    if (result != 0) {
        return result;
    }
    if ((flags & AT_EMPTY_PATH) != 0 && descriptors_are_own(context, call->arguments[0]) &&
        (call->arguments[1] == 0 || *(const char *)(uintptr_t)call->arguments[1] == '\0')) {
        return -EBADF;
    }
    if ((flags & AT_SYMLINK_NOFOLLOW) != 0 || call->arguments[1] == 0 ||
        !self_names_executable((const char *)(uintptr_t)call->arguments[1])) {
        return result;
    }
    struct call changed = *call;
    changed.arguments[1] = (uintptr_t)context->translator->executable;
    return system_pass(context, &changed);
}

int64_t system_newfstatat(struct context *context, const struct call *call)
{
    return ask_of_executable(context, call, call->arguments[3]);
}

int64_t system_statx(struct context *context, const struct call *call)
{
    return ask_of_executable(context, call, call->arguments[2]);
}
