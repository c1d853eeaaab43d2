/* Reads .symtab, or .dynsym in a stripped file, into a table for binary search, and finds what has no symbol. */
#include "symbols/functions.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/called.h"
#include "symbols/demangle.h"
#include "symbols/frames.h"

/* A label of hand-written assembly has no type and no size.  It counts as a function unless it is
 * inside a real one: any typed symbol ranks before it. */
enum { RANK_LABEL = 100 };

/* Aliases are common in libc: "malloc" says more than "__libc_malloc". */
static unsigned rank_symbol(const GElf_Sym *symbol, const char *name)
{
    unsigned rank = GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE ? RANK_LABEL : 0;

    switch (GELF_ST_BIND(symbol->st_info)) {
    case STB_GLOBAL:
        break;
    case STB_WEAK:
        rank += 1;
        break;
    default:
        rank += 2;
        break;
    }
    size_t underscores = strspn(name, "_");
    bool cxx = strncmp(name, "_Z", 2) == 0;
    return rank + (cxx ? 0 : (unsigned)(underscores < 8 ? underscores : 8) * 4);
}

/* The assembler's own names: ".L" labels, and the "$x" and "$d" that mark code and data. */
static bool name_is_internal(const char *name)
{
    return name[0] == '\0' || name[0] == '$' || strncmp(name, ".L", 2) == 0;
}

static bool append(struct functions *functions, const struct function *function)
{
    if (functions->count == functions->capacity) {
        size_t capacity = functions->capacity > 0 ? 2 * functions->capacity : 256;
        struct function *items = realloc(functions->items, capacity * sizeof *items);
        if (items == NULL) {
            return false;
        }
        functions->items = items;
        functions->capacity = capacity;
    }
    functions->items[functions->count++] = *function;
    return true;
}

/* The end of the executable section that holds the symbol, or 0: then it is not code. */
static uint64_t code_end(Elf *elf, const GElf_Sym *symbol)
{
    GElf_Shdr header;

    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE) {
        return 0;
    }
    Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
    if (section == NULL || gelf_getshdr(section, &header) == NULL ||
        (header.sh_flags & SHF_EXECINSTR) == 0) {
        return 0;
    }
    return header.sh_addr + header.sh_size;
}

static bool read_symbol(struct functions *functions, Elf *elf, const GElf_Sym *symbol,
                        const char *name)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    bool function = type == STT_FUNC || type == STT_GNU_IFUNC;

    if ((!function && type != STT_NOTYPE) || name == NULL || name_is_internal(name)) {
        return true;
    }
    uint64_t end = code_end(elf, symbol);
    if (symbol->st_value >= end) {
        return true;
    }
    /* One that reaches past its section is damaged; the section bounds it as it does a label. */
    const bool sized = symbol->st_size > 0;
    if (sized && symbol->st_size < end - symbol->st_value) {
        end = symbol->st_value + symbol->st_size;
    }
    return append(functions, &(struct function){
                                 .address = symbol->st_value,
                                 .end = end,
                                 .sized = sized,
                                 .name = name,
                                 .rank = rank_symbol(symbol, name),
                             });
}

static void read_table(struct functions *functions, Elf *elf, Elf_Scn *section,
                       const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);

    if (data == NULL || header->sh_entsize == 0) {
        return;
    }
    uint64_t count = header->sh_size / header->sh_entsize;
    GElf_Sym symbol;
    for (int i = 0; (uint64_t)i < count && gelf_getsym(data, i, &symbol) != NULL; i++) {
        if (!read_symbol(functions, elf, &symbol,
                         elf_strptr(elf, header->sh_link, symbol.st_name))) {
            return;
        }
    }
}

static int compare_functions(const void *left, const void *right)
{
    const struct function *a = left;
    const struct function *b = right;

    if (a->address != b->address) {
        return a->address < b->address ? -1 : 1;
    }
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

/* Keeps one function per address and none of the labels inside a function, and ends each where the
 * next begins.  Requires the order of compare_functions. */
static void settle(struct functions *functions)
{
    size_t kept = 0;
    uint64_t typed_end = 0;

    for (size_t i = 0; i < functions->count; i++) {
        const struct function *item = &functions->items[i];
        bool label = item->rank >= RANK_LABEL;
        if (kept > 0 && item->address == functions->items[kept - 1].address) {
            continue;
        }
        if (label && item->address < typed_end) {
            continue;
        }
        if (!label && item->sized) {
            typed_end = item->end;
        }
        if (kept > 0 && functions->items[kept - 1].end > item->address) {
            functions->items[kept - 1].end = item->address;
        }
        functions->items[kept++] = *item;
    }
    functions->count = kept;
}

/* The last function that begins at or before `address`; NULL if there is none. */
static struct function *find_before(struct functions *functions, uint64_t address)
{
    size_t low = 0;
    size_t high = functions->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (functions->items[middle].address <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? &functions->items[low - 1] : NULL;
}

static int compare_addresses(const void *left, const void *right)
{
    const struct function *a = left;
    const struct function *b = right;

    return a->address < b->address ? -1 : a->address > b->address;
}

static bool note_sized(void *context, uint64_t start, uint64_t end)
{
    return append(context, &(struct function){.address = start, .end = end, .sized = true});
}

static bool note_unsized(void *context, uint64_t start, uint64_t end)
{
    return append(context, &(struct function){.address = start, .end = end});
}

/* Adds those of `more` that are not inside a function.  What has no size ends where another begins. */
static void add_between(struct functions *functions, struct functions *more)
{
    const size_t known = functions->count;

    if (more->count > 0) {
        qsort(more->items, more->count, sizeof *more->items, compare_addresses);
    }
    for (size_t i = 0; i < more->count; i++) {
        struct function *item = &more->items[i];
        /* Those that are added stand behind the known ones, where the search does not see them. */
        struct functions searched = {.items = functions->items, .count = known};
        struct function *before = find_before(&searched, item->address);
        const struct function *next = before != NULL ? before + 1 : functions->items;
        const bool inside = before != NULL && item->address < before->end;
        struct function *last =
            functions->count > known ? &functions->items[functions->count - 1] : NULL;
        const bool inside_last = last != NULL && item->address < last->end;
        if ((inside && (before->sized || before->address == item->address)) ||
            (inside_last && (last->sized || last->address == item->address))) {
            continue;
        }
        if (inside) {
            before->end = item->address;
        }
        if (inside_last) {
            last->end = item->address;
        }
        if (next != NULL && next < functions->items + known && next->address < item->end) {
            item->end = next->address;
        }
        if (!append(functions, item)) {
            break;
        }
    }
    if (functions->count > known) {
        qsort(functions->items, functions->count, sizeof *functions->items, compare_addresses);
    }
}

/* Adds the functions without a symbol: where the file says how to unwind the stack of one, which it does of C++ and
 * of libraries, and in a stripped file also where calls lead to. */
static void fill_gaps(struct functions *functions, Elf *elf, bool stripped)
{
    struct functions frames = {0}, called = {0};

    frames_read(elf, note_sized, &frames);
    add_between(functions, &frames);
    if (stripped) {
        called_read(elf, note_unsized, &called);
        add_between(functions, &called);
    }
    functions_free(&frames);
    functions_free(&called);
}

void functions_read(struct functions *functions, Elf *elf)
{
    static const GElf_Word types[] = {SHT_SYMTAB, SHT_DYNSYM};
    bool stripped = true;

    for (size_t i = 0; i < sizeof types / sizeof types[0] && functions->count == 0; i++) {
        Elf_Scn *section = NULL;
        while ((section = elf_nextscn(elf, section)) != NULL) {
            GElf_Shdr header;
            if (gelf_getshdr(section, &header) != NULL && header.sh_type == types[i]) {
                read_table(functions, elf, section, &header);
            }
        }
        stripped = stripped && (types[i] != SHT_SYMTAB || functions->count == 0);
    }
    if (functions->count > 0) {
        qsort(functions->items, functions->count, sizeof *functions->items, compare_functions);
        settle(functions);
    }
    fill_gaps(functions, elf, stripped);
}

bool functions_find(struct functions *functions, uint64_t address, const char **name,
                    uint64_t *offset)
{
    struct function *function = find_before(functions, address);

    if (function == NULL || address >= function->end || function->name == NULL) {
        return false;
    }
    if (function->readable == NULL) {
        function->readable = demangle_name(function->name);
    }
    *name = function->readable != NULL ? function->readable : function->name;
    *offset = address - function->address;
    return true;
}

bool functions_range(struct functions *functions, uint64_t address, const char **name,
                     uint64_t *start, uint64_t *end)
{
    const struct function *function = find_before(functions, address);
    uint64_t offset;

    if (function == NULL || address >= function->end) {
        return false;
    }
    *start = function->address;
    *end = function->end;
    *name = NULL;
    functions_find(functions, address, name, &offset);
    return true;
}

void functions_free(struct functions *functions)
{
    for (size_t i = 0; i < functions->count; i++) {
        free(functions->items[i].readable);
    }
    free(functions->items);
    *functions = (struct functions){0};
}
