/* gcc: compiles generated units of a C subset with optimization, and compares what the target code does with what the source means. */
#include "generate.h"
#include "machine.h"
#include "study.h"

enum { INPUTS = 2 };

struct totals {
    int units;
    int functions;
    int lines;
    int tokens;
    int trees;
    int words;
    int expansions;
    int runs;
    uint64_t steps;
    uint64_t instructions;
    struct backend_counts backend;
    uint64_t digest;
};

static void unit_start(struct unit *unit, const char *source)
{
    memset(unit, 0, sizeof *unit);
    names_start(&unit->arena, &unit->names);
    types_start(unit);
    preprocess_start(unit, source);
}

/* In a function of its own, for nothing may change between setjmp and longjmp. */
static bool parses(struct unit *unit)
{
    if (setjmp(unit->escape) != 0) {
        return false;
    }
    parse_unit(unit);
    return true;
}

static void generate_code(struct function *f, struct totals *totals)
{
    struct arena scratch = {0};
    select_function(f);
    allocate_registers(f, &scratch, &totals->backend);
    finish_frame(f);
    peephole_function(f, &totals->backend);
    schedule_function(f, &scratch, &totals->backend);
    layout_blocks(f, &totals->backend);
    assemble_function(f);
    arena_release(&scratch);
}

static void compile_unit(struct unit *unit, struct totals *totals)
{
    for (int i = 0; i < unit->procedures.count; i++) {
        passes_run(lower_procedure(unit, unit->procedures.items[i]));
    }
    for (int i = 0; i < unit->procedures.count; i++) {
        generate_code(unit->procedures.items[i]->function, totals);
    }
    assemble_link(unit);
}

static void load_data(const struct unit *unit, struct memory *memory)
{
    memcpy(memory->bytes + DATA_START, unit->data, (size_t)unit->data_size);
}

static int argument_for(struct unit *unit, const struct symbol *parameter, int seed, int index)
{
    if (parameter->type->kind != TYPE_POINTER) {
        return index == 0 ? seed % 17 : wrap((int64_t)seed * (index + 7) - index * 1000);
    }
    const char *name = parameter->type->base->kind == TYPE_STRUCT ? "pool" : "t2";
    struct name *found = names_intern(&unit->arena, &unit->names, name, (int)strlen(name));
    return found->symbol->offset;
}

struct outcome {
    int result;
    struct memory memory;
};

static void compare(const struct unit *unit, const struct procedure *procedure,
                    const struct outcome *trees, const struct outcome *code)
{
    bool same = trees->result == code->result &&
                memcmp(trees->memory.bytes + DATA_START, code->memory.bytes + DATA_START,
                       (size_t)unit->data_size) == 0;
    if (!same) {
        fprintf(stderr, "wrong result: %s gives %d, its trees give %d\n",
                procedure->symbol->name->text, code->result, trees->result);
        exit(4);
    }
}

static void check_unit(struct unit *unit, struct memory *memories, int seeds, struct totals *totals)
{
    struct outcome trees = {0, memories[0]};
    struct outcome code = {0, memories[1]};
    for (int seed = 0; seed < seeds; seed++) {
        load_data(unit, &trees.memory);
        load_data(unit, &code.memory);
        /* The first function, start, fills the data; the others go on with what was left. */
        for (int i = 0; i < unit->procedures.count; i++) {
            struct procedure *procedure = unit->procedures.items[i];
            int arguments[PARAMETER_LIMIT] = {0};
            for (int k = 0; k < procedure->parameters.count; k++) {
                arguments[k] =
                    argument_for(unit, procedure->parameters.items[k], seed * 31 + i + 3, k);
            }
            trees.result =
                interpret_procedure(unit, &trees.memory, procedure, arguments, &totals->steps);
            code.result =
                emulate_procedure(unit, &code.memory, procedure, arguments, &totals->instructions);
            compare(unit, procedure, &trees, &code);
            totals->digest = program_mix(totals->digest, (uint32_t)code.result);
            totals->runs++;
        }
    }
}

static void add_totals(const struct unit *unit, struct totals *totals)
{
    totals->units++;
    totals->functions += unit->procedures.count;
    totals->tokens += unit->token_count;
    totals->trees += unit->tree_count;
    totals->words += unit->code.count;
    totals->expansions += unit->preprocessor.expansion_count;
    for (int i = 0; i < unit->code.count; i++) {
        totals->digest = program_mix(totals->digest, unit->code.items[i]);
    }
}

static void compile_and_check(uint64_t seed, int functions, int statements, struct memory *memories,
                              struct totals *totals)
{
    struct unit *unit = program_allocate(1, sizeof *unit);
    int lines = 0;
    char *source = generate_unit(seed, functions, statements, &lines);
    unit_start(unit, source);
    if (!parses(unit)) {
        fprintf(stderr, "wrong result: line %d: %s\n", unit->error_line, unit->error);
        exit(4);
    }
    compile_unit(unit, totals);
    check_unit(unit, memories, INPUTS, totals);
    totals->lines += lines;
    add_totals(unit, totals);
    arena_release(&unit->arena);
    free(unit);
    free(source);
}

/* What must be refused, and in which line. */
static void check_refused(void)
{
    static const struct {
        int line;
        const char *source;
    } bad[] = {
        {1, "int f(int a) { return b; }"},
        {2, "int f(int a)\n{ return a }"},
        {1, "int a; int a;"},
        {2, "struct s { int x; };\nint f(struct s *p) { return p->y; }"},
        {1, "int f(void) { break; }"},
        {1, "int f(int a) { return f(a, a); }"},
        {3, "int f(int a) {\n a = 1;\n 1 = a; return 0; }"},
        {2, "#define M(a, b) a + b\nint f(void) { return M(1); }"},
        {1, "int f(int *p) { return p * 2; }"},
        {2, "int f(int a) { switch (a) { case 1: case 2: break;\ncase 1: break; } return 0; }"},
        {3, "#ifdef X\nint a;\n"},
        {1, "int a[3] = {1, 2, 3, 4};"},
        {1, "/* int a;"},
        {1, "int f(int a) { int *p = &a; return p; }"},
        {1, "int a = 99999999999;"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct unit *unit = program_allocate(1, sizeof *unit);
        unit_start(unit, bad[i].source);
        program_check(!parses(unit), "a bad unit is refused");
        program_check(bad[i].line == unit->error_line, "an error is found in its line");
        arena_release(&unit->arena);
        free(unit);
    }
}

static void print_totals(const struct totals *totals)
{
    printf("%d units, %d functions, %d lines, %d tokens, %d macro expansions, %d trees\n",
           totals->units, totals->functions, totals->lines, totals->tokens, totals->expansions,
           totals->trees);
    passes_print();
    printf("%d words of code; %d moves coalesced, %d deleted; %d values spilled in %d colourings; "
           "%d peepholes; %d cycles saved by scheduling\n",
           totals->words, totals->backend.moves_coalesced, totals->backend.moves_deleted,
           totals->backend.spilled, totals->backend.rounds, totals->backend.peepholes,
           totals->backend.scheduled_cycles_saved);
    printf("%d runs agree: %" PRIu64 " trees evaluated, %" PRIu64 " instructions emulated\n",
           totals->runs, totals->steps, totals->instructions);
}

int main(int argc, char **argv)
{
    static const struct {
        int units;
        int functions;
        int statements;
    } sizes[SIZES] = {{1, 7, 12}, {2, 42, 16}, {7, 150, 20}};
    enum study_size size = study_read_size(argc, argv);
    struct totals *totals = program_allocate(1, sizeof *totals);
    struct memory memories[2];
    for (int i = 0; i < 2; i++) {
        memories[i].bytes = program_allocate(1, MEMORY_BYTES);
    }
    check_refused();
    for (int i = 0; i < sizes[size].units; i++) {
        compile_and_check(1000 + (uint64_t)i * 77, sizes[size].functions, sizes[size].statements,
                          memories, totals);
    }
    print_totals(totals);
    study_report("gcc", size, passes_digest(totals->digest));
    for (int i = 0; i < 2; i++) {
        free(memories[i].bytes);
    }
    free(totals);
    return 0;
}
