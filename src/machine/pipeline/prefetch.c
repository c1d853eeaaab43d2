/* The table of the prefetchers, and the one that a pipeline has. */
#include "machine/pipeline/prefetch.h"

#include <stddef.h>

#define PREFETCHER(name) extern const struct prefetch_kind prefetch_##name;
#include "machine/pipeline/prefetchers.def"
#undef PREFETCHER

const struct prefetch_kind *const prefetch_kinds[PREFETCHERS] = {
    NULL,
#define PREFETCHER(name) &prefetch_##name,
#include "machine/pipeline/prefetchers.def"
#undef PREFETCHER
};

bool prefetch_create(struct prefetcher *prefetcher, const struct parameters *parameters)
{
    const struct prefetch_kind *kind = prefetch_kinds[parameters->prefetch_kind];

    *prefetcher = (struct prefetcher){.kind = kind};
    if (kind == NULL) {
        return true;
    }
    prefetcher->table = kind->create(parameters);
    return prefetcher->table != NULL;
}

void prefetch_destroy(struct prefetcher *prefetcher)
{
    if (prefetcher->table != NULL) {
        prefetcher->kind->destroy(prefetcher->table);
    }
}
