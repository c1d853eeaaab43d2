/* Executes a list of ops as it is written. */
#include "ops_check.h"

#include <string.h>

uint64_t ops_mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * UINT64_C(0x9e3779b97f4a7c15) + b;

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* What nobody has written: addresses, small numbers, and others. */
static uint8_t unwritten(const struct ops_memory *memory, uint64_t address)
{
    const uint64_t bits = ops_mix(memory->seed + memory->era, address >> 3);
    uint64_t word = bits;

    if ((bits & 3) == 0) {
        word = OPS_AREA + (bits >> 8 & 31);
    } else if ((bits & 3) == 1) {
        word = bits >> 56;
    }
    return (uint8_t)(word >> 8 * (address & 7));
}

static unsigned find_slot(const struct ops_memory *memory, uint64_t address)
{
    const unsigned mask = sizeof memory->slots / sizeof memory->slots[0] - 1;
    unsigned at = (unsigned)(ops_mix(1, address) & mask);

    while (memory->slots[at].era == memory->era && memory->slots[at].address != address) {
        at = (at + 1) & mask;
    }
    return at;
}

static uint8_t read_byte(const struct ops_memory *memory, uint64_t address)
{
    const unsigned at = find_slot(memory, address);

    return memory->slots[at].era == memory->era ? memory->slots[at].byte
                                                : unwritten(memory, address);
}

uint64_t ops_machine_address(const struct ops_machine *machine, const struct op *op)
{
    return machine->registers[op->rs[0]] + (uint64_t)op->constant;
}

uint64_t ops_machine_bytes(struct ops_machine *machine, const struct op *op)
{
    const uint64_t address = ops_machine_address(machine, op);
    uint64_t bytes = 0;

    for (unsigned i = 0; i < op->bytes; i++) {
        bytes |= (uint64_t)read_byte(&machine->memory, address + i) << 8 * i;
    }
    return bytes;
}

static void write_bytes(struct ops_machine *machine, const struct op *op, uint64_t value)
{
    const uint64_t address = ops_machine_address(machine, op);
    struct ops_memory *memory = &machine->memory;

    for (unsigned i = 0; i < op->bytes; i++) {
        const unsigned at = find_slot(memory, address + i);
        memory->slots[at].address = address + i;
        memory->slots[at].era = memory->era;
        memory->slots[at].byte = (uint8_t)(value >> 8 * i);
    }
}

void ops_machine_begin(struct ops_machine *machine, uint64_t seed,
                       const uint64_t registers[OPS_REGISTERS])
{
    memcpy(machine->registers, registers, sizeof machine->registers);
    machine->seed = machine->memory.seed = seed;
    machine->registers[0] = 0;
    machine->turn = 0;
    machine->memory.era++;
}

static uint64_t operand(const struct ops_machine *machine, const struct op *op, unsigned i)
{
    return op->rs[i] != NO_REGISTER ? machine->registers[op->rs[i]] : 0;
}

uint64_t ops_machine_unforeseen(const struct ops_machine *machine, unsigned number, unsigned more)
{
    return ops_mix(ops_mix(machine->seed, machine->turn), number * 64 + more);
}

bool ops_machine_do(struct ops_machine *machine, const struct op *op, unsigned number,
                    uint64_t loaded)
{
    const uint64_t a = operand(machine, op, 0), b = operand(machine, op, 1);
    uint64_t result = ops_machine_unforeseen(machine, number, 0) + ops_mix(a, b);

    switch (op->kind) {
    case OP_CONSTANT:
        result = (uint64_t)op->constant;
        break;
    case OP_ADD:
        result = a + (uint64_t)op->constant;
        break;
    case OP_COMPUTE:
        result = ops_compute(op->word, a, b);
        break;
    case OP_LOAD:
        result = loaded;
        break;
    case OP_STORE:
        write_bytes(machine, op, b);
        break;
    case OP_BARRIER:
    case OP_STEP:
        machine->memory.era++;
        for (unsigned reg = 1; op->kind == OP_STEP && reg < OPS_REGISTERS; reg++) {
            if ((op->constant >> reg & 1) != 0) {
                machine->registers[reg] = ops_machine_unforeseen(machine, number, reg);
            }
        }
        break;
    case OP_GUARD:
        return !target_takes(op->word, a, b);
    case OP_TARGET:
        return a == (uint64_t)op->constant;
    default:
        break;
    }
    if (op->rd != NO_REGISTER && op->rd != 0) {
        machine->registers[op->rd] = result;
    }
    return true;
}
