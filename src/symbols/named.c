/* Walks symbol tables and debug information for names. */
#define _GNU_SOURCE

#include "symbols/named.h"

#include "symbols/demangle.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* Whether `known` is the name, or a part or copy of the function: what follows the name is ".cold" or the like, or
 * parameters. */
static bool is_named(const char *known, const char *name, const char *ends)
{
    const size_t length = strlen(name);

    return strncmp(known, name, length) == 0 &&
           (known[length] == '\0' || strchr(ends, known[length]) != NULL);
}

/* As the file has it, or as a person writes it. */
static bool is_symbol(const char *symbol, const char *name)
{
    if (is_named(symbol, name, ".")) {
        return true;
    }
    char *readable = demangle_name(symbol);
    const bool same = readable != NULL && is_named(readable, name, "( ");
    free(readable);
    return same;
}

/* Of a function, also one that has only a label. */
static bool has_code(const GElf_Sym *symbol)
{
    const unsigned type = GELF_ST_TYPE(symbol->st_info);

    return (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE) &&
           symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0;
}

static void each_of_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                          void (*visit)(void *context, const GElf_Sym *symbol, const char *name),
                          void *context)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const uint64_t count = header->sh_entsize != 0 ? header->sh_size / header->sh_entsize : 0;
    GElf_Sym symbol;

    for (int i = 0; data != NULL && (uint64_t)i < count && gelf_getsym(data, i, &symbol) != NULL;
         i++) {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name != NULL && name[0] != '\0' && name[0] != '$' && name[0] != '.' &&
            has_code(&symbol)) {
            visit(context, &symbol, name);
        }
    }
}

/* The names that others may use are in a table of their own, which is all that a stripped file has. */
static void each_symbol(Elf *elf,
                        void (*visit)(void *context, const GElf_Sym *symbol, const char *name),
                        void *context)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) != NULL &&
            (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)) {
            each_of_table(elf, section, &header, visit, context);
        }
    }
}

struct function_search {
    struct functions *functions;
    const struct named_search *search;
};

static void find_function(void *context, const GElf_Sym *symbol, const char *name)
{
    const struct function_search *at = context;
    const char *shown;
    uint64_t start, end;

    if (is_symbol(name, at->search->name) &&
        functions_range(at->functions, symbol->st_value, &shown, &start, &end)) {
        at->search->range(at->search->context, start, end);
    }
}

void named_functions(Elf *elf, struct functions *functions, const struct named_search *search)
{
    struct function_search context = {.functions = functions, .search = search};

    each_symbol(elf, find_function, &context);
}

struct name_list {
    void (*known)(void *context, const char *name);
    void *context;
};

static void tell_symbol(void *context, const GElf_Sym *symbol, const char *name)
{
    const struct name_list *list = context;
    char *readable = demangle_name(name);

    (void)symbol;
    if (readable != NULL) {
        readable[strcspn(readable, "(")] = '\0';
    }
    list->known(list->context, readable != NULL ? readable : name);
    free(readable);
}

void named_each_function(Elf *elf, void (*known)(void *context, const char *name), void *context)
{
    struct name_list list = {.known = known, .context = context};

    each_symbol(elf, tell_symbol, &list);
}

static void each_unit(struct lines *lines, void (*visit)(void *context, Dwarf_Die *unit),
                      void *context)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;

    while (lines->dwarf != NULL &&
           dwarf_get_units(lines->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        if (dwarf_tag(&die) == DW_TAG_compile_unit) {
            visit(context, &die);
        }
    }
}

static int take_instance(Dwarf_Die *instance, void *context)
{
    const struct named_search *search = context;
    Dwarf_Addr base, start, end;
    ptrdiff_t next = 0;

    while ((next = dwarf_ranges(instance, next, &base, &start, &end)) > 0) {
        search->range(search->context, start, end);
    }
    return DWARF_CB_OK;
}

static int find_inlined(Dwarf_Die *function, void *context)
{
    const struct named_search *search = context;
    Dwarf_Attribute attribute;
    const char *name = dwarf_diename(function);
    const char *linked =
        dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));

    if (dwarf_func_inline(function) != 0 && ((name != NULL && strcmp(name, search->name) == 0) ||
                                             (linked != NULL && is_symbol(linked, search->name)))) {
        dwarf_func_inline_instances(function, take_instance, context);
    }
    return DWARF_CB_OK;
}

static void search_unit(void *context, Dwarf_Die *unit)
{
    dwarf_getfuncs(unit, find_inlined, context, 0);
}

void named_inlined(struct lines *lines, const struct named_search *search)
{
    each_unit(lines, search_unit, (void *)(uintptr_t)search);
}

/* With the folders that it is asked with, or without any. */
static bool is_path(const char *path, const char *name)
{
    const size_t length = strlen(path), asked = strlen(name);

    return length >= asked && strcmp(path + length - asked, name) == 0 &&
           (length == asked || path[length - asked - 1] == '/');
}

/* A row is of the code up to the next. */
static void search_lines(void *context, Dwarf_Die *unit)
{
    const struct named_search *search = context;
    Dwarf_Lines *rows;
    size_t count;

    if (dwarf_getsrclines(unit, &rows, &count) != 0) {
        return;
    }
    for (size_t i = 0; i + 1 < count; i++) {
        Dwarf_Line *row = dwarf_onesrcline(rows, i);
        Dwarf_Addr start, end;
        bool ends = true;
        const char *path = dwarf_linesrc(row, NULL, NULL);
        if (path != NULL && is_path(path, search->name) && dwarf_lineendsequence(row, &ends) == 0 &&
            !ends && dwarf_lineaddr(row, &start) == 0 &&
            dwarf_lineaddr(dwarf_onesrcline(rows, i + 1), &end) == 0 && start < end) {
            search->range(search->context, start, end);
        }
    }
}

void named_file(struct lines *lines, const struct named_search *search)
{
    each_unit(lines, search_lines, (void *)(uintptr_t)search);
}

static void tell_files(void *context, Dwarf_Die *unit)
{
    const struct name_list *list = context;
    Dwarf_Files *files;
    size_t count;

    if (dwarf_getsrcfiles(unit, &files, &count) != 0) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const char *path = dwarf_filesrc(files, i, NULL, NULL);
        const char *slash = path != NULL ? strrchr(path, '/') : NULL;
        if (path != NULL && strcmp(path, "???") != 0) {
            list->known(list->context, slash != NULL ? slash + 1 : path);
        }
    }
}

void named_each_file(struct lines *lines, void (*known)(void *context, const char *name),
                     void *context)
{
    struct name_list list = {.known = known, .context = context};

    each_unit(lines, tell_files, &list);
}
