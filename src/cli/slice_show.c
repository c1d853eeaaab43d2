/* Prints slices as a person reads them: with source lines, and how much of the program's work they leave out. */
#include "cli/slice_show.h"

#include "base/say.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/disassemble.h"
#include "symbols/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void place_text(struct symbols *symbols, uint64_t address, char *text, size_t size)
{
    struct symbol_place place = {0};
    text[0] = '\0';
    if (symbols == NULL || !symbols_find(symbols, address, &place)) {
        return;
    }
    const int used = place.function != NULL ? snprintf(text, size, "%s", place.function) : 0;
    if (place.file != NULL && (size_t)used < size) {
        snprintf(text + used, size - (size_t)used, "%s%s:%u", used > 0 ? " " : "", place.file,
                 place.line);
    }
}

static unsigned count_registers(slice_registers registers)
{
    return (unsigned)__builtin_popcountll(registers);
}

static void print_registers(slice_registers registers)
{
    for (unsigned i = 0; i < 64; i++) {
        if (registers >> i & 1) {
            printf(" %c%u", i < 32 ? 'x' : 'f', i % 32);
        }
    }
}

/* Instructions that one that the trigger starts executes. */
static unsigned executed(const struct slice *slice)
{
    const unsigned body = slice->length - (unsigned)slice->prologue;
    return slice->unroll * slice->prologue + body;
}

static double removed(const struct slice *slice)
{
    const double traced =
        slice->origin.alike > 0 ? (double)slice->origin.traced / (double)slice->origin.alike : 0;
    return traced > executed(slice) ? 100 * (1 - executed(slice) / traced) : 0;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

static void print_instruction(const struct slice *slice, unsigned i, struct symbols *symbols)
{
    const struct slice_instruction *instruction = &slice->instructions[i];
    char text[RV64_TEXT_SIZE], place[160];
    struct rv64_insn insn;
    rv64_decode(instruction->word, &insn);
    rv64_disassemble(&insn, instruction->pc, text, sizeof text);
    char *operands = strchr(text, '\t');
    if (operands != NULL) {
        *operands++ = '\0';
    }
    const bool guard = rv64_row(insn.op)->flags & INSN_CONDITIONAL;
    if (guard && operands != NULL) { /* its target means nothing */
        char *target = strrchr(operands, ',');
        *(target != NULL ? target : operands) = '\0';
    }
    place_text(symbols, instruction->pc, place, sizeof place);
    say(stdout, "  %-8s  %8" PRIx64 "  %-8s %-20s  %-10s %s\n",
        i == 0 && slice->prologue > 0 ? "prologue"
        : i == slice->prologue        ? "body"
                                      : "",
        instruction->pc, text, operands != NULL ? operands : "",
        instruction->delinquent                      ? "delinquent"
        : guard && slice->guard == SLICE_GUARD_TAKEN ? "guard: yes"
        : guard                                      ? "guard: no"
                                                     : "",
        place);
    if (slice->kind == SLICE_CHAINING && i + 1 == slice->prologue) {
        printf("  %-8s  %8s  the next slice starts here\n", "", "");
    }
}

static void print_slice(const struct slice *slice, unsigned number, struct symbols *symbols)
{
    char place[160];
    place_text(symbols, slice->trigger, place, sizeof place);
    say(stdout, "\nslice %u: %s, trigger %" PRIx64 "%s%s\n", number,
        slice->kind == SLICE_CHAINING ? "chaining" : "basic", slice->trigger,
        place[0] != '\0' ? " in " : "", place);
    const struct slice_origin *origin = &slice->origin;
    printf("  length %u, prologue %u, %u iterations ahead; %u live-ins:", slice->length,
           slice->prologue, slice->unroll, count_registers(slice->live_ins));
    print_registers(slice->live_ins);
    printf("\n  %.1f instructions from trigger to load, of which %.1f %% are left out\n",
           origin->alike > 0 ? (double)origin->traced / (double)origin->alike : 0, removed(slice));
    printf("  %" PRIu64 " misses; the load followed %.1f %% of %" PRIu64
           " triggers, and %.1f %% of these gave this slice\n",
           origin->misses, percent(origin->followed, origin->triggers), origin->triggers,
           percent(origin->alike, origin->followed));
    for (unsigned i = 0; i < slice->length; i++) {
        print_instruction(slice, i, symbols);
    }
}

void slice_show(const struct slice_set *set, const char *path)
{
    struct symbols *symbols = symbols_open(path);
    say(stdout, "%s: %u slice%s\n", path, set->count, set->count == 1 ? "" : "s");
    for (unsigned i = 0; i < set->count; i++) {
        print_slice(&set->slices[i], i + 1, symbols);
    }
    if (symbols != NULL) {
        symbols_close(symbols);
    }
}
