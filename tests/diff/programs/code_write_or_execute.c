/* Shows pages that are writable or executable, never both: opened and closed for each of many functions; what
 * must not be written is not, by stores and by system calls; and what /proc tells of it. */
#include "common.h"
#include <signal.h>
#include <sys/mman.h>

#define PAGE 4096
#define PAGES 4
#define FUNCTION_BYTES 32
#define FUNCTIONS (PAGES * PAGE / FUNCTION_BYTES)
#define WRITTEN (PROT_READ | PROT_WRITE)
#define EXECUTED (PROT_READ | PROT_EXEC)

static char *pages;
static volatile unsigned faults;
static volatile unsigned wrong_faults;
static char *volatile fault_place; /* where the next fault must be */

static void protect(size_t first, size_t count, int protection)
{
    REQUIRE(mprotect(pages + first * PAGE, count * PAGE, protection) == 0);
}

/* Opens the page, so that the store succeeds when it is executed again. */
static void open_page(int number, siginfo_t *info, void *context)
{
    const size_t page = (size_t)((char *)info->si_addr - pages) / PAGE;

    (void)number;
    (void)context;
    faults++;
    wrong_faults += info->si_addr != fault_place || info->si_code != SEGV_ACCERR;
    REQUIRE(page < PAGES);
    protect(page, 1, WRITTEN);
}

static char *place(size_t number)
{
    return pages + number * FUNCTION_BYTES;
}

static void write_function(size_t number, unsigned value)
{
    const uint32_t words[] = {value << 20 | 10u << 7 | 0x13, 0x00008067};

    memcpy(place(number), words, sizeof(words));
}

static long call(size_t number)
{
    return ((long (*)(void))place(number))();
}

static void synchronize(size_t number)
{
    __builtin___clear_cache(place(number), place(number) + FUNCTION_BYTES);
}

static unsigned value_of(size_t number)
{
    return (unsigned)(number * 7 % 2000);
}

/* As a compiler does: its page is opened for each function, or the `whole` memory; and now and then all functions
 * so far are called. */
static void show_one_by_one(const char *what, int whole)
{
    unsigned wrong = 0;

    protect(0, PAGES, EXECUTED);
    for (size_t i = 0; i < FUNCTIONS; i++) {
        const size_t page = i * FUNCTION_BYTES / PAGE;

        protect(whole ? 0 : page, whole ? PAGES : 1, WRITTEN);
        write_function(i, value_of(i));
        protect(whole ? 0 : page, whole ? PAGES : 1, EXECUTED);
        synchronize(i);
        wrong += call(i) != value_of(i);
        for (size_t j = 0; i % 32 == 0 && j < i; j++) {
            wrong += call(j) != value_of(j);
        }
    }
    printf("%s: wrong %u\n", what, wrong);
}

/* The second of the functions of each page becomes others; its neighbours stay. */
static void show_changes(void)
{
    unsigned wrong = 0;

    for (unsigned i = 0; i < 200; i++) {
        const size_t page = i % PAGES;
        const size_t number = page * PAGE / FUNCTION_BYTES + 1;

        protect(page, 1, WRITTEN);
        write_function(number, i);
        protect(page, 1, EXECUTED);
        synchronize(number);
        wrong += call(number) != i || call(number - 1) != value_of(number - 1);
        wrong += call(number + 1) != value_of(number + 1);
    }
    printf("changed: wrong %u\n", wrong);
}

/* A store to a page that was executed and may not be written is a fault, each time. */
static void show_stores(void)
{
    unsigned wrong = 0;

    for (unsigned i = 0; i < 100; i++) {
        const size_t number = (size_t)i % PAGES * PAGE / FUNCTION_BYTES;
        const uint32_t instruction = (i + 300) << 20 | 10u << 7 | 0x13;

        call(number);
        fault_place = place(number);
        *(volatile uint32_t *)(void *)place(number) = instruction;
        protect(i % PAGES, 1, EXECUTED);
        synchronize(number);
        wrong += call(number) != i + 300;
    }
    printf("stores: wrong %u, faults %u, wrong ones %u\n", wrong, faults, wrong_faults);
}

/* A call that would write to an executable page fails and changes nothing. */
static void show_calls(void)
{
    int ends[2];
    unsigned wrong = 0;

    REQUIRE(pipe(ends) == 0);
    protect(0, PAGES, WRITTEN);
    write_function(0, 55);
    write_function(PAGE / FUNCTION_BYTES, 66);
    protect(0, PAGES, EXECUTED);
    __builtin___clear_cache(pages, pages + PAGES * PAGE);
    for (int i = 0; i < 3; i++) {
        wrong += call(0) != 55 || call(PAGE / FUNCTION_BYTES) != 66;
        REQUIRE(write(ends[1], "0123456789abcdef", 16) == 16);
        printf("read: %s", outcome(read(ends[0], pages, 16)));
        protect(0, 1, WRITTEN);
        printf(", into the page before: %s\n", outcome(read(ends[0], pages + 2048, 16)));
        protect(0, 1, EXECUTED);
        wrong += call(0) != 55 || call(PAGE / FUNCTION_BYTES) != 66;
    }
    printf("calls: wrong %u\n", wrong);
}

/* The permissions of a page, as they are set by the program. */
static void show_map(const char *what)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], permissions[8] = "none";
    unsigned long from = 0, to = 0;

    REQUIRE(maps != NULL);
    while (fgets(line, sizeof(line), maps) != NULL) {
        char found[8];

        if (sscanf(line, "%lx-%lx %7s", &from, &to, found) == 3 && from <= (uintptr_t)pages &&
            (uintptr_t)pages < to) {
            memcpy(permissions, found, sizeof(permissions));
        }
    }
    fclose(maps);
    printf("%s: %s\n", what, permissions);
}

static void show_maps(void)
{
    static const int protections[] = {EXECUTED, WRITTEN, WRITTEN | PROT_EXEC,
                                      PROT_EXEC | PROT_READ};

    protect(0, 1, WRITTEN);
    write_function(0, 88);
    synchronize(0);
    for (size_t i = 0; i < sizeof(protections) / sizeof(protections[0]); i++) {
        protect(0, 1, protections[i]);
        if ((protections[i] & PROT_EXEC) != 0) {
            REQUIRE(call(0) == 88);
        }
        show_map(protections[i] & PROT_EXEC ? "executed" : "closed");
        if ((protections[i] & PROT_WRITE) != 0) {
            write_function(0, 88);
            synchronize(0);
            show_map("written");
        }
    }
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = open_page, .sa_flags = SA_SIGINFO};

    pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages != MAP_FAILED && sigaction(SIGSEGV, &action, NULL) == 0);
    show_one_by_one("one page opened", 0);
    show_one_by_one("all opened", 1);
    show_changes();
    show_stores();
    show_calls();
    show_maps();
    return 0;
}
