/* Changes of code that nobody tells of: pages that code was translated from are write-protected. */
#include "translator/fragment/protect.h"

#include "translator/translator.h"

uint64_t protect_limit(struct translator *translator, guest_addr pc, uint64_t readable)
{
    (void)translator;
    (void)pc;
    return readable;
}

bool protect_guards(const struct translator *translator, const struct plan *plan)
{
    (void)translator;
    (void)plan;
    return false;
}
