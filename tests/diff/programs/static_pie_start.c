/* Shows a static position-independent program without libc: it relocates itself and prints data. */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>

extern Elf64_Dyn _DYNAMIC[] __attribute__((visibility("hidden")));
extern const Elf64_Ehdr image __asm__("__ehdr_start") __attribute__((visibility("hidden")));

static const char first[] = "first\n";
static const char second[] = "second\n";
static const char *const lines[] = {first, second, "third\n"};

static long system_call(long number, long a, long b, long c)
{
    register long a0 __asm__("a0") = a;
    register long a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c;
    register long a7 __asm__("a7") = number;

    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

static size_t relocate(uintptr_t base)
{
    const Elf64_Rela *rela = NULL;
    size_t size = 0;

    for (const Elf64_Dyn *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_RELA) {
            rela = (const Elf64_Rela *)(base + entry->d_un.d_ptr);
        } else if (entry->d_tag == DT_RELASZ) {
            size = entry->d_un.d_val;
        }
    }
    for (size_t i = 0; i < size / sizeof(*rela); i++) {
        *(uint64_t *)(base + rela[i].r_offset) = base + (uint64_t)rela[i].r_addend;
    }
    return size / sizeof(*rela);
}

/* AT_PHDR, AT_ENTRY as the kernel gives them must agree with where the image really is. */
static int vector_agrees(const uintptr_t *stack, uintptr_t base)
{
    const uintptr_t *word = stack + 1 + stack[0] + 1;
    int agrees = 0;

    while (*word != 0) {
        word++;
    }
    for (word++; word[0] != AT_NULL; word += 2) {
        agrees += word[0] == AT_PHDR && word[1] == base + image.e_phoff;
        agrees += word[0] == AT_ENTRY && word[1] == base + image.e_entry;
        agrees += word[0] == AT_PHNUM && word[1] == image.e_phnum;
    }
    return agrees;
}

__attribute__((used)) static void begin(const uintptr_t *stack)
{
    uintptr_t base = (uintptr_t)&image;

    if (relocate(base) < 3) {
        system_call(94, 1, 0, 0);
    }
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        long length = 0;

        while (lines[i][length] != '\0') {
            length++;
        }
        system_call(64, 1, (long)lines[i], length);
    }
    system_call(94, 40 + vector_agrees(stack, base), 0, 0);
}

__asm__(".globl _start\n"
        "_start:\n"
        ".option push\n"
        ".option norelax\n"
        "    lla gp, __global_pointer$\n"
        ".option pop\n"
        "    mv a0, sp\n"
        "    call begin\n");
