/* Files that a command writes for its user: each is there whole, or stays as it was. */
#include "base/result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MAX 40 /* as many as Linux follows */
#define NAMES_TRIED 100
#define PERMISSIONS 0777
#define EXECUTE 0111
#define DESCRIPTORS "/proc/self/fd"

/* Where a name leads to. */
struct place {
    char path[PATH_MAX]; /* behind all links that are names */
    bool in_place; /* neither a regular file nor a name that is free: it is written as it is */
    bool exists;
    struct stat status; /* if it exists */
};

/* The folder of a file, and its name in there. */
static const char *split(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        memcpy(folder, ".", sizeof ".");
        return path;
    }
    const size_t length = slash == path ? 1 : (size_t)(slash - path);
    memcpy(folder, path, length);
    folder[length] = '\0';
    return slash + 1;
}

/* Links of /proc lead to what is open, whatever their text says. */
static bool is_of_proc(const char *link)
{
    struct statfs status;
    const int fd = open(link, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    const bool found = fd >= 0 && fstatfs(fd, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
    if (fd >= 0) {
        close(fd);
    }
    return found;
}

/* Goes on to where the link at place->path leads. */
static bool follow(struct place *place)
{
    char text[PATH_MAX], folder[PATH_MAX];
    const ssize_t length = readlink(place->path, text, sizeof text);
    if (length < 0) {
        return false;
    }
    const char *name = split(place->path, folder);
    const size_t kept = text[0] == '/' ? 0 : (size_t)(name - place->path);
    if (kept + (size_t)length >= sizeof place->path) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(place->path + kept, text, (size_t)length);
    place->path[kept + (size_t)length] = '\0';
    return true;
}

static bool find_place(struct place *place, const char *path)
{
    *place = (struct place){.in_place = false};
    const size_t length = strlen(path);
    if (length >= sizeof place->path) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(place->path, path, length + 1);
    for (unsigned links = 0; lstat(place->path, &place->status) == 0; links++) {
        place->exists = !S_ISLNK(place->status.st_mode);
        if (place->exists || is_of_proc(place->path)) {
            place->in_place = !S_ISREG(place->status.st_mode);
            return true;
        }
        if (links == LINKS_MAX) {
            errno = ELOOP;
            return false;
        }
        if (!follow(place)) {
            return false;
        }
    }
    return errno == ENOENT && place->path[0] != '\0';
}

static bool may_write(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0;
}

/* In a sticky folder, such as /tmp, only the owners of a file and of the folder may put another in its place, whoever
 * may write into it. */
static bool may_be_replaced(const struct place *place, const char *folder)
{
    struct stat status;
    if (!place->exists || geteuid() == 0 || stat(folder, &status) != 0 ||
        (status.st_mode & S_ISVTX) == 0 || status.st_uid == geteuid() ||
        place->status.st_uid == geteuid()) {
        return true;
    }
    errno = EPERM;
    return false;
}

static bool is_no_folder(const struct place *place)
{
    if (place->exists && S_ISDIR(place->status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    return true;
}

static bool is_possible(const struct place *place)
{
    char folder[PATH_MAX];
    split(place->path, folder);
    return is_no_folder(place) &&
           (!(place->exists || place->in_place) || may_write(place->path, W_OK)) &&
           (place->in_place || (may_write(folder, W_OK | X_OK) && may_be_replaced(place, folder)));
}

bool result_file_openable(const char *path)
{
    struct place place;
    char folder[PATH_MAX];
    if (!find_place(&place, path) || !is_no_folder(&place)) {
        return false;
    }
    split(place.path, folder);
    return place.exists || place.in_place ? may_write(place.path, W_OK)
                                          : may_write(folder, W_OK | X_OK);
}

bool result_file_possible(const char *path)
{
    struct place place;
    return find_place(&place, path) && is_possible(&place);
}

/* The number of a descriptor of this process that `path` names; -1 if it names none. */
static int own_descriptor(const char *path)
{
    char folder[PATH_MAX], own[PATH_MAX], named[PATH_MAX], *end;
    const char *name = split(path, folder);
    const long number = strtol(name, &end, 10);
    return end != name && *end == '\0' && number >= 0 && number <= INT_MAX &&
                   realpath(folder, named) != NULL && realpath(DESCRIPTORS, own) != NULL &&
                   strcmp(named, own) == 0
               ? (int)number
               : -1;
}

/* A descriptor is written to where it stands: opening its file again would begin at the start. */
static int open_in_place(const struct place *place)
{
    const int own = place->in_place ? own_descriptor(place->path) : -1;
    /* Nothing is made where something is: Linux refuses that for pipes of others in shared folders. */
    const int make = place->exists || place->in_place ? 0 : O_CREAT;
    return own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, 0)
                    : open(place->path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC | make,
                           RESULT_FILE_MODE);
}

int result_file_open(const char *path)
{
    struct place place;
    return find_place(&place, path) ? open_in_place(&place) : -1;
}

static bool write_bytes(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t written = write(fd, bytes, count);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            errno = written < 0 ? errno : ENOSPC;
            return false;
        }
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

/* A full disk may show only when the file is closed; `errno` stays that of the first failure. */
static bool close_written(int fd, bool written)
{
    const int error = errno;
    if (close(fd) != 0 && written) {
        return false;
    }
    errno = error;
    return written;
}

static bool write_in_place(const struct place *place, const void *bytes, size_t count)
{
    const int fd = open_in_place(place);
    return fd >= 0 && close_written(fd, write_bytes(fd, bytes, count));
}

/* The new file is as the old one was.  Only root may give files away: whoever else writes owns it. */
static bool take_over(int fd, const struct place *place, mode_t mode)
{
    const struct stat *old = &place->status;
    if (!place->exists) {
        return true;
    }
    if (fchown(fd, old->st_uid, old->st_gid) != 0 && errno != EPERM) {
        return false;
    }
    return fchmod(fd, (old->st_mode & PERMISSIONS) | (mode & EXECUTE)) == 0;
}

/* Opens a file beside the place; -1 with errno. */
static int open_beside(const struct place *place, mode_t mode, char path[PATH_MAX])
{
    char folder[PATH_MAX];
    split(place->path, folder);
    for (unsigned i = 0; i < NAMES_TRIED; i++) {
        const int length =
            snprintf(path, PATH_MAX, "%s/" RESULT_FILE_PREFIX "%ld-%u" RESULT_FILE_ENDING, folder,
                     (long)getpid(), i);
        if (length >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & PERMISSIONS);
        if (fd >= 0 || errno != EEXIST) {
            return fd;
        }
    }
    return -1;
}

static bool replace(const struct place *place, const void *bytes, size_t count, mode_t mode)
{
    char beside[PATH_MAX];
    const int fd = open_beside(place, mode, beside);
    if (fd < 0) {
        return false;
    }
    const bool written = write_bytes(fd, bytes, count) && take_over(fd, place, mode);
    if (close_written(fd, written) && rename(beside, place->path) == 0) {
        return true;
    }
    const int error = errno;
    unlink(beside);
    errno = error;
    return false;
}

bool result_file_write(const char *path, const void *bytes, size_t count, mode_t mode)
{
    struct place place;
    return find_place(&place, path) && is_possible(&place) &&
           (place.in_place ? write_in_place(&place, bytes, count)
                           : replace(&place, bytes, count, mode));
}

bool result_file_is_open(const char *path, int fd)
{
    struct stat named, open;
    return stat(path, &named) == 0 && fstat(fd, &open) == 0 && named.st_dev == open.st_dev &&
           named.st_ino == open.st_ino && (!S_ISCHR(open.st_mode) || isatty(fd));
}

/* Of files that are not there yet: one name in one folder. */
static bool same_new(const struct place *a, const struct place *b)
{
    char folder_a[PATH_MAX], folder_b[PATH_MAX];
    struct stat of_a, of_b;
    const char *name_a = split(a->path, folder_a), *name_b = split(b->path, folder_b);
    return strcmp(name_a, name_b) == 0 && stat(folder_a, &of_a) == 0 &&
           stat(folder_b, &of_b) == 0 && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

bool result_file_same(const char *path, const char *other)
{
    struct stat a, b;
    struct place of_path, of_other;
    const bool is_there = stat(path, &a) == 0;
    if (is_there != (stat(other, &b) == 0)) {
        return false;
    }
    if (is_there) {
        return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    }
    return find_place(&of_path, path) && find_place(&of_other, other) &&
           same_new(&of_path, &of_other);
}
