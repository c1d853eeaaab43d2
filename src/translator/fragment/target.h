/* The contract between the translator's core and a target: what rv64/ (later x86_64/) must provide.
 *
 * A target also has target_facts.h, with the types and numbers that the core needs of it; the core finds that
 * by the include path.  Nothing else of a target is known outside its folder.
 *
 * Unless something else is said, the translator's lock is held, or there is one thread only.  A function returns
 * its value, or writes what it is given; of what the core keeps it changes the cache, by adding trampolines, the
 * marks, by adding some, and translator->lookup_count.  Only `--ret fast` takes exits from the pool and links
 * them.
 *
 * Beside these functions a target has host_call (host.h), and the first instructions of the translator, which
 * call translator_start. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_TARGET_H
#define STRATA_TRANSLATOR_FRAGMENT_TARGET_H

#include "translator/fragment/cache.h"
#include "translator/fragment/fragment.h"
#include "translator/fragment/ledger.h"
#include "translator/fragment/plan.h"
#include "translator/passes/log.h"
#include "translator/passes/place.h"

struct loop;
struct translator;

/* From the program's code to a fragment. */

/* Reads the program's code from plan->pc on, at most `limit` instructions of it, all of which can be read,
 * into steps, until one that transfers control.  Adds at least one step, or lengthens the last one.  Decides
 * nothing: what is a jump becomes STEP_JUMP, whether it will be followed or not.  Each byte of the program is
 * read once, and kept in plan->code, for another thread may be writing there.  A sequence that must stay whole
 * and does not fit ends the scan before it, unless it would be the first step of the plan.  Where plan->careful,
 * the scan ends behind one instruction, or one such sequence, and STEP_STORES says whether that may write to
 * memory. */
void target_scan(struct plan *plan, uint64_t limit);

/* Whether the instruction at `pc` ends before `end`, or there; TARGET_SHORTEST_INSTRUCTION bytes of it do. */
bool target_fits(guest_addr pc, guest_addr end);

/* Of what is no plain fragment. */
struct emission_special {
    bool records; /* indirect branches leave as a lookup of the kind LOOKUP_INLINE that failed */
    const uint8_t **blocks; /* gets where each STEP_BLOCK is */
    /* Of a trace that passes have changed: what is written in the place of the plan, and gets what registers hold; else
     * NULL. */
    const struct ops *ops;
    const struct arranged *placed;
    struct log **log;
    /* These get what ledger_open wants to have: how many instructions follow each step that guards a target, where that
     * fails, before the jump is looked up; and of `placed`, if `shares` is not NULL, one for each block. */
    uint8_t *way_outs;
    struct block_shares *shares;
    /* Of a trace that compares registers where it is entered; else NULL. */
    struct entrance *entrance;
};

/* Opens a plan of a trace for passes; false if they shall leave it alone.  The most bytes that it takes then. */
bool target_open(const struct plan *plan, struct ops *ops);
unsigned target_placed_bytes(const struct plan *plan, const struct ops *ops,
                             const struct arranged *placed);

/* Where target_emit writes, and what it says of that. */
struct emission {
    struct translator *translator;
    struct fragment *fragment; /* its entry, landing, code, end and checks are set, and
                                * the sites of its exits: those of the last step, then those of sides;
                                * `hot`, and the kinds of exits that passes have found never to be taken */
    unsigned lookup; /* the kind of the lookup that failed to find the fragment, or LOOKUP_INLINE */
    uint8_t *at;     /* where the code goes, in the cache */
    const struct emission_special *special; /* NULL for what is neither a trace nor records */
};

/* Writes a plan into the cache, so that the processor sees it; marks each piece of it (state.h), and sends its
 * exits to their trampolines, which it adds to the cache.  There is room: TARGET_INSTRUCTION_BYTES for each instruction. */
void target_emit(const struct plan *plan, struct emission *emission);

/* Whether the branch, or indirect jump, call or return, that ends a scan can become a guard of a trace. */
bool target_can_guard(const struct step *step);
/* Whether the return that is the last step of a plan certainly leads to `to`: the call that it returns from is in the
 * plan, and nothing in between changes what it returns to. */
bool target_returns_to(const struct plan *plan, guest_addr to);

/* The most bytes that a step of a trace takes, what its exits need included; and the most that one trace may take. */
unsigned target_trace_bytes(const struct step *step);
/* Instructions from one place in the cache to another; on the way through `fragment` to where the program goes on at
 * `next`, of which `to` is the fragment or NULL, the lookup included if that is indirect, 0 if it is not known; where a guard leads elsewhere, from there to the
 * code that it leads to; where an exit leads, from its
 * branch on; and where the last step of a trace ends that is no branch, and `leaves` through an exit or not. */
unsigned target_exit_length(const struct exit *exit);
/* Of the first exit of a branch: where what it does begins. */
const uint8_t *target_exit_begin(const struct exit *exit);
unsigned target_length(const uint8_t *from, const uint8_t *to);
unsigned target_way_length(const struct fragment *fragment, guest_addr next,
                           const struct fragment *to);
unsigned target_miss_length(const struct translator *translator, const struct fragment *fragment);
const uint8_t *target_last_way(const struct fragment *trace, bool leaves);
/* What has gone by since the program began, instructions or time. */
uint64_t target_clock(const struct translator *translator);
/* Cycles that have gone by; instructions, where the processor has no cycles, and 0 where it has no counters. */
uint64_t target_cycles(const struct translator *translator);
/* A guard of a trace that has led elsewhere a few times: from now on code in the cache looks for the targets. */
void target_guard_settle(struct translator *translator, const struct guard_site *site);

/* The processor must see code that was written; its statistics tell classes apart. */
enum code_class {
    CODE_FRAGMENT,
    CODE_TRAMPOLINE,
    CODE_COUNTER,
    CODE_LOOKUP,
    CODE_TRACE,
    CODE_ALL
};
/* CODE_TRACE: the path of a trace, which it has seen already.  CODE_ALL, without a range: other threads must see all that was changed, even single words. */
void target_sync(struct translator *translator, enum code_class class, const uint8_t *start,
                 const uint8_t *end);

/* Sends the jump of `exit` straight to to->landing; where that is out of its reach, through a stub in the
 * place of its trampoline, or behind that where code may be unlinked again.  Patches whole words only, which
 * other threads may be executing. */
void target_link(struct translator *translator, struct exit *exit, const struct fragment *to);
/* Sends it to its trampoline again. */
void target_unlink(struct translator *translator, struct exit *exit);
/* Who enters `fragment` through its indirect entry comes through `code` first; NULL: no longer. */
void target_redirect(struct translator *translator, struct fragment *fragment, const uint8_t *code);

/* Indirect branches.
 *
 * A lookup is of a kind (target_facts.h), by which its code and what checks the target know where they find
 * things.  One that fails leaves through the exit of its kind; then the fragment is entered into the tables. */

/* The tables of `context` are new, or those of a cache that is empty now: every lookup fails. */
void target_lookup_clear(struct context *context);
/* From now on lookups of this kind find `fragment` as `target`: its start, or that with TARGET_CALL_MARK.
 * False if there is no room for that in the cache.  Where several fragments share an entry of a table, and
 * lookups walk from one to the next, translator->lookup_count says how many there are in all. */
bool target_lookup_add(struct context *context, unsigned kind, guest_addr target,
                       struct fragment *fragment);
/* No lookup finds `fragment` any more.  No other thread is in the cache. */
void target_lookup_remove(struct translator *translator, struct fragment *fragment);
/* Where the program goes if it jumps to `address`: there, but for addresses in the cache that a target of
 * `--ret fast` gave it as return addresses. */
guest_addr target_program_address(const struct translator *translator, guest_addr address);

/* Counters. */

/* What the code of a software counter consists of, in bytes from its beginning. */
struct counter_layout {
    uint16_t bytes;
    uint16_t landing;  /* for those that jump here with all registers the program's */
    uint16_t indirect; /* for those that come through the indirect entry */
    uint16_t
        resume; /* the paper's: as through the indirect entry, past the check for the threshold */
};
extern const struct counter_layout target_sw_layout, target_paper_layout, target_taken_layout;

/* Contexts get what the code of counters uses, once the kind of counters is known. */
void target_counter_start(struct context *context);
/* Writes a software counter for `loop` to `code`, in front of the entry of its fragment and within
 * TARGET_JUMP_REACH of it; it leaves through loop->reached at the threshold.  That of `sw` and `sw-exact`
 * adds TARGET_CELL_UNIT to a cell of its own, TARGET_CELL_OF, and is there when the cell was 0; the
 * paper's counts in the slot of the loop's head. */
void target_counter_write(const struct translator *translator, uint8_t *code,
                          const struct loop *loop);
/* Takes the check for the threshold out of the code of `sw-exact`. */
void target_counter_pass(struct translator *translator, const struct loop *loop);
/* The code of a counter of `sw-exact` that checks no threshold goes on to `entry`, as with all registers the
 * program's.  False if that is out of its reach. */
bool target_counter_aim(struct translator *translator, const struct loop *loop,
                        const uint8_t *entry);

/* The paper's counter in the taken trampoline of an exit: nobody comes there indirectly.  Its code counts in the slot of the loop's head, leaves through loop->reached at the threshold, and goes to the
 * entry of `to`.  An exit keeps its code as long as it lives, linked or not. */
bool target_taken_reaches(const struct exit *exit, const uint8_t *code, const struct fragment *to);
void target_taken_write(struct translator *translator, uint8_t *code, const struct loop *loop,
                        const struct fragment *to);
/* Code that was written leads to `to` from now on; other threads may be executing it. */
void target_taken_aim(struct translator *translator, uint8_t *code, const struct fragment *to);
/* Sends the jump of `exit` to its code. */
void target_taken_link(struct translator *translator, struct exit *exit, uint8_t *code);
/* The code of an exit that was linked so, or NULL. */
uint8_t *target_taken_code(const struct exit *exit);

/* Hardware counters.  A tag is the entry of a fragment; with threshold 0 it only counts; reading one that is
 * not there gives all ones. */
void target_hw_new(const uint8_t *tag, uint64_t threshold);
uint64_t target_hw_read(const uint8_t *tag);
/* From now on one more register is the translator's own, so that code it adds to the program's need not save any; before
 * the first context is made.  The program's own value is in the context. */
void target_take_scratch(struct translator *translator);
/* Asks which instructions there are that not all processors of the target have; before anything is emitted. */
void target_look_at_processor(struct translator *translator);
/* In a callback: behind it the program leaves the cache through context->hot; first by `way`, the trace's that it is in, if
 * that is not NULL. */
void target_hw_leave(const uint8_t *way);
void target_hw_drop(const uint8_t *tag);
/* From now on hw_counter_evicted hears of evictions, and target_hw_gone says there what the counter had counted.  False if the
 * hardware does not tell. */
bool target_hw_tell(void);
uint64_t target_hw_gone(void);
/* Hardware that finds hot spots: whether there is any; it looks at the code between two addresses, and with `only_told` only
 * at what begins where target_found_watch says; and a word of what it found (docs/isa-extension.md, [H3]), in its
 * callback. */
bool target_found_exists(void);
void target_found_look(const uint8_t *low, const uint8_t *high, bool only_told);
void target_found_watch(const uint8_t *head);
uint64_t target_found_word(uint64_t number);
/* Whether counters measure what executions take; and what one has measured, nothing if it is not there. */
bool target_hw_has_times(void);
struct target_times target_hw_times(const uint8_t *tag);
uint64_t target_hw_cycles(const uint8_t *tag);
/* The instruction behind the one at `code`; whether that is a load which is the program's, if it is on a trace. */
const uint8_t *target_behind(const uint8_t *code, bool *loads);
/* What the program's register held when it left the cache through context->hot. */
uint64_t target_register(const struct context *context, unsigned reg);
/* Whether there can be any number of them. */
bool target_hw_unlimited(void);
/* Sends `exit` to a trampoline that makes a counter for `to`, once, and then sends the exit straight there
 * itself.  The counter has the whole threshold, or none if the loop is hot.  False if there is no room for
 * it, or `to` is too far away. */
bool target_hw_link(struct translator *translator, struct exit *exit, const struct fragment *to);
/* Whether that has happened to an exit with such a trampoline. */
bool target_hw_linked(const struct exit *exit);

/* The program as a process. */

#define CALL_ARGUMENTS 6

struct call {
    uint64_t number;
    uint64_t arguments[CALL_ARGUMENTS];
};

/* Does one system call and returns its result. */
typedef int64_t system_handler(struct context *context, const struct call *call);
/* For a call that only this target has, and the kernel shall not get; else NULL. */
system_handler *target_system_handler(uint64_t number);

/* A new context gets the addresses that emitted code goes to.  No lock is needed, as for all that follows. */
void target_prepare(struct context *context);
/* Goes on with the program at context->target and all registers of the context. */
_Noreturn void target_resume(struct context *context);
/* Does a system call of the program, or gives SIGNAL_RESTART (signal.h) if a signal comes first. */
int64_t target_program_call(const struct call *call);
/* Does a call that returns twice in the same memory, first with 0.  When it returns again, the translator's
 * stack is as it was: `kept` has room for it. */
int64_t target_vfork(const struct call *call, uint64_t *kept);
/* The kernel's clone, whose child begins in thread_begin with its context and its own stack; what dispatch
 * goes to (context->detour) so that thread_clone is called with all registers in the context; and the end of
 * a thread, whose memory goes before it does. */
int64_t target_clone_call(const struct call *call);
extern const char target_clone[];
_Noreturn void target_exit_thread(void *block, size_t bytes, int status);

/* What the kernel calls when a signal arrives: its arguments are as the kernel passes them. */
struct signal_info;
void target_signal(int number, struct signal_info *info, void *frame);
/* Makes a handler's frame and enters `handler` in it; false if there is no room. */
bool target_push_frame(struct context *context, const struct signal_info *info, uint64_t mask,
                       guest_addr handler, bool alternate);
/* The mask in the frame at the stack pointer; false if there is no frame. */
bool target_frame_mask(const struct context *context, uint64_t *mask);
/* Takes all registers, pc and alternate stack from it; false if it is not whole. */
bool target_pop_frame(struct context *context);

/* For those who look on. */

/* Tells who observes the processor where the marks are (state.h), each time that they have a new place. */
void target_announce(struct translator *translator);

/* Asks who runs the processor to call report_last_words when the program is ended from outside; false if nobody
 * does, so that what ends the program must be seen by the translator itself. */
bool target_offer_last_words(struct translator *translator);

/* One instruction for a person to read. */
struct target_instruction {
    char text[96];
    unsigned bytes;
    uint64_t target; /* of a direct jump or branch, or 0 */
    bool leaves;     /* what stands behind it is not run after it */
};
/* `code` holds what stands, or would stand, at `address`. */
void target_describe(const uint8_t *code, uint64_t address, struct target_instruction *instruction);

#endif
