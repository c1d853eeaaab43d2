/* Shows generated code that goes on in the program's own functions: changed and added piece by piece, each
 * piece right behind the one before it. */
#include "common.h"
#include <sys/mman.h>

#define PAGE ((uintptr_t)4096)
#define STUBS 400
#define STUB_WORDS 3

static uint32_t *code;

__attribute__((noinline)) static long twice(long value)
{
    return 2 * value;
}

__attribute__((noinline)) static long square(long value)
{
    long sum = 0;

    for (long i = 0; i < value; i++) {
        sum += value;
    }
    return sum;
}

/* From where a jump reaches the program, forward. */
static void *map_below_program(size_t bytes)
{
    const uintptr_t program = (uintptr_t)twice & -PAGE;

    for (uintptr_t distance = 0x1000000; distance < 0x40000000; distance += 0x1000000) {
        void *place = mmap((void *)(program - distance), bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(place != MAP_FAILED);
        if (program - (uintptr_t)place < 0x40000000) {
            return place;
        }
        REQUIRE(munmap(place, bytes) == 0);
    }
    REQUIRE(!"a place below the program");
    return NULL;
}

/* Adds `amount` to its argument and goes on to `target`. */
static void put(int stub, uint32_t amount, long (*target)(long))
{
    uint32_t *at = code + stub * STUB_WORDS;
    const uint32_t offset = (uint32_t)((uintptr_t)target - (uintptr_t)(at + 1));

    at[0] = amount << 20 | 10u << 15 | 10u << 7 | 0x13;
    at[1] = ((offset + 0x800) & 0xfffff000u) | 6u << 7 | 0x17;
    at[2] = (offset & 0xfff) << 20 | 6u << 15 | 0x67;
}

static void sync_code(void)
{
    __builtin___clear_cache((char *)code, (char *)(code + STUBS * STUB_WORDS));
}

static long call(int stub, long argument)
{
    long (*function)(long) = (long (*)(long))(uintptr_t)(code + stub * STUB_WORDS);

    return function(argument);
}

static uint64_t call_all(int count)
{
    uint64_t sum = 0;

    for (int i = 0; i < count; i++) {
        sum = sum * 31 + (uint64_t)call(i, i % 7);
    }
    return sum;
}

int main(void)
{
    uint64_t state = 1;

    code = map_below_program(STUBS * STUB_WORDS * sizeof *code);
    for (int i = 0; i < STUBS; i++) {
        put(i, (uint32_t)i, i % 3 == 0 ? square : twice);
        sync_code();
        REQUIRE(call(i, 5) == (i % 3 == 0 ? square : twice)(5 + i));
    }
    printf("added: %016llx\n", (unsigned long long)call_all(STUBS));
    for (int round = 0; round < 200; round++) {
        const int stub = (int)(next_random(&state) % STUBS);
        const uint32_t amount = (uint32_t)(next_random(&state) % 2048);
        put(stub, amount, round % 2 == 0 ? square : twice);
        sync_code();
        REQUIRE(call(stub, 3) == (round % 2 == 0 ? square : twice)(3 + (long)amount));
    }
    printf("changed: %016llx\n", (unsigned long long)call_all(STUBS));
    return 0;
}
