/* The contract between the translator and a target: what rv64/ (later x86_64/) must provide. */
#ifndef STRATA_TRANSLATOR_TARGET_H
#define STRATA_TRANSLATOR_TARGET_H

#include "translator/fragment/cache.h"
#include "translator/fragment/fragment.h"
#include "translator/fragment/placement.h"

struct translator;

struct bucket;

/* The state of building one fragment.  There is one builder, in the translator: all
 * functions on the way from a fragment's beginning to its end know it, and each
 * ends with the call of the next, so that most of them need no stack. */
struct builder {
    struct translator *translator;
    struct fragment *fragment;
    struct bucket *bucket;      /* that the fragment is in */
    uint8_t *trampolines;       /* where its own end */
    guest_addr pc;              /* of the instruction to translate next */
    uint8_t *at;                /* where its code goes; moves on */
    uint64_t limit;             /* of instructions, as far as is known to be readable */
    int64_t left;               /* two for each that may follow: the bytes of the shortest */
    unsigned side_count;        /* of translator->sides; 0 between fragments */
    bool spoiled;               /* a part of it could not be read: translator->unreadable */
    unsigned lookup;            /* the kind that failed to find the fragment */
    const uint8_t *lookup_site; /* what each lookup that ends the fragment executes once, or NULL;
                                  * as between fragments */
    guest_addr from;            /* of the branch or jump that the next exit is for */
};

static inline uint64_t builder_instructions(const struct builder *builder)
{
    return builder->limit - (uint64_t)(builder->left >> 1);
}

/* The most bytes of the cache that one instruction can take, with what it keeps
 * among the trampolines; and that the last one of a fragment can.  A branch in its
 * middle can take a few more: FRAGMENT_SIDES of them find what the others do not need. */
#define TARGET_INSTRUCTION_BYTES 48
#define TARGET_END_BYTES 256
#define TARGET_LONGEST_INSTRUCTION 4
#define TARGET_LOOKUP_SITE_BYTES 4
/* Of the way to a target that is too far, which stands behind a trampoline where
 * other threads may be in that; a multiple of 8. */
#define TARGET_FAR_WAY_BYTES 16

/* Makes sure that what follows can be changed while other threads execute it. */
void target_align(struct builder *builder);

/* Writes what stands before a fragment's entry. */
void target_begin(struct builder *builder);
/* The same where a lookup, builder->lookup, has failed to find the fragment. */
void target_begin_with_check(struct builder *builder);

/* Translates straight code from builder->pc on, until the fragment ends, which is
 * returned; goes on with build_on (build.c) where a jump is followed and where the
 * fragment has builder->limit instructions; it has fewer now. */
struct fragment *target_translate(struct builder *builder);

/* How many bytes the translation of the last instruction of straight code depends on. */
unsigned target_read_bytes(const uint8_t *code);

/* Whether the instruction at `pc`, which is near `end`, does not reach beyond it. */
bool target_fits(guest_addr pc, guest_addr end);

/* Writes what stands behind a fragment's end. */
void target_finish(struct builder *builder);

/* The processor must see the fragment; goes on with build_commit. */
struct fragment *target_publish(struct builder *builder);

/* Ends a fragment that has become long enough, and that goes on at builder->pc. */
struct fragment *target_end(struct builder *builder);

/* Sends the jump of `exit`, which was never linked, straight to `to`, if that is easy. */
bool target_link_new(struct translator *translator, const struct exit *exit,
                     const struct fragment *to);
/* Sends it there in any case, through a stub if it is too far away. */
void target_link(struct translator *translator, struct exit *exit, const struct fragment *to);

/* Sends it to its trampoline again.  What else it went through stays as it is. */
void target_unlink(struct translator *translator, struct exit *exit);

/* Where control enters `fragment` from dispatch or from an indirect jump. */
const uint8_t *target_indirect_entry(const struct fragment *fragment);

/* The processor must see code that was written; its statistics tell classes apart. */
enum code_class { CODE_FRAGMENT, CODE_TRAMPOLINE, CODE_COUNTER, CODE_LOOKUP };
void target_sync(struct translator *translator, enum code_class class, const uint8_t *start,
                 const uint8_t *end);

/* Tells who observes the processor where the marks are (state.h), once they have a place. */
void target_announce(struct translator *translator);

/* Other threads must see it, too, even single words that were changed. */
void target_sync_threads(const struct translator *translator);

/* One instruction for a person to read. */
struct target_instruction {
    char text[96];
    unsigned bytes;
    uint64_t target; /* of a direct jump or branch, or 0 */
    bool leaves;     /* what stands behind it is not run after it */
};
/* `code` holds what stands, or would stand, at `address`. */
void target_describe(const uint8_t *code, uint64_t address, struct target_instruction *instruction);

/* Leaves the translator for the code at `entry`; does not return. */
_Noreturn void target_enter(struct context *context, const uint8_t *entry);
/* Code in the cache jumps here to leave it: context->leave. */
extern const char target_leave[];

#endif
