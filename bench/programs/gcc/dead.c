/* Removes instructions whose values nobody needs. */
#include "ir.h"

int pass_dead(struct function *f)
{
    LIST_OF(struct insn *) work = {0};
    for_each_block(f, block)
    {
        for_each_insn(block, insn)
        {
            insn->mark = has_flag(insn, EFFECT);
            if (insn->mark != 0) {
                list_push(f->arena, &work, insn);
            }
        }
    }
    while (work.count > 0) {
        struct insn *insn = work.items[--work.count];
        for (int i = 0; i < insn->arg_count; i++) {
            if (insn->args[i]->mark == 0) {
                insn->args[i]->mark = 1;
                list_push(f->arena, &work, insn->args[i]);
            }
        }
    }
    int removed = 0;
    for_each_block(f, block)
    {
        for (struct insn *insn = block->first, *next; insn != NULL; insn = next) {
            next = insn->next;
            if (insn->mark == 0) {
                ir_remove(insn);
                removed++;
            }
        }
    }
    return removed;
}
