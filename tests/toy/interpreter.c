/* Executes the toy's instructions, one at a time. */
#include "interpreter.h"

#include "emit.h"
#include "translator/fragment/count.h"

#include "base/check.h"

#include <string.h>

unsigned toy_counter_find(const struct toy_counters *counters, const uint8_t *tag)
{
    unsigned i = 0;

    while (i < counters->entries && counters->of[i].tag != tag) {
        i++;
    }
    return i;
}

void toy_counter_new(struct toy_counters *counters, const uint8_t *tag, uint64_t threshold)
{
    unsigned i = toy_counter_find(counters, tag);

    if (i == counters->entries) {
        i = counters->next;
        counters->next = (i + 1) % counters->entries;
        counters->evicted += counters->of[i].tag != NULL;
        counters->created++;
        counters->of[i].tag = tag;
        counters->of[i].count = 0;
    }
    counters->of[i].threshold = threshold;
}

bool toy_condition_holds(uint64_t flags, unsigned condition)
{
    const bool zero = (flags & FLAG_ZERO) != 0, negative = (flags & FLAG_NEGATIVE) != 0;
    const bool holds[] = {zero, negative, (flags & FLAG_CARRY) != 0, !zero && !negative};

    return holds[condition / 2] != (condition % 2 != 0);
}

/* The first byte of those that may not be accessed so; `address` + `bytes` if all may. */
static uint64_t find_forbidden(const struct toy_memory *memory, uint64_t address, unsigned bytes,
                               unsigned permission)
{
    const uint64_t end = address + bytes;

    for (uint64_t at = address; at < end; at = (at | (CODE_PAGE - 1)) + 1) {
        const uint64_t page = (at - memory->start) / CODE_PAGE;
        if (at < memory->start || page >= TOY_PAGES || (memory->pages[page] & permission) == 0) {
            return at;
        }
    }
    return end;
}

static bool is_within(uint64_t address, unsigned bytes, const void *start, size_t size)
{
    return address >= (uintptr_t)start && address + bytes <= (uintptr_t)start + size;
}

/* What code in the cache accesses of the translator's. */
static uint8_t *find_own(const struct toy_machine *machine, uint64_t address, unsigned bytes)
{
    const struct context *context = machine->context;
    const struct counts *counts = context->translator->counts;

    if (is_within(address, bytes, context->block, context->block_bytes) ||
        (counts != NULL && is_within(address, bytes, counts->slots, sizeof counts->slots))) {
        return (uint8_t *)(uintptr_t)address;
    }
    return NULL;
}

/* NULL if it faults. */
static uint8_t *access_memory(struct toy_machine *machine, uint64_t address, unsigned bytes,
                              unsigned permission)
{
    const uint64_t forbidden = find_forbidden(machine->memory, address, bytes, permission);

    machine->holds = false;
    if (forbidden == address + bytes) {
        return (uint8_t *)(uintptr_t)(address + machine->shift);
    }
    uint8_t *own = machine->context != NULL ? find_own(machine, address, bytes) : NULL;
    if (own == NULL) {
        machine->fault = forbidden;
        machine->fault_writes = permission == HOST_WRITE;
    }
    return own;
}

static bool read_word(struct toy_machine *machine, uint64_t address, uint64_t *value)
{
    const uint8_t *place = access_memory(machine, address, sizeof *value, HOST_READ);

    if (place != NULL) {
        memcpy(value, place, sizeof *value);
    }
    return place != NULL;
}

static bool write_word(struct toy_machine *machine, uint64_t address, uint64_t value)
{
    uint8_t *place = access_memory(machine, address, sizeof value, HOST_WRITE);

    if (place != NULL) {
        memcpy(place, &value, sizeof value);
    }
    return place != NULL;
}

/* Code in the cache as fetch sees it; and the few instructions of lookups that fail. */
static const uint8_t *fetch_own(const struct toy_machine *machine)
{
    const struct translator *translator = machine->context->translator;
    const uint8_t *code = (const uint8_t *)(uintptr_t)machine->pc;

    if (code >= translator->cache.start && code < translator->cache.end) {
        return translator->process.visible + (code - translator->cache.start);
    }
    return is_within(machine->pc, 1, lookup_miss_code, sizeof lookup_miss_code) ? code : NULL;
}

static enum toy_stop fetch(struct toy_machine *machine, struct toy_insn *insn)
{
    if (machine->context != NULL) {
        const uint8_t *code = fetch_own(machine);
        if (code == NULL) {
            return TOY_ESCAPED;
        }
        toy_decode(code, insn);
        return TOY_GOES_ON;
    }
    const struct toy_memory *memory = machine->memory;
    const uint8_t *code = (const uint8_t *)(uintptr_t)(machine->pc + machine->shift);
    machine->fault = machine->pc;
    machine->fault_writes = false;
    if (find_forbidden(memory, machine->pc, 1, HOST_EXECUTE) == machine->pc ||
        find_forbidden(memory, machine->pc, toy_length(*code), HOST_EXECUTE) !=
            machine->pc + toy_length(*code)) {
        return TOY_FAULTED;
    }
    toy_decode(code, insn);
    return toy_is_own((enum toy_op)insn->op) ? TOY_ILLEGAL_STOP : TOY_GOES_ON;
}

/* Of the processor's counters: the instruction at a tag is about to be executed.  False if the program leaves the cache
 * instead. */
static bool count(struct toy_machine *machine)
{
    struct toy_counters *counters = machine->counters;

    if (counters == NULL) {
        return true;
    }
    const unsigned i = toy_counter_find(counters, (const uint8_t *)(uintptr_t)machine->pc);
    if (i == counters->entries || ++counters->of[i].count != counters->of[i].threshold) {
        return true;
    }
    hw_counter_callback(machine->context, counters->of[i].tag);
    return !hw_counter_leaves();
}

static uint64_t flags_of(uint64_t value, bool carry)
{
    return (value == 0 ? FLAG_ZERO : 0u) | (value >> 63 != 0 ? FLAG_NEGATIVE : 0u) |
           (carry ? FLAG_CARRY : 0u);
}

static uint64_t add(struct toy_machine *machine, uint64_t a, uint64_t b)
{
    machine->registers.flags = flags_of(a + b, a + b < a);
    return a + b;
}

static uint64_t subtract(struct toy_machine *machine, uint64_t a, uint64_t b)
{
    machine->registers.flags = flags_of(a - b, a < b);
    return a - b;
}

static uint64_t without_carry(struct toy_machine *machine, uint64_t value)
{
    machine->registers.flags = flags_of(value, false);
    return value;
}

/* `dec` leaves carry as it was. */
static uint64_t decrement(struct toy_machine *machine, uint64_t value)
{
    machine->registers.flags = flags_of(value - 1, (machine->registers.flags & FLAG_CARRY) != 0);
    return value - 1;
}

static bool push(struct toy_machine *machine, uint64_t value)
{
    if (!write_word(machine, machine->registers.r[SP] - 8, value)) {
        return false;
    }
    machine->registers.r[SP] -= 8;
    return true;
}

static bool pop(struct toy_machine *machine, uint64_t *value)
{
    if (!read_word(machine, machine->registers.r[SP], value)) {
        return false;
    }
    machine->registers.r[SP] += 8;
    return true;
}

static bool store_byte(struct toy_machine *machine, uint64_t address, uint64_t value)
{
    uint8_t *place = access_memory(machine, address, 1, HOST_WRITE);

    if (place != NULL) {
        *place = (uint8_t)value;
    }
    return place != NULL;
}

static bool load_byte(struct toy_machine *machine, uint64_t address, uint64_t *value)
{
    const uint8_t *place = access_memory(machine, address, 1, HOST_READ);

    if (place != NULL) {
        *value = *place;
    }
    return place != NULL;
}

static bool hold(struct toy_machine *machine, uint64_t address, uint64_t *value)
{
    if (!read_word(machine, address, value)) {
        return false;
    }
    machine->holds = true;
    machine->held = address;
    return true;
}

static bool keep(struct toy_machine *machine, uint64_t address, uint64_t value)
{
    const bool kept = machine->holds && machine->held == address;

    if (kept && !write_word(machine, address, value)) {
        return false;
    }
    machine->registers.flags = kept ? FLAG_ZERO : 0;
    machine->holds = false;
    return true;
}

static uint64_t *context_word(const struct toy_machine *machine, int64_t index)
{
    return (uint64_t *)(void *)machine->context + (uint8_t)index;
}

static enum toy_stop leave(struct toy_machine *machine, struct exit *exit)
{
    machine->exit = exit;
    machine->holds = false;
    return TOY_LEFT;
}

/* The two registers and the flags that a lookup uses are in the context already. */
static enum toy_stop miss(struct toy_machine *machine, unsigned kind)
{
    struct context *context = machine->context;

    context->target = machine->registers.r[R0];
    memcpy(&context->registers.r[R2], &machine->registers.r[R2],
           (TOY_REGISTERS - R2) * sizeof(uint64_t));
    return leave(machine, (struct exit *)(uintptr_t)context->missed[kind]);
}

static void poke(struct toy_machine *machine, uint64_t address, uint64_t value)
{
    struct translator *translator = machine->context->translator;
    uint8_t *place = (uint8_t *)(uintptr_t)address;
    const uint16_t half = (uint16_t)value;

    memcpy(place, &half, sizeof half);
    target_sync(translator, CODE_FRAGMENT, place, place + sizeof half);
}

static bool run_own(struct toy_machine *machine, const struct toy_insn *insn, uint64_t *next,
                    enum toy_stop *stop)
{
    uint64_t *r = machine->registers.r;
    uint64_t *flags = &machine->registers.flags;

    switch (insn->op) {
    case TOY_OWN_JUMP:
        *next += (uint64_t)insn->imm;
        return true;
    case TOY_OWN_BRANCH:
        *next += toy_condition_holds(*flags, insn->rd) ? (uint64_t)insn->imm : 0;
        return true;
    case TOY_OWN_LEAVE:
        machine->context->registers = machine->registers;
        *stop = leave(machine, (struct exit *)(uintptr_t)insn->imm);
        return true;
    case TOY_OWN_MISS:
        *stop = miss(machine, (uint8_t)insn->imm);
        return true;
    case TOY_OWN_PUSH:
        return push(machine, (uint64_t)insn->imm);
    case TOY_OWN_COUNT:
        *flags = ++*(uint64_t *)(uintptr_t)insn->imm == 1 ? FLAG_ZERO : 0;
        break;
    case TOY_OWN_CONTEXT:
        r[insn->rd] += (uintptr_t)machine->context;
        return true;
    case TOY_OWN_NEW:
        toy_counter_new(machine->counters, (const uint8_t *)(uintptr_t)r[insn->rs],
                        insn->rd == 0 ? machine->counters->threshold : 0);
        return true;
    case TOY_OWN_POKE:
        poke(machine, r[insn->rs], r[insn->rd]);
        break;
    case TOY_OWN_SAVE:
        *context_word(machine, insn->imm) = r[insn->rd];
        break;
    case TOY_OWN_RESTORE:
        r[insn->rd] = *context_word(machine, insn->imm);
        break;
    case TOY_OWN_SAVE_FLAGS:
        *context_word(machine, insn->imm) = *flags;
        break;
    default:
        ASSERT(insn->op == TOY_OWN_RESTORE_FLAGS);
        *flags = *context_word(machine, insn->imm);
        break;
    }
    machine->holds = false;
    return true;
}

/* False if it faults.  Of jumps, alone: code in the cache has others, but for those through a register. */
static bool run_plain(struct toy_machine *machine, const struct toy_insn *insn, uint64_t *next)
{
    uint64_t *r = machine->registers.r;
    uint64_t *d = &r[insn->rd];
    const uint64_t s = r[insn->rs], imm = (uint64_t)insn->imm;
    uint64_t value;

    switch (insn->op) {
    case TOY_NOP:
    case TOY_SYNC:
        return true;
    case TOY_PUSH:
        return push(machine, *d);
    case TOY_POP:
        if (!pop(machine, &value)) {
            return false;
        }
        *d = value;
        return true;
    case TOY_INC:
        *d += 1;
        return true;
    case TOY_DEC:
        *d = decrement(machine, *d);
        return true;
    case TOY_CONST8:
    case TOY_CONST32:
    case TOY_CONST64:
        *d = imm;
        return true;
    case TOY_MOV:
        *d = s;
        return true;
    case TOY_ADD:
        *d = add(machine, *d, s);
        return true;
    case TOY_SUB:
        *d = subtract(machine, *d, s);
        return true;
    case TOY_AND:
        *d = without_carry(machine, *d & s);
        return true;
    case TOY_OR:
        *d = without_carry(machine, *d | s);
        return true;
    case TOY_XOR:
        *d = without_carry(machine, *d ^ s);
        return true;
    case TOY_MUL:
        *d = without_carry(machine, *d * s);
        return true;
    case TOY_CMP:
        subtract(machine, *d, s);
        return true;
    case TOY_ADD8:
    case TOY_ADD32:
        *d = add(machine, *d, imm);
        return true;
    case TOY_CMP8:
        subtract(machine, *d, imm);
        return true;
    case TOY_AND32:
        *d = without_carry(machine, *d & imm);
        return true;
    case TOY_SHL:
        *d = without_carry(machine, *d << (imm & 63));
        return true;
    case TOY_SHR:
        *d = without_carry(machine, *d >> (imm & 63));
        return true;
    case TOY_LOAD8:
    case TOY_LOAD32:
        return read_word(machine, s + imm, d);
    case TOY_STORE8:
    case TOY_STORE32:
        return write_word(machine, s + imm, *d);
    case TOY_LOAD_INDEX:
        return read_word(machine, s + r[insn->rx] * 8 + imm, d);
    case TOY_STORE_INDEX:
        return write_word(machine, s + r[insn->rx] * 8 + imm, *d);
    case TOY_LOAD_BYTE:
        return load_byte(machine, s + imm, d);
    case TOY_STORE_BYTE:
        return store_byte(machine, s + imm, *d);
    case TOY_CMP_MEMORY:
        if (!read_word(machine, s + imm, &value)) {
            return false;
        }
        subtract(machine, *d, value);
        return true;
    case TOY_ADD_MEMORY: {
        const uint64_t flags = machine->registers.flags;
        if (!read_word(machine, s + imm, &value)) {
            return false;
        }
        if (!write_word(machine, s + imm, add(machine, value, *d))) {
            machine->registers.flags = flags;
            return false;
        }
        return true;
    }
    case TOY_LEA:
        *d = *next + imm;
        return true;
    case TOY_LOAD_NEAR:
        return read_word(machine, *next + imm, d);
    case TOY_STORE_NEAR:
        return write_word(machine, *next + imm, *d);
    case TOY_JUMP8:
    case TOY_JUMP32:
        *next += imm;
        return true;
    case TOY_CALL32:
        if (!push(machine, *next)) {
            return false;
        }
        *next += imm;
        return true;
    case TOY_JUMP_REGISTER:
        *next = s;
        return true;
    case TOY_CALL_REGISTER:
        if (!push(machine, *next)) {
            return false;
        }
        *next = s;
        return true;
    case TOY_RETURN:
        return pop(machine, next);
    case TOY_BRANCH8:
    case TOY_BRANCH32:
        *next += toy_condition_holds(machine->registers.flags, insn->rd) ? imm : 0;
        return true;
    case TOY_HOLD:
        return hold(machine, s, d);
    default:
        ASSERT(insn->op == TOY_KEEP);
        return keep(machine, s, *d);
    }
}

enum toy_stop toy_step(struct toy_machine *machine)
{
    struct toy_insn insn;
    enum toy_stop stop = fetch(machine, &insn);

    if (stop != TOY_GOES_ON) {
        return stop;
    }
    uint64_t next = machine->pc + insn.bytes;
    machine->called_back = !count(machine);
    if (machine->called_back) {
        machine->context->registers = machine->registers;
        return leave(machine, machine->context->hot);
    }
    if (insn.op == TOY_ILLEGAL || insn.op == TOY_HALT) {
        machine->instructions += insn.op == TOY_HALT;
        return insn.op == TOY_HALT ? TOY_HALTED : TOY_ILLEGAL_STOP;
    }
    if (insn.op == TOY_SYSTEM) {
        stop = TOY_CALLED;
    } else if (!(toy_is_own((enum toy_op)insn.op) ? run_own(machine, &insn, &next, &stop)
                                                  : run_plain(machine, &insn, &next))) {
        return TOY_FAULTED;
    }
    machine->instructions++;
    if (stop == TOY_GOES_ON || stop == TOY_CALLED) {
        machine->pc = next;
    }
    return stop;
}
