/* Finds the compilation unit of an address in an index of its own, then asks libdw for the line.
 *
 * libdw would find the unit through .debug_aranges, which clang does not write; walking the units
 * for each address would take as long as the file is large.  libdw keeps each line table it has
 * decoded, so that a second address in the same unit costs a binary search. */
#include "symbols/lines.h"

#include <dwarf.h>
#include <stdlib.h>

void lines_open(struct lines *lines, Elf *elf)
{
    lines->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
}

static bool append(struct lines *lines, const struct unit_range *range)
{
    if (lines->count == lines->capacity) {
        size_t capacity = lines->capacity > 0 ? 2 * lines->capacity : 64;
        struct unit_range *ranges = realloc(lines->ranges, capacity * sizeof *ranges);
        if (ranges == NULL) {
            return false;
        }
        lines->ranges = ranges;
        lines->capacity = capacity;
    }
    lines->ranges[lines->count++] = *range;
    return true;
}

static bool index_unit(struct lines *lines, Dwarf_Die *unit)
{
    Dwarf_Addr base;
    struct unit_range range = {.unit = *unit};
    ptrdiff_t next = 0;

    while ((next = dwarf_ranges(unit, next, &base, &range.start, &range.end)) > 0) {
        if (range.start < range.end && !append(lines, &range)) {
            return false;
        }
    }
    return true;
}

static int compare_ranges(const void *left, const void *right)
{
    const struct unit_range *a = left;
    const struct unit_range *b = right;

    return (a->start > b->start) - (a->start < b->start);
}

static void index_units(struct lines *lines)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;

    lines->indexed = true;
    while (dwarf_get_units(lines->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        if (dwarf_tag(&die) == DW_TAG_compile_unit && !index_unit(lines, &die)) {
            break;
        }
    }
    if (lines->count > 0) {
        qsort(lines->ranges, lines->count, sizeof *lines->ranges, compare_ranges);
    }
}

static struct unit_range *find_unit(struct lines *lines, uint64_t address)
{
    size_t low = 0;
    size_t high = lines->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lines->ranges[middle].start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && address < lines->ranges[low - 1].end ? &lines->ranges[low - 1] : NULL;
}

bool lines_find(struct lines *lines, uint64_t address, struct line_place *place)
{
    if (lines->dwarf == NULL) {
        return false;
    }
    if (!lines->indexed) {
        index_units(lines);
    }
    struct unit_range *range = find_unit(lines, address);
    if (range == NULL) {
        return false;
    }
    Dwarf_Line *source = dwarf_getsrc_die(&range->unit, address);
    int number = 0;
    /* Line 0 is the compiler's way to say that the instruction belongs to no line. */
    if (source == NULL || dwarf_lineno(source, &number) != 0 || number <= 0) {
        return false;
    }
    const char *name = dwarf_linesrc(source, NULL, NULL);
    if (name == NULL) {
        return false;
    }
    Dwarf_Attribute folder;
    place->path = name;
    place->folder = dwarf_formstring(dwarf_attr(&range->unit, DW_AT_comp_dir, &folder));
    place->line = (unsigned)number;
    return true;
}

void lines_close(struct lines *lines)
{
    free(lines->ranges);
    if (lines->dwarf != NULL) {
        dwarf_end(lines->dwarf);
    }
    *lines = (struct lines){0};
}
