/* Executes the instructions that reach beyond one hart: CSRs, fence.i, Xstrata and markers.
 *
 * The CSRs of floating point are not here: the engine runs them (exec/float.c). */
#include "machine/processor/core_insn.h"

#include "isa/rv64/csr.h"
#include "isa/rv64/decode.h"
#include "isa/rv64/marker.h"
#include "isa/rv64/xstrata_abi.h"
#include "machine/engine/callbacks.h"
#include "machine/pipeline/pipeline.h"
#include "machine/units/code_classes.h"
#include "machine/units/counter_table.h"
#include "machine/units/oracle.h"
#include "machine/units/profile.h"

static bool read_csr(struct machine *machine, const struct hart *hart, uint32_t number,
                     uint64_t *value)
{
    switch (number) {
    case RV64_CSR_cycle:
        *value = machine->pipeline != NULL && pipeline_is_clock(machine->pipeline)
                     ? machine_cycles(machine)
                     : hart->instructions;
        return true;
    case RV64_CSR_instret:
        *value = hart->instructions;
        return true;
    case RV64_CSR_time:
        *value = machine_virtual_time(machine);
        return true;
    case RV64_CSR_ctrthresh:
        *value = machine->counter_threshold;
        return true;
    case RV64_CSR_ctrepc:
        *value = hart->callback_return;
        return true;
    case RV64_CSR_ctrarg:
        *value = hart->callback_argument;
        return true;
    case RV64_CSR_ctrscratch:
        *value = hart->callback_scratch;
        return true;
    case RV64_CSR_ctrmode:
        *value = machine->counter_mode;
        return true;
    case RV64_CSR_hotcall:
        *value = machine->orders.callback;
        return true;
    case RV64_CSR_hotlow:
        *value = machine->orders.low;
        return true;
    case RV64_CSR_hothigh:
        *value = machine->orders.high;
        return true;
    case RV64_CSR_hotmode:
        *value = machine->orders.only_told;
        return true;
    case RV64_CSR_ctrevict:
        *value = counter_table_tells(machine->counters);
        return true;
    case RV64_CSR_ctrgone:
        *value = hart->callback_gone;
        return true;
    case RV64_CSR_ctrentries:
        *value = counter_table_entries(machine->counters);
        return true;
    case RV64_CSR_strfeat:
        *value = machine_features(machine);
        return true;
    default:
        return false;
    }
}

/* Hardware that finds hot spots has other orders than before. */
static void pass_orders(struct machine *machine, struct watch_orders orders)
{
    machine->orders = orders;
    if (machine->finder != NULL && machine->finder->kind->ordered != NULL) {
        machine->finder->kind->ordered(machine->finder);
    }
}

static bool write_order(struct machine *machine, uint32_t number, uint64_t value)
{
    struct watch_orders orders = machine->orders;
    switch (number) {
    case RV64_CSR_hotcall:
        orders.callback = value & ~UINT64_C(1);
        break;
    case RV64_CSR_hotlow:
        orders.low = value;
        break;
    case RV64_CSR_hothigh:
        orders.high = value;
        break;
    case RV64_CSR_hotmode:
        orders.only_told = value & 1;
        break;
    default:
        return false;
    }
    pass_orders(machine, orders);
    return true;
}

/* What was found last, of which a callback told. */
static uint64_t read_found(const struct machine *machine, uint64_t number)
{
    return machine->finder != NULL ? machine->finder->kind->found(machine->finder, number)
                                   : UINT64_MAX;
}

/* Read-only ones do not get here. */
static void write_csr(struct machine *machine, struct hart *hart, uint32_t number, uint64_t value)
{
    if (write_order(machine, number, value)) {
        return;
    }
    switch (number) {
    case RV64_CSR_ctrthresh:
        machine->counter_threshold = value;
        break;
    case RV64_CSR_ctrepc:
        hart->callback_return = value & ~UINT64_C(1);
        break;
    case RV64_CSR_ctrarg:
        hart->callback_argument = value;
        break;
    case RV64_CSR_ctrscratch:
        hart->callback_scratch = value;
        break;
    case RV64_CSR_ctrmode:
        machine->counter_mode = value & 1;
        break;
    case RV64_CSR_ctrevict:
        counter_table_tell(machine->counters, value & ~UINT64_C(1));
        break;
    default:
        break;
    }
}

/* Bits 11 and 10 of a CSR's number, both set, say that it is read only. */
static bool csr_read_only(uint32_t number)
{
    return (number & 0xc00) == 0xc00;
}

static bool execute_csr(struct machine *machine, struct hart *hart, const struct rv64_insn *insn)
{
    const uint32_t number = (uint32_t)insn->imm;
    const bool immediate =
        insn->op == RV64_csrrwi || insn->op == RV64_csrrsi || insn->op == RV64_csrrci;
    const bool replaces = insn->op == RV64_csrrw || insn->op == RV64_csrrwi;
    const bool clears = insn->op == RV64_csrrc || insn->op == RV64_csrrci;
    const bool writes = replaces || insn->rs1 != 0; /* csrrs with x0 only reads */
    const uint64_t operand = immediate ? insn->rs1 : hart->x[insn->rs1];
    uint64_t old;
    if (!read_csr(machine, hart, number, &old) || (writes && csr_read_only(number))) {
        return false;
    }
    if (writes) {
        write_csr(machine, hart, number,
                  replaces ? operand
                  : clears ? old & ~operand
                           : old | operand);
    }
    if (insn->rd != 0) {
        hart->x[insn->rd] = old;
    }
    return true;
}

static void set_register(struct hart *hart, unsigned rd, uint64_t value)
{
    if (rd != 0) {
        hart->x[rd] = value;
    }
}

/* Whether it matters whose code is in a range.  A patch is one word, and changes nothing about that for who only
 * counts instructions. */
static bool origins_matter(const struct machine *machine, uint64_t bytes)
{
    return (machine->pipeline != NULL && pipeline_knows_origins(machine->pipeline)) ||
           ((machine->profile != NULL || machine->oracle != NULL) && bytes > sizeof(uint32_t));
}

/* Where a translator keeps its table or its last words, or that new code is there of which the table says
 * whose it is: the same bytes may be another instruction of the program than before. */
static void note_translator(struct machine *machine, guest_addr start, uint64_t bytes,
                            unsigned class)
{
    if (class == XSTRATA_CODE_ORIGINS) {
        machine->origins.table = start;
        if (machine->profile != NULL) {
            profile_cache_emptied(machine->profile);
        }
        if (machine->waiting_slices != NULL) {
            machine->program_loaded(machine);
        }
    } else if (class == XSTRATA_CODE_FRAGMENT && origins_matter(machine, bytes) &&
               bytes < GUEST_SPACE_BYTES) {
        if (machine->pipeline != NULL) {
            pipeline_forget_origins(machine->pipeline, start, bytes);
        }
        if (machine->oracle != NULL) {
            oracle_code_written(machine->oracle, start, start + bytes);
        }
        machine_rewatch(machine, start, bytes);
    } else if (class == XSTRATA_CODE_TRACE && machine->oracle != NULL &&
               bytes < GUEST_SPACE_BYTES) {
        oracle_trace_made(machine->oracle, start, start + bytes);
        machine_rewatch(machine, start, bytes);
    } else if (class == XSTRATA_CODE_LAST_WORDS && bytes == sizeof(struct xstrata_last_words)) {
        machine->last_words = start;
    }
}

bool core_insn_execute(struct machine *machine, struct hart *hart)
{
    struct rv64_insn insn;
    rv64_decode(hart->system_word, &insn);
    const uint64_t a = hart->x[insn.rs1];
    const uint64_t b = hart->x[insn.rs2];
    bool legal = true;
    bool jumped = false;
    switch (insn.op) {
    case RV64_slti: /* others do not get here */
        phases_mark(&machine->phases, insn.word == RV64_MARKER_BEGIN, machine->instructions);
        break;
    case RV64_fence_i:
        machine_sync_all(machine);
        break;
    case RV64_ctr_new:
        counter_table_new(machine->counters, a, b, machine->counter_threshold);
        break;
    case RV64_ctr_read:
        set_register(hart, insn.rd, counter_table_read(machine->counters, a));
        break;
    case RV64_ctr_time:
        set_register(hart, insn.rd, counter_table_time(machine->counters, a, b));
        break;
    case RV64_ctr_drop:
        counter_table_drop(machine->counters, a);
        break;
    case RV64_hot_read:
        set_register(hart, insn.rd, read_found(machine, a));
        break;
    case RV64_hot_watch:
        if (machine->finder != NULL && machine->finder->kind->told != NULL) {
            machine->finder->kind->told(machine->finder, a);
        }
        break;
    case RV64_ctr_ret:
        legal = jumped = callbacks_return(hart);
        break;
    case RV64_sit_new: /* no slice table in the functional engine: accepted, unused */
        break;
    case RV64_ctx_start: /* no helper context is ever free here */
        set_register(hart, insn.rd, UINT64_MAX);
        break;
    case RV64_ctx_stop: /* only a helper context may end itself */
        legal = false;
        break;
    case RV64_ic_sync:
        machine->ic_sync_calls++;
        machine_sync_range(machine, a, b);
        if (machine->classes != NULL && insn.imm != XSTRATA_CODE_TRACE) {
            code_classes_name(machine->classes, a, b, (unsigned)insn.imm);
        }
        note_translator(machine, a, b, (unsigned)insn.imm);
        break;
    default:
        legal = execute_csr(machine, hart, &insn);
        break;
    }
    if (!legal) {
        hart->fault_address = insn.word;
        return false;
    }
    if (!jumped) {
        hart->pc += insn.length;
    }
    return true;
}
