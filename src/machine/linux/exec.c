/* execve: RISC-V programs start in a new Strata, all others as the host runs them. */
#define _GNU_SOURCE
#include "elf/image.h"
#include "machine/linux/paths.h"
#include "machine/linux/signal.h"
#include "machine/linux/syscall.h"

#include <errno.h>
#include <fcntl.h>
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

/* The first lines of a script, "#! interpreter argument". */
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

static int strings_append(struct strings *strings, const char *item)
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
    strings->items[strings->count++] = item;
    strings->items[strings->count] = NULL;
    return 0;
}

/* The strings stay where they are, in the guest's memory. */
static int read_strings(struct thread *thread, guest_addr address, struct strings *strings)
{
    const struct memory *memory = &thread->process->machine.memory;
    guest_addr item = 0;

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
    return 0;
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
    int error = 0;
    if (bytes >= 2 && memcmp(head, "#!", 2) == 0) {
        size_t line = bytes < SCRIPT_BYTES ? bytes : SCRIPT_BYTES;
        memset(script->line, 0, sizeof script->line);
        memcpy(script->line, head, line);
        *target = TARGET_SCRIPT;
        error = parse_script(script) ? 0 : -ENOEXEC;
    } else if (bytes >= 20 && memcmp(head, "\177ELF", 4) == 0 &&
               (head[18] | head[19] << 8) == ELF_MACHINE_RISCV) {
        *target = TARGET_GUEST;
        error = check_program(process, fd, head, bytes, (uint64_t)status.st_size);
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
    fflush(NULL);
    signal_host_prepare_exec(thread);
    /* execve's parameters have no const for historical reasons only. */
    execve(path, (char **)(uintptr_t)arguments, environment);
    int error = errno;
    signal_host_install_again(thread->process);
    return -error;
}

static int64_t start_guest(struct thread *thread, const char *path,
                           const struct strings *arguments, const struct strings *environment)
{
    struct strings command = {NULL, 0, 0};
    char number[16];
    int fd = store_environment(environment);
    int error = fd < 0 ? fd : 0;

    snprintf(number, sizeof number, "%d", fd);
    for (char **word = thread->process->reexec; error == 0 && *word != NULL; word++) {
        error = strings_append(&command, *word);
    }
    const char *options[] = {"--argv0", arguments->items[0], "--env-fd", number, "--", path};
    for (size_t i = 0; error == 0 && i < sizeof options / sizeof options[0]; i++) {
        error = strings_append(&command, options[i]);
    }
    for (size_t i = 1; error == 0 && i < arguments->count; i++) {
        error = strings_append(&command, arguments->items[i]);
    }
    int64_t result = error;
    if (error == 0) {
        result = host_execve(thread, command.items[0], command.items, environ);
    }
    if (fd >= 0) {
        close(fd);
    }
    free(command.items);
    return result;
}

static int64_t execute(struct thread *thread, const char *path, const struct strings *arguments,
                       const struct strings *environment, unsigned depth);

/* A script's interpreter gets what the first line says, the script, and the
 * script's own arguments. */
static int64_t start_interpreter(struct thread *thread, const char *host_path,
                                 const struct script *script, const struct strings *arguments,
                                 const struct strings *environment, unsigned depth)
{
    struct strings expanded = {NULL, 0, 0};
    int error = strings_append(&expanded, script->interpreter);

    if (error == 0 && script->argument != NULL) {
        error = strings_append(&expanded, script->argument);
    }
    if (error == 0) {
        error = strings_append(&expanded, host_path);
    }
    for (size_t i = 1; error == 0 && i < arguments->count; i++) {
        error = strings_append(&expanded, arguments->items[i]);
    }
    int64_t result = error;
    if (error == 0) {
        result = execute(thread, script->interpreter, &expanded, environment, depth + 1);
    }
    free(expanded.items);
    return result;
}

static int64_t execute(struct thread *thread, const char *path, const struct strings *arguments,
                       const struct strings *environment, unsigned depth)
{
    char buffer[PATH_MAX];
    const char *host_path = paths_translate(thread->process, path, buffer);
    struct script script;
    enum target target;

    if (depth > SCRIPT_DEPTH) {
        return -ELOOP;
    }
    int error = inspect(thread->process, host_path, &target, &script);
    if (error != 0) {
        return error;
    }
    if (target == TARGET_SCRIPT) {
        return start_interpreter(thread, host_path, &script, arguments, environment, depth);
    }
    if (target == TARGET_GUEST) {
        return start_guest(thread, host_path, arguments, environment);
    }
    return host_execve(thread, host_path, arguments->items,
                       (char **)(uintptr_t)environment->items);
}

static int64_t execute_call(struct thread *thread, const char *path, guest_addr arguments_address,
                            guest_addr environment_address)
{
    struct strings arguments = {NULL, 0, 0};
    struct strings environment = {NULL, 0, 0};
    int error = read_strings(thread, arguments_address, &arguments);

    if (error == 0 && arguments.count == 0) {
        /* Linux gives a program at least an empty name. */
        error = strings_append(&arguments, "");
    }
    if (error == 0) {
        error = read_strings(thread, environment_address, &environment);
    }
    if (error == 0 && environment.count == 0) {
        error = strings_append(&environment, NULL);
        environment.count = 0;
    }
    int64_t result = error;
    if (error == 0) {
        result = execute(thread, path, &arguments, &environment, 0);
    }
    free(arguments.items);
    free(environment.items);
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
