/* execve: RISC-V programs start in a new Strata, all others as the host runs them. */
#define _GNU_SOURCE
#include "base/say.h"
#include "elf/image.h"
#include "machine/linux/paths.h"
#include "machine/linux/signal.h"
#include "machine/linux/syscall.h"
#include "machine/linux/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HEAD_BYTES = 4096,  /* of a file: enough for its headers */
    SCRIPT_BYTES = 256, /* of a script's first line, as in Linux */
    SCRIPT_DEPTH = 5,   /* scripts whose interpreter is a script */
};

enum target { TARGET_HOST, TARGET_GUEST, TARGET_SCRIPT };

/* The first line of a script, "#! interpreter argument". */
struct script {
    char line[SCRIPT_BYTES];
    const char *interpreter;
    const char *argument; /* NULL: none */
};

/* A vector of strings that ends with NULL. */
struct strings {
    const char **items;
    size_t count;
    size_t capacity;
};

/* All that a call has allocated.  It belongs to the thread, not to the call: a
 * vfork child's successful execve never returns, and its parent, whose memory
 * this is, frees it with the child's thread. */
struct execution {
    struct strings arguments;
    struct strings environment;
    struct strings command;
    struct script scripts[SCRIPT_DEPTH];
    char script_paths[SCRIPT_DEPTH][PATH_MAX];
};

/* Makes room for one more string and the end. */
static int strings_grow(struct strings *strings)
{
    if (strings->count + 2 > strings->capacity) {
        size_t capacity = strings->capacity * 2 + 16;
        const char **items = realloc(strings->items, capacity * sizeof *items);
        if (items == NULL) {
            return -ENOMEM;
        }
        strings->items = items;
        strings->capacity = capacity;
    }
    strings->items[strings->count] = NULL;
    return 0;
}

static int strings_append(struct strings *strings, const char *item)
{
    int error = strings_grow(strings);

    if (error == 0) {
        strings->items[strings->count++] = item;
        strings->items[strings->count] = NULL;
    }
    return error;
}

static int strings_prepend(struct strings *strings, const char *item)
{
    int error = strings_grow(strings);

    if (error == 0) {
        memmove(strings->items + 1, strings->items, ++strings->count * sizeof *strings->items);
        strings->items[0] = item;
    }
    return error;
}

void execve_forget(struct thread *thread)
{
    struct execution *execution = thread->execution;

    if (execution != NULL) {
        free(execution->arguments.items);
        free(execution->environment.items);
        free(execution->command.items);
        free(execution);
        thread->execution = NULL;
    }
}

/* The strings stay where they are, in the guest's memory. */
static int read_strings(struct thread *thread, guest_addr address, struct strings *strings)
{
    const struct memory *memory = &thread->process->machine.memory;
    guest_addr item;

    for (; address != 0; address += sizeof item) {
        if (!thread_read(thread, &item, address, sizeof item)) {
            return -EFAULT;
        }
        if (item == 0) {
            break;
        }
        const char *string = memory_string(memory, item);
        int error = string == NULL ? -EFAULT : strings_append(strings, string);
        if (error != 0) {
            return error;
        }
    }
    return strings_grow(strings);
}

static bool parse_script(struct script *script)
{
    char *end = memchr(script->line, '\n', SCRIPT_BYTES - 1);

    script->line[end != NULL ? end - script->line : SCRIPT_BYTES - 1] = '\0';
    char *start = script->line + 2 + strspn(script->line + 2, " \t");
    size_t length = strcspn(start, " \t");
    if (length == 0) {
        return false;
    }
    script->interpreter = start;
    script->argument = NULL;
    if (start[length] != '\0') {
        char *argument = start + length + 1;
        start[length] = '\0';
        argument += strspn(argument, " \t");
        size_t rest = strlen(argument);
        while (rest > 0 && (argument[rest - 1] == ' ' || argument[rest - 1] == '\t')) {
            argument[--rest] = '\0';
        }
        script->argument = rest == 0 ? NULL : argument;
    }
    return true;
}

/* What would fail in the new Strata must fail here, where the program can still
 * be told: 0 or -errno. */
static int check_program(const struct process *process, int fd, const uint8_t *head,
                         size_t head_bytes, uint64_t file_bytes)
{
    struct elf_image image;
    char name[ELF_MAX_INTERPRETER_BYTES], host[PATH_MAX];

    if (elf_read(&image, head, head_bytes, file_bytes, ELF_MACHINE_RISCV) != ELF_OK) {
        return -ENOEXEC;
    }
    if (!image.has_interpreter) {
        return 0;
    }
    if (image.interpreter_bytes > sizeof name ||
        pread(fd, name, image.interpreter_bytes, (off_t)image.interpreter_offset) !=
            (ssize_t)image.interpreter_bytes ||
        elf_check_interpreter((const uint8_t *)name, image.interpreter_bytes) != ELF_OK) {
        return -ENOEXEC;
    }
    return access(paths_translate(process, name, host), X_OK) == 0 ? 0 : -errno;
}

/* A file that somebody writes to is not executed: only then is there no lease.  Who opens it at
 * this moment has the kernel send a signal, so it shall be one that does no harm. */
static bool is_being_written(int fd)
{
    fcntl(fd, F_SETSIG, SIGURG);
    const bool written = fcntl(fd, F_SETLEASE, F_RDLCK) != 0 && errno == EAGAIN;
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return written;
}

/* Looks at a file that is to be executed.  0 or -errno. */
static int inspect(const struct process *process, const char *host_path, enum target *target,
                   struct script *script)
{
    uint8_t head[HEAD_BYTES];
    struct stat status;

    if (stat(host_path, &status) != 0) {
        return -errno;
    }
    if (!S_ISREG(status.st_mode)) {
        return -EACCES;
    }
    if (faccessat(AT_FDCWD, host_path, X_OK, AT_EACCESS) != 0) {
        return -errno;
    }
    *target = TARGET_HOST;
    int fd = open(host_path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        /* Executable but not readable: the host can still run it. */
        return 0;
    }
    ssize_t got = read(fd, head, sizeof head);
    size_t bytes = got < 0 ? 0 : (size_t)got;
    int error = is_being_written(fd) ? -ETXTBSY : 0;
    if (bytes >= 2 && memcmp(head, "#!", 2) == 0) {
        size_t line = bytes < SCRIPT_BYTES ? bytes : SCRIPT_BYTES;
        memset(script->line, 0, sizeof script->line);
        memcpy(script->line, head, line);
        *target = TARGET_SCRIPT;
    } else if (bytes >= 20 && memcmp(head, "\177ELF", 4) == 0 &&
               (head[18] | head[19] << 8) == ELF_MACHINE_RISCV) {
        *target = TARGET_GUEST;
        if (error == 0) {
            error = check_program(process, fd, head, bytes, (uint64_t)status.st_size);
        }
    }
    close(fd);
    return error;
}

/* The guest's environment in a file: as this program's own it would change how
 * the host's loader starts it. */
static int store_environment(const struct strings *environment)
{
    int fd = memfd_create("environment", 0);

    for (size_t i = 0; fd >= 0 && i < environment->count; i++) {
        const char *item = environment->items[i];
        size_t left = strlen(item) + 1;
        while (left > 0) {
            ssize_t done = write(fd, item, left);
            if (done <= 0) {
                int error = errno;
                close(fd);
                return -error;
            }
            item += done;
            left -= (size_t)done;
        }
    }
    if (fd < 0) {
        return -errno;
    }
    lseek(fd, 0, SEEK_SET);
    return fd;
}

static int64_t host_execve(struct thread *thread, const char *path, const char **arguments,
                           char **environment)
{
    schedule_give_way(&thread->process->schedule);
    fflush(NULL);
    signal_host_prepare_exec(thread);
    /* execve's parameters have no const for historical reasons only. */
    execve(path, (char **)(uintptr_t)arguments, environment);
    int error = errno;
    signal_host_install_again(thread->process);
    return -error;
}

/* A translator does so when its program executes another: the reports go on. */
static bool executes_itself(const struct process *process, const char *path)
{
    struct stat own, other;

    return process->reexec_same != NULL && !process->forked && process->executable != NULL &&
           stat(process->executable, &own) == 0 && stat(path, &other) == 0 &&
           own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

static int append_all(struct strings *strings, char **words)
{
    int error = 0;

    for (; error == 0 && *words != NULL; words++) {
        error = strings_append(strings, *words);
    }
    return error;
}

/* The command that starts a program, and what it reports. */
static int append_command(const struct process *process, struct strings *command, bool itself)
{
    if (itself) {
        return append_all(command, process->reexec_same);
    }
    int error = append_all(command, process->reexec);
    if (error == 0 && process->forked) {
        return strings_append(command, "--child");
    }
    return error == 0 ? append_all(command, process->reexec_reports) : error;
}

/* A process that the program started reports nothing. */
static int tell_execve(struct process *process, bool by_strata)
{
    return process->before_execve != NULL && !process->forked
               ? process->before_execve(process, by_strata, process->reporter)
               : -1;
}

static int64_t start_guest(struct thread *thread, struct execution *execution, const char *path)
{
    struct process *process = thread->process;
    struct strings *command = &execution->command;
    const struct strings *arguments = &execution->arguments;
    const bool itself = executes_itself(process, path);
    const int kept = process->machine.own_descriptors[1];
    char number[16], earlier_number[16];
    int fd = store_environment(&execution->environment);
    int error = fd < 0 ? fd : append_command(process, command, itself);
    const int earlier = error == 0 ? tell_execve(process, true) : -1;

    snprintf(earlier_number, sizeof earlier_number, "%d", earlier);
    if (error == 0 && earlier >= 0) {
        error = strings_append(command, "--earlier-fd");
        error = error == 0 ? strings_append(command, earlier_number) : error;
    }

    snprintf(number, sizeof number, "%d", fd);
    const char *options[] = {"--argv0", arguments->items[0], "--env-fd", number, "--", path};
    for (size_t i = 0; error == 0 && i < sizeof options / sizeof options[0]; i++) {
        error = strings_append(command, options[i]);
    }
    for (size_t i = 1; error == 0 && i < arguments->count; i++) {
        error = strings_append(command, arguments->items[i]);
    }
    int64_t result = error;
    if (error == 0) {
        if (itself) {
            fcntl(kept, F_SETFD, 0);
        }
        result = host_execve(thread, command->items[0], command->items, environ);
        if (itself) {
            fcntl(kept, F_SETFD, FD_CLOEXEC);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    if (earlier >= 0) {
        close(earlier);
    }
    return result;
}

/* A script's interpreter gets what the first line says, the script, and the
 * script's own arguments. */
static int insert_interpreter(struct strings *arguments, const struct script *script,
                              const char *script_path)
{
    arguments->items[0] = script_path;
    int error = script->argument != NULL ? strings_prepend(arguments, script->argument) : 0;
    return error == 0 ? strings_prepend(arguments, script->interpreter) : error;
}

static int64_t execute(struct thread *thread, struct execution *execution, const char *path)
{
    char buffer[PATH_MAX];

    for (unsigned depth = 0;; depth++) {
        const char *host_path = paths_translate(thread->process, path, buffer);
        struct script script;
        enum target target = TARGET_HOST;
        int error = inspect(thread->process, host_path, &target, &script);
        if (error != 0) {
            return error;
        }
        if (target == TARGET_GUEST) {
            return start_guest(thread, execution, host_path);
        }
        if (target == TARGET_HOST) {
            tell_execve(thread->process, false);
            return host_execve(thread, host_path, execution->arguments.items,
                               (char **)(uintptr_t)execution->environment.items);
        }
        if (depth == SCRIPT_DEPTH) {
            return -ELOOP;
        }
        struct script *kept = &execution->scripts[depth];
        char *kept_path = execution->script_paths[depth];
        *kept = script;
        error = parse_script(kept) ? 0 : -ENOEXEC;
        snprintf(kept_path, PATH_MAX, "%s", host_path);
        if (error == 0) {
            error = insert_interpreter(&execution->arguments, kept, kept_path);
        }
        if (error != 0) {
            return error;
        }
        path = kept->interpreter;
    }
}

static int64_t execute_call(struct thread *thread, const char *path, guest_addr arguments,
                            guest_addr environment)
{
    const struct process *process = thread->process;

    if (!process->forked && (process->schedule.together != NULL || process->machine.seat != NULL)) {
        say(stderr, "strata: %s: cannot execute %s: it shares its processor (--with)\n",
            process->executable, path);
        return -ENOSYS;
    }
    struct execution *execution = calloc(1, sizeof *execution);

    if (execution == NULL) {
        return -ENOMEM;
    }
    thread->execution = execution;
    int64_t result = read_strings(thread, arguments, &execution->arguments);
    if (result == 0 && execution->arguments.count == 0) {
        /* Linux gives a program at least an empty name. */
        result = strings_append(&execution->arguments, "");
    }
    if (result == 0) {
        result = read_strings(thread, environment, &execution->environment);
    }
    if (result == 0) {
        result = execute(thread, execution, path);
    }
    execve_forget(thread);
    return result;
}

int64_t sys_execve(struct thread *thread, const uint64_t *arguments)
{
    const char *path = memory_string(&thread->process->machine.memory, arguments[0]);

    if (path == NULL) {
        return -EFAULT;
    }
    return execute_call(thread, path, arguments[1], arguments[2]);
}

/* The path of an open file, with `rest` appended unless that is empty. */
static int path_from_descriptor(int fd, const char *rest, char path[PATH_MAX])
{
    char link[32];

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) {
        return errno == ENOENT ? -EBADF : -errno;
    }
    path[length] = '\0';
    if (rest[0] != '\0') {
        size_t room = PATH_MAX - (size_t)length;
        if ((size_t)snprintf(path + length, room, "/%s", rest) >= room) {
            return -ENAMETOOLONG;
        }
    }
    return 0;
}

int64_t sys_execveat(struct thread *thread, const uint64_t *arguments)
{
    const char *path = memory_string(&thread->process->machine.memory, arguments[1]);
    int fd = (int)arguments[0];
    uint64_t flags = arguments[4];
    char whole[PATH_MAX];

    if (path == NULL) {
        return -EFAULT;
    }
    if ((flags & ~(uint64_t)(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW)) != 0) {
        return -EINVAL;
    }
    if (path[0] == '\0' && (flags & AT_EMPTY_PATH) == 0) {
        return -ENOENT;
    }
    if (path[0] != '/' && (fd != AT_FDCWD || path[0] == '\0')) {
        int error = path_from_descriptor(fd, path, whole);
        if (error != 0) {
            return error;
        }
        path = whole;
    }
    struct stat status;
    if ((flags & AT_SYMLINK_NOFOLLOW) != 0 && lstat(path, &status) == 0 &&
        S_ISLNK(status.st_mode)) {
        return -ELOOP;
    }
    return execute_call(thread, path, arguments[2], arguments[3]);
}
