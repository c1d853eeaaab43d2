/* The table of detectors. */
#include "translator/detect/detectors.h"

#include <stddef.h>

static const struct {
    const char *name;
    const struct detector *detector;
} table[] = {
#define DETECTOR(id, name, unit, meaning) {name, &id##_detector},
#include "translator/detect/detectors.def"
#undef DETECTOR
};

/* Each with a comma before it. */
static const char names[] =
#define DETECTOR(id, name, unit, meaning) ", " name
#include "translator/detect/detectors.def"
#undef DETECTOR
    ;

static bool equals(const char *text, const char *name)
{
    while (*name != '\0' && *text == *name) {
        text++;
        name++;
    }
    return *text == *name;
}

const struct detector *detector_find(const char *name, const char **known)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (equals(name, table[i].name)) {
            return table[i].detector;
        }
    }
    *known = names + 2;
    return NULL;
}
