/* Reads the processor that a name of configs/ or a file describes, and says what is known of it. */
#include "cli/processor.h"

#include "base/check.h"
#include "base/say.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int is_processor(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name), ending = strlen(PARAMETERS_ENDING);
    return length > ending && strcmp(entry->d_name + length - ending, PARAMETERS_ENDING) == 0;
}

char **processor_names(size_t *count)
{
    struct dirent **entries = NULL;
    char *folder = parameters_folder();
    const int found = folder != NULL ? scandir(folder, &entries, is_processor, alphasort) : 0;
    *count = found > 0 ? (size_t)found : 0;
    char **names = calloc(*count + 1, sizeof *names);
    ASSERT(names != NULL);
    for (size_t i = 0; i < *count; i++) {
        names[i] =
            strndup(entries[i]->d_name, strlen(entries[i]->d_name) - strlen(PARAMETERS_ENDING));
        ASSERT(names[i] != NULL);
        free(entries[i]);
    }
    free(entries);
    free(folder);
    return names;
}

void processor_names_free(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(names[i]);
    }
    free(names);
}

static void refuse_name(const char *name)
{
    size_t count;
    char **names = processor_names(&count);
    say(stderr, "strata: there is no processor %s; there are %s", name,
        count == 0 ? "none beside strata" : "");
    for (size_t i = 0; i < count; i++) {
        say(stderr, "%s%s", i == 0 ? "" : i + 1 == count ? " and " : ", ", names[i]);
    }
    say(stderr, "; a file is named with its ending, such as ./%s" PARAMETERS_ENDING "\n", name);
    processor_names_free(names, count);
}

char *processor_read(const char *name, const char *const *sets, size_t set_count,
                     struct parameters *parameters, struct parameters_given *given)
{
    char problem[PARAMETERS_PROBLEM_BYTES];
    char *path = parameters_find(name);
    if (path == NULL) {
        refuse_name(name);
        return NULL;
    }
    if (!parameters_read(parameters, given, path, problem) ||
        !parameters_assign(parameters, given, sets, set_count, problem)) {
        say(stderr, "strata: %s\n", problem);
        free(path);
        return NULL;
    }
    return path;
}

/* The lines of comment that a file begins with, up to an empty one, in one line. */
static void read_paragraph(FILE *file, char *text, size_t size)
{
    char line[DESCRIPTION_BYTES];
    size_t used = 0;
    text[0] = '\0';
    while (used < size && fgets(line, sizeof line, file) != NULL && line[0] == '#') {
        const char *words = line + strspn(line, "# ");
        if (words[0] == '\n') {
            break;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", used > 0 ? " " : "",
                                 (int)strcspn(words, "\n"), words);
    }
}

void processor_describe(const char *name, char description[DESCRIPTION_BYTES])
{
    char *path = parameters_find(name);
    FILE *file = path != NULL ? fopen(path, "re") : NULL;
    free(path);
    description[0] = '\0';
    if (file == NULL) {
        return;
    }
    read_paragraph(file, description, DESCRIPTION_BYTES);
    fclose(file);
    /* Two spaces, or the end, behind a full stop: that of "3.0" ends no sentence. */
    const char *stop = strstr(description, ".  ");
    size_t length = stop != NULL ? (size_t)(stop - description) : strlen(description);
    if (length > 0 && description[length - 1] == '.') {
        length--;
    }
    description[length] = '\0';
}

void processor_print(FILE *file, const struct parameters *parameters,
                     const struct parameters_given *given)
{
    const char *section = "";
    for (size_t i = 0; i < parameter_count; i++) {
        const struct parameter_row *row = &parameter_rows[i];
        if (strcmp(section, row->section) != 0) {
            fprintf(file, "%s[%s]\n", section[0] != '\0' ? "\n" : "", row->section);
            section = row->section;
        }
        fprintf(file, "%s = ", row->name);
        parameter_print(file, parameters, row);
        fprintf(file, " # %s%s\n", given->rows[i] ? "" : "(default) ", row->meaning);
    }
}
