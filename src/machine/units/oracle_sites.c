/* Finds the program's branches in the code that executes them, when it is decoded. */
#include "base/check.h"
#include "machine/engine/unit_set.h"
#include "machine/units/oracle_state.h"

#include <stdlib.h>
#include <string.h>

/* More than one instruction of the machine stands for. */
#define BRANCHES_MOST ORIGIN_EXECUTED_MAX

/* Branches that are found, until it is known whether there is a site of them. */
struct found {
    unsigned count;
    struct site_branch *branches;
};

static bool is_conditional(const struct rv64_insn *insn)
{
    return (rv64_row(insn->op)->flags & INSN_CONDITIONAL) != 0;
}

static bool is_transfer(const struct rv64_insn *insn)
{
    return is_conditional(insn) || insn->op == RV64_jal || insn->op == RV64_jalr;
}

/* All bytes of one are set, since they are compared. */
static struct site_branch *add_branch(struct found *found, guest_addr pc,
                                      const struct rv64_insn *insn)
{
    struct site_branch *branch = &found->branches[found->count++];
    const struct watch_instruction instruction = watch_instruction_of(pc, insn);

    memset(branch, 0, sizeof *branch);
    branch->instruction.pc = pc;
    branch->instruction.word = instruction.word;
    branch->instruction.bytes = instruction.bytes;
    branch->instruction.flags = instruction.flags;
    return branch;
}

/* The program goes on at `next`, whatever the machine does. */
static void add_certain(struct found *found, guest_addr pc, const struct rv64_insn *insn,
                        guest_addr next)
{
    struct site_branch *branch = add_branch(found, pc, insn);

    branch->leads = LEADS_THERE;
    branch->taken = !is_conditional(insn) || next != pc + insn->length;
    branch->target = next;
}

#define AUIPC_BYTES 4

/* Whether the translator knows the target, since the instruction before the jump is the upper half of it: then the register
 * may hold anything.  `copy` is what is executed for the jump: the rest of it is on the way, or it leaves an address to
 * return to, or leads to the target. */
static bool is_known(const struct origins *origins, const struct executed *executed, unsigned i,
                     const struct rv64_insn *insn, const struct rv64_insn *copy, guest_addr *target)
{
    struct rv64_insn upper;
    const guest_addr before = executed->pcs[i] - AUIPC_BYTES;

    if (!origins_read(origins, before, &upper) || upper.op != RV64_auipc ||
        upper.rd != insn->rs1) {
        return false;
    }
    *target = (before + (uint64_t)upper.imm + (uint64_t)insn->imm) & ~UINT64_C(1);
    const bool together = i > 0 && executed->pcs[i - 1] == before;
    const bool links = insn->rd != 0 && insn->rd != insn->rs1 && copy->rd == insn->rd &&
                       (rv64_row(copy->op)->flags & INSN_RD_INT) != 0;
    const bool leads = copy->rd == 0 && (copy->op == RV64_jal || copy->op == RV64_addi);
    return origins->classes != NULL && (together || executed->next == *target || links || leads);
}

/* Where a translator keeps registers of the program: its own register tp leads there.  They stand in the order of their
 * numbers. */
#define TP 4
#define REGISTER_BYTES 8
/* More than what is done before the target of a jump is taken from its register. */
#define SEARCHED_BYTES 128

static bool reads(const struct rv64_insn *insn, unsigned reg)
{
    const uint32_t flags = rv64_row(insn->op)->flags;

    return ((flags & INSN_RS1_INT) != 0 && insn->rs1 == reg) ||
           ((flags & INSN_RS2_INT) != 0 && insn->rs2 == reg);
}

/* Whether the code of a jump, from `at` on, takes the register that the program has the target in from memory: then *kept
 * is where.  gp and tp may come to another register, and so it is known from what is saved before where they stand. */
static bool is_kept(const struct origins *origins, guest_addr at, unsigned reg, int32_t *kept)
{
    const guest_addr end = at + SEARCHED_BYTES;
    const bool own = reg == TP || reg == TP - 1;
    bool found = false;
    int64_t first = -1; /* where x0 would stand; -1: not known */
    struct rv64_insn insn;

    for (; !found && at < end && origins_read(origins, at, &insn); at += insn.length) {
        if (insn.op == RV64_sd && insn.rs1 == TP) {
            first = insn.imm - insn.rs2 * REGISTER_BYTES;
            continue;
        }
        const bool loads = insn.op == RV64_ld && insn.rs1 == TP;
        found = loads && (insn.rd == reg || (own && insn.imm == first + reg * REGISTER_BYTES));
        *kept = (int32_t)insn.imm;
        if (!found && (is_transfer(&insn) || (reads(&insn, reg) && !loads))) {
            return false;
        }
    }
    return found;
}

/* A jump that has an instruction of the machine, which `copy` is. */
static void add_jump(const struct origins *origins, struct found *found,
                     const struct executed *executed, unsigned i, const struct rv64_insn *insn,
                     const struct rv64_insn *copy)
{
    const guest_addr pc = executed->pcs[i];
    guest_addr target;

    if (insn->op == RV64_jal) {
        add_certain(found, pc, insn, pc + (uint64_t)insn->imm);
    } else if (is_known(origins, executed, i, insn, copy, &target)) {
        add_certain(found, pc, insn, target);
    } else {
        struct site_branch *branch = add_branch(found, pc, insn);
        const bool compares = is_conditional(copy);
        const bool kept = origins->classes != NULL && !compares &&
                          is_kept(origins, executed->begin, insn->rs1, &branch->kept);
        branch->leads = kept ? LEADS_MEMORY : LEADS_REGISTER;
        branch->taken = true;
        branch->kept = kept ? branch->kept : 0;
        /* A trace compares the target, which may be in another register than in the program. */
        branch->reg = kept ? TP : (uint8_t)(compares ? copy->rs1 : insn->rs1);
        branch->offset = (int32_t)insn->imm;
    }
}

/* Whether `pc` is the first branch in the code of a branch of the program.  Before it registers come home, perhaps; behind
 * it, or behind a jump if the branch needs none, is code that looks for other ways. */
static bool is_first(const struct origins *origins, guest_addr begin, guest_addr pc)
{
    struct rv64_insn insn;

    while (begin < pc && origins_read(origins, begin, &insn) && !is_transfer(&insn)) {
        begin += insn.length;
    }
    return begin == pc;
}

/* The machine's own branch stands for the program's. */
static void add_test(const struct origins *origins, struct found *found,
                     const struct watch_instruction *instruction, const struct executed *executed)
{
    const struct rv64_insn *copy = instruction->insn;
    struct rv64_insn insn;

    if (!is_conditional(copy) || !origins_read(origins, executed->piece, &insn) ||
        !is_conditional(&insn) || !is_first(origins, executed->begin, instruction->pc)) {
        return;
    }
    struct site_branch *branch = add_branch(found, executed->piece, &insn);
    branch->leads = LEADS_BY_TEST;
    branch->turned = insn.op != copy->op;
    branch->target = executed->piece + (uint64_t)insn.imm;
}

static void find_branches(const struct origins *origins, struct found *found,
                          const struct watch_instruction *instruction,
                          const struct executed *executed)
{
    for (unsigned i = 0; i < executed->count; i++) {
        struct rv64_insn insn;
        const guest_addr pc = executed->pcs[i];
        if (!origins_read(origins, pc, &insn) || !is_transfer(&insn)) {
            continue;
        }
        if (i < executed->without) {
            add_certain(found, pc, &insn,
                        i + 1 < executed->count ? executed->pcs[i + 1] : executed->piece);
        } else if (!is_conditional(&insn)) {
            add_jump(origins, found, executed, i, &insn, instruction->insn);
        }
    }
    add_test(origins, found, instruction, executed);
}

static bool is_site_of(const struct site *site, guest_addr pc, const struct oracle_trace *trace,
                       bool last, const struct found *found)
{
    return site->item.pc == pc && site->trace == trace && site->last == last &&
           site->count == found->count &&
           memcmp(site->branches, found->branches, found->count * sizeof *found->branches) == 0;
}

struct site *oracle_site(struct oracle *oracle, const struct watch_instruction *instruction,
                         const struct executed *executed, struct oracle_trace *trace)
{
    struct site_branch branches[BRANCHES_MOST + 1];
    struct found found = {.branches = branches};
    const guest_addr pc = instruction->pc;
    const bool last = trace != NULL && trace->last == pc;

    find_branches(oracle->origins, &found, instruction, executed);
    if (found.count == 0 && !last) {
        return NULL;
    }
    for (struct pc_item *item = pc_table_first(&oracle->sites, pc); item != NULL;
         item = item->next) {
        struct site *site = (struct site *)(void *)item;
        if (is_site_of(site, pc, trace, last, &found)) {
            return site;
        }
    }
    struct site *site = calloc(1, sizeof *site + found.count * sizeof branches[0]);
    ASSERT(site != NULL);
    site->item.pc = pc;
    site->trace = trace;
    site->last = last;
    site->count = found.count;
    memcpy(site->branches, branches, found.count * sizeof branches[0]);
    pc_table_add(&oracle->sites, &site->item);
    return site;
}
