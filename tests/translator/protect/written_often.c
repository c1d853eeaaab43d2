/* Shows code in pages that are written to all the time: whatever a translator does about such pages, it must see
 * each change among thousands of stores that change nothing, also after a long time without any. */
#include "silent.h"

#define PAGES 8
#define ROUNDS 40

extern char self_start[], self_patch[], self_end[];

/* Adds 1 to *a2, a0 times, and then writes the instruction a1 to a3. */
__asm__(".section .rodata\n"
        ".balign 8\n"
        ".option push\n"
        ".option norvc\n"
        "self_start:\n"
        "    li a4, 0\n"
        "1:  ld t1, 0(a2)\n"
        "    addi t1, t1, 1\n"
        "    sd t1, 0(a2)\n"
        "    addi a0, a0, -1\n"
        "    bnez a0, 1b\n"
        "    sw a1, 0(a3)\n" SAY_IT "self_patch:\n"
        "    addi a4, a4, 0\n"
        "    slli a0, t1, 12\n"
        "    add a0, a0, a4\n"
        "    ret\n"
        "self_end:\n"
        ".option pop\n"
        ".text\n");

typedef uint64_t self(uint64_t count, uint32_t instruction, char *data, char *patched);

/* Code that counts in its own page and then changes itself. */
static void show_self(void)
{
    char *code = map_pages(1);
    uint64_t hash = CHECKSUM_START;

    memcpy(code, self_start, (size_t)(self_end - self_start));
    say_it();
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        const uint32_t add = (uint32_t)i << 20 | 14u << 15 | 14u << 7 | 0x13;
        const uint64_t got =
            ((self *)code)(i * i, add, code + 1024, code + (self_patch - self_start));

        hash = checksum_word(hash, got);
    }
    printf("by itself: %016lx\n", hash);
}

/* `stores` beside the function, then a change of it, in each page in turn; then calls without any store. */
static void show(unsigned stores, unsigned calls)
{
    char *pages = map_pages(PAGES);
    unsigned wrong = 0;

    for (unsigned i = 0; i < ROUNDS * PAGES; i++) {
        char *page = pages + (size_t)i % PAGES * PAGE;
        volatile uint64_t *data = (volatile uint64_t *)(void *)(page + 2048);

        for (unsigned j = 0; j < stores; j++) {
            data[j % 100] += j;
            if (j % 64 == 0 && i >= PAGES) {
                wrong += call(page) != i - PAGES;
            }
        }
        write_function(page, i);
        say_it();
        for (unsigned j = 0; j < calls; j++) {
            wrong += call(page) != i;
        }
    }
    printf("%u stores, %u calls: wrong %u\n", stores, calls, wrong);
    REQUIRE(munmap(pages, PAGES * PAGE) == 0);
}

int main(void)
{
    show_self();
    show(0, 1);
    show(1, 1);
    show(300, 1);
    show(300, 300);
    show(3, 2000);
    return 0;
}
