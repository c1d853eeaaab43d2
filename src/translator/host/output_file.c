/* Files that the translator writes for its user: statistics replace a file when they are complete, dumps grow.
 *
 * base/result_file.c does the same for strata itself, with libc. */
#include "translator/host/output_file.h"

#include "translator/host/host.h"

#include "base/result_name.h"
#include "base/text.h"

#include <asm/errno.h>
#include <asm/stat.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/stat.h>

#define LINKS_MAX 40 /* as many as Linux follows */
#define NAMES_TRIED 100
#define PERMISSIONS 0777
/* access(2): not in the kernel's headers. */
#define W_OK 2

/* Whether `text` begins with `name`; *rest is what follows. */
static bool begins_with(const char *text, const char *name, const char **rest)
{
    for (; *name != '\0'; name++, text++) {
        if (*text != *name) {
            return false;
        }
    }
    *rest = text;
    return true;
}

/* Links there lead to what is open, whatever their text says. */
static bool is_of_proc(const char *path)
{
    const char *rest;

    return begins_with(path, "/proc/", &rest) || begins_with(path, "/dev/fd/", &rest);
}

/* The number of a descriptor of this process that `path` names; -1 if it names none. */
static int64_t own_descriptor(const char *path)
{
    const char *digits;
    int64_t number = 0;

    if (!begins_with(path, "/proc/self/fd/", &digits) && !begins_with(path, "/dev/fd/", &digits)) {
        return -1;
    }
    const char *at = digits;
    for (; *at >= '0' && *at <= '9' && number < INT32_MAX; at++) {
        number = number * 10 + (*at - '0');
    }
    return at != digits && *at == '\0' ? number : -1;
}

/* The length of the folder's part of a path, with its slash. */
static size_t folder_bytes(const char *path)
{
    size_t bytes = 0;

    for (size_t i = 0; path[i] != '\0'; i++) {
        bytes = path[i] == '/' ? i + 1 : bytes;
    }
    return bytes;
}

/* Follows links that are names from `path` on; false if there is no end, or no room. */
static bool find_end(char path[OUTPUT_PATH_BYTES], const char *from)
{
    struct text text;

    text_begin(&text, path, OUTPUT_PATH_BYTES);
    text_put_string(&text, from);
    for (unsigned links = 0; text.length < OUTPUT_PATH_BYTES && links < LINKS_MAX; links++) {
        char link[OUTPUT_PATH_BYTES];
        if (is_of_proc(path)) {
            return true;
        }
        const int64_t bytes =
            host_call(__NR_readlinkat, (long)AT_FDCWD, path, link, sizeof link - 1);
        if (host_is_error(bytes)) {
            return true;
        }
        link[bytes] = '\0';
        text.length = link[0] == '/' ? 0 : folder_bytes(path);
        text_put_string(&text, link);
    }
    return false;
}

static enum output_status judge(const struct stat *status, const struct file_identity *input)
{
    return S_ISREG(status->st_mode) && status->st_dev == input->device &&
                   status->st_ino == input->inode
               ? OUTPUT_IS_INPUT
               : OUTPUT_OPEN;
}

/* What is there is opened without O_CREAT, which Linux refuses for pipes of others in shared folders. */
static int64_t open_path(const char *path)
{
    const long flags = O_WRONLY | O_NOCTTY | O_CLOEXEC;
    const int64_t fd = host_call(__NR_openat, (long)AT_FDCWD, path, flags, 0L);

    return fd != -ENOENT ? fd
                         : host_call(__NR_openat, (long)AT_FDCWD, path, flags | O_CREAT,
                                     (long)RESULT_FILE_MODE);
}

/* Nothing is cut off before it is known what it is.  A descriptor is written to where it stands. */
static enum output_status open_end(const char *path, const struct file_identity *input, int64_t *fd)
{
    struct stat status;
    const int64_t own = own_descriptor(path);
    const int64_t opened =
        own >= 0 ? host_call(__NR_fcntl, own, (long)F_DUPFD_CLOEXEC, 0L) : open_path(path);

    if (host_is_error(opened)) {
        return OUTPUT_IMPOSSIBLE;
    }
    const enum output_status judged = host_is_error(host_call(__NR_fstat, opened, &status))
                                          ? OUTPUT_IMPOSSIBLE
                                          : judge(&status, input);
    if (judged != OUTPUT_OPEN) {
        host_call(__NR_close, opened);
        return judged;
    }
    if (own < 0 && S_ISREG(status.st_mode)) {
        host_call(__NR_ftruncate, opened, 0L);
    }
    *fd = host_move_up(opened);
    return OUTPUT_OPEN;
}

enum output_status output_file_open_in_place(const char *path, const struct file_identity *input,
                                             int64_t *fd)
{
    char end[OUTPUT_PATH_BYTES];

    return find_end(end, path) ? open_end(end, input, fd) : OUTPUT_IMPOSSIBLE;
}

/* An error if no name is left. */
static int64_t open_beside(struct output_file *file)
{
    int64_t fd = -EEXIST;

    for (unsigned i = 0; i < NAMES_TRIED && fd == -EEXIST; i++) {
        struct text text;
        text_begin(&text, file->beside, sizeof file->beside);
        text_put_string(&text, file->path);
        text.length = folder_bytes(file->path);
        text_put_string(&text, RESULT_FILE_PREFIX);
        text_put_decimal(&text, host_call(__NR_getpid));
        text_put_char(&text, '-');
        text_put_unsigned(&text, i);
        text_put_string(&text, RESULT_FILE_ENDING);
        fd =
            text.length < sizeof file->beside
                ? host_call(__NR_openat, (long)AT_FDCWD, file->beside,
                            (long)(O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC), (long)RESULT_FILE_MODE)
                : -ENAMETOOLONG;
    }
    return fd;
}

enum output_status output_file_open(struct output_file *file, const char *path,
                                    const struct file_identity *input, int64_t *fd)
{
    struct stat old;

    file->beside[0] = '\0';
    if (!find_end(file->path, path)) {
        return OUTPUT_IMPOSSIBLE;
    }
    const bool exists =
        !host_is_error(host_call(__NR_newfstatat, (long)AT_FDCWD, file->path, &old, 0L));
    file->in_place = is_of_proc(file->path) || (exists && !S_ISREG(old.st_mode));
    if (file->in_place) {
        return open_end(file->path, input, fd);
    }
    if (exists && judge(&old, input) != OUTPUT_OPEN) {
        return OUTPUT_IS_INPUT;
    }
    if (exists &&
        host_is_error(host_call(__NR_faccessat, (long)AT_FDCWD, file->path, (long)W_OK))) {
        return OUTPUT_IMPOSSIBLE;
    }
    const int64_t beside = open_beside(file);
    if (host_is_error(beside)) {
        file->beside[0] = '\0';
        return OUTPUT_IMPOSSIBLE;
    }
    if (exists) { /* the new file is as the old one was; only root may give it away */
        host_call(__NR_fchown, beside, (long)old.st_uid, (long)old.st_gid);
        host_call(__NR_fchmod, beside, (long)(old.st_mode & PERMISSIONS));
    }
    *fd = host_move_up(beside);
    return OUTPUT_OPEN;
}

bool output_file_finish(struct output_file *file)
{
    if (file->beside[0] == '\0') {
        return true;
    }
    if (host_is_error(host_call(__NR_renameat2, (long)AT_FDCWD, file->beside, (long)AT_FDCWD,
                                file->path, 0L))) {
        output_file_give_up(file);
        return false;
    }
    file->beside[0] = '\0';
    return true;
}

void output_file_give_up(struct output_file *file)
{
    if (file->beside[0] != '\0') {
        host_call(__NR_unlinkat, (long)AT_FDCWD, file->beside, 0L);
        file->beside[0] = '\0';
    }
}
