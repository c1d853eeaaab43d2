/* Bench kernel: a bytecode interpreter.
 *
 * A stack machine with calls, locals and a heap, dispatched by one switch; an assembler in the
 * kernel makes its byte code from text.  The programs: recursive fib, Ackermann, eight queens,
 * Collatz lengths, a sieve, and a sort of heap cells.  Exercises one hard-to-predict indirect jump
 * for each byte code, and the interpreter's memory-held state.  The scale is the number of rounds
 * over all programs. */
#include "kernel.h"

#define SCALE_DEFAULT 7u
#define CODE_MAX 2048u
#define LABELS_MAX 64u
#define STACK_MAX 4096u
#define FRAMES_MAX 1024u
#define HEAP_WORDS 16384u

/*  name   operands */
#define OPCODES(OP)                                                                                \
    OP(halt, NONE)                                                                                 \
    OP(push, INT)                                                                                  \
    OP(pop, NONE)                                                                                  \
    OP(dup, NONE)                                                                                  \
    OP(get, SLOT)                                                                                  \
    OP(set, SLOT)                                                                                  \
    OP(locals, SLOT)                                                                               \
    OP(load, NONE)                                                                                 \
    OP(store, NONE)                                                                                \
    OP(add, NONE)                                                                                  \
    OP(sub, NONE)                                                                                  \
    OP(mul, NONE)                                                                                  \
    OP(div, NONE)                                                                                  \
    OP(and, NONE)                                                                                  \
    OP(lt, NONE)                                                                                   \
    OP(eq, NONE)                                                                                   \
    OP(not, NONE)                                                                                  \
    OP(jump, LABEL)                                                                                \
    OP(jz, LABEL)                                                                                  \
    OP(jnz, LABEL)                                                                                 \
    OP(call, CALL)                                                                                 \
    OP(ret, NONE)

enum operands { OPERANDS_NONE, OPERANDS_INT, OPERANDS_SLOT, OPERANDS_LABEL, OPERANDS_CALL };

#define OP_ENUM(name, operands) OP_##name,
enum opcode { OPCODES(OP_ENUM) OP_COUNT };

#define OP_ROW(name, operands) {#name, OPERANDS_##operands},
static const struct opcode_row {
    const char *name;
    enum operands operands;
} opcode_rows[OP_COUNT] = {OPCODES(OP_ROW)};

struct code {
    uint8_t bytes[CODE_MAX];
    uint32_t size;
};

struct frame {
    uint32_t return_pc;
    uint32_t base;
};

struct vm {
    int64_t stack[STACK_MAX];
    struct frame frames[FRAMES_MAX];
    int64_t heap[HEAP_WORDS];
    uint64_t executed;
};

struct label {
    char name[16];
    uint32_t address;
};

struct assembler {
    struct code *code;
    struct label labels[LABELS_MAX];
    uint32_t label_count;
    int final; /* the second pass, in which every label is known */
};

/* Copies the next word of the source; returns where to go on, or NULL at the end. */
static const char *next_word(const char *source, char word[16])
{
    source += strspn(source, " \n");
    size_t length = strcspn(source, " \n");
    if (length == 0) {
        return NULL;
    }
    program_check(length < 16, "assembler: word too long");
    memcpy(word, source, length);
    word[length] = '\0';
    return source + length;
}

static void emit(struct code *code, uint32_t value, unsigned size_bytes)
{
    program_check(code->size + size_bytes <= CODE_MAX, "assembler: program too long");
    for (unsigned i = 0; i < size_bytes; i++) {
        code->bytes[code->size++] = (uint8_t)(value >> (8 * i));
    }
}

static uint32_t find_label(const struct assembler *as, const char *name)
{
    for (uint32_t i = 0; i < as->label_count; i++) {
        if (strcmp(as->labels[i].name, name) == 0) {
            return as->labels[i].address;
        }
    }
    program_check(!as->final, "assembler: unknown label");
    return 0;
}

static void define_label(struct assembler *as, char *word, size_t length)
{
    if (as->final) {
        return;
    }
    program_check(as->label_count < LABELS_MAX, "assembler: too many labels");
    word[length - 1] = '\0';
    struct label *label = &as->labels[as->label_count++];
    memcpy(label->name, word, length);
    label->address = as->code->size;
}

static const char *assemble_operand(struct assembler *as, const char *source, int is_label,
                                    unsigned size_bytes)
{
    char word[16];
    source = next_word(source, word);
    program_check(source != NULL, "assembler: missing operand");
    uint32_t value = is_label ? find_label(as, word) : (uint32_t)strtol(word, NULL, 10);
    emit(as->code, value, size_bytes);
    return source;
}

static const char *assemble_instruction(struct assembler *as, const char *word, const char *source)
{
    uint32_t opcode = 0;
    while (opcode < OP_COUNT && strcmp(opcode_rows[opcode].name, word) != 0) {
        opcode++;
    }
    program_check(opcode < OP_COUNT, "assembler: unknown instruction");
    emit(as->code, opcode, 1);
    switch (opcode_rows[opcode].operands) {
    case OPERANDS_NONE:
        break;
    case OPERANDS_INT:
        source = assemble_operand(as, source, 0, 4);
        break;
    case OPERANDS_SLOT:
        source = assemble_operand(as, source, 0, 1);
        break;
    case OPERANDS_LABEL:
        source = assemble_operand(as, source, 1, 2);
        break;
    case OPERANDS_CALL:
        source = assemble_operand(as, source, 1, 2);
        source = assemble_operand(as, source, 0, 1);
        break;
    }
    return source;
}

static void assemble(struct code *code, const char *source)
{
    struct assembler as = {.code = code};
    for (as.final = 0; as.final < 2; as.final++) {
        char word[16];
        const char *at = source;
        code->size = 0;
        while ((at = next_word(at, word)) != NULL) {
            size_t length = strlen(word);
            if (word[length - 1] == ':') {
                define_label(&as, word, length);
            } else {
                at = assemble_instruction(&as, word, at);
            }
        }
    }
}

static uint32_t read_u16(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8;
}

static int32_t read_i32(const uint8_t *bytes)
{
    return (int32_t)(read_u16(bytes) | read_u16(bytes + 2) << 16);
}

/* Runs from address 0 with `argument` in slot 0 until `halt`; the top of the stack is the result.
 * The stack is checked where it can grow without bound, at calls: no function of these programs
 * holds more than 64 values at once. */
static int64_t vm_run(struct vm *vm, const struct code *code, int64_t argument)
{
    int64_t *stack = vm->stack;
    const uint8_t *bytes = code->bytes;
    uint32_t pc = 0;
    uint32_t sp = 0; /* the first free slot */
    uint32_t base = 0;
    uint32_t depth = 0;
    uint64_t executed = 0;
    stack[sp++] = argument;
    for (;;) {
        executed++;
        switch (bytes[pc++]) {
        case OP_halt:
            vm->executed += executed;
            return stack[sp - 1];
        case OP_push:
            stack[sp++] = read_i32(bytes + pc);
            pc += 4;
            break;
        case OP_pop:
            sp--;
            break;
        case OP_dup:
            stack[sp] = stack[sp - 1];
            sp++;
            break;
        case OP_get:
            stack[sp++] = stack[base + bytes[pc++]];
            break;
        case OP_set:
            stack[base + bytes[pc++]] = stack[--sp];
            break;
        case OP_locals:
            for (uint32_t left = bytes[pc++]; left > 0; left--) {
                stack[sp++] = 0;
            }
            break;
        case OP_load: {
            uint64_t address = (uint64_t)stack[sp - 1];
            program_check(address < HEAP_WORDS, "load outside the heap");
            stack[sp - 1] = vm->heap[address];
            break;
        }
        case OP_store: {
            uint64_t address = (uint64_t)stack[sp - 2];
            program_check(address < HEAP_WORDS, "store outside the heap");
            vm->heap[address] = stack[sp - 1];
            sp -= 2;
            break;
        }
        case OP_add:
            sp--;
            stack[sp - 1] += stack[sp];
            break;
        case OP_sub:
            sp--;
            stack[sp - 1] -= stack[sp];
            break;
        case OP_mul:
            sp--;
            stack[sp - 1] *= stack[sp];
            break;
        case OP_div:
            sp--;
            program_check(stack[sp] != 0, "division by zero");
            stack[sp - 1] /= stack[sp];
            break;
        case OP_and:
            sp--;
            stack[sp - 1] &= stack[sp];
            break;
        case OP_lt:
            sp--;
            stack[sp - 1] = stack[sp - 1] < stack[sp];
            break;
        case OP_eq:
            sp--;
            stack[sp - 1] = stack[sp - 1] == stack[sp];
            break;
        case OP_not:
            stack[sp - 1] = !stack[sp - 1];
            break;
        case OP_jump:
            pc = read_u16(bytes + pc);
            break;
        case OP_jz:
            pc = stack[--sp] == 0 ? read_u16(bytes + pc) : pc + 2;
            break;
        case OP_jnz:
            pc = stack[--sp] != 0 ? read_u16(bytes + pc) : pc + 2;
            break;
        case OP_call:
            program_check(depth < FRAMES_MAX && sp + 64 <= STACK_MAX, "stack overflow");
            vm->frames[depth].return_pc = pc + 3;
            vm->frames[depth].base = base;
            depth++;
            base = sp - bytes[pc + 2];
            pc = read_u16(bytes + pc);
            break;
        case OP_ret: {
            int64_t result = stack[sp - 1];
            sp = base;
            depth--;
            base = vm->frames[depth].base;
            pc = vm->frames[depth].return_pc;
            stack[sp++] = result;
            break;
        }
        default:
            program_check(0, "illegal byte code");
        }
    }
}

static const char fib_source[] = "get 0 call fib 1 halt "
                                 "fib: get 0 push 2 lt jz more get 0 ret "
                                 "more: get 0 push 1 sub call fib 1 "
                                 "get 0 push 2 sub call fib 1 add ret";

static const char ackermann_source[] = "push 2 get 0 call ack 2 halt "
                                       "ack: get 0 jnz m_some get 1 push 1 add ret "
                                       "m_some: get 1 jnz n_some "
                                       "get 0 push 1 sub push 1 call ack 2 ret "
                                       "n_some: get 0 push 1 sub "
                                       "get 0 get 1 push 1 sub call ack 2 call ack 2 ret";

/* place(n, columns, left, right): the attacked fields of the row as bit sets. */
static const char queens_source[] = "get 0 push 0 push 0 push 0 call place 4 halt "
                                    "place: locals 4 " /* 4 full, 5 free, 6 bit, 7 found */
                                    "push 1 set 4 push 0 set 6 "
                                    "power: get 6 get 0 lt jz ready "
                                    "get 4 push 2 mul set 4 get 6 push 1 add set 6 jump power "
                                    "ready: get 4 push 1 sub set 4 "
                                    "get 1 get 4 eq jz open push 1 ret "
                                    "open: push 1 set 6 "
                                    "field: get 6 get 4 push 1 add lt jz done "
                                    "get 1 get 6 and jnz next get 2 get 6 and jnz next "
                                    "get 3 get 6 and jnz next "
                                    "get 7 get 0 get 1 get 6 add "
                                    "get 2 get 6 add push 2 mul get 3 get 6 add push 2 div "
                                    "call place 4 add set 7 "
                                    "next: get 6 push 2 mul set 6 jump field "
                                    "done: get 7 ret";

static const char collatz_source[] = "locals 4 " /* 1 start, 2 value, 3 steps, 4 longest */
                                     "push 1 set 1 "
                                     "start: get 1 get 0 lt jz done get 1 set 2 push 0 set 3 "
                                     "step: get 2 push 1 eq jnz ended "
                                     "get 2 push 1 and jz even get 2 push 3 mul push 1 add set 2 "
                                     "jump count even: get 2 push 2 div set 2 "
                                     "count: get 3 push 1 add set 3 jump step "
                                     "ended: get 4 get 3 lt jz kept get 3 set 4 "
                                     "kept: get 1 push 1 add set 1 jump start done: get 4 halt";

static const char sieve_source[] = "locals 3 " /* 1 number, 2 multiple, 3 primes */
                                   "clear: get 1 get 0 lt jz cleared get 1 push 1 store "
                                   "get 1 push 1 add set 1 jump clear cleared: push 2 set 1 "
                                   "number: get 1 get 0 lt jz done get 1 load jz next "
                                   "get 3 push 1 add set 3 get 1 dup add set 2 "
                                   "cross: get 2 get 0 lt jz next get 2 push 0 store "
                                   "get 2 get 1 add set 2 jump cross "
                                   "next: get 1 push 1 add set 1 jump number done: get 3 halt";

/* Fills cells with a linear congruence, sorts them by insertion, and returns how many are in
 * order. */
static const char sort_source[] = "locals 4 " /* 1 index, 2 hole, 3 item, 4 seed or ordered */
                                  "push 7 set 4 "
                                  "fill: get 1 get 0 lt jz filled "
                                  "get 4 push 75 mul push 74 add push 65535 and set 4 "
                                  "get 1 get 4 store get 1 push 1 add set 1 jump fill "
                                  "filled: push 1 set 1 "
                                  "insert: get 1 get 0 lt jz sorted get 1 load set 3 get 1 set 2 "
                                  "shift: push 0 get 2 lt jz placed "
                                  "get 3 get 2 push 1 sub load lt jz placed "
                                  "get 2 get 2 push 1 sub load store get 2 push 1 sub set 2 "
                                  "jump shift placed: get 2 get 3 store "
                                  "get 1 push 1 add set 1 jump insert "
                                  "sorted: push 1 set 1 push 1 set 4 "
                                  "check: get 1 get 0 lt jz done "
                                  "get 1 load get 1 push 1 sub load lt not get 4 add set 4 "
                                  "get 1 push 1 add set 1 jump check done: get 4 halt";

static const struct program {
    const char *name;
    const char *source;
    int64_t argument;
    int64_t result;
} programs[] = {
    {"fib", fib_source, 20, 6765},        {"ackermann", ackermann_source, 60, 123},
    {"queens", queens_source, 8, 92},     {"collatz", collatz_source, 1000, 178},
    {"sieve", sieve_source, 10000, 1229}, {"sort", sort_source, 200, 200},
};

int main(int argc, char **argv)
{
    uint32_t scale = kernel_scale(argc, argv, SCALE_DEFAULT);
    static struct vm vm;
    struct code code;
    uint64_t sum = 0;
    for (uint32_t round = 0; round < scale; round++) {
        for (size_t which = 0; which < sizeof(programs) / sizeof(programs[0]); which++) {
            assemble(&code, programs[which].source);
            int64_t result = vm_run(&vm, &code, programs[which].argument);
            program_check(result == programs[which].result, programs[which].name);
            sum = program_mix(sum, (uint64_t)result);
            sum = program_mix(sum, vm.executed);
        }
        for (size_t i = 0; i < HEAP_WORDS; i++) {
            sum = program_mix(sum, (uint64_t)vm.heap[i]);
        }
    }
    printf("interp ran %" PRIu64 " byte codes\n", vm.executed);
    kernel_report("interp", scale, sum);
    return 0;
}
