/* Shows a small compiler at run time: random expressions made into machine code, checked by
 * evaluation. */
#include "common.h"
#include <sys/mman.h>

static uint32_t *code;
static size_t length;
static size_t fuel;
static uint64_t state = 88172645463325252u;

static void emit(uint32_t word)
{
    code[length++] = word;
}

static uint32_t op(uint32_t funct7, uint32_t funct3, uint32_t rd, uint32_t rs1, uint32_t rs2)
{
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33;
}

/* Leaves the value in t0 (x5) and returns what it must be for the argument `x` in a0. */
static uint64_t generate(uint64_t x, int depth)
{
    uint64_t choice = next_random(&state) % 8;
    uint64_t left = 0;
    uint64_t right = 0;

    if (depth == 0 || fuel < 100) {
        if (choice < 4) {
            emit(op(0, 0, 5, 10, 0));
            return x;
        }
        right = next_random(&state) % 2048;
        emit((uint32_t)right << 20 | 5u << 7 | 0x13);
        return right;
    }
    fuel -= 10;
    left = generate(x, depth - 1);
    emit(0xff010113);
    emit(0x00513023);
    right = generate(x, depth - 1);
    emit(0x00013303);
    emit(0x01010113);
    switch (choice) {
    case 0:
        emit(op(0, 0, 5, 6, 5));
        return left + right;
    case 1:
        emit(op(0x20, 0, 5, 6, 5));
        return left - right;
    case 2:
        emit(op(1, 0, 5, 6, 5));
        return left * right;
    case 3:
        emit(op(0, 4, 5, 6, 5));
        return left ^ right;
    case 4:
        emit(op(0, 1, 5, 6, 5));
        return left << (right & 63);
    case 5:
        emit(op(1, 5, 5, 6, 5));
        return right == 0 ? UINT64_MAX : left / right;
    case 6:
        emit(op(1, 7, 5, 6, 5));
        return right == 0 ? left : left % right;
    default:
        emit(op(0, 3, 5, 6, 5));
        return left < right;
    }
}

int main(void)
{
    uint64_t hash = CHECKSUM_START;
    int wrong = 0;

    code =
        mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(code != MAP_FAILED);
    for (int i = 0; i < 1000; i++) {
        uint64_t x = next_random(&state) >> (i % 64);
        uint32_t *start = code + length;
        uint64_t wanted = 0;
        uint64_t got = 0;

        fuel = 1500;
        wanted = generate(x, 6);
        emit(op(0, 0, 10, 5, 0));
        emit(0x00008067);
        __builtin___clear_cache((char *)start, (char *)(code + length));
        got = ((uint64_t(*)(uint64_t))start)(x);
        wrong += got != wanted;
        hash = checksum_word(hash, got);
        if (length > 200000) {
            length = 0;
        }
    }
    printf("expressions %016lx, wrong %d\n", hash, wrong);
    return 0;
}
