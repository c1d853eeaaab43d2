/* Maps a program, its interpreter and its first stack, and says in one line why it cannot. */
#include "base/say.h"
#include "elf/image.h"
#include "isa/rv64/xstrata_abi.h"
#include "machine/linux/files.h"
#include "machine/linux/paths.h"
#include "machine/processor/program_slices.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    STATUS_FAILED = 125,
    STATUS_UNUSABLE = 126,
    STATUS_MISSING = 127,
    CLOCK_TICKS = 100,
    /* The kernel reads program headers wherever they are; a linker puts them
     * behind the ELF header. */
    HEADER_BYTES = 65536,
};

/* What /proc/cpuinfo calls IMAFDC, one bit per letter. */
#define LETTER_BIT(letter) (UINT64_C(1) << ((letter) - 'a'))
#define HARDWARE_CAPABILITIES                                                                      \
    (LETTER_BIT('i') | LETTER_BIT('m') | LETTER_BIT('a') | LETTER_BIT('f') | LETTER_BIT('d') |     \
     LETTER_BIT('c'))

/* One ELF file on its way into memory. */
struct program_file {
    const char *path;
    int fd;
    uint64_t bytes;
    struct elf_image image;
    uint64_t bias; /* from addresses in the file to the guest's */
};

__attribute__((format(printf, 3, 4))) static int fail(const char *path, int status,
                                                      const char *format, ...)
{
    va_list arguments;

    say(stderr, "strata: %s: ", path);
    va_start(arguments, format);
    say_list(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return status;
}

static int fail_to_open(const char *path, int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        return fail(path, STATUS_MISSING,
                    strchr(path, '/') != NULL
                        ? "no such file"
                        : "no such file; PATH is not searched, give the program's path");
    case EACCES:
    case EPERM:
        return fail(path, STATUS_UNUSABLE, "permission denied; a program must be readable");
    case ENAMETOOLONG:
    case ELOOP:
        return fail(path, STATUS_MISSING, "%s", strerror(error));
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        return fail(path, STATUS_FAILED, "cannot be opened: %s", strerror(error));
    default:
        return fail(path, STATUS_UNUSABLE, "cannot be opened: %s", strerror(error));
    }
}

static const char *machine_name(uint16_t machine)
{
    static const struct {
        uint16_t number;
        const char *name;
    } names[] = {
        {EM_X86_64, "an x86-64"}, {EM_386, "an x86"},         {EM_AARCH64, "an AArch64"},
        {EM_ARM, "an Arm"},       {EM_PPC64, "a PowerPC-64"}, {EM_S390, "an s390x"},
        {EM_MIPS, "a MIPS"},      {EM_SPARCV9, "a SPARC"},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].number == machine) {
            return names[i].name;
        }
    }
    return NULL;
}

static int fail_to_read(const struct program_file *file, enum elf_status status,
                        const uint8_t *bytes, size_t available)
{
    const char *machine = machine_name(file->image.machine);

    if (status == ELF_NOT_ELF && available >= 2 && bytes[0] == '#' && bytes[1] == '!') {
        return fail(file->path, STATUS_UNUSABLE,
                    "is a script; strata sim runs RISC-V (rv64) programs, such as its interpreter");
    }
    if (status == ELF_NOT_ELF) {
        return fail(file->path, STATUS_UNUSABLE, "%s; Strata runs RISC-V (rv64) programs",
                    elf_status_message(status));
    }
    if (status == ELF_WRONG_MACHINE && machine != NULL) {
        return fail(file->path, STATUS_UNUSABLE,
                    "is %s program; strata sim runs RISC-V (rv64) programs", machine);
    }
    return fail(file->path, STATUS_UNUSABLE, "%s", elf_status_message(status));
}

static int read_headers(struct program_file *file)
{
    uint8_t *bytes = malloc(HEADER_BYTES);

    if (bytes == NULL) {
        return fail(file->path, STATUS_FAILED, "not enough memory to read it");
    }
    ssize_t available = pread(file->fd, bytes, HEADER_BYTES, 0);
    int status;
    if (available < 0) {
        status = fail(file->path, STATUS_UNUSABLE, "cannot be read: %s", strerror(errno));
    } else {
        enum elf_status read =
            elf_read(&file->image, bytes, (size_t)available, file->bytes, ELF_MACHINE_RISCV);
        status = read == ELF_OK ? 0 : fail_to_read(file, read, bytes, (size_t)available);
    }
    free(bytes);
    return status;
}

/* Opens and checks `host_path`; messages call it file->path.  On failure there
 * is nothing to close. */
static int open_file(struct program_file *file, const char *host_path)
{
    struct stat status;

    file->fd = open(host_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->fd < 0) {
        return fail_to_open(file->path, errno);
    }
    int result = 0;
    if (fstat(file->fd, &status) != 0) {
        result = fail(file->path, STATUS_UNUSABLE, "cannot be examined: %s", strerror(errno));
    } else if (S_ISDIR(status.st_mode)) {
        result = fail(file->path, STATUS_UNUSABLE, "is a directory, not a program");
    } else if (!S_ISREG(status.st_mode)) {
        result = fail(file->path, STATUS_UNUSABLE, "is not a regular file");
    } else {
        file->bytes = (uint64_t)status.st_size;
        result = read_headers(file);
    }
    if (result != 0) {
        close(file->fd);
    }
    return result;
}

/* The part of a segment that the file does not give: zero to the page's end,
 * then fresh pages. */
static int map_zeros(struct memory *memory, guest_addr file_end, guest_addr end,
                     unsigned permissions)
{
    guest_addr page_end = layout_page_up(file_end);

    if (file_end < page_end && end > file_end) {
        guest_addr page = layout_page_down(file_end);
        int error = memory_protect(memory, page, GUEST_PAGE_BYTES, PAGE_READ | PAGE_WRITE);
        if (error != 0) {
            return error;
        }
        memset(memory_host(memory, file_end), 0, page_end - file_end);
        error = memory_protect(memory, page, GUEST_PAGE_BYTES, permissions);
        if (error != 0) {
            return error;
        }
    }
    if (layout_page_up(end) <= page_end) {
        return 0;
    }
    return memory_map(memory, page_end, layout_page_up(end) - page_end, permissions, false, -1, 0);
}

static int map_segment(struct process *process, const struct program_file *file,
                       const struct elf_segment *segment)
{
    struct memory *memory = &process->machine.memory;
    unsigned permissions = segment->permissions;
    guest_addr start = segment->address + file->bias;
    guest_addr page = layout_page_down(start);
    guest_addr file_end = start + segment->file_bytes;

    if ((permissions & PAGE_WRITE) != 0) {
        permissions |= PAGE_READ; /* RISC-V has no write-only pages */
    }
    if (segment->file_bytes == 0) {
        return memory_map(memory, page, layout_page_up(start + segment->memory_bytes) - page,
                          permissions, false, -1, 0);
    }
    uint64_t bytes = layout_page_up(file_end) - page;
    uint64_t offset = segment->file_offset - (start - page);
    int error = memory_map(memory, page, bytes, permissions, false, file->fd, offset);
    if (error == 0) {
        region_add_file(&files_state(process)->regions, page, bytes, file->fd, offset);
        error = map_zeros(memory, file_end, start + segment->memory_bytes, permissions);
    }
    return error;
}

static int map_file(struct process *process, const struct program_file *file)
{
    if (file->image.high + file->bias > LAYOUT_MMAP_TOP) {
        return fail(file->path, STATUS_UNUSABLE,
                    "needs addresses above 0x%llx, where strata sim puts the stack",
                    (unsigned long long)LAYOUT_MMAP_TOP);
    }
    for (unsigned i = 0; i < file->image.segment_count; i++) {
        int error = map_segment(process, file, &file->image.segments[i]);
        if (error != 0) {
            return fail(file->path, STATUS_FAILED, "cannot be mapped: %s", strerror(-error));
        }
    }
    return 0;
}

/* Puts a file below all mappings that exist already. */
static int place_file(const struct process *process, struct program_file *file)
{
    guest_addr low = layout_page_down(file->image.low);
    guest_addr place = memory_find_free(&process->machine.memory, process->mmap_top,
                                        layout_page_up(file->image.high) - low, true);

    if (place == 0) {
        return fail(file->path, STATUS_UNUSABLE, "needs more address space than there is");
    }
    file->bias = place - low;
    return 0;
}

/* The name that the program asks for, in a buffer of the caller's. */
static int read_interpreter_name(const struct program_file *program,
                                 char name[ELF_MAX_INTERPRETER_BYTES])
{
    size_t bytes = (size_t)program->image.interpreter_bytes;
    ssize_t got = pread(program->fd, name, bytes, (off_t)program->image.interpreter_offset);

    if (got != (ssize_t)bytes || elf_check_interpreter((const uint8_t *)name, bytes) != ELF_OK) {
        return fail(program->path, STATUS_UNUSABLE, "%s", elf_status_message(ELF_BAD_INTERPRETER));
    }
    return 0;
}

static int load_interpreter(struct process *process, const struct program_file *program,
                            struct program_file *interpreter)
{
    char name[ELF_MAX_INTERPRETER_BYTES];
    char buffer[PATH_MAX];
    int status = read_interpreter_name(program, name);

    if (status != 0) {
        return status;
    }
    const char *host_path = paths_translate(process, name, buffer);
    if (access(host_path, F_OK) != 0) {
        return fail(program->path, STATUS_MISSING,
                    "needs the dynamic linker %s, which is not there; "
                    "name the folder of the RISC-V libraries with --sysroot",
                    name);
    }
    interpreter->path = name;
    status = open_file(interpreter, host_path);
    if (status == 0) {
        if (interpreter->image.position_independent) {
            status = place_file(process, interpreter);
        }
        if (status == 0) {
            status = map_file(process, interpreter);
        }
        close(interpreter->fd);
    }
    interpreter->path = NULL; /* `name` ends here */
    return status;
}

/* Loads both files; `entry` is where the first instruction is. */
static int load_files(struct process *process, struct program_file *program,
                      struct program_file *interpreter, guest_addr *entry)
{
    const struct elf_image *image = &program->image;
    guest_addr brk = layout_page_up(image->high);
    int status = 0;

    if (image->position_independent && image->has_interpreter) {
        program->bias = LAYOUT_PIE_BASE - layout_page_down(image->low);
        brk += program->bias;
    } else if (image->position_independent) {
        status = place_file(process, program);
        brk = LAYOUT_PIE_BASE;
    }
    if (status == 0) {
        status = map_file(process, program);
    }
    if (status == 0 && image->has_interpreter) {
        status = load_interpreter(process, program, interpreter);
    }
    if (status != 0) {
        return status;
    }
    process->brk_start = process->brk_end = brk;
    *entry = image->has_interpreter ? interpreter->image.entry + interpreter->bias
                                    : image->entry + program->bias;
    return 0;
}

static int make_stack(struct process *process, const struct program_request *request,
                      const struct program_file *program, const struct program_file *interpreter)
{
    struct memory *memory = &process->machine.memory;
    const struct elf_image *image = &program->image;
    const struct auxiliary_entry auxiliary[] = {
        {AT_STRATA, machine_features(&process->machine)},
        {AT_HWCAP, HARDWARE_CAPABILITIES},
        {AT_PAGESZ, GUEST_PAGE_BYTES},
        {AT_CLKTCK, CLOCK_TICKS},
        {AT_PHDR, image->phdr_address == 0 ? 0 : image->phdr_address + program->bias},
        {AT_PHENT, image->phdr_size},
        {AT_PHNUM, image->phdr_count},
        {AT_BASE, image->has_interpreter ? interpreter->bias : 0},
        {AT_FLAGS, 0},
        {AT_ENTRY, image->entry + program->bias},
        {AT_UID, getuid()},
        {AT_EUID, geteuid()},
        {AT_GID, getgid()},
        {AT_EGID, getegid()},
        {AT_SECURE, 0},
    };
    const struct stack_request contents = {
        .file_name = request->seen != NULL ? request->seen : request->path,
        .arguments = request->arguments,
        .environment = request->environment,
        .auxiliary = auxiliary,
        .auxiliary_count = sizeof auxiliary / sizeof auxiliary[0],
    };
    unsigned permissions =
        PAGE_READ | PAGE_WRITE | (image->executable_stack ? (unsigned)PAGE_EXECUTE : 0u);
    int error = memory_map(memory, LAYOUT_STACK_TOP - LAYOUT_STACK_BYTES, LAYOUT_STACK_BYTES,
                           permissions, false, -1, 0);

    if (error != 0) {
        return fail(request->path, STATUS_FAILED, "no memory for its stack: %s", strerror(-error));
    }
    if (!stack_write(memory, LAYOUT_STACK_TOP, LAYOUT_STACK_BYTES, &contents,
                     &files_state(process)->stack)) {
        return fail(request->path, STATUS_UNUSABLE,
                    "its arguments and environment are too long; Linux allows 6 MB");
    }
    return 0;
}

/* The kernel's name for a thread is its program's file name, cut short. */
static void name_thread(struct thread *thread, const char *path)
{
    const char *slash = strrchr(path, '/');

    snprintf(thread->name, sizeof thread->name, "%.*s", (int)sizeof thread->name - 1,
             slash != NULL ? slash + 1 : path);
}

/* Where the file that regions have the name of was mapped; false if it was not. */
static bool find_mapped(struct process *process, const struct stat *file, guest_addr *start)
{
    const struct region *region = files_state(process)->regions;
    while (region != NULL && (region->inode != file->st_ino || region->device != file->st_dev ||
                              region->offset != 0)) {
        region = region->next;
    }
    *start = region != NULL ? region->start : 0;
    return region != NULL;
}

/* A translator has loaded its program, in the way that it likes: how far above where it was linked? */
static void program_loaded(struct machine *machine)
{
    struct process *process = machine->loader;
    uint8_t head[ELF_PAGE_BYTES];
    struct elf_image image;
    struct stat status;
    guest_addr start;
    const int fd = open(machine->options.program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t count = fd < 0 ? -1 : pread(fd, head, sizeof head, 0);
    const bool found = count > 0 && fstat(fd, &status) == 0 &&
                       elf_read(&image, head, (size_t)count, (uint64_t)status.st_size,
                                ELF_MACHINE_RISCV) == ELF_OK &&
                       find_mapped(process, &status, &start);
    if (fd >= 0) {
        close(fd);
    }
    if (found) {
        program_slices_loaded(machine,
                              image.position_independent ? start - layout_page_down(image.low) : 0);
    } else {
        program_slices_lost(machine);
    }
}

static int load_opened(struct process *process, struct thread *thread,
                       const struct program_request *request, struct program_file *program)
{
    struct program_file interpreter = {.fd = -1};
    guest_addr entry = 0;

    process->mmap_top = LAYOUT_MMAP_TOP;
    int status = load_files(process, program, &interpreter, &entry);
    if (status == 0) {
        status = make_stack(process, request, program, &interpreter);
    }
    if (status != 0) {
        return status;
    }
    process->machine.program_loaded = program_loaded;
    process->machine.loader = process;
    program_slices_attach(&process->machine, request->path, program->bias);
    process->executable = realpath(request->path, NULL);
    name_thread(thread, request->seen != NULL ? request->seen : request->path);
    thread->hart.pc = entry;
    thread->hart.x[REGISTER_SP] = files_state(process)->stack.pointer;
    return 0;
}

int load_program(struct process *process, struct thread *thread,
                 const struct program_request *request)
{
    struct program_file program = {.path = request->path};

    int status = open_file(&program, request->path);
    if (status != 0) {
        return status;
    }
    /* Only now: chmod is no help with a file that is no program. */
    status = access(request->path, X_OK) == 0
                 ? load_opened(process, thread, request, &program)
                 : fail(request->path, STATUS_UNUSABLE,
                        "permission denied; make it executable with chmod +x");
    close(program.fd);
    return status;
}
