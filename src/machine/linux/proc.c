/* The files of /proc/self that describe the program, and those that tell how many processors there are, written anew at
 * each open. */
#include "machine/linux/files.h"
#include "machine/linux/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { NAME_COLUMN = 73 };

#define PAGE_COUNT (GUEST_SPACE_BYTES / GUEST_PAGE_BYTES)
#define SHOWN_PERMISSIONS (PAGE_READ | PAGE_WRITE | PAGE_EXECUTE | PAGE_MAPPED | PAGE_SHARED)

/* Groups without a mapped page are not looked into: the host has no memory behind them yet, and would have to find some
 * for each. */
static uint64_t next_mapped_page(const struct memory *memory, uint64_t page)
{
    while (page < PAGE_COUNT) {
        const uint64_t group = page / MEMORY_GROUP_PAGES;
        if (memory->groups[group] == 0) {
            page = (group + 1) * MEMORY_GROUP_PAGES;
        } else if ((memory->pages[page] & PAGE_MAPPED) != 0) {
            break;
        } else {
            page++;
        }
    }
    return page;
}

static const char *purpose(const struct process *process, guest_addr start, guest_addr end)
{
    if (start >= LAYOUT_STACK_TOP - LAYOUT_STACK_BYTES && end <= LAYOUT_STACK_TOP) {
        return "[stack]";
    }
    if (start >= process->brk_start && end <= layout_page_up(process->brk_end)) {
        return "[heap]";
    }
    return NULL;
}

/* Where the line that starts at `page` ends: at other permissions, or another
 * file. */
static guest_addr line_end(const struct memory *memory, const struct process *process,
                           const struct region *regions, uint64_t page)
{
    guest_addr start = page * GUEST_PAGE_BYTES;
    const struct region *region = region_find(regions, start);
    guest_addr limit = region != NULL ? region->end : GUEST_SPACE_BYTES;
    unsigned permissions = memory->pages[page] & SHOWN_PERMISSIONS;
    guest_addr end = start;

    if (region == NULL) {
        for (const struct region *next = regions; next != NULL; next = next->next) {
            if (next->start > start) {
                limit = next->start;
                break;
            }
        }
        if (start < process->brk_start && process->brk_start < limit) {
            limit = process->brk_start;
        }
    }
    while (end < limit && (memory_permissions(memory, end) & SHOWN_PERMISSIONS) == permissions) {
        end += GUEST_PAGE_BYTES;
    }
    return end;
}

static void print_line(FILE *file, const struct process *process, const struct region *regions,
                       guest_addr start, guest_addr end)
{
    unsigned permissions = memory_permissions(&process->machine.memory, start);
    const struct region *region = region_find(regions, start);
    const char *name =
        region != NULL ? paths_seen(process, region->name) : purpose(process, start, end);
    int length = fprintf(
        file, "%08llx-%08llx %c%c%c%c %08llx %02x:%02x %llu ", (unsigned long long)start,
        (unsigned long long)end, (permissions & PAGE_READ) != 0 ? 'r' : '-',
        (permissions & PAGE_WRITE) != 0 ? 'w' : '-', (permissions & PAGE_EXECUTE) != 0 ? 'x' : '-',
        (permissions & PAGE_SHARED) != 0 ? 's' : 'p',
        (unsigned long long)(region != NULL ? region->offset + (start - region->start) : 0),
        region != NULL ? major(region->device) : 0u, region != NULL ? minor(region->device) : 0u,
        (unsigned long long)(region != NULL ? region->inode : 0));

    if (name != NULL) {
        fprintf(file, "%*s%s", length < NAME_COLUMN ? NAME_COLUMN - length : 0, "", name);
    }
    fputc('\n', file);
}

static void print_maps(FILE *file, struct process *process)
{
    const struct memory *memory = &process->machine.memory;
    const struct region *regions = files_state(process)->regions;

    for (uint64_t page = next_mapped_page(memory, 0); page < PAGE_COUNT;) {
        guest_addr end = line_end(memory, process, regions, page);
        print_line(file, process, regions, page * GUEST_PAGE_BYTES, end);
        page = next_mapped_page(memory, end / GUEST_PAGE_BYTES);
    }
}

static unsigned count_threads(const struct process *process)
{
    unsigned threads = 0;

    for (const struct thread *thread = thread_first(process); thread != NULL;
         thread = thread_next(thread)) {
        threads += thread->task.state != TASK_EXITED;
    }
    return threads;
}

/* Only what programs look for is real (proc(5) numbers the fields). */
static unsigned long long stat_field(struct process *process, int field)
{
    enum { GROUP = 5, SESSION = 6, THREADS = 20, SIZE_BYTES = 23, PAGES = 24, START_OF_STACK = 28 };
    uint64_t mapped_bytes = process->machine.memory.mapped_bytes;

    switch (field) {
    case GROUP:
        return (unsigned long long)getpgrp();
    case SESSION:
        return (unsigned long long)getsid(0);
    case THREADS:
        return count_threads(process);
    case SIZE_BYTES:
        return mapped_bytes;
    case PAGES:
        return mapped_bytes / GUEST_PAGE_BYTES;
    case START_OF_STACK:
        return files_state(process)->stack.pointer;
    default:
        return 0;
    }
}

static void print_stat(FILE *file, struct process *process)
{
    enum { FIRST_PLAIN = 5, FIELDS = 52 };

    fprintf(file, "%d (%s) R %d", (int)process->pid, thread_first(process)->name,
            (int)process_parent(process));
    for (int field = FIRST_PLAIN; field <= FIELDS; field++) {
        fprintf(file, " %llu", stat_field(process, field));
    }
    fputc('\n', file);
}

static void print_memory(FILE *file, struct process *process, guest_addr start, guest_addr end)
{
    char part[512];

    while (start < end) {
        uint64_t bytes = end - start < sizeof part ? end - start : sizeof part;
        if (!memory_read(&process->machine.memory, part, start, bytes)) {
            return;
        }
        fwrite(part, 1, bytes, file);
        start += bytes;
    }
}

static void print_auxv(FILE *file, struct process *process)
{
    const struct stack_parts *stack = &files_state(process)->stack;

    print_memory(file, process, stack->auxiliary, stack->auxiliary_end);
}

static void print_cmdline(FILE *file, struct process *process)
{
    const struct stack_parts *stack = &files_state(process)->stack;

    print_memory(file, process, stack->arguments, stack->arguments_end);
}

static void print_environ(FILE *file, struct process *process)
{
    const struct stack_parts *stack = &files_state(process)->stack;

    print_memory(file, process, stack->environment, stack->environment_end);
}

static void print_comm(FILE *file, struct process *process)
{
    fprintf(file, "%s\n", thread_first(process)->name);
}

/* All that is mapped counts as resident, so that every run shows the same. */
static void print_status(FILE *file, struct process *process)
{
    const struct memory *memory = &process->machine.memory;
    unsigned long long kilobytes = memory->mapped_bytes / 1024;

    fprintf(file, "Name:\t%s\nState:\tR (running)\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\n",
            thread_first(process)->name, (int)process->pid, (int)process->pid,
            (int)process_parent(process));
    fprintf(file, "Uid:\t%u\t%u\t%u\t%u\n", getuid(), geteuid(), geteuid(), geteuid());
    fprintf(file, "Gid:\t%u\t%u\t%u\t%u\n", getgid(), getegid(), getegid(), getegid());
    fprintf(file, "VmPeak:\t%8llu kB\nVmSize:\t%8llu kB\nVmHWM:\t%8llu kB\nVmRSS:\t%8llu kB\n",
            (unsigned long long)memory->peak_bytes / 1024, kilobytes,
            (unsigned long long)memory->peak_bytes / 1024, kilobytes);
    fprintf(file, "Threads:\t%u\n", count_threads(process));
}

static void print_statm(FILE *file, struct process *process)
{
    unsigned long long pages = process->machine.memory.mapped_bytes / GUEST_PAGE_BYTES;

    fprintf(file, "%llu %llu 0 0 0 %llu 0\n", pages, pages, pages);
}

/* Processor 0 and no other: C libraries read it for sysconf(_SC_NPROCESSORS_ONLN) and its relatives, and programs
 * start so many threads. */
static void print_processors(FILE *file, struct process *process)
{
    (void)process;
    fputs("0\n", file);
}

/* A row without a function is refused: the host's file is about Strata's own
 * memory. */
static const struct proc_file {
    const char *name;
    void (*print)(FILE *file, struct process *process);
} proc_files[] = {
    {"auxv", print_auxv},     {"cmdline", print_cmdline},
    {"comm", print_comm},     {"environ", print_environ},
    {"maps", print_maps},     {"mem", NULL},
    {"pagemap", NULL},        {"smaps", NULL},
    {"stat", print_stat},     {"statm", print_statm},
    {"status", print_status},
};

static const struct proc_file machine_files[] = {
    {"/sys/devices/system/cpu/online", print_processors},
    {"/sys/devices/system/cpu/possible", print_processors},
    {"/sys/devices/system/cpu/present", print_processors},
};

static int64_t open_printed(struct process *process, const struct proc_file *row, int flags)
{
    if (row->print == NULL || (flags & O_ACCMODE) != O_RDONLY) {
        return -EACCES;
    }
    int fd = memfd_create(row->name, (flags & O_CLOEXEC) != 0 ? MFD_CLOEXEC : 0);
    int copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    FILE *file = copy < 0 ? NULL : fdopen(copy, "w");
    if (file == NULL) {
        int64_t error = -errno;
        if (copy >= 0) {
            close(copy);
        }
        if (fd >= 0) {
            close(fd);
        }
        return error;
    }
    row->print(file, process);
    fclose(file);
    lseek(fd, 0, SEEK_SET);
    return fd;
}

bool proc_open(struct process *process, const char *path, int flags, int64_t *result)
{
    const char *own = paths_own_proc(process, path);
    const struct proc_file *files = own != NULL ? proc_files : machine_files;
    const size_t count = own != NULL ? sizeof proc_files / sizeof proc_files[0]
                                     : sizeof machine_files / sizeof machine_files[0];

    for (size_t i = 0; i < count; i++) {
        if (strcmp(own != NULL ? own : path, files[i].name) == 0) {
            *result = open_printed(process, &files[i], flags);
            return true;
        }
    }
    return false;
}
