/* The order of the passes, and how much each of them did. */
#include "ir.h"

static struct pass {
    const char *name;
    int (*run)(struct function *f);
    uint64_t changes;
} passes[] = {
#define PASS(name) {#name, pass_##name, 0},
#include "pass.def"
#undef PASS
};

enum { PASSES = sizeof passes / sizeof passes[0] };

enum {
#define PASS(name) PASS_##name,
#include "pass.def"
#undef PASS
};

static const unsigned char schedule[] = {
#define STEP(name) PASS_##name,
#include "pass_order.def"
#undef STEP
};

void passes_run(struct function *f)
{
    for (size_t i = 0; i < sizeof schedule; i++) {
        struct pass *pass = &passes[schedule[i]];
        pass->changes += (uint64_t)pass->run(f);
    }
    ir_verify(f, "all passes");
    f->insn_count = 0;
    for_each_block(f, block)
    {
        for_each_insn(block, insn)
        {
            f->insn_count++;
        }
    }
}

void passes_print(void)
{
    for (int i = 0; i < PASSES; i++) {
        printf("%s%s %" PRIu64, i == 0 ? "changes: " : ", ", passes[i].name, passes[i].changes);
    }
    printf("\n");
}

uint64_t passes_digest(uint64_t digest)
{
    for (int i = 0; i < PASSES; i++) {
        digest = program_mix(digest, passes[i].changes);
    }
    return digest;
}
