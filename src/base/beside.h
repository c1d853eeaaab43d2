/* Finds what belongs to Strata by where its executable is: in the tree, or where it is installed. */
#ifndef STRATA_BASE_BESIDE_H
#define STRATA_BASE_BESIDE_H

/* The first of the two that exists, seen from the executable's folder; malloc'ed, or NULL. */
char *beside_find(const char *in_tree, const char *installed);

#endif
