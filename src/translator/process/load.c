/* Maps a program and its interpreter, and says in one line why it cannot. */
#include "translator/process/load.h"

#include "translator/fragment/fetch.h"
#include "translator/process/self.h"
#include "translator/process/stack.h"
#include "translator/process/vdso.h"

#include "base/text.h"
#include "elf/image.h"

#include <asm/errno.h>
#include <asm/stat.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/stat.h>

#define PAGE_BYTES UINT64_C(4096)
/* A linker puts the program headers right behind the ELF header. */
#define HEADER_BYTES 65536
/* Where Linux puts position-independent programs when it does not randomize. */
#define PIE_BASE UINT64_C(0x2a00000000)
/* access(2): not in the kernel's headers. */
#define X_OK 1

/* One ELF file on its way into memory. */
struct program_file {
    const char *path;
    int64_t fd;
    uint64_t bytes;
    struct file_identity identity;
    struct elf_image image;
    uint64_t bias; /* from addresses in the file to those in memory */
};

static uint64_t page_down(uint64_t value)
{
    return value & ~(PAGE_BYTES - 1);
}

static uint64_t page_up(uint64_t value)
{
    return page_down(value + PAGE_BYTES - 1);
}

static _Noreturn void fail(const struct program_file *file, int status, const char *reason)
{
    host_fail(status, file->path, ": ", reason, NULL);
}

/* There is no libc to name an error: its number stands behind the reason. */
static _Noreturn void fail_by_error(const struct program_file *file, int status, const char *reason,
                                    int64_t error)
{
    char buffer[80];
    struct text text;

    text_begin(&text, buffer, sizeof buffer);
    text_put_string(&text, reason);
    text_put_string(&text, ": error ");
    text_put_decimal(&text, -error);
    fail(file, status, buffer);
}

static bool has_slash(const char *path)
{
    for (; *path != '\0'; path++) {
        if (*path == '/') {
            return true;
        }
    }
    return false;
}

static _Noreturn void fail_to_open(const struct program_file *file, int64_t error)
{
    switch (-error) {
    case ENOENT:
    case ENOTDIR:
        fail(file, STATUS_MISSING,
             has_slash(file->path) ? "no such file"
                                   : "no such file; PATH is not searched, give the program's path");
    case EACCES:
    case EPERM:
        fail(file, STATUS_UNUSABLE, "permission denied; a program must be readable");
    case ENAMETOOLONG:
        fail(file, STATUS_MISSING, "the name is too long");
    case ELOOP:
        fail(file, STATUS_MISSING, "too many symbolic links");
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        fail_by_error(file, STATUS_FAILED, "cannot be opened", error);
    default:
        fail_by_error(file, STATUS_UNUSABLE, "cannot be opened", error);
    }
}

static void read_headers(struct program_file *file)
{
    uint8_t bytes[HEADER_BYTES];
    const int64_t available = host_call(__NR_pread64, file->fd, bytes, sizeof bytes, 0L);

    if (host_is_error(available)) {
        fail_by_error(file, STATUS_UNUSABLE, "cannot be read", available);
    }
    const enum elf_status status =
        elf_read(&file->image, bytes, (size_t)available, file->bytes, TARGET_ELF_MACHINE);
    if (status == ELF_NOT_ELF && available >= 2 && bytes[0] == '#' && bytes[1] == '!') {
        fail(file, STATUS_UNUSABLE, "is a script; Strata runs programs, such as its interpreter");
    }
    if (status == ELF_NOT_ELF) {
        host_fail(STATUS_UNUSABLE, file->path, ": ", elf_status_message(status),
                  "; Strata runs RISC-V (rv64) programs");
    }
    if (status != ELF_OK) {
        fail(file, STATUS_UNUSABLE, elf_status_message(status));
    }
}

static int64_t open_path(const char *path)
{
    return host_call(__NR_openat, (long)AT_FDCWD, path, (long)(O_RDONLY | O_CLOEXEC | O_NONBLOCK),
                     0L);
}

/* `fd` is what open_path returned. */
static void read_file(struct program_file *file, int64_t fd)
{
    struct stat status;

    if (host_is_error(fd)) {
        fail_to_open(file, fd);
    }
    file->fd = fd;
    const int64_t result = host_call(__NR_fstat, file->fd, &status);
    if (host_is_error(result)) {
        fail_by_error(file, STATUS_UNUSABLE, "cannot be examined", result);
    }
    if (S_ISDIR(status.st_mode)) {
        fail(file, STATUS_UNUSABLE, "is a directory, not a program");
    }
    if (!S_ISREG(status.st_mode)) {
        fail(file, STATUS_UNUSABLE, "is not a regular file");
    }
    file->bytes = (uint64_t)status.st_size;
    file->identity = (struct file_identity){status.st_dev, status.st_ino};
    read_headers(file);
}

/* Finds out whether the whole range is free, or where else it could be: older
 * emulators take MAP_FIXED_NOREPLACE for a wish. */
static uint64_t find_place(const struct program_file *file, uint64_t wanted, uint64_t bytes)
{
    const int64_t place = host_call(__NR_mmap, wanted, bytes, (long)PROT_NONE,
                                    (long)(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE), -1L, 0L);

    if (host_is_error(place)) {
        fail_by_error(file, STATUS_FAILED, "needs more address space than there is", place);
    }
    host_call(__NR_munmap, place, bytes);
    return (uint64_t)place;
}

/* A position-independent file goes to `wanted` if it can; 0: where the kernel likes. */
static void place_file(struct program_file *file, uint64_t wanted)
{
    const uint64_t low = page_down(file->image.low);
    const uint64_t bytes = page_up(file->image.high) - low;

    if (file->image.position_independent) {
        file->bias = find_place(file, wanted, bytes) - low;
    } else if (find_place(file, low, bytes) != low) {
        fail(file, STATUS_FAILED, "cannot be mapped: the addresses that it needs are in use");
    }
}

static void map_at(const struct program_file *file, uint64_t start, uint64_t bytes,
                   unsigned permissions, bool from_file, uint64_t offset)
{
    const long flags = MAP_PRIVATE | MAP_FIXED | (from_file ? 0 : MAP_ANONYMOUS);
    const int64_t place = host_call(__NR_mmap, start, bytes, (long)permissions, flags,
                                    from_file ? file->fd : -1L, offset);

    if (place != (int64_t)start) {
        fail_by_error(file, STATUS_FAILED, "cannot be mapped", place);
    }
}

/* The part of a segment that the file does not give: zeros to the page's end,
 * as Linux does, then fresh pages. */
static void map_zeros(const struct program_file *file, uint64_t file_end, uint64_t end,
                      unsigned permissions)
{
    const uint64_t page_end = page_up(file_end);

    if (file_end < page_end && end > file_end) {
        const uint64_t page = page_down(file_end);
        const bool writable = (permissions & ELF_WRITE) != 0;
        if (!writable) {
            host_call(__NR_mprotect, page, PAGE_BYTES, (long)(PROT_READ | PROT_WRITE));
        }
        __builtin_memset((void *)(uintptr_t)file_end, 0, page_end - file_end);
        if (!writable) {
            host_call(__NR_mprotect, page, PAGE_BYTES, (long)permissions);
        }
    }
    if (page_up(end) > page_end) {
        map_at(file, page_end, page_up(end) - page_end, permissions, false, 0);
    }
}

static void map_segment(const struct program_file *file, const struct elf_segment *segment)
{
    const uint64_t start = segment->address + file->bias;
    const uint64_t page = page_down(start);
    const uint64_t file_end = start + segment->file_bytes;
    const uint64_t end = start + segment->memory_bytes;

    if (segment->file_bytes == 0) {
        map_at(file, page, page_up(end) - page, segment->permissions, false, 0);
        return;
    }
    map_at(file, page, page_up(file_end) - page, segment->permissions, true,
           segment->file_offset - (start - page));
    map_zeros(file, file_end, end, segment->permissions);
}

static void map_file(struct translator *translator, struct program_file *file, uint64_t wanted)
{
    place_file(file, wanted);
    for (unsigned i = 0; i < file->image.segment_count; i++) {
        const struct elf_segment *segment = &file->image.segments[i];
        map_segment(file, segment);
        if ((segment->permissions & ELF_EXECUTE) != 0) {
            const uint64_t start = segment->address + file->bias;
            const uint64_t end = page_up(start + segment->memory_bytes);
            fetch_add(&translator->fetchable, start, end);
            if ((segment->permissions & ELF_WRITE) == 0) {
                fetch_add(&translator->fixed, start, end);
            }
        }
    }
}

static void load_interpreter(struct translator *translator, const struct program_file *program,
                             struct program_file *interpreter)
{
    char name[ELF_MAX_INTERPRETER_BYTES];
    const uint64_t bytes = program->image.interpreter_bytes;
    const int64_t got =
        host_call(__NR_pread64, program->fd, name, bytes, program->image.interpreter_offset);

    if (got != (int64_t)bytes ||
        elf_check_interpreter((const uint8_t *)name, (size_t)bytes) != ELF_OK) {
        fail(program, STATUS_UNUSABLE, elf_status_message(ELF_BAD_INTERPRETER));
    }
    const int64_t fd = open_path(name);
    if (fd == -ENOENT || fd == -ENOTDIR) {
        host_fail(STATUS_MISSING, program->path, ": needs the dynamic linker ", name,
                  ", which is not there");
    }
    interpreter->path = name;
    read_file(interpreter, fd);
    map_file(translator, interpreter, 0);
    host_call(__NR_close, interpreter->fd);
    interpreter->path = NULL; /* `name` ends here */
}

/* What others see of the process, and what it sees of itself in /proc. */
static void name_process(struct translator *translator, const struct program_file *file)
{
    const char *name = file->path;

    for (const char *at = name; *at != '\0'; at++) {
        if (*at == '/') {
            name = at + 1;
        }
    }
    host_call(__NR_prctl, (long)PR_SET_NAME, name);
    /* There are zeros behind it. */
    self_read_name(file->fd, (uintptr_t)translator->executable, sizeof translator->executable - 1);
}

static const char *end_of(uint64_t string)
{
    const char *end = (const char *)(uintptr_t)string;

    while (*end++ != '\0') {
    }
    return end;
}

/* The first may lie elsewhere; from the first byte of the second to the zero of the last they lie
 * one behind the other. */
static void find_arguments(struct translator *translator, uint64_t *stack, unsigned skip)
{
    if (translator->options.argv0 != NULL) {
        stack[1 + skip] = (uintptr_t)translator->options.argv0;
    }
    translator->name = stack[1 + skip];
    if (stack[0] > skip + 1) {
        translator->arguments = stack[2 + skip];
        translator->arguments_end = (uintptr_t)end_of(stack[stack[0]]);
    }
}

/* execve may have passed it on, where the path leads nowhere. */
static void read_program(const struct translator *translator, struct program_file *file)
{
    const int inherited = translator->options.inherited.program_fd;

    if (inherited >= 0) {
        read_file(file, inherited);
        return;
    }
    read_file(file, open_path(file->path));
    /* Only now: chmod is no help with a file that is no program. */
    if (host_is_error(host_call(__NR_faccessat, (long)AT_FDCWD, file->path, (long)X_OK))) {
        fail(file, STATUS_UNUSABLE, "permission denied; make it executable with chmod +x");
    }
}

struct program load_program(struct translator *translator, uint64_t *stack, unsigned skip)
{
    struct program_file file = {.path = (const char *)(uintptr_t)stack[1 + skip]};
    struct program_file interpreter = {.bias = 0};
    const struct elf_image *image = &file.image;

    read_program(translator, &file);
    map_file(translator, &file, PIE_BASE);
    if (image->has_interpreter) {
        load_interpreter(translator, &file, &interpreter);
    }
    if (image->executable_stack) {
        fetch_open_stack((uintptr_t)stack);
    }
    name_process(translator, &file);
    translator->program = file.identity;
    host_call(__NR_close, file.fd);
    find_arguments(translator, stack, skip);
    translator->brk_start = translator->brk_end = page_up(image->high + file.bias);

    const struct stack_facts facts = {
        .headers = image->phdr_address == 0 ? 0 : image->phdr_address + file.bias,
        .header_bytes = image->phdr_size,
        .header_count = image->phdr_count,
        .interpreter = interpreter.bias,
        .entry = image->entry + file.bias,
        .path = translator->options.execfn != NULL ? translator->options.execfn : file.path,
    };
    struct program program = {.entry = facts.entry};
    if (image->has_interpreter) {
        program.entry = interpreter.image.entry + interpreter.bias;
    }
    uint64_t auxiliary[2];
    translator->vdso = vdso_find(stack_find_vdso(stack));
    program.stack = stack_rewrite(stack, skip, &facts, &translator->has_hardware, auxiliary);
    translator->auxiliary = (struct code_range){auxiliary[0], auxiliary[1]};
    return program;
}
