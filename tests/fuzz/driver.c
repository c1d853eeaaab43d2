/* Runs a fuzz target without clang: feeds it files, then mutations of them that a seed determines.
 *
 * Run n of seed s is always the same input, whatever the other runs were, so that a failure is
 * replayed by --seed S --first N --runs 1, with --save FILE to keep its input. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "fuzz.h"

enum {
    MAX_INPUT_BYTES = 1 << 16,
    MAX_SEEDS = 256,
    MAX_MUTATIONS = 8,
    GROWTH_BYTES = 64,
};

struct input {
    char *path; /* of a seed file */
    size_t size;
    uint8_t data[MAX_INPUT_BYTES];
};

struct driver {
    uint64_t runs;
    uint64_t first;
    uint64_t seed;
    const char *save;
    struct input *seeds[MAX_SEEDS];
    size_t seed_count;
    struct input current;
};

/* For the signal handler alone, which gets no argument. */
static char failure_text[4096];

/* Sanitizers end the process by themselves; abort lets report_failure name the run. */
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *__asan_default_options(void)
{
    return "abort_on_error=1:handle_segv=0:handle_abort=0";
}

const char *__ubsan_default_options(void)
{
    return "halt_on_error=1:abort_on_error=1:print_stacktrace=1";
}

static void report_failure(int signal_number)
{
    ssize_t written = write(STDERR_FILENO, failure_text, strlen(failure_text));

    (void)written;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static _Noreturn void die(const char *what, const char *name)
{
    fprintf(stderr, "fuzz: %s: %s\n", name, what);
    exit(2);
}

/* splitmix64: every state is good, so that states may be made by adding. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static size_t pick(uint64_t *random, size_t count)
{
    ASSERT(count > 0);
    return (size_t)(next_random(random) % count);
}

/* Numbers at which range checks go wrong: powers of two, their neighbours and their negatives. */
static uint64_t pick_number(uint64_t *random)
{
    uint64_t number = (UINT64_C(1) << pick(random, 64)) + pick(random, 3) - 1;

    return pick(random, 4) == 0 ? 0 - number : number;
}

static void put_number(struct input *input, uint64_t *random)
{
    size_t width = (size_t)1 << pick(random, 4);
    size_t at = pick(random, input->size) & ~(width - 1);
    uint64_t number = pick_number(random);

    for (size_t i = 0; i < width && at + i < input->size; i++) {
        input->data[at + i] = (uint8_t)(number >> (8 * i));
    }
}

static void grow(struct input *input, uint64_t *random)
{
    size_t bytes = 1 + pick(random, GROWTH_BYTES);

    for (size_t i = 0; i < bytes && input->size < MAX_INPUT_BYTES; i++) {
        input->data[input->size++] = (uint8_t)next_random(random);
    }
}

/* Copies a piece of `from`, which may be `input` itself, over a piece of `input`. */
static void copy_piece(struct input *input, const struct input *from, uint64_t *random)
{
    if (from->size == 0) {
        return;
    }
    size_t source = pick(random, from->size);
    size_t target = pick(random, input->size);
    size_t bytes = 1 + pick(random, GROWTH_BYTES);

    bytes = bytes < from->size - source ? bytes : from->size - source;
    bytes = bytes < input->size - target ? bytes : input->size - target;
    memmove(input->data + target, from->data + source, bytes);
}

static void mutate_once(struct driver *driver, uint64_t *random)
{
    struct input *input = &driver->current;
    size_t kind = pick(random, 16);

    if (input->size == 0 || kind == 0) {
        grow(input, random);
    } else if (kind == 1) {
        input->size = pick(random, input->size + 1);
    } else if (kind == 2) {
        copy_piece(input, driver->seeds[pick(random, driver->seed_count)], random);
    } else if (kind == 3) {
        copy_piece(input, input, random);
    } else if (kind < 8) {
        input->data[pick(random, input->size)] ^= (uint8_t)(1u << pick(random, 8));
    } else if (kind < 11) {
        input->data[pick(random, input->size)] = (uint8_t)next_random(random);
    } else {
        put_number(input, random);
    }
}

/* Headers are at the beginning of a file: half of all mutations see only that. */
static void make_input(struct driver *driver, uint64_t run)
{
    uint64_t random = driver->seed * UINT64_C(0xd1342543de82ef95) + run;
    const struct input *seed = driver->seeds[pick(&random, driver->seed_count)];
    size_t mutations = 1 + pick(&random, MAX_MUTATIONS);

    driver->current.size = seed->size;
    memcpy(driver->current.data, seed->data, seed->size);
    for (size_t i = 0; i < mutations; i++) {
        size_t size = driver->current.size;
        bool head_only = size > 256 && pick(&random, 2) == 0;
        driver->current.size = head_only ? 256 : size;
        mutate_once(driver, &random);
        if (head_only && driver->current.size == 256) {
            driver->current.size = size;
        }
    }
}

static void add_seed(struct driver *driver, const char *path)
{
    FILE *file = fopen(path, "rb");
    struct input *seed = calloc(1, sizeof *seed);

    if (file == NULL || seed == NULL) {
        die(strerror(errno), path);
    }
    if (driver->seed_count == MAX_SEEDS) {
        die("too many seed files", path);
    }
    seed->size = fread(seed->data, 1, sizeof seed->data, file);
    seed->path = strdup(path);
    if (ferror(file) || seed->path == NULL) {
        die(strerror(errno), path);
    }
    fclose(file);
    driver->seeds[driver->seed_count++] = seed;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* In the order of names: that of the folder itself differs between file systems. */
static void add_folder(struct driver *driver, const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_visible, alphasort);

    if (count < 0) {
        die(strerror(errno), folder);
    }
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        add_seed(driver, path);
        free(entries[i]);
    }
    free(entries);
}

static uint64_t parse_number(const char *text)
{
    char *end;

    errno = 0;
    unsigned long long number = strtoull(text, &end, 0);
    if (*text == '\0' || *text == '-' || *end != '\0' || errno != 0) {
        die("is not a number", text);
    }
    return number;
}

static void parse_arguments(struct driver *driver, int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        const char *argument = arguments[i];
        if (argument[0] != '-') {
            add_folder(driver, argument);
            continue;
        }
        if (i + 1 == count) {
            die("needs a value", argument);
        }
        const char *value = arguments[++i];
        if (strcmp(argument, "--runs") == 0) {
            driver->runs = parse_number(value);
        } else if (strcmp(argument, "--first") == 0) {
            driver->first = parse_number(value);
        } else if (strcmp(argument, "--seed") == 0) {
            driver->seed = parse_number(value);
        } else if (strcmp(argument, "--save") == 0) {
            driver->save = value;
        } else {
            die("unknown option; known: --runs --first --seed --save, and folders of seed files",
                argument);
        }
    }
}

static void save_input(const struct driver *driver)
{
    FILE *file = fopen(driver->save, "wb");

    if (file == NULL ||
        fwrite(driver->current.data, 1, driver->current.size, file) != driver->current.size ||
        fclose(file) != 0) {
        die(strerror(errno), driver->save);
    }
}

int main(int count, char **arguments)
{
    static struct input nothing;
    static struct driver driver = {.runs = 100000, .seed = 1};

    parse_arguments(&driver, count, arguments);
    signal(SIGABRT, report_failure);
    signal(SIGSEGV, report_failure);
    signal(SIGBUS, report_failure);
    signal(SIGFPE, report_failure);
    signal(SIGILL, report_failure);

    for (size_t i = 0; i < driver.seed_count; i++) {
        snprintf(failure_text, sizeof failure_text, "fuzz: failed on seed file %s\n",
                 driver.seeds[i]->path);
        LLVMFuzzerTestOneInput(driver.seeds[i]->data, driver.seeds[i]->size);
    }
    size_t files = driver.seed_count;
    if (files == 0) {
        driver.seeds[driver.seed_count++] = &nothing;
    }
    for (uint64_t run = driver.first; run < driver.first + driver.runs; run++) {
        snprintf(failure_text, sizeof failure_text,
                 "fuzz: failed; replay with --seed %" PRIu64 " --first %" PRIu64 " --runs 1\n",
                 driver.seed, run);
        make_input(&driver, run);
        if (driver.save != NULL) {
            save_input(&driver);
        }
        LLVMFuzzerTestOneInput(driver.current.data, driver.current.size);
    }
    for (size_t i = 0; i < files; i++) {
        free(driver.seeds[i]->path);
        free(driver.seeds[i]);
    }
    printf("fuzz: %zu seed files and %" PRIu64 " runs of seed %" PRIu64 ": no failure\n", files,
           driver.runs, driver.seed);
    return 0;
}
