/* Reads from an ELF file's headers what a loader must know; freestanding, allocates nothing. */
#ifndef STRATA_ELF_IMAGE_H
#define STRATA_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum elf_status {
#define ELF_STATUS(code, message) ELF_##code,
#include "elf/status.def"
#undef ELF_STATUS
    ELF_STATUS_COUNT
};

enum {
    ELF_MACHINE_X86_64 = 62,
    ELF_MACHINE_RISCV = 243,
};

/* Bits of image.flags for ELF_MACHINE_RISCV (RISC-V ELF psABI, "File Header"). */
enum {
    ELF_RISCV_COMPRESSED = 0x1,
    ELF_RISCV_FLOAT_ABI = 0x6,
    ELF_RISCV_FLOAT_ABI_QUAD = 0x6,
    ELF_RISCV_EMBEDDED = 0x8,
};

/* The values of Linux's PROT_READ, PROT_WRITE and PROT_EXEC, not those of p_flags, which has them
 * in the other order. */
enum {
    ELF_READ = 1,
    ELF_WRITE = 2,
    ELF_EXECUTE = 4,
};

enum {
    ELF_HEADER_BYTES = 64,
    ELF_PHDR_BYTES = 56,
    ELF_MAX_SEGMENTS = 16,
    ELF_MAX_INTERPRETER_BYTES = 4096, /* Linux's PATH_MAX, with the terminating zero */
    ELF_PAGE_BYTES = 4096,
};

/* Linux gives an RV64 program with Sv39 page tables the addresses below this. */
#define ELF_ADDRESS_LIMIT (UINT64_C(1) << 38)

/* One part of the file to load.  file_bytes <= memory_bytes; the rest is zero. */
struct elf_segment {
    uint64_t address; /* before the load bias of a position-independent program */
    uint64_t memory_bytes;
    uint64_t file_offset;
    uint64_t file_bytes;
    uint8_t permissions; /* ELF_READ | ELF_WRITE | ELF_EXECUTE */
};

/* Every address is as in the file: a loader that puts a position-independent program elsewhere adds
 * its bias to each of them. */
struct elf_image {
    uint16_t machine;
    bool position_independent;
    bool has_interpreter;
    bool executable_stack;
    uint32_t flags; /* e_flags */
    uint64_t entry;
    uint64_t phdr_address; /* where loading puts the program headers; 0 if no segment holds them */
    uint16_t phdr_count;
    uint16_t phdr_size;
    uint16_t segment_count;
    /* In ascending order of address, whatever the order in the file.  None is empty and no two
     * share a byte, but two may share a page. */
    struct elf_segment segments[ELF_MAX_SEGMENTS];
    uint64_t low;  /* the first byte of the first segment */
    uint64_t high; /* one past the last byte of the last segment */
    uint64_t interpreter_offset;
    uint64_t interpreter_bytes; /* with the terminating zero */
};

/* Reads the headers of a program for `machine`.  The file has `file_bytes` bytes, of which the
 * first `available` are at `bytes`.
 *
 * On ELF_WRONG_MACHINE image->machine is what the file says.  On ELF_NO_ENTRY and ELF_BAD_ENTRY, the
 * last things to be checked, all of the image is valid but the entry: it can still be disassembled
 * or loaded as data. */
enum elf_status elf_read(struct elf_image *image, const uint8_t *bytes, size_t available,
                         uint64_t file_bytes, uint16_t machine);

/* Checks the interpreter's name, the `count` bytes of the file that the image names: elf_read does
 * it only when they are among its `available` bytes.  ELF_OK or ELF_BAD_INTERPRETER. */
enum elf_status elf_check_interpreter(const uint8_t *name, size_t count);

/* One line for a person that continues the file's name: "is not an ELF program". */
const char *elf_status_message(enum elf_status status);

#endif
