/* The contract between the translator and a target for indirect branches: how their targets are found.
 *
 * A lookup is of a kind (context.h), by which its code and what checks the
 * target know where they find things.  One that fails leaves through the exit
 * of its kind; then the fragment is entered into the tables of the thread. */
#ifndef STRATA_TRANSLATOR_TARGET_LOOKUP_H
#define STRATA_TRANSLATOR_TARGET_LOOKUP_H

#include "translator/translator.h"

#include <stddef.h>

/* What the tables take before and behind the context. */
size_t target_lookup_bytes_before(const struct options *options);
size_t target_lookup_bytes_behind(const struct options *options);
/* New tables, or those of a cache that is empty now: every lookup fails. */
void target_lookup_clear(struct context *context);
/* From now on lookups of this kind find the fragment as `target`: its start, or that
 * with the mark of a call.  False if there is no room for that in the cache. */
bool target_lookup_add(struct context *context, unsigned kind, guest_addr target,
                       struct fragment *fragment);
/* No lookup finds `fragment` any more; not for calls with a mark. */
void target_lookup_remove(struct translator *translator, const struct fragment *fragment);
/* Where the program goes if it jumps to `address`: there, but for return addresses
 * in the cache that it got from a target that makes such. */
guest_addr target_program_address(const struct translator *translator, guest_addr address);

#endif
