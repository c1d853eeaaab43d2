/* `strata run`: runs a program under the translator, for RISC-V on the simulated processor. */
#include "base/check.h"
#include "base/number.h"
#include "base/say.h"
#include "cli/regions.h"
#include "cli/simulation.h"
#include "elf/image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRANSLATOR_NAME "strata-rv64"
#define TRANSLATOR_VARIABLE "STRATA_TRANSLATOR"
/* Where the translator sees itself: what a run costs does not depend on where Strata is installed. */
#define TRANSLATOR_SEEN "/strata/" TRANSLATOR_NAME
/* A linker puts the program headers right behind the ELF header. */
#define TRANSLATOR_HEADER_BYTES 4096
#define REGION_OPTION "--region"
/* Two words each; more than there are options. */
#define WORDS_MAX 64

struct run {
    struct simulation simulation; /* first: its options are taken through a cast */
    const char *translator;
    int words_fd;             /* of one that went before in this process (execve), or 0 */
    char *options[WORDS_MAX]; /* for the translator; NULL-terminated */
    unsigned option_count;
    struct regions_asked regions; /* of --region, some of which have names to be found */
};

static const char *take_translator(void *settings, const char *value)
{
    ((struct run *)settings)->translator = value;
    return NULL;
}

static const char *take_words_fd(void *settings, const char *value)
{
    uint64_t number;
    if (!number_read(value, NUMBER_PLAIN, 1, INT32_MAX, &number)) {
        return "expected a descriptor:";
    }
    ((struct run *)settings)->words_fd = (int)number;
    return NULL;
}

static const char *pass_on(void *settings, const char *name, const char *value);

/* The translator tells the oracle which code is a trace. */
static const char *take_oracle(void *settings, const char *value)
{
    struct run *run = settings;
    (void)value;
    const char *wrong = run->simulation.machine.oracle || run->words_fd != 0
                            ? NULL
                            : pass_on(settings, "--tell-traces", NULL);
    run->simulation.machine.oracle = true;
    return wrong;
}

/* The translator itself judges the values. */
static const char *pass_on(void *settings, const char *name, const char *value)
{
    struct run *run = settings;
    if (run->option_count + 3 > WORDS_MAX) {
        return "too many options:";
    }
    /* What execve starts was asked for with the first program, and may be somebody else's now. */
    if (strcmp(name, "--dump-fragments") == 0 && run->words_fd == 0) {
        run->simulation.dump_path = value;
        if (value[0] == '\0') {
            return "expected a file:";
        }
    }
    if (strcmp(name, REGION_OPTION) == 0 && run->words_fd == 0) {
        return regions_take(&run->regions, value);
    }
    run->options[run->option_count++] = (char *)(uintptr_t)name;
    if (value != NULL) {
        run->options[run->option_count++] = (char *)(uintptr_t)value;
    }
    return NULL;
}

/* The units that detectors need, by the names of these. */
static const struct {
    const char *name, *unit; /* NULL: none, or the user chooses it */
} detectors[] = {
#define DETECTOR(id, name, unit, meaning) {name, unit},
#include "translator/detect/detectors.def"
#undef DETECTOR
};

static bool has_unit(const struct simulation *simulation, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < simulation->machine.unit_count; i++) {
        const char *unit = simulation->units[i];
        if (strncmp(unit, name, length) == 0 && (unit[length] == '\0' || unit[length] == ',')) {
            return true;
        }
    }
    return false;
}

/* The machine gets the unit that the last --detector needs, unless --unit has given it with sizes of its own.  Returns what
 * is wrong, or NULL. */
static const char *add_unit_of_detector(struct run *run)
{
    const char *unit = NULL;
    for (size_t i = 0; i + 1 < run->option_count; i++) {
        for (size_t j = 0; strcmp(run->options[i], "--detector") == 0 &&
                           j < sizeof detectors / sizeof detectors[0];
             j++) {
            unit = strcmp(run->options[i + 1], detectors[j].name) == 0 ? detectors[j].unit : unit;
        }
    }
    return unit != NULL && !has_unit(&run->simulation, unit)
               ? simulation_take_unit(&run->simulation, unit)
               : NULL;
}

#define OPTION_OF_REPORT(name, argument, take, help)
#define OPTION(name, argument, take, help)                                                         \
    static const char *take(void *settings, const char *value)                                     \
    {                                                                                              \
        return pass_on(settings, name, value);                                                     \
    }
#include "translator/options.def"
#undef OPTION

/* clang-format off */
static const struct command_option options[] = {
#define OPTION(name, argument, take, help) {name, argument, help, take},
#include "translator/options.def"
#include "cli/simulation_options.def"
#undef OPTION
#undef OPTION_OF_REPORT
    {"--env-fd", "N", NULL, simulation_take_env_fd},
    {"--earlier-fd", "N", NULL, simulation_take_earlier_fd},
    {"--words-fd", "N", NULL, take_words_fd},
    {"--oracle", NULL, "judge the traces by the paths that the program takes often, for --stats and --summary (docs/stats.md)", take_oracle},
    {"--translator", "FILE", "the translator to run (" TRANSLATOR_NAME " beside strata, or $" TRANSLATOR_VARIABLE ")", take_translator},
};
/* clang-format on */

static const struct command_description description = {
    .name = "run",
    .usage = "[OPTIONS] [--] PROGRAM [ARGUMENTS]",
    .operand = "PROGRAM",
    .purpose = "Runs a RISC-V (rv64gc) Linux program under the translator, on the simulated\n"
               "processor.",
    .epilogue =
        "Exits with the program's status, 128+N if signal N killed it, 124 if --max-instructions\n"
        "stopped it, 125 if Strata failed, 126 if the program cannot be executed, 127 if there\n"
        "is none.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};
const struct command_description *const command_run_description = &description;

/* Only what the translator for RISC-V could not say itself. */
static bool is_for_x86_64(const char *path)
{
    Elf64_Ehdr header;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return false;
    }
    const bool whole = pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header;
    close(fd);
    return whole && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine == EM_X86_64;
}

/* Returns a malloc'ed path. */
static char *find_translator(const struct run *run)
{
    const char *variable = getenv(TRANSLATOR_VARIABLE);
    if (run->translator != NULL) {
        return strdup(run->translator);
    }
    if (variable != NULL && variable[0] != '\0') {
        return strdup(variable);
    }
    char self[PATH_MAX];
    char *path = NULL;
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    if (asprintf(&path, "%s/%s", self, TRANSLATOR_NAME) < 0) {
        path = NULL;
    }
    return path;
}

/* A file in memory for the translator's last words.  The program's descriptors
 * must have the numbers that they have without it, so it goes as high as it
 * may; the highest is the trace's. */
static int open_words(void)
{
    struct rlimit limit;
    const int low = memfd_create("strata-stats", MFD_CLOEXEC);
    if (low < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return -1;
    }
    const rlim_t most = limit.rlim_cur < 65536 ? limit.rlim_cur : 65536;
    const int high = fcntl(low, F_DUPFD_CLOEXEC, (int)most - 2);
    if (high < 0) {
        return low;
    }
    close(low);
    return high;
}

/* The translator's name, its options and the program's words: malloc'ed. */
static char **join_words(const struct run *run, const char *translator, const char *descriptor,
                         char **arguments)
{
    const struct simulation *simulation = &run->simulation;
    size_t count = 0;
    while (arguments[count] != NULL) {
        count++;
    }
    char **words = calloc(run->option_count + count + 7, sizeof *words);
    ASSERT(words != NULL);
    size_t next = 0;
    words[next++] = (char *)(uintptr_t)translator;
    memcpy(words + next, run->options, run->option_count * sizeof *words);
    next += run->option_count;
    if (simulation->argv0 != NULL) {
        words[next++] = (char *)(uintptr_t) "--argv0";
        words[next++] = (char *)(uintptr_t)simulation->argv0;
    }
    words[next++] = (char *)(uintptr_t) "--stats-fd";
    words[next++] = (char *)(uintptr_t)descriptor;
    words[next++] = (char *)(uintptr_t) "--";
    memcpy(words + next, arguments, (count + 1) * sizeof *words);
    return words;
}

/* Which code is the translator's is also asked by slices, which need to know it of the program's. */
static void set_words(struct simulation *simulation, int fd, const char *file)
{
    simulation->machine.kept_descriptor = fd;
    simulation->machine.program = file;
    simulation->machine.count_classes = simulation->stats_path != NULL || simulation->summary ||
                                        simulation->machine_path != NULL ||
                                        simulation->machine.oracle;
}

/* The statistics are always asked for: what a run costs does not depend on
 * whether somebody looks. */
static int run_under(struct run *run, const char *translator, char **arguments)
{
    const int fd = open_words();
    if (fd < 0) {
        fprintf(stderr, "strata: no descriptor is left for the translator's statistics: %s\n",
                strerror(errno));
        return EXIT_STRATA_FAILED;
    }
    struct simulation *simulation = &run->simulation;
    char descriptor[16];
    /* As many digits on every host, a zero first: the translator reads them in simulated instructions. */
    snprintf(descriptor, sizeof descriptor, "%06d", fd);
    const char *path = arguments[0];
    char *file = simulation_absolute_path(path);
    set_words(simulation, fd, file);
    char *whole = realpath(path, NULL);
    if (simulation->seen != NULL && whole != NULL) {
        simulation->beside = (struct path_alias){simulation->seen, whole};
        arguments[0] = (char *)(uintptr_t)simulation->seen;
    }
    char **words = join_words(run, translator, descriptor, arguments);
    if (simulation->argv0 != NULL) {
        arguments[0] = (char *)(uintptr_t)simulation->argv0;
    }
    const struct run_description described = {
        .path = path, .arguments = arguments, .file = file, .translator_options = run->options};
    simulation->seen = TRANSLATOR_SEEN;
    simulation->argv0 = NULL; /* it was the program's */
    const int status = simulation_run(simulation, words, &described);
    free(words);
    free(whole);
    free(file);
    close(fd);
    return status;
}

/* Why the machine could not run it, or NULL: the user asked for another program. */
static const char *refuse_translator(const char *path)
{
    uint8_t bytes[TRANSLATOR_HEADER_BYTES];
    struct elf_image image;
    struct stat status;
    const char *reason = NULL;

    if (access(path, R_OK | X_OK) != 0) {
        return strerror(errno);
    }
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t count = fd < 0 ? -1 : pread(fd, bytes, sizeof bytes, 0);
    if (count < 0 || fstat(fd, &status) != 0) {
        reason = strerror(errno);
    } else {
        const enum elf_status read =
            elf_read(&image, bytes, (size_t)count, (uint64_t)status.st_size, ELF_MACHINE_RISCV);
        reason = read == ELF_OK ? NULL : elf_status_message(read);
    }
    if (fd >= 0) {
        close(fd);
    }
    return reason;
}

/* The translator's options: name, and whether a value follows. */
static const struct {
    const char *name;
    bool valued, passed_on;
} translator_options[] = {
#define OPTION(name, argument, take, help) {name, (argument) != NULL, true},
#define OPTION_OF_REPORT(name, argument, take, help) {name, (argument) != NULL, false},
#include "translator/options.def"
#undef OPTION
#undef OPTION_OF_REPORT
};

/* Finds the program in the words that the translator executes itself with, which end with "--"
 * and the program's own; *name is what it is called. */
static char **find_program(struct run *run, char **words, char **name)
{
    const unsigned count = sizeof translator_options / sizeof translator_options[0];
    char **word = words + 1;
    while (*word != NULL && strcmp(*word, "--") != 0) {
        unsigned i = 0;
        while (i < count && strcmp(*word, translator_options[i].name) != 0) {
            i++;
        }
        const bool valued = i < count && translator_options[i].valued && word[1] != NULL;
        if (i < count && translator_options[i].passed_on) {
            pass_on(run, word[0], valued ? word[1] : NULL);
        }
        if (strcmp(*word, "--argv0") == 0) {
            *name = word[1];
        }
        word += valued ? 2 : 1;
    }
    return *word != NULL && word[1] != NULL ? word + 1 : words;
}

/* What execve starts in the place of the first program: `words` are the translator and all that it
 * gets. */
static int run_next(struct run *run, char **words)
{
    char *name = NULL;
    char **program = find_program(run, words, &name);
    add_unit_of_detector(run); /* there was room for it before */
    size_t count = 0;
    while (program[count] != NULL) {
        count++;
    }
    char **arguments = calloc(count + 1, sizeof *arguments);
    ASSERT(arguments != NULL);
    memcpy(arguments, program, count * sizeof *arguments);
    arguments[0] = name != NULL ? name : program[0];
    char *file = simulation_absolute_path(program[0]);
    const struct run_description described = {.path = program[0],
                                              .arguments = arguments,
                                              .file = file,
                                              .translator_options = run->options};
    fcntl(run->words_fd, F_SETFD, FD_CLOEXEC);
    set_words(&run->simulation, run->words_fd, file);
    run->simulation.seen = TRANSLATOR_SEEN;
    const int status = simulation_run(&run->simulation, words, &described);
    free(arguments);
    free(file);
    close(run->words_fd);
    return status;
}

/* What --region names is found in the program's files, before it starts.  False, with a message, if there is no such
 * thing. */
static bool add_regions(struct run *run, const char *program)
{
    if (!regions_resolve(&run->regions, &run->simulation, program)) {
        return false;
    }
    for (unsigned i = 0; i < run->regions.found_count; i++) {
        if (run->option_count + 3 > WORDS_MAX) {
            say(stderr, "strata: there are too many options\n");
            return false;
        }
        run->options[run->option_count++] = (char *)(uintptr_t)REGION_OPTION;
        run->options[run->option_count++] = run->regions.found[i];
    }
    return true;
}

static int run_program(struct run *run, char **arguments)
{
    if (run->words_fd != 0) {
        return run_next(run, arguments);
    }
    if (is_for_x86_64(arguments[0])) {
        say(stderr, "strata: %s: is an x86-64 program; the translator for these is not built yet\n",
            arguments[0]);
        return EXIT_NOT_EXECUTABLE;
    }
    if (!add_regions(run, arguments[0])) {
        return EXIT_STRATA_FAILED;
    }
    char *translator = find_translator(run);
    ASSERT(translator != NULL);
    int status = EXIT_STRATA_FAILED;
    const char *reason = refuse_translator(translator);
    if (reason != NULL) {
        say(stderr, "strata: cannot use the translator %s: %s; see strata run --help\n", translator,
            reason);
    } else {
        status = run_under(run, translator, arguments);
    }
    free(translator);
    return status;
}

int command_run(int count, char **arguments)
{
    struct run run = {.translator = NULL};
    simulation_begin(&run.simulation);
    int status = 0;
    const int first = command_read_options(&description, &run, count, arguments, &status);
    const char *wrong =
        first == count ? "there is no program to run" : simulation_check(&run.simulation);
    if (first >= 0 && wrong == NULL) {
        wrong = add_unit_of_detector(&run);
    }
    if (first >= 0 && wrong != NULL) {
        status = command_misused(&description, wrong, NULL);
    } else if (first >= 0) {
        status = run_program(&run, arguments + first);
    }
    simulation_end(&run.simulation);
    regions_free(&run.regions);
    return status;
}
