/* Shows code whose page is unmapped, mapped again with other code, moved and protected again. */
#include "common.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

static sigjmp_buf back;

static void note(int number)
{
    siglongjmp(back, number);
}

static void write_function(uint32_t *code, unsigned value)
{
    code[0] = value << 20 | 10u << 7 | 0x13;
    code[1] = 0x00008067;
}

int main(void)
{
    int all = PROT_READ | PROT_WRITE | PROT_EXEC;
    int kind = MAP_PRIVATE | MAP_ANONYMOUS;
    uint32_t *code = mmap(NULL, 4096, all, kind, -1, 0);
    long (*volatile function)(void) = (long (*)(void))code;
    int file = open("code", O_CREAT | O_RDWR, 0700);
    uint32_t words[2];
    volatile long sum = 0;

    REQUIRE(code != MAP_FAILED && file >= 0 && signal(SIGSEGV, note) != SIG_ERR);
    for (unsigned i = 0; i < 200; i++) {
        write_function(code, i);
        __builtin___clear_cache((char *)code, (char *)(code + 2));
        sum += function() * (long)i;
        REQUIRE(munmap(code, 4096) == 0);
        if (i % 50 == 0) {
            if (sigsetjmp(back, 1) == 0) {
                printf("returned %ld\n", function());
            } else {
                printf("gone\n");
            }
        }
        REQUIRE(mmap(code, 4096, all, kind | MAP_FIXED, -1, 0) == code);
    }
    printf("sum %ld\n", sum);
    write_function(code, 77);
    REQUIRE(mprotect(code, 4096, PROT_READ | PROT_EXEC) == 0);
    __builtin___clear_cache((char *)code, (char *)(code + 2));
    printf("executable %ld\n", function());
    REQUIRE(mprotect(code, 4096, PROT_READ | PROT_WRITE) == 0);
    if (sigsetjmp(back, 1) == 0) {
        printf("returned %ld\n", function());
    } else {
        printf("not executable any more\n");
    }
    write_function(words, 99);
    REQUIRE(write(file, words, sizeof(words)) == sizeof(words));
    REQUIRE(mmap(code, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0) == code);
    __builtin___clear_cache((char *)code, (char *)(code + 2));
    printf("from a file %ld\n", function());
    return 0;
}
