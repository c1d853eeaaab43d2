/* Units that a user chooses: finds the kind by name or in a file, and gives it its parameters. */
#include "machine/units/chosen.h"

#include "base/number.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNIT(name) extern const struct unit_kind name##_unit;
#include "base/say.h"
#include "machine/units/units.def"
#undef UNIT

const struct unit_kind *const chosen_kinds[] = {
#define UNIT(name) &name##_unit,
#include "machine/units/units.def"
#undef UNIT
    NULL};

#define PARAMETERS_MAX 64

/* NAME or FILE.so, and the rest behind the comma, if there is one. */
struct choice {
    char *name;
    char *parameters; /* NULL: none are set */
    const struct unit_kind *kind;
    uint64_t values[PARAMETERS_MAX];
};

static bool refuse(const struct choice *choice, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(const struct choice *choice, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    say(stderr, "strata: --unit %s: %s\n", choice->name, text);
    return false;
}

bool chosen_is_file(const char *text)
{
    const size_t length = strcspn(text, ",");

    return memchr(text, '/', length) != NULL ||
           (length > 3 && strncmp(text + length - 3, ".so", 3) == 0);
}

/* The kind of unit in a file; NULL if it has none.  The file stays open: the unit is in it.  Its name has a slash, or
 * dlopen would look for it elsewhere. */
static const struct unit_kind *load(const struct choice *choice)
{
    void *file = dlopen(choice->name, RTLD_NOW | RTLD_LOCAL);
    if (file == NULL) {
        refuse(choice, "cannot be loaded: %s", dlerror());
        return NULL;
    }
    const struct unit_kind *kind = dlsym(file, "strata_unit");
    if (kind == NULL) {
        refuse(choice, "is no unit: it does not define strata_unit (docs/units.md)");
    } else if (kind->version != UNIT_VERSION) {
        refuse(choice,
               "is made for version %u of strata/unit.h, this is version %u: compile it again",
               kind->version, UNIT_VERSION);
    } else {
        return kind;
    }
    dlclose(file);
    return NULL;
}

/* The kind of that name; NULL if there is none. */
static const struct unit_kind *find(const struct choice *choice)
{
    char known[256] = "";

    for (const struct unit_kind *const *kind = chosen_kinds; *kind != NULL; kind++) {
        if (strcmp((*kind)->name, choice->name) == 0) {
            return *kind;
        }
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "", (*kind)->name);
    }
    refuse(choice, "there is no such unit; there is %s, or a file, FILE.so", known);
    return NULL;
}

static const struct unit_parameter *parameter_of(const struct choice *choice, const char *name,
                                                 size_t length, unsigned *number)
{
    const struct unit_parameter *parameters = choice->kind->parameters;

    for (*number = 0; parameters != NULL && parameters[*number].name != NULL; ++*number) {
        if (strlen(parameters[*number].name) == length &&
            strncmp(parameters[*number].name, name, length) == 0) {
            return &parameters[*number];
        }
    }
    return NULL;
}

/* The names of all, with commas. */
static void list_parameters(const struct choice *choice, char *list, size_t bytes)
{
    const struct unit_parameter *at = choice->kind->parameters;

    for (list[0] = '\0'; at != NULL && at->name != NULL; at++) {
        const size_t used = strlen(list);
        snprintf(list + used, bytes - used, "%s%s", used > 0 ? ", " : "", at->name);
    }
}

static bool refuse_parameter(const struct choice *choice, const char *name, size_t length)
{
    char known[512];

    list_parameters(choice, known, sizeof known);
    if (known[0] == '\0') {
        return refuse(choice, "has no parameters, and so no %.*s", (int)length, name);
    }
    return refuse(choice, "has no parameter %.*s; there is %s", (int)length, name, known);
}

static bool set(struct choice *choice, const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    unsigned number;

    if (equals == NULL) {
        return refuse(choice, "expected PARAMETER=VALUE: %s", assignment);
    }
    const struct unit_parameter *parameter =
        parameter_of(choice, assignment, (size_t)(equals - assignment), &number);
    if (parameter == NULL) {
        return refuse_parameter(choice, assignment, (size_t)(equals - assignment));
    }
    if (!number_read(equals + 1, NUMBER_SIZE, parameter->least, parameter->most,
                     &choice->values[number])) {
        return refuse(choice, "%s must be a number from %" PRIu64 " to %" PRIu64 ": %s",
                      parameter->name, parameter->least, parameter->most, equals + 1);
    }
    return true;
}

static bool set_parameters(struct choice *choice)
{
    const struct unit_parameter *parameters = choice->kind->parameters;
    bool right = true;

    for (unsigned i = 0; parameters != NULL && parameters[i].name != NULL; i++) {
        if (i == PARAMETERS_MAX) {
            return refuse(choice, "has more than %u parameters", PARAMETERS_MAX);
        }
        choice->values[i] = parameters[i].value;
    }
    for (char *rest = choice->parameters; right && rest != NULL;) {
        char *next = strchr(rest, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        right = set(choice, rest);
        rest = next;
    }
    return right;
}

static struct unit *create(struct choice *choice, bool timed)
{
    choice->kind = chosen_is_file(choice->name) ? load(choice) : find(choice);
    if (choice->kind == NULL || !set_parameters(choice)) {
        return NULL;
    }
    if (!timed && (choice->kind->timed & ~(unsigned)WATCH_RETIRED) != 0) {
        refuse(choice, "watches a pipeline: it needs --machine FILE");
        return NULL;
    }
    struct unit *unit = choice->kind->create(choice->values);
    if (unit == NULL) {
        refuse(choice, "not enough memory");
    }
    return unit;
}

struct unit *chosen_create(const char *text, bool timed)
{
    struct choice choice = {.name = strdup(text)};

    if (choice.name == NULL) {
        say(stderr, "strata: not enough memory for the unit %s\n", text);
        return NULL;
    }
    char *comma = strchr(choice.name, ',');
    if (comma != NULL) {
        *comma = '\0';
        choice.parameters = comma + 1;
    }
    struct unit *unit = create(&choice, timed);
    if (unit != NULL) {
        unit->kind = choice.kind;
    }
    free(choice.name);
    return unit;
}
