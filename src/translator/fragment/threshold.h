/* When a loop is hot enough: rules that ask each loop anew, in the place of one number for all.
 *
 * With a rule the loop's counter calls at the detector's own threshold, and is asked then whether it has been executed often
 * enough; if not, it calls again when it has been. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_THRESHOLD_H
#define STRATA_TRANSLATOR_FRAGMENT_THRESHOLD_H

#include "translator/fragment/context.h"

#include <stdbool.h>
#include <stdint.h>

struct loop;

/* How many executions the loop needs, whose first fragment executes `length` instructions of the program and its own. */
typedef uint32_t threshold_rule(const struct translator *translator, const struct loop *loop,
                                uint64_t length);

/* The rule of that name; NULL if there is none. */
threshold_rule *threshold_find_rule(const char *name);
/* The names of all, with a comma before each. */
extern const char threshold_rules[];

#define THRESHOLD_RULE(id, name) threshold_rule threshold_##id;
#include "translator/fragment/threshold.def"
#undef THRESHOLD_RULE

#endif
