/* Gathers statistics into a JSON document and writes it to a file. */
#ifndef STRATA_REPORT_JSON_STATISTICS_H
#define STRATA_REPORT_JSON_STATISTICS_H

#include "machine/state/statistics.h"

#include <jansson.h>

#define JSON_DEPTH 8

struct json_statistics {
    struct statistics sink;   /* first: the sink is cast back */
    json_t *open[JSON_DEPTH]; /* the objects and lists being filled, open[0] the document */
    unsigned depth;
};

void json_statistics_begin(struct json_statistics *json);
/* The document alone, to be freed by the caller. */
json_t *json_statistics_take(struct json_statistics *json);
/* Writes and frees the document.  Prints its own message, which calls it `what`, and returns false if `path` cannot
 * be written completely. */
bool json_statistics_write(struct json_statistics *json, const char *what, const char *path);

#endif
