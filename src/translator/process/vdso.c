/* Finds the vDSO by the image that the auxiliary vector names. */
#include "translator/process/vdso.h"

#include <linux/elf.h>

static bool is_image(const Elf64_Ehdr *header)
{
    static const char magic[SELFMAG] = ELFMAG;

    for (unsigned i = 0; i < SELFMAG; i++) {
        if (header->e_ident[i] != (unsigned char)magic[i]) {
            return false;
        }
    }
    return header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_phentsize == sizeof(Elf64_Phdr);
}

struct code_range vdso_find(uint64_t image)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(uintptr_t)image;
    uint64_t low = UINT64_MAX, high = 0;

    if (image == 0 || !is_image(header)) {
        return (struct code_range){0, 0};
    }
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(uintptr_t)(image + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; i++) {
        const Elf64_Phdr *at = &segments[i];
        if (at->p_type == PT_LOAD) {
            low = at->p_vaddr < low ? at->p_vaddr : low;
            high = at->p_vaddr + at->p_memsz > high ? at->p_vaddr + at->p_memsz : high;
        }
    }
    return high > low ? (struct code_range){image, image + (high - low)}
                      : (struct code_range){0, 0};
}
