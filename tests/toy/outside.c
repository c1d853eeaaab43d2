/* What the translator's core needs from outside: memory, the list of mappings, a lock, and the process. */
#include "inside.h"

#include "translator/fragment/link.h"
#include "translator/fragment/outside.h"

#include "base/check.h"

#include <asm/errno.h>
#include <asm/unistd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The core's functions have no argument that would say whose they are. */
static struct rig *rig;

const uint8_t outside_fault_place[1] = {0};

/* Addresses of the core's memory are the same each time, so that a test that fails does so again. */
#define FIRST_MAP UINT64_C(0x40000000)

void outside_use(struct rig *used)
{
    rig = used;
    if (rig != NULL) {
        rig->next_map = FIRST_MAP;
    }
}

/* cmocka comes back to the test by a long jump, which only its own thread can do. */
_Noreturn void outside_stop(const char *message)
{
    fprintf(stderr, "%s: %s\n", rig != NULL && rig->label != NULL ? rig->label : "", message);
    if (rig == NULL || rig_current(rig)->handle != 0) {
        abort();
    }
    fail_msg("%s", message);
    abort();
}

_Noreturn void check_failed(const char *condition, const char *file, int line)
{
    rig_fail("%s:%d: %s", file, line, condition);
}

void *host_map(size_t bytes, bool executable)
{
    void *wanted = (void *)(uintptr_t)rig->next_map;
    unsigned i = 0;

    (void)executable; /* nobody executes it but the interpreter */
    if (rig->maps_left == 0) {
        return NULL;
    }
    rig->maps_left--;
    while (rig->maps[i].start != NULL) {
        i++;
    }
    void *memory = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory != wanted || i + 1 == RIG_MAPS) {
        rig_fail("no place for memory");
    }
    rig->maps[i].start = memory;
    rig->maps[i].bytes = bytes;
    rig->next_map += (bytes + PAGE - 1) / PAGE * PAGE + PAGE;
    return memory;
}

void host_unmap(void *memory, size_t bytes)
{
    unsigned i = 0;

    while (rig->maps[i].start != memory && i + 1 < RIG_MAPS) {
        i++;
    }
    if (rig->maps[i].start != memory || rig->maps[i].bytes != bytes) {
        rig_fail("memory is given back that was not taken");
    }
    munmap(memory, bytes);
    rig->maps[i].start = NULL;
}

bool host_protect(uint64_t start, uint64_t bytes, unsigned permissions)
{
    for (guest_addr at = start; at < start + bytes; at += PAGE) {
        const uint64_t page = (at - rig->memory.start) / PAGE;
        if (page >= TOY_PAGES || rig->memory.pages[page] == 0) {
            return false;
        }
        rig->memory.pages[page] =
            (uint8_t)(permissions | (rig->memory.pages[page] & (TOY_SHARED | TOY_FILE)));
    }
    rig->protections++;
    return true;
}

void host_print(const char *string)
{
    (void)string;
}

void host_warn(const char *a, const char *b, const char *c, const char *d)
{
    snprintf(rig->message, sizeof rig->message, "%s%s%s%s", a, b != NULL ? b : "",
             c != NULL ? c : "", d != NULL ? d : "");
}

_Noreturn void host_exit(int status)
{
    rig_fail("the translator ends with %d", status);
}

_Noreturn void host_fail(int status, const char *a, const char *b, const char *c, const char *d)
{
    host_warn(a, b, c, d);
    if (rig->fails) {
        rig->fails = false;
        longjmp(rig->failed, 1);
    }
    rig_fail("%d: %s", status, rig->message);
}

/* As the kernel lists them: the line of the mapping that begins with `*page` or behind it, which moves behind
 * that; nothing if there is none. */
static size_t write_line(unsigned *page, char *line, size_t bytes)
{
    const uint8_t *pages = rig->memory.pages;
    unsigned first = *page;

    while (first < TOY_PAGES && pages[first] == 0) {
        first++;
    }
    unsigned end = first;
    while (end < TOY_PAGES && pages[end] == pages[first]) {
        end++;
    }
    *page = end;
    line[0] = '\0';
    if (first == TOY_PAGES) {
        return 0;
    }
    return (size_t)snprintf(
        line, bytes, "%llx-%llx %c%c%c%c 00000000 00:00 %u\n",
        (unsigned long long)(rig->memory.start + first * PAGE),
        (unsigned long long)(rig->memory.start + end * PAGE),
        (pages[first] & HOST_READ) != 0 ? 'r' : '-', (pages[first] & HOST_WRITE) != 0 ? 'w' : '-',
        (pages[first] & HOST_EXECUTE) != 0 ? 'x' : '-',
        (pages[first] & TOY_SHARED) != 0 ? 's' : 'p', (pages[first] & TOY_FILE) != 0 ? 12u : 0u);
}

/* A few bytes at a time: the core must not depend on whole lines. */
static int64_t read_maps(char *buffer, size_t bytes)
{
    char line[128];
    size_t skipped = 0, length;
    unsigned page = 0;

    do {
        length = write_line(&page, line, sizeof line);
        skipped += length;
    } while (length != 0 && rig->maps_at >= skipped);
    const char *rest = line + (length == 0 ? 0 : rig->maps_at - (skipped - length));
    size_t got = strlen(rest);
    got = got < 7 ? got : 7;
    got = got < bytes ? got : bytes;
    memcpy(buffer, rest, got);
    rig->maps_at += got;
    return (int64_t)got;
}

int64_t host_call(long number, ...)
{
    va_list arguments;
    int64_t result = -ENOSYS;

    va_start(arguments, number);
    if (number == __NR_openat && rig->maps_readable) {
        rig->maps_at = 0;
        result = 3;
    } else if (number == __NR_read) {
        (void)va_arg(arguments, int64_t);
        char *buffer = va_arg(arguments, char *);
        result = read_maps(buffer, va_arg(arguments, size_t));
    } else if (number == __NR_close) {
        result = 0;
    }
    va_end(arguments);
    return result;
}

void lock_acquire(struct lock *lock)
{
    if (lock->state != 0 && rig_current(rig)->handle == 0) {
        rig_fail("the lock is held by the thread that wants it");
    }
    while (lock->state != 0) {
        rig_yield(rig);
    }
    lock->state = 1;
}

void lock_release(struct lock *lock)
{
    if (lock->state == 0) {
        rig_fail("a lock is released that nobody holds");
    }
    lock->state = 0;
}

static bool is_anyone_inside(const struct translator *translator)
{
    for (const struct context *at = translator->threads; at != NULL; at = at->next) {
        if (at->inside != 0) {
            return true;
        }
    }
    return false;
}

/* As the process does it. */
bool outside_bring_out(struct translator *translator)
{
    if (!translator->threaded || !is_anyone_inside(translator)) {
        return false;
    }
    translator->emptying = true;
    for (struct context *at = translator->threads; at != NULL; at = at->next) {
        target_lookup_clear(at);
    }
    link_undo(translator);
    while (is_anyone_inside(translator)) {
        rig_yield(rig);
        link_undo(translator);
    }
    translator->emptying = false;
    return true;
}

void outside_before_flush(struct translator *translator)
{
    (void)translator;
    rig->flushes_announced++;
}

guest_addr outside_system_call(struct context *context, guest_addr next)
{
    for (unsigned i = 0; i < rig->thread_count; i++) {
        if (rig->threads[i].context == context) {
            run_system_call(&rig->threads[i], &context->registers, false);
        }
    }
    return next;
}

bool outside_may_write(const struct translator *translator, guest_addr start, guest_addr end)
{
    (void)translator;
    return rig->written.start < end && rig->written.end > start;
}

const uint8_t *outside_fault(struct context *context, guest_addr pc)
{
    context->target = pc;
    return outside_fault_place;
}
