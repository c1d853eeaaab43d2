/* How many instructions the program executes in the cache on a way, from the code that is there. */
#include "translator/rv64/emit.h"

/* What a lookup finds, at the least: the target is loaded and compared. */
#define CHECK_INSTRUCTIONS 2
/* Where a register comes back that the target was moved to. */
#define MOVED_CHECK_INSTRUCTIONS 4

unsigned target_length(const uint8_t *from, const uint8_t *to)
{
    unsigned count = 0;

    for (; from < to; count++) {
        from += (*(const uint16_t *)(const void *)from & 3) == 3 ? 4 : 2;
    }
    return count;
}

/* Whether the branch itself leads to where the exit does, past the jump. */
static bool is_short(const struct target_site *site)
{
    return site->branch != NULL && (get_word(site->branch) & BRANCH_OFFSET_MASK) !=
                                       branch_offset_bits(site->jump - site->branch);
}

/* Without traces the exit would lead to the fragment `to`, if there is one: exits to heads lead to traces, which are
 * farther away. */
static bool would_be_short(const struct target_site *site, const struct fragment *to)
{
    return to == NULL || branch_reaches(to->entry - site->branch);
}

/* The check that a lookup finds for `to`, if it is the first that is looked at.  Without traces it would lead to the
 * fragment. */
static unsigned check_length(const struct fragment *to)
{
    static const uint8_t straight[] = {LOOKUP_RETURN, LOOKUP_JUMP};

    for (unsigned i = 0; to != NULL && i < sizeof straight; i++) {
        const uint8_t *check = to->checks.of[0][straight[i]];
        if (check != NULL) {
            return CHECK_INSTRUCTIONS + !branch_reaches(to->entry - check - 4);
        }
    }
    return to != NULL && to->checks.of[0][LOOKUP_MOVED] != NULL ? MOVED_CHECK_INSTRUCTIONS
                                                                : CHECK_INSTRUCTIONS;
}

unsigned target_way_length(const struct fragment *fragment, guest_addr next,
                           const struct fragment *to)
{
    for (uint64_t i = 0; i < fragment->exit_count; i++) {
        const struct exit *exit = &fragment->exits[i];
        const struct target_site *site = &exit->site;
        if (exit->target != next) {
            continue;
        }
        return site->branch != NULL
                   ? target_length(fragment->entry, site->branch) + 1 + !would_be_short(site, to)
                   : target_length(fragment->entry, site->jump) + 1;
    }
    return fragment->exit_count == 0
               ? target_length(fragment->entry, fragment->end) + check_length(to)
               : 0;
}

unsigned target_miss_length(const struct translator *translator, const struct fragment *fragment)
{
    const bool returns = fragment->checks.of[0][LOOKUP_RETURN] != NULL;

    return (returns ? 5u : 7u) - (unsigned)translator->process.adds_shifted + CHECK_INSTRUCTIONS;
}

unsigned target_exit_length(const struct exit *exit)
{
    const struct target_site *site = &exit->site;

    if (is_short(site) || (site->around != NULL && site_leads_around(site))) {
        return 0;
    }
    return (site->stub != NULL ? target_length(site->stub, site->jump) : 0) + 1;
}

const uint8_t *target_exit_begin(const struct exit *exit)
{
    return exit->site.stub != NULL ? exit->site.stub : exit->site.jump;
}

const uint8_t *target_last_way(const struct fragment *trace, bool leaves)
{
    const uint8_t *end = trace->end;

    if (leaves) {
        const struct target_site *site = &trace->exits[0].site;
        return (site->around != NULL ? site->around : site->jump) + 4;
    }
    for (uint64_t i = 0; i < trace->exit_count; i++) { /* these stand behind it */
        const struct exit *exit = &trace->exits[i];
        if (exit->kind != EXIT_NEVER) {
            const uint8_t *begin = target_exit_begin(exit);
            end = begin < end ? begin : end;
        }
    }
    return end;
}
