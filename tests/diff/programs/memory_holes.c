/* Looks for places that are neither free nor in /proc/self/maps, and changes what it finds there.
 *
 * There are none but under a translator, which then has to look like a hole that cannot be filled. */
#include "common.h"
#include <sys/mman.h>

#define LINES 256
#define PAGE UINT64_C(4096)
#define STEP (UINT64_C(64) << 10)
#define SEARCHED (UINT64_C(1) << 30)

struct range {
    uint64_t start, end;
};

static struct range mapped[LINES];
static unsigned count;

static void read_maps(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4352];

    REQUIRE(maps != NULL);
    for (count = 0; fgets(line, sizeof(line), maps) != NULL; count++) {
        REQUIRE(count < LINES &&
                sscanf(line, "%lx-%lx", &mapped[count].start, &mapped[count].end) == 2);
    }
    REQUIRE(fclose(maps) == 0);
}

/* A mapping that the list does not have keeps another from being made here. */
static int is_taken(uint64_t address)
{
    void *place = mmap((void *)address, PAGE, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    if (place != MAP_FAILED) {
        REQUIRE(munmap(place, PAGE) == 0);
    }
    return place != (void *)address;
}

static int is_error(long result, int error)
{
    return result == -1 && errno == error;
}

static int looks_like_hole(uint64_t address)
{
    void *page = (void *)address;
    const int any = MAP_PRIVATE | MAP_ANONYMOUS;
    void *own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, any, -1, 0);
    void *fixed = mmap(page, PAGE, PROT_READ, any | MAP_FIXED, -1, 0);
    int good = fixed == MAP_FAILED && errno == ENOMEM;

    good &= munmap(page, PAGE) == 0;
    good &= is_error(mprotect(page, PAGE, PROT_NONE), ENOMEM);
    good &= is_error(madvise(page, PAGE, MADV_DONTNEED), ENOMEM);
    good &= is_error((long)mremap(page, PAGE, 2 * PAGE, MREMAP_MAYMOVE), EFAULT);
    good &= is_error((long)mremap(own, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, page), EFAULT);
    REQUIRE(munmap(own, PAGE) == 0);
    return good;
}

int main(void)
{
    unsigned strange = 0;
    unsigned unmapped = 0;

    read_maps();
    for (unsigned i = 1; i < count; i++) {
        uint64_t low = mapped[i - 1].end;
        const uint64_t high = mapped[i].start;
        if (high - low > SEARCHED) {
            low = high - SEARCHED;
        }
        for (uint64_t address = low; address < high; address += STEP) {
            strange += is_taken(address) && !looks_like_hole(address);
        }
        unmapped += high > low && munmap((void *)low, high - low) != 0;
    }
    printf("strange places %u, holes that could not be unmapped %u\n", strange, unmapped);
    for (unsigned i = 0; i < 100; i++) {
        free(malloc(i * PAGE));
    }
    puts("still here");
    return 0;
}
