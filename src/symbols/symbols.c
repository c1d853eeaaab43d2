/* Opens a program's file for symbols and joins what its symbol table and its line table say. */
#define _POSIX_C_SOURCE 200809L

#include "symbols/symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/functions.h"
#include "symbols/lines.h"

struct symbols {
    int fd;
    Elf *elf;
    struct functions functions;
    struct lines lines;
};

struct symbols *symbols_open(const char *path)
{
    if (elf_version(EV_CURRENT) == EV_NONE) {
        return NULL;
    }
    struct symbols *symbols = calloc(1, sizeof *symbols);
    if (symbols == NULL) {
        return NULL;
    }
    symbols->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (symbols->fd >= 0) {
        symbols->elf = elf_begin(symbols->fd, ELF_C_READ_MMAP, NULL);
    }
    if (symbols->elf == NULL || elf_kind(symbols->elf) != ELF_K_ELF) {
        symbols_close(symbols);
        return NULL;
    }
    functions_read(&symbols->functions, symbols->elf);
    lines_open(&symbols->lines, symbols->elf);
    return symbols;
}

bool symbols_find(struct symbols *symbols, uint64_t address, struct symbol_place *place)
{
    *place = (struct symbol_place){0};
    if (symbols == NULL) {
        return false;
    }
    bool function_known =
        functions_find(&symbols->functions, address, &place->function, &place->offset);
    struct line_place line;
    bool line_known = lines_find(&symbols->lines, address, &line);
    if (line_known) {
        const char *slash = strrchr(line.path, '/');
        place->file = slash != NULL ? slash + 1 : line.path;
        place->line = line.line;
        place->path = line.path;
        place->folder = line.folder;
    }
    return function_known || line_known;
}

const char *symbols_function(struct symbols *symbols, uint64_t address, uint64_t *start,
                             uint64_t *end)
{
    return functions_range(&symbols->functions, address, start, end);
}

bool symbols_address(struct symbols *symbols, uint64_t offset, uint64_t *address)
{
    size_t count = 0;
    if (elf_getphdrnum(symbols->elf, &count) != 0) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(symbols->elf, (int)i, &header) != NULL && header.p_type == PT_LOAD &&
            offset >= header.p_offset && offset - header.p_offset < header.p_filesz) {
            *address = header.p_vaddr + (offset - header.p_offset);
            return true;
        }
    }
    return false;
}

void symbols_close(struct symbols *symbols)
{
    if (symbols == NULL) {
        return;
    }
    lines_close(&symbols->lines);
    functions_free(&symbols->functions);
    if (symbols->elf != NULL) {
        elf_end(symbols->elf);
    }
    if (symbols->fd >= 0) {
        close(symbols->fd);
    }
    free(symbols);
}
