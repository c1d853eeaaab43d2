/* `strata run`: runs a program under the translator, for RISC-V on the simulated processor. */
#include "base/check.h"
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
/* A linker puts the program headers right behind the ELF header. */
#define TRANSLATOR_HEADER_BYTES 4096
/* Two words each; more than there are options. */
#define WORDS_MAX 64

struct run {
    struct simulation simulation; /* first: its options are taken through a cast */
    const char *translator;
    char *options[WORDS_MAX]; /* for the translator; NULL-terminated */
    unsigned option_count;
};

static const char *take_translator(void *settings, const char *value)
{
    ((struct run *)settings)->translator = value;
    return NULL;
}

/* The translator itself judges the values. */
static const char *pass_on(void *settings, const char *name, const char *value)
{
    struct run *run = settings;
    if (run->option_count + 3 > WORDS_MAX) {
        return "too many options:";
    }
    run->options[run->option_count++] = (char *)(uintptr_t)name;
    if (value != NULL) {
        run->options[run->option_count++] = (char *)(uintptr_t)value;
    }
    return NULL;
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
    {"--translator", "FILE", "the translator to run (" TRANSLATOR_NAME " beside strata, or $" TRANSLATOR_VARIABLE ")", take_translator},
};
/* clang-format on */

static const struct command_description description = {
    .name = "run",
    .usage = "[OPTIONS] [--] PROGRAM [ARGUMENTS]",
    .purpose = "Runs a RISC-V (rv64gc) Linux program under the translator, on the simulated\n"
               "processor.",
    .epilogue =
        "Exits with the program's status, 128+N if signal N killed it, 124 if --max-instructions\n"
        "stopped it, 125 if Strata failed, 126 if the program cannot be executed, 127 if there\n"
        "is none.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};

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
    size_t count = 0;
    while (arguments[count] != NULL) {
        count++;
    }
    char **words = calloc(run->option_count + count + 5, sizeof *words);
    ASSERT(words != NULL);
    size_t next = 0;
    words[next++] = (char *)(uintptr_t)translator;
    memcpy(words + next, run->options, run->option_count * sizeof *words);
    next += run->option_count;
    words[next++] = (char *)(uintptr_t)"--stats-fd";
    words[next++] = (char *)(uintptr_t)descriptor;
    words[next++] = (char *)(uintptr_t)"--";
    memcpy(words + next, arguments, (count + 1) * sizeof *words);
    return words;
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
    simulation->machine.kept_descriptor = fd;
    simulation->machine.count_classes = simulation->stats_path != NULL || simulation->summary;
    char descriptor[16];
    snprintf(descriptor, sizeof descriptor, "%d", fd);
    char *file = simulation_absolute_path(arguments[0]);
    const struct run_description described = {.path = arguments[0],
                                              .arguments = arguments,
                                              .file = file,
                                              .translator_options = run->options};
    char **words = join_words(run, translator, descriptor, arguments);
    const int status = simulation_run(simulation, words, &described);
    free(words);
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

static int run_program(struct run *run, char **arguments)
{
    if (is_for_x86_64(arguments[0])) {
        fprintf(stderr,
                "strata: %s: is an x86-64 program; the translator for these is not built yet\n",
                arguments[0]);
        return EXIT_NOT_EXECUTABLE;
    }
    char *translator = find_translator(run);
    ASSERT(translator != NULL);
    int status = EXIT_STRATA_FAILED;
    const char *reason = refuse_translator(translator);
    if (reason != NULL) {
        fprintf(stderr, "strata: cannot use the translator %s: %s; see strata run --help\n",
                translator, reason);
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
    const char *wrong = first == count ? "which program?" : simulation_check(&run.simulation);
    if (first >= 0 && wrong != NULL) {
        status = command_misused(&description, wrong, NULL);
    } else if (first >= 0) {
        status = run_program(&run, arguments + first);
    }
    simulation_end(&run.simulation);
    return status;
}
