/* Decodes all code of a file in one pass, from the beginning of each section to its end. */
#include "symbols/called.h"

#include "isa/rv64/decode.h"

#include <gelf.h>
#include <stddef.h>
#include <string.h>

#define STUBS ".plt"
#define MAX_SECTIONS 64 /* with code: programs have a handful */

struct code_section {
    const uint8_t *bytes;
    uint64_t address, size;
};

struct calls {
    struct code_section sections[MAX_SECTIONS];
    size_t count;
    bool (*found)(void *context, uint64_t start, uint64_t end);
    void *context;
};

/* The sections with code, but for the stubs. */
static void find_code(Elf *elf, struct calls *calls)
{
    size_t names;
    Elf_Scn *scn = NULL;
    if (elf_getshdrstrndx(elf, &names) != 0) {
        return;
    }
    while (calls->count < MAX_SECTIONS && (scn = elf_nextscn(elf, scn)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(scn, &header) == NULL || (header.sh_flags & SHF_EXECINSTR) == 0 ||
            header.sh_type == SHT_NOBITS) {
            continue;
        }
        const char *name = elf_strptr(elf, names, header.sh_name);
        const Elf_Data *data = elf_rawdata(scn, NULL);
        if (name != NULL && strcmp(name, STUBS) != 0 && data != NULL && data->d_buf != NULL) {
            calls->sections[calls->count++] = (struct code_section){
                .bytes = data->d_buf, .address = header.sh_addr, .size = data->d_size};
        }
    }
}

/* False to stop. */
static bool tell(const struct calls *calls, uint64_t target)
{
    for (size_t i = 0; i < calls->count; i++) {
        const struct code_section *section = &calls->sections[i];
        if (target - section->address < section->size) {
            return calls->found(calls->context, target, section->address + section->size);
        }
    }
    return true;
}

static void decode_at(const struct code_section *section, uint64_t offset, struct rv64_insn *insn)
{
    uint32_t word = 0;
    for (unsigned i = 0; i < 4 && offset + i < section->size; i++) {
        word |= (uint32_t)section->bytes[offset + i] << (8 * i);
    }
    rv64_decode(word, insn);
}

static bool links(const struct rv64_insn *insn)
{
    return insn->rd == 1 || insn->rd == 5;
}

/* A far call, or the address of a function, takes an auipc and what follows it. */
static bool completes(const struct rv64_insn *upper, const struct rv64_insn *insn)
{
    return upper->op == RV64_auipc && insn->rs1 == upper->rd &&
           ((insn->op == RV64_jalr && links(insn)) || insn->op == RV64_addi);
}

static bool walk(const struct calls *calls, const struct code_section *section)
{
    struct rv64_insn before = {.op = RV64_illegal}, insn;
    uint64_t previous = 0;
    for (uint64_t offset = 0; offset + 2 <= section->size; offset += insn.length) {
        const uint64_t pc = section->address + offset;
        decode_at(section, offset, &insn);
        if (insn.op == RV64_jal && links(&insn)) {
            if (!tell(calls, pc + (uint64_t)insn.imm)) {
                return false;
            }
        } else if (completes(&before, &insn) &&
                   !tell(calls, previous + (uint64_t)before.imm + (uint64_t)insn.imm)) {
            return false;
        }
        before = insn;
        previous = pc;
    }
    return true;
}

void called_read(Elf *elf, bool (*found)(void *context, uint64_t start, uint64_t end),
                 void *context)
{
    struct calls calls = {.found = found, .context = context};
    GElf_Ehdr header;
    if (gelf_getehdr(elf, &header) == NULL || header.e_machine != EM_RISCV ||
        header.e_ident[EI_CLASS] != ELFCLASS64) {
        return;
    }
    find_code(elf, &calls);
    if (!tell(&calls, header.e_entry)) {
        return;
    }
    for (size_t i = 0; i < calls.count && walk(&calls, &calls.sections[i]); i++) {
    }
}
