/* Opens a program's file for symbols and joins what its symbol table and its line table say. */
#define _POSIX_C_SOURCE 200809L

#include "symbols/symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/functions.h"
#include "symbols/lines.h"
#include "symbols/named.h"

struct symbols {
    void *image; /* the file's bytes; NULL if there are none */
    size_t bytes;
    Elf *elf;
    struct functions functions;
    struct lines lines;
};

/* The bytes of a regular file; NULL if there are none.  No descriptor stays open: a program that runs meanwhile
 * would find its own to be others.  Nor does one that is no file hold anybody up. */
static void *map_file(const char *path, size_t *bytes)
{
    struct stat status;
    void *image = MAP_FAILED;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0) {
        return NULL;
    }
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        *bytes = (size_t)status.st_size;
        image = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    }
    close(fd);
    return image != MAP_FAILED ? image : NULL;
}

struct symbols *symbols_open(const char *path)
{
    if (elf_version(EV_CURRENT) == EV_NONE) {
        return NULL;
    }
    struct symbols *symbols = calloc(1, sizeof *symbols);
    if (symbols == NULL) {
        return NULL;
    }
    symbols->image = map_file(path, &symbols->bytes);
    if (symbols->image != NULL) {
        symbols->elf = elf_memory(symbols->image, symbols->bytes);
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

bool symbols_function(struct symbols *symbols, uint64_t address, const char **name, uint64_t *start,
                      uint64_t *end)
{
    return functions_range(&symbols->functions, address, name, start, end);
}

/* The loaded segment that has the address, or the byte of the file. */
static bool find_segment(Elf *elf, bool linked, uint64_t at, GElf_Phdr *header)
{
    size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (gelf_getphdr(elf, (int)i, header) != NULL && header->p_type == PT_LOAD) {
            const uint64_t start = linked ? header->p_vaddr : header->p_offset;
            if (at >= start && at - start < header->p_filesz) {
                return true;
            }
        }
    }
    return false;
}

bool symbols_address(struct symbols *symbols, uint64_t offset, uint64_t *address)
{
    GElf_Phdr header;
    if (!find_segment(symbols->elf, false, offset, &header)) {
        return false;
    }
    *address = header.p_vaddr + (offset - header.p_offset);
    return true;
}

bool symbols_offset(struct symbols *symbols, uint64_t address, uint64_t *offset)
{
    GElf_Phdr header;
    if (!find_segment(symbols->elf, true, address, &header)) {
        return false;
    }
    *offset = header.p_offset + (address - header.p_vaddr);
    return true;
}

void symbols_each_range(struct symbols *symbols, enum symbol_kind kind, const char *name,
                        void (*range)(void *context, uint64_t start, uint64_t end), void *context)
{
    const struct named_search search = {.name = name, .range = range, .context = context};

    if (kind == SYMBOL_FILE) {
        named_file(&symbols->lines, &search);
    } else {
        named_functions(symbols->elf, &symbols->functions, &search);
        named_inlined(&symbols->lines, &search);
    }
}

void symbols_each_name(struct symbols *symbols, enum symbol_kind kind,
                       void (*known)(void *context, const char *name), void *context)
{
    if (kind == SYMBOL_FILE) {
        named_each_file(&symbols->lines, known, context);
    } else {
        named_each_function(symbols->elf, known, context);
    }
}

/* Calls `visit` for each entry of the dynamic section, with the number of the section that has its strings. */
static void each_dynamic(Elf *elf,
                         void (*visit)(void *context, const GElf_Dyn *entry, size_t strings),
                         void *context)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        GElf_Dyn entry;
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_DYNAMIC) {
            continue;
        }
        Elf_Data *data = elf_getdata(section, NULL);
        for (int i = 0; data != NULL && gelf_getdyn(data, i, &entry) != NULL; i++) {
            visit(context, &entry, header.sh_link);
        }
    }
}

struct needed_search {
    Elf *elf;
    void (*needed)(void *context, const char *name);
    void (*folder)(void *context, const char *folders);
    void *context;
};

static void tell_needed(void *context, const GElf_Dyn *entry, size_t strings)
{
    const struct needed_search *search = context;
    const bool needed = entry->d_tag == DT_NEEDED;
    const bool folder = entry->d_tag == DT_RUNPATH || entry->d_tag == DT_RPATH;
    const char *text =
        needed || folder ? elf_strptr(search->elf, strings, entry->d_un.d_val) : NULL;

    if (text != NULL) {
        (needed ? search->needed : search->folder)(search->context, text);
    }
}

void symbols_each_needed(struct symbols *symbols, void (*needed)(void *context, const char *name),
                         void (*folder)(void *context, const char *folders), void *context)
{
    struct needed_search search = {
        .elf = symbols->elf, .needed = needed, .folder = folder, .context = context};

    each_dynamic(symbols->elf, tell_needed, &search);
}

static void take_flags(void *context, const GElf_Dyn *entry, size_t strings)
{
    (void)strings;
    if (entry->d_tag == DT_FLAGS_1) {
        *(uint64_t *)context = entry->d_un.d_val;
    }
}

bool symbols_of_library(struct symbols *symbols)
{
    GElf_Ehdr header;
    uint64_t flags = 0;

    if (symbols == NULL || gelf_getehdr(symbols->elf, &header) == NULL || header.e_type != ET_DYN) {
        return false;
    }
    each_dynamic(symbols->elf, take_flags, &flags);
    return (flags & DF_1_PIE) == 0;
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
    if (symbols->image != NULL) {
        munmap(symbols->image, symbols->bytes);
    }
    free(symbols);
}
