/* Empties the cache. */
#ifndef STRATA_TRANSLATOR_FRAGMENT_FLUSH_H
#define STRATA_TRANSLATOR_FRAGMENT_FLUSH_H

struct fragment;
struct translator;

/* Forgets all translated code, when no thread is in the cache any more. */
void flush_all(struct translator *translator);
/* Forgets all translated code since there is no room left; the next time there may be more. */
void flush_full(struct translator *translator);
/* Forgets all translated code and makes the tables of lookups larger, which have become too small. */
void flush_for_lookups(struct translator *translator);
/* Nothing leads to `fragment` any more; no other thread is in the cache. */
void flush_cut(struct translator *translator, struct fragment *fragment);
/* A fragment that nothing leads to goes. */
void flush_fragment(struct translator *translator, struct fragment *fragment);

#endif
