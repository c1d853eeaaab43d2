/* `strata disasm`: prints the instructions of a RISC-V program's executable sections. */
#include "base/say.h"
#include "cli/command.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/disassemble.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct command_description description = {
    .name = "disasm",
    .usage = "[--] PROGRAM",
    .operand = "FILE",
    .purpose = "Prints the instructions in a RISC-V program's executable sections, one a line:\n"
               "address, word, and the text of objdump -d -M no-aliases,numeric.",
    .options = NULL,
    .option_count = 0,
};
const struct command_description *const command_disasm_description = &description;

static void print_instruction(uint64_t address, const uint8_t *bytes, size_t available,
                              unsigned *length)
{
    uint32_t word = 0;
    struct rv64_insn insn;
    char text[RV64_TEXT_SIZE];
    memcpy(&word, bytes, available < 4 ? available : 4);
    rv64_decode(word, &insn);
    *length = insn.length <= available ? insn.length : (unsigned)available;
    rv64_disassemble(&insn, address, text, sizeof text);
    const uint32_t shown = insn.length == 2 ? word & 0xffff : word;
    printf("%8" PRIx64 ":\t%0*" PRIx32 "\t%s\n", address, insn.length * 2, shown, text);
}

/* False if the file does not hold all of it. */
static bool print_section(Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
    const Elf_Data *data = elf_rawdata(section, NULL);
    if (data == NULL) {
        return false;
    }
    say(stdout, "\n%s:\n", name != NULL ? name : "(no name)");
    for (size_t at = 0; at + 2 <= data->d_size;) {
        unsigned length;
        print_instruction(header->sh_addr + at, (const uint8_t *)data->d_buf + at,
                          data->d_size - at, &length);
        at += length;
    }
    return true;
}

static int print_program(Elf *elf, const char *path)
{
    GElf_Ehdr header;
    size_t names;
    if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == NULL ||
        elf_getshdrstrndx(elf, &names) != 0) {
        say(stderr, "strata: %s: is not an ELF program\n", path);
        return EXIT_NOT_EXECUTABLE;
    }
    if (header.e_machine != EM_RISCV || gelf_getclass(elf) != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB) {
        say(stderr, "strata: %s: is not a little-endian 64-bit RISC-V program\n", path);
        return EXIT_NOT_EXECUTABLE;
    }
    unsigned sections = 0;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr shdr;
        if (gelf_getshdr(section, &shdr) != NULL && shdr.sh_type == SHT_PROGBITS &&
            shdr.sh_flags & SHF_EXECINSTR) {
            if (!print_section(section, &shdr, elf_strptr(elf, names, shdr.sh_name))) {
                say(stderr, "strata: %s: is truncated: a section reaches past its end\n", path);
                return EXIT_NOT_EXECUTABLE;
            }
            sections++;
        }
    }
    if (sections == 0) {
        say(stderr, "strata: %s: has no executable sections to disassemble\n", path);
        return EXIT_NOT_EXECUTABLE;
    }
    return 0;
}

int command_disasm(int count, char **arguments)
{
    int status = 0;
    const int first = command_read_options(&description, NULL, count, arguments, &status);
    if (first < 0) {
        return status;
    }
    if (first + 1 != count) {
        return command_misused(
            &description, first == count ? "there is no program to show" : "one program at a time",
            NULL);
    }
    const char *path = arguments[first];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        const int error = errno;
        say(stderr, "strata: %s: %s\n", path, strerror(error));
        return error == ENOENT || error == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
    }
    elf_version(EV_CURRENT);
    struct stat kind;
    Elf *elf = NULL;
    if (fstat(fd, &kind) == 0 && !S_ISREG(kind.st_mode)) {
        say(stderr, "strata: %s: is not a regular file\n", path);
        status = EXIT_NOT_EXECUTABLE;
    } else if ((elf = elf_begin(fd, ELF_C_READ, NULL)) == NULL) {
        say(stderr, "strata: %s: is not an ELF program\n", path);
        status = EXIT_NOT_EXECUTABLE;
    } else {
        status = print_program(elf, path);
        elf_end(elf);
    }
    close(fd);
    return status;
}
