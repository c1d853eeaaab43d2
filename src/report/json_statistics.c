/* Gathers statistics into a JSON document and writes it to a file. */
#include "report/json_statistics.h"

#include "base/check.h"
#include "base/result_file.h"
#include "base/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct json_statistics *json_of(struct statistics *sink)
{
    return (struct json_statistics *)(void *)sink;
}

static void put(struct statistics *sink, const char *key, json_t *value)
{
    struct json_statistics *json = json_of(sink);
    json_t *into = json->open[json->depth];
    ASSERT(value != NULL);
    const int failed =
        key != NULL ? json_object_set_new(into, key, value) : json_array_append_new(into, value);
    ASSERT(failed == 0);
}

static void put_number(struct statistics *sink, const char *key, uint64_t value)
{
    put(sink, key, json_integer((json_int_t)value));
}

static void put_ratio(struct statistics *sink, const char *key, double value)
{
    put(sink, key, json_real(value));
}

static void put_text(struct statistics *sink, const char *key, const char *value)
{
    json_t *text = json_string(value);
    /* A path need not be UTF-8, and JSON knows nothing else. */
    put(sink, key, text != NULL ? text : json_string("(not UTF-8)"));
}

static void put_truth(struct statistics *sink, const char *key, bool value)
{
    put(sink, key, json_boolean(value));
}

static void put_nothing(struct statistics *sink, const char *key)
{
    put(sink, key, json_null());
}

static void open_container(struct statistics *sink, const char *key, json_t *container)
{
    struct json_statistics *json = json_of(sink);
    put(sink, key, container);
    ASSERT(json->depth + 1 < JSON_DEPTH);
    json->open[++json->depth] = container;
}

static void begin_object(struct statistics *sink, const char *key)
{
    open_container(sink, key, json_object());
}

static void begin_list(struct statistics *sink, const char *key)
{
    open_container(sink, key, json_array());
}

static void end_container(struct statistics *sink)
{
    struct json_statistics *json = json_of(sink);
    ASSERT(json->depth > 0);
    json->depth--;
}

void json_statistics_begin(struct json_statistics *json)
{
    json->sink = (struct statistics){.number = put_number,
                                     .ratio = put_ratio,
                                     .text = put_text,
                                     .truth = put_truth,
                                     .nothing = put_nothing,
                                     .begin = begin_object,
                                     .begin_list = begin_list,
                                     .end = end_container};
    json->depth = 0;
    json->open[0] = json_object();
    ASSERT(json->open[0] != NULL);
}

json_t *json_statistics_take(struct json_statistics *json)
{
    ASSERT(json->depth == 0);
    return json->open[0];
}

bool json_statistics_write(struct json_statistics *json, const char *what, const char *path)
{
    ASSERT(json->depth == 0);
    char *text = NULL;
    size_t count = 0;
    FILE *made = open_memstream(&text, &count);
    ASSERT(made != NULL && json_dumpf(json->open[0], made, JSON_INDENT(1)) == 0);
    ASSERT(fputc('\n', made) != EOF && fclose(made) == 0);
    const bool written = result_file_write(path, text, count, RESULT_FILE_MODE);
    if (!written) {
        say(stderr, "strata: cannot write the %s to %s: %s\n", what, path, strerror(errno));
    }
    free(text);
    json_decref(json->open[0]);
    return written;
}
