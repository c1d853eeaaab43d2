/* What files are: the stat calls, whose structure is not the host's, and symbolic links. */
#include "machine/linux/files.h"
#include "machine/linux/paths.h"
#include "machine/linux/syscall.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* struct stat of asm-generic, which RISC-V uses and x86-64 does not. */
struct guest_stat {
    uint64_t dev, ino;
    uint32_t mode, nlink, uid, gid;
    uint64_t rdev, pad1;
    int64_t size;
    int32_t blksize, pad2;
    int64_t blocks;
    int64_t atime;
    uint64_t atime_nsec;
    int64_t mtime;
    uint64_t mtime_nsec;
    int64_t ctime;
    uint64_t ctime_nsec;
    uint32_t unused[2];
};

_Static_assert(sizeof(struct guest_stat) == 128, "the size that RISC-V programs reserve");

static int64_t write_stat(struct thread *thread, guest_addr to, const struct stat *from)
{
    struct guest_stat status = {
        .dev = from->st_dev,
        .ino = from->st_ino,
        .mode = from->st_mode,
        .nlink = (uint32_t)from->st_nlink,
        .uid = from->st_uid,
        .gid = from->st_gid,
        .rdev = from->st_rdev,
        .size = from->st_size,
        .blksize = (int32_t)from->st_blksize,
        .blocks = from->st_blocks,
        .atime = from->st_atim.tv_sec,
        .atime_nsec = (uint64_t)from->st_atim.tv_nsec,
        .mtime = from->st_mtim.tv_sec,
        .mtime_nsec = (uint64_t)from->st_mtim.tv_nsec,
        .ctime = from->st_ctim.tv_sec,
        .ctime_nsec = (uint64_t)from->st_ctim.tv_nsec,
    };

    return thread_write(thread, to, &status, sizeof status) ? 0 : -EFAULT;
}

int64_t sys_fstat(struct thread *thread, const uint64_t *arguments)
{
    struct stat status;

    if (fstat((int)arguments[0], &status) != 0) {
        return -errno;
    }
    return write_stat(thread, arguments[1], &status);
}

int64_t sys_newfstatat(struct thread *thread, const uint64_t *arguments)
{
    char buffer[PATH_MAX];
    const char *path = guest_string(thread, arguments[1]);
    int flags = (int)arguments[3];
    struct stat status;

    if (path == NULL) {
        return -EFAULT;
    }
    /* /proc/self/exe must stay a link for those who ask about the link. */
    if ((flags & AT_SYMLINK_NOFOLLOW) == 0 || paths_own_proc(thread->process, path) == NULL) {
        path = paths_translate(thread->process, path, buffer);
    }
    if (fstatat((int)arguments[0], path, &status, flags) != 0) {
        return -errno;
    }
    return write_stat(thread, arguments[2], &status);
}

static int64_t write_link(struct thread *thread, guest_addr address, int size, const char *target)
{
    if (size <= 0) {
        return -EINVAL;
    }
    uint64_t length = strlen(target);
    if (length > (uint64_t)size) {
        length = (uint64_t)size;
    }
    return thread_write(thread, address, target, length) ? (int64_t)length : -EFAULT;
}

/* The path at which the program sees the file that a link of /proc leads to, such as that of an open descriptor; NULL
 * if it is the host's. */
static const char *find_seen(const struct process *process, const char *link, char host[PATH_MAX])
{
    const ssize_t length = readlink(link, host, PATH_MAX - 1);
    host[length > 0 ? length : 0] = '\0';
    const char *seen = paths_seen(process, host);
    return seen != host ? seen : NULL;
}

int64_t sys_readlinkat(struct thread *thread, const uint64_t *arguments)
{
    char buffer[PATH_MAX];
    const char *path = guest_string(thread, arguments[1]);
    const struct process *process = thread->process;
    int size = (int)arguments[3];

    if (path == NULL) {
        return -EFAULT;
    }
    const char *own = paths_own_proc(process, path);
    if (own != NULL && strcmp(own, "exe") == 0 && process->executable != NULL) {
        return write_link(thread, arguments[2], size, paths_seen(process, process->executable));
    }
    const char *seen = own != NULL ? find_seen(process, path, buffer) : NULL;
    if (seen != NULL) {
        return write_link(thread, arguments[2], size, seen);
    }
    path = paths_translate(process, path, buffer);
    return files_result(syscall(SYS_readlinkat, (int)arguments[0], path,
                                guest_buffer(thread, arguments[2], arguments[3]), size));
}
