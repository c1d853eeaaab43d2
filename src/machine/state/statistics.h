/* Where units and other parts put their statistics, whatever format they end in. */
#ifndef STRATA_STATISTICS_H
#define STRATA_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

/* Keys are those of docs/stats.md.  Inside a list `key` is NULL.  What a unit reports goes to the object of its
 * name. */
struct statistics {
    void (*number)(struct statistics *statistics, const char *key, uint64_t value);
    void (*ratio)(struct statistics *statistics, const char *key, double value);
    void (*text)(struct statistics *statistics, const char *key, const char *value);
    void (*truth)(struct statistics *statistics, const char *key, bool value);
    void (*nothing)(struct statistics *statistics, const char *key);
    void (*begin)(struct statistics *statistics, const char *key); /* an object */
    void (*begin_list)(struct statistics *statistics, const char *key);
    void (*end)(struct statistics *statistics); /* of either */
};

#endif
