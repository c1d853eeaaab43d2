/* What is told of programs whose place another one took: execve leaves their reports to the next Strata. */
#include "report/earlier.h"

#include "base/check.h"

#include <stdlib.h>
#include <unistd.h>

/* A program may execute itself for ever: only so many are kept, the others are counted. */
#define EARLIER_MOST 64

struct earlier {
    json_t *programs; /* an array of objects: statistics, profile or null */
    json_int_t left_out;
};

struct earlier *earlier_read(int fd)
{
    struct earlier *earlier = calloc(1, sizeof *earlier);
    ASSERT(earlier != NULL);
    json_t *document = NULL;
    if (fd >= 0) {
        lseek(fd, 0, SEEK_SET);
        document = json_loadfd(fd, 0, NULL);
        close(fd);
    }
    earlier->left_out = json_integer_value(json_object_get(document, "left_out"));
    earlier->programs = json_incref(json_object_get(document, "programs"));
    if (!json_is_array(earlier->programs)) {
        json_decref(earlier->programs);
        earlier->programs = json_array();
    }
    json_decref(document);
    return earlier;
}

void earlier_free(struct earlier *earlier)
{
    if (earlier != NULL) {
        json_decref(earlier->programs);
        free(earlier);
    }
}

void earlier_add(struct earlier *earlier, json_t *statistics, json_t *profile)
{
    json_t *program = json_pack("{s:o,s:o}", "statistics", statistics, "profile",
                                profile != NULL ? profile : json_null());
    ASSERT(program != NULL);
    if (json_array_size(earlier->programs) < EARLIER_MOST) {
        json_array_append_new(earlier->programs, program);
    } else {
        json_decref(program);
        earlier->left_out++;
    }
}

void earlier_write(const struct earlier *earlier, int fd)
{
    json_t *document =
        json_pack("{s:I,s:O}", "left_out", earlier->left_out, "programs", earlier->programs);
    ASSERT(document != NULL);
    json_dumpfd(document, fd, JSON_COMPACT);
    json_decref(document);
}

static void put(const struct earlier *earlier, struct json_statistics *json, const char *kind)
{
    json_t *list = json_array();
    ASSERT(list != NULL && json->depth == 0);
    size_t i;
    const json_t *program;
    json_array_foreach(earlier->programs, i, program)
    {
        json_t *found = json_object_get(program, kind);
        if (!json_is_null(found)) {
            json_array_append(list, found);
        }
    }
    if (json_array_size(list) > 0) {
        json_object_set(json->open[0], "earlier", list);
        json_object_set_new(json->open[0], "earlier_left_out", json_integer(earlier->left_out));
    }
    json_decref(list);
}

void earlier_report_statistics(const struct earlier *earlier, struct json_statistics *json)
{
    put(earlier, json, "statistics");
}

void earlier_report_profile(const struct earlier *earlier, struct json_statistics *json)
{
    put(earlier, json, "profile");
}
