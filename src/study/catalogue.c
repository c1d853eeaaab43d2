/* The programs that there are: by name, in suites, and what each must print. */
#include "study/catalogue.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIGESTS_FILE "results.list"

struct digest_row {
    const char *name, *size, *digest;
};

/* suite NAME PROGRAM..., or a program with its command. */
static bool read_suite_line(struct catalogue *catalogue, struct script *script, const char *base)
{
    const char *kind = script_take_word(script);
    if (kind != NULL && strcmp(kind, "program") == 0) {
        struct own_program program = {.name = NULL};
        if (!experiment_read_program(script, &program)) {
            return false;
        }
        catalogue->own_base = pool_grow(catalogue->pool, catalogue->own_base, catalogue->own_count,
                                        sizeof *catalogue->own_base);
        catalogue->own_base[catalogue->own_count] = base;
        *POOL_ADD(catalogue->pool, catalogue->own, catalogue->own_count) = program;
        return true;
    }
    const char *name = script_take_word(script);
    const char *word;
    if (kind == NULL || strcmp(kind, "suite") != 0 || name == NULL) {
        return script_wrong(script, "expected `suite NAME PROGRAM...` or `program NAME COMMAND`");
    }
    struct suite *suite = POOL_ADD(catalogue->pool, catalogue->suites, catalogue->suite_count);
    suite->name = name;
    while ((word = script_take_word(script)) != NULL) {
        *POOL_ADD(catalogue->pool, suite->programs.words, suite->programs.count) = word;
    }
    return script->problem[0] == '\0';
}

bool catalogue_read_suites(struct catalogue *catalogue, struct script *script, const char *path,
                           const char *base)
{
    if (!script_open(script, catalogue->pool, path)) {
        return false;
    }
    while (script_next_line(script)) {
        if (!read_suite_line(catalogue, script, base)) {
            return false;
        }
    }
    return script->problem[0] == '\0';
}

bool catalogue_read_digests(struct catalogue *catalogue, struct script *script)
{
    const char *path = pool_format(catalogue->pool, "%s/" DIGESTS_FILE, catalogue->folder);
    if (access(path, F_OK) != 0) {
        return true;
    }
    if (!script_open(script, catalogue->pool, path)) {
        return false;
    }
    while (script_next_line(script)) {
        struct digest_row row = {.name = script_take_word(script)};
        row.size = script_take_word(script);
        row.digest = script_take_word(script);
        if (row.digest == NULL || !script_line_is_over(script)) {
            return script_wrong(script, "expected a program, a size and a digest");
        }
        *POOL_ADD(catalogue->pool, catalogue->digests, catalogue->digest_count) = row;
    }
    return script->problem[0] == '\0';
}

const struct suite *catalogue_find_suite(const struct catalogue *catalogue, const char *name)
{
    for (size_t i = 0; i < catalogue->suite_count; i++) {
        if (strcmp(catalogue->suites[i].name, name) == 0) {
            return &catalogue->suites[i];
        }
    }
    return NULL;
}

static bool is_in_a_suite(const struct catalogue *catalogue, const char *name)
{
    for (size_t i = 0; i < catalogue->suite_count; i++) {
        const struct words *programs = &catalogue->suites[i].programs;
        for (size_t j = 0; j < programs->count; j++) {
            if (strcmp(programs->words[j], name) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* `path` as seen from `base`. */
static const char *join_path(struct pool *pool, const char *base, const char *path)
{
    return path[0] == '/' ? path : pool_format(pool, "%s/%s", base, path);
}

static void look_at_file(struct catalogue *catalogue, struct program *program)
{
    struct stat status;
    const char *path = join_path(catalogue->pool, program->folder, program->words[0]);
    program->built = stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
                     access(path, X_OK) == 0 && sha256_file(path, program->sha256);
    /* Without a slash it would be looked for elsewhere. */
    if (strchr(program->words[0], '/') == NULL) {
        program->words[0] = pool_format(catalogue->pool, "./%s", program->words[0]);
    }
    if (program->input != NULL) {
        const char *input = join_path(catalogue->pool, program->folder, program->input);
        program->built = program->built && access(input, R_OK) == 0;
    }
}

static struct program *add_program(struct catalogue *catalogue, const char *name)
{
    struct program *program = pool_take(catalogue->pool, sizeof *program);
    program->name = name;
    *POOL_ADD(catalogue->pool, catalogue->programs, catalogue->program_count) = program;
    return program;
}

/* Programs of Strata's suites count the same in any folder.  Those of an experiment's own may look beside their file,
 * for libraries say, and see where they are. */
static const struct program *hide_folder(struct catalogue *catalogue, struct program *program)
{
    const char *slash = strrchr(program->words[0], '/');
    program->seen = pool_format(catalogue->pool, "/programs%s", slash);
    return program;
}

static struct program *add_own(struct catalogue *catalogue, const struct own_program *own,
                               const char *base)
{
    struct program *program = add_program(catalogue, own->name);
    program->folder = own->folder != NULL ? join_path(catalogue->pool, base, own->folder) : base;
    program->input = own->input;
    program->word_count = own->command.count;
    program->words = pool_take(catalogue->pool, own->command.count * sizeof *program->words);
    memcpy(program->words, own->command.words, own->command.count * sizeof *program->words);
    look_at_file(catalogue, program);
    return program;
}

static struct program *add_by_name(struct catalogue *catalogue, const char *name)
{
    struct program *program = add_program(catalogue, name);
    program->folder = catalogue->folder;
    program->word_count = 2;
    program->words = pool_take(catalogue->pool, 2 * sizeof *program->words);
    program->words[0] = name;
    program->words[1] = catalogue->size;
    for (size_t i = 0; i < catalogue->digest_count; i++) {
        const struct digest_row *row = &catalogue->digests[i];
        if (strcmp(row->name, name) == 0 && strcmp(row->size, catalogue->size) == 0) {
            program->last_line =
                pool_format(catalogue->pool, "%s %s digest %s", name, row->size, row->digest);
        }
    }
    look_at_file(catalogue, program);
    return program;
}

static const char *folder_of(struct pool *pool, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? "." : pool_copy(pool, path, slash == path ? 1 : (size_t)(slash - path));
}

/* The number of the program's row in the lists of suites: that of the size, or else the one for any; `own_count` if there
 * is none. */
static size_t find_own(const struct catalogue *catalogue, const char *name)
{
    size_t found = catalogue->own_count;
    for (size_t i = 0; i < catalogue->own_count; i++) {
        const struct own_program *own = &catalogue->own[i];
        if (strcmp(own->name, name) != 0) {
            continue;
        }
        if (own->size != NULL && strcmp(own->size, catalogue->size) == 0) {
            return i;
        }
        found = own->size == NULL && found == catalogue->own_count ? i : found;
    }
    return found;
}

const struct program *catalogue_find_program(struct catalogue *catalogue, const char *name,
                                             const struct experiment *experiment)
{
    for (size_t i = 0; i < experiment->own_program_count; i++) {
        if (strcmp(experiment->own_programs[i].name, name) == 0) {
            return add_own(catalogue, &experiment->own_programs[i],
                           folder_of(catalogue->pool, experiment->path));
        }
    }
    for (size_t i = 0; i < catalogue->program_count; i++) {
        if (strcmp(catalogue->programs[i]->name, name) == 0) {
            return catalogue->programs[i];
        }
    }
    const size_t own = find_own(catalogue, name);
    if (own < catalogue->own_count) {
        return hide_folder(catalogue,
                           add_own(catalogue, &catalogue->own[own], catalogue->own_base[own]));
    }
    const char *path = pool_format(catalogue->pool, "%s/%s", catalogue->folder, name);
    const bool known =
        is_in_a_suite(catalogue, name) || (strchr(name, '/') == NULL && access(path, X_OK) == 0);
    return known ? hide_folder(catalogue, add_by_name(catalogue, name)) : NULL;
}
