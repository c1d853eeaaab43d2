/* Shows the auxiliary vector: page size, random bytes, hardware bits, name, headers, identity. */
#include "common.h"
#include <elf.h>
#include <sys/auxv.h>

#define ISA_BIT(letter) (1ul << ((letter) - 'a'))

int main(void)
{
    const unsigned char *random = (const unsigned char *)getauxval(AT_RANDOM);
    const char *name = (const char *)getauxval(AT_EXECFN);
    const Elf64_Phdr *headers = (const Elf64_Phdr *)getauxval(AT_PHDR);
    unsigned long base_bits =
        ISA_BIT('i') | ISA_BIT('m') | ISA_BIT('a') | ISA_BIT('f') | ISA_BIT('d') | ISA_BIT('c');
    unsigned sum = 0;
    int loads = 0;

    printf("page size %lu\n", getauxval(AT_PAGESZ));
    for (int i = 0; i < 16; i++) {
        sum |= random[i];
    }
    printf("random bytes readable: %d\n", sum <= 255);
    printf("hardware has imafdc: %d\n", (getauxval(AT_HWCAP) & base_bits) == base_bits);
    printf("name: %s\n", strrchr(name, '/') != NULL ? strrchr(name, '/') + 1 : name);
    for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++) {
        loads += headers[i].p_type == PT_LOAD;
    }
    printf("header size %lu, has load segments: %d\n", getauxval(AT_PHENT), loads >= 2);
    printf("entry set: %d\n", getauxval(AT_ENTRY) != 0);
    printf("identity agrees: %d\n",
           getauxval(AT_UID) == getuid() && getauxval(AT_EUID) == geteuid() &&
               getauxval(AT_GID) == getgid() && getauxval(AT_EGID) == getegid());
    printf("secure: %lu\n", getauxval(AT_SECURE));
    printf("clock ticks: %lu\n", getauxval(AT_CLKTCK));
    return 0;
}
