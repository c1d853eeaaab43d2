/* Adds to statistics what they lack: those of the translator elsewhere know addresses and counts. */
#include "report/complete.h"

#include "base/check.h"
#include "base/sha256.h"
#include "report/program_file.h"

#include <stdlib.h>
#include <string.h>

static json_int_t executions_of(const json_t *loop)
{
    return json_integer_value(json_object_get(loop, "executions"));
}

/* As hotspots orders them: the most executed first, then by address. */
static int compare_loops(const void *left, const void *right)
{
    const json_t *a = *(json_t *const *)left, *b = *(json_t *const *)right;
    const json_int_t first = executions_of(a), second = executions_of(b);
    if (first != second) {
        return first < second ? 1 : -1;
    }
    const char *head = json_string_value(json_object_get(a, "head"));
    const char *other = json_string_value(json_object_get(b, "head"));
    const size_t length = strlen(head), other_length = strlen(other);
    return length != other_length ? (length > other_length ? 1 : -1) : strcmp(head, other);
}

static void order_loops(json_t *loops)
{
    const size_t count = json_array_size(loops);
    json_t **sorted = calloc(count + 1, sizeof(json_t *));
    ASSERT(sorted != NULL);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = json_incref(json_array_get(loops, i));
    }
    qsort(sorted, count, sizeof(json_t *), compare_loops);
    json_array_clear(loops);
    for (size_t i = 0; i < count; i++) {
        ASSERT(json_array_append_new(loops, sorted[i]) == 0);
    }
    free(sorted);
}

/* The share of a loop is one of instructions or cycles, which the translator does not count. */
static void share_loops(json_t *loops)
{
    for (size_t i = 0; i < json_array_size(loops); i++) {
        ASSERT(json_object_set_new(json_array_get(loops, i), "share", json_null()) == 0);
    }
}

static const char *set_program(json_t *run, const char *path)
{
    char digest[SHA256_TEXT_BYTES];
    if (!sha256_file(path, digest)) {
        return "cannot be read";
    }
    if (!json_is_object(json_object_get(run, "program"))) {
        ASSERT(json_object_set_new(run, "program", json_object()) == 0);
    }
    json_t *program = json_object_get(run, "program");
    const char *ran = json_string_value(json_object_get(program, "sha256"));
    if (ran != NULL && strcmp(ran, digest) != 0) {
        return "is not the program that ran";
    }
    json_t *name = json_string(path);
    ASSERT(json_object_set_new(program, "path", name != NULL ? name : json_null()) == 0);
    ASSERT(json_object_set_new(program, "sha256", json_string(digest)) == 0);
    return NULL;
}

const char *complete_run(json_t *run, const char *program)
{
    json_t *loops = json_object_get(json_object_get(run, "hotspots"), "loops");
    const char *why = program != NULL ? set_program(run, program) : NULL;
    if (why != NULL) {
        return why;
    }
    if (json_object_get(json_array_get(loops, 0), "share") == NULL) {
        order_loops(loops);
        share_loops(loops);
    }
    if (program != NULL) {
        struct program_file *file = program_file_open(run, &why);
        for (size_t i = 0; file != NULL && i < json_array_size(loops); i++) {
            program_file_name(file, json_array_get(loops, i));
        }
        program_file_close(file);
    }
    return why;
}
