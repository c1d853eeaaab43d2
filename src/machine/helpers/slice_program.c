/* Makes slices ready to run, and executes them: on registers of their own, and never writing memory. */
#include "machine/helpers/slice_program.h"

#include "base/check.h"
#include "isa/rv64/decode.h"
#include "machine/exec/access.h"
#include "machine/exec/integer.h"
#include "machine/state/memory.h"
#include "machine/pipeline/pipeline.h"

#include <stdlib.h>
#include <string.h>

/* The addresses that the pipeline sees a slice's instructions at: no program has code there. */
#define SLICE_CODE_BASE (GUEST_SPACE_BYTES - (UINT64_C(1) << 20))

/* A guard writes whether it was taken to where nobody looks but the slice's own runner. */
#define GUARD(id)                                                                                  \
    static void guard_##id(struct hart *hart, const struct op *op)                                 \
    {                                                                                              \
        hart->x[HART_X_SINK] = exec_##id(hart, op);                                                \
    }
GUARD(beq)
GUARD(bne)
GUARD(blt)
GUARD(bge)
GUARD(bltu)
GUARD(bgeu)
#undef GUARD

#define TAKE_ALU(id) [RV64_##id] = exec_##id,
#define TAKE_MUL TAKE_ALU
#define TAKE_DIV TAKE_ALU
#define TAKE_LOAD TAKE_ALU
#define TAKE_BRANCH(id) [RV64_##id] = guard_##id,
#define TAKE_JUMP(id)
#define TAKE_STORE(id)
#define TAKE_ATOMIC(id)
#define TAKE_FADD(id)
#define TAKE_FMUL(id)
#define TAKE_FMA(id)
#define TAKE_FDIV(id)
#define TAKE_FSQRT(id)
#define TAKE_FCVT(id)
#define TAKE_FMISC(id)
#define TAKE_FENCE(id)
#define TAKE_SYSTEM(id)
static slice_execute *const executes[RV64_OP_COUNT] = {
#define INSN(id, mnemonic, format, match, mask, unit, flags) TAKE_##unit(id)
#define XCSR(id, name, number, meaning)
#include "isa/rv64/rv64.def"
#include "isa/rv64/xstrata.def"
#undef INSN
#undef XCSR
};

static bool set_step(struct slice_step *step, const struct slice_instruction *from, guest_addr bias,
                     guest_addr at, const struct parameters *parameters)
{
    struct rv64_insn insn;
    rv64_decode(from->word, &insn);
    const uint32_t flags = rv64_row(insn.op)->flags;
    const bool reads_float = flags & (INSN_RS1_FLOAT | INSN_RS2_FLOAT | INSN_RS3_FLOAT);
    step->execute = executes[insn.op];
    if (step->execute == NULL || reads_float) {
        return false;
    }
    const uint8_t rd = flags & INSN_RD_FLOAT || insn.rd != 0 ? insn.rd : HART_X_SINK;
    step->op = (struct op){
        .rd = rd, .rs1 = insn.rs1, .rs2 = insn.rs2, .rs3 = insn.rs3, .imm = (int32_t)insn.imm};
    if (insn.op == RV64_auipc) {
        step->op.value = op_pack_constant(rd, from->pc + bias + (uint64_t)insn.imm);
    }
    static_insn_set_up(&step->insn, at, &insn, parameters);
    step->insn.flags |= STATIC_HELPER;
    step->insn.mix = MIX_COUNT;
    step->guard = flags & INSN_CONDITIONAL;
    step->insn.site.kind =
        BRANCH_NONE; /* the way that a guard goes is known when the slice starts */
    return true;
}

/* A load whose value nothing in the slice reads, nor the next of its chain, need not be waited for. */
static void release_unread_loads(struct slice_program *program)
{
    slice_registers live = 0;
    for (unsigned i = program->count; i-- > 0;) {
        struct static_insn *insn = &program->steps[i].insn;
        live |= i + 1 == program->chains_after ? program->slice.live_ins : 0;
        if (insn->flags & STATIC_LOAD &&
            (insn->destination == REGISTER_NONE || !(live >> insn->destination & 1))) {
            insn->flags |= STATIC_PREFETCH;
        }
        if (insn->destination != REGISTER_NONE) {
            live &= ~(UINT64_C(1) << insn->destination);
        }
        for (unsigned k = 0; k < 3; k++) {
            live |= insn->sources[k] != REGISTER_NONE ? UINT64_C(1) << insn->sources[k] : 0;
        }
    }
}

struct slice_program *slice_program_create(const struct slice *slice, guest_addr bias,
                                           const struct parameters *parameters)
{
    const unsigned body = slice->length - slice->prologue;
    const unsigned count = slice->prologue * slice->unroll + body;
    if (count == 0 || count > SLICE_STEPS_MAX) {
        return NULL;
    }
    struct slice_program *program = calloc(1, sizeof *program + count * sizeof program->steps[0]);
    if (program == NULL) {
        return NULL;
    }
    const bool chains = slice->kind == SLICE_CHAINING;
    program->slice = *slice;
    program->count = count;
    program->chained_from = chains ? slice->prologue * (slice->unroll - 1u) : 0;
    program->chains_after = chains ? slice->prologue * slice->unroll : 0;
    for (unsigned i = 0; i < count; i++) {
        const unsigned place =
            i < count - body ? i % slice->prologue : slice->prologue + i - (count - body);
        if (!set_step(&program->steps[i], &slice->instructions[place], bias,
                      SLICE_CODE_BASE + 4 * (guest_addr)i, parameters)) {
            free(program);
            return NULL;
        }
        program->steps[i].delinquent = slice->instructions[place].delinquent;
    }
    if (chains) {
        program->steps[program->chains_after - 1].insn.flags |= STATIC_TRIGGER;
    }
    release_unread_loads(program);
    return program;
}

static bool may_load(const struct memory *memory, guest_addr address, unsigned bytes)
{
    return address < GUEST_SPACE_BYTES && memory_allows(memory, address, bytes, PAGE_READ);
}

enum slice_end slice_program_run(const struct slice_program *program, unsigned from,
                                 struct hart *hart, const struct memory *memory,
                                 struct record *records, unsigned *count, uint64_t chain[32])
{
    const bool goes_on_taken = program->slice.guard == SLICE_GUARD_TAKEN;
    sigjmp_buf fault_exit;
    volatile unsigned at = from;
    hart->memory_base = memory->base;
    hart->fault_exit = &fault_exit;
    leave_watch_faults(hart);
    volatile enum slice_end end = SLICE_ENDED;
    if (sigsetjmp(fault_exit, 0) == 0) {
        for (unsigned i = from; i < program->count; i++) {
            const struct slice_step *step = &program->steps[i];
            guest_addr address = 0;
            if (step->insn.flags & STATIC_LOAD) {
                address = access_address(hart, &step->op);
                if (!may_load(memory, address, step->insn.bytes)) {
                    end = SLICE_FAULTED;
                    break;
                }
            }
            at = i;
            step->execute(hart, &step->op);
            records[i - from] =
                (struct record){.insn = (struct static_insn *)&step->insn, .address = address};
            at = i + 1;
            if (step->guard && (hart->x[HART_X_SINK] != 0) != goes_on_taken) {
                end = SLICE_GUARDED;
                break;
            }
            if (i + 1 == program->chains_after) {
                memcpy(chain, hart->x, 32 * sizeof chain[0]);
            }
        }
    } else {
        end = SLICE_FAULTED; /* behind the end of a mapped file */
    }
    leave_watch_faults(NULL);
    *count = at - from;
    return end;
}
