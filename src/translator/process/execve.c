/* execve: the new program runs under Strata, too, which executes itself again with the same options.
 *
 * What the kernel would refuse must be refused before that, so whatever is not
 * clearly a program for Strata goes to the kernel as the program asked for it:
 * it then knows the error, or runs what Strata cannot. */
#include "translator/process/execve.h"
#include "translator/process/fault_mask.h"

#include "translator/process/descriptors.h"
#include "translator/tell/report.h"
#include "translator/process/signal.h"

#include "base/text.h"
#include "elf/image.h"

#include <asm/errno.h>
#include <asm/signal.h>
#include <asm/stat.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/stat.h>

#define PAGE_BYTES UINT64_C(4096)
/* More would not fit into a quarter of the largest stack that Linux considers. */
#define ARGUMENTS_MAX (1u << 20)
/* As Linux: a script's interpreter may be a script. */
#define SCRIPTS_MAX 5
#define HEAD_BYTES 4096
/* The translator's name, its options, and those that are added. */
#define FRONT_WORDS (OPTION_WORDS + 16)
/* access(2): not in the kernel's headers. */
#define X_OK 1

static const char self_link[] = "/proc/self/exe";

/* One call on its way. */
struct execution {
    struct context *context;
    int64_t
        folder; /* what `path` begins at, unless at the root; or the file itself, if it is empty */
    const char *path;
    uint64_t flags; /* execveat's */
    uint64_t arguments, environment;

    int64_t file;     /* what was opened of it */
    const char *name; /* what the program gets as the path that it was executed by */
    bool by_folder;   /* the path itself is of no use to others, so `name` is folder_path */
    bool is_own;      /* /proc/self/exe: the program itself, not Strata */
    bool may_succeed; /* though it is not Strata's business */
    char folder_path[sizeof "/dev/fd/-2147483648/" + EXECUTABLE_BYTES];
    const char *added[2 * SCRIPTS_MAX + 2]; /* arguments in front, instead of the first one: */
    unsigned first_added;                   /* from here to the end */
    struct script scripts[SCRIPTS_MAX];
};
#define ADDED (sizeof((struct execution *)NULL)->added / sizeof(char *))

enum verdict { FOLLOW, PASS_ON, INTERPRET };

static void name_descriptor(char *buffer, size_t bytes, const char *folder, int64_t fd)
{
    struct text text;

    text_begin(&text, buffer, bytes);
    text_put_string(&text, folder);
    text_put_decimal(&text, fd);
}

/* As the kernel does: it begins with a descriptor, which the new program may have. */
static void name_by_folder(struct execution *execution)
{
    struct text text;

    text_begin(&text, execution->folder_path, sizeof execution->folder_path);
    text_put_string(&text, "/dev/fd/");
    text_put_decimal(&text, execution->folder);
    if (execution->path[0] != '\0') {
        text_put_char(&text, '/');
        text_put_string(&text, execution->path);
    }
    execution->name = execution->folder_path;
    execution->by_folder = true;
}

static int64_t open_at(int64_t folder, const char *path, uint64_t more)
{
    return host_call(__NR_openat, folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | more, 0L);
}

/* The kernel looks at the path first: from then on it can be read. */
static int64_t open_file(struct execution *execution)
{
    const uint64_t more = (execution->flags & AT_SYMLINK_NOFOLLOW) != 0 ? O_NOFOLLOW : 0;
    const int64_t opened = open_at(execution->folder, execution->path, more);

    if (!host_is_error(opened)) {
        if (self_names_executable(execution->path)) {
            host_call(__NR_close, opened);
            execution->is_own = true;
            execution->path = execution->context->translator->executable;
            return open_at(AT_FDCWD, execution->path, 0);
        }
        if (execution->folder != AT_FDCWD && execution->path[0] != '/') {
            name_by_folder(execution);
        }
        return opened;
    }
    if (opened == -ENOENT && (execution->flags & AT_EMPTY_PATH) != 0 &&
        execution->path[0] == '\0') {
        char name[32];
        name_descriptor(name, sizeof name, "/proc/self/fd/", execution->folder);
        name_by_folder(execution);
        return open_at(AT_FDCWD, name, 0);
    }
    return opened;
}

/* A file that somebody writes to is not executed: only then is there no lease.  Who opens it at
 * this moment has the kernel send a signal, so it shall be one that does no harm. */
static bool is_being_written(int64_t fd)
{
    host_call(__NR_fcntl, fd, (long)F_SETSIG, (long)SIGURG);
    if (host_call(__NR_fcntl, fd, (long)F_SETLEASE, (long)F_RDLCK) == -EAGAIN) {
        return true;
    }
    host_call(__NR_fcntl, fd, (long)F_SETLEASE, (long)F_UNLCK);
    return false;
}

static bool is_executable(int64_t fd)
{
    char name[32];

    name_descriptor(name, sizeof name, "/proc/self/fd/", fd);
    return !host_is_error(host_call(__NR_faccessat, (long)AT_FDCWD, name, (long)X_OK));
}

static bool has_good_interpreter(int64_t fd, const struct elf_image *image)
{
    char name[ELF_MAX_INTERPRETER_BYTES];

    return host_call(__NR_pread64, fd, name, image->interpreter_bytes, image->interpreter_offset) ==
               (int64_t)image->interpreter_bytes &&
           elf_check_interpreter((const uint8_t *)name, image->interpreter_bytes) == ELF_OK &&
           !host_is_error(host_call(__NR_faccessat, (long)AT_FDCWD, name, (long)X_OK));
}

/* A program that runs with other rights than who starts it loses them under Strata. */
static enum verdict inspect(struct execution *execution, struct script *script)
{
    const int64_t fd = execution->file;
    uint8_t head[HEAD_BYTES];
    struct stat status;
    struct elf_image image;

    if (host_is_error(host_call(__NR_fstat, fd, &status)) || !S_ISREG(status.st_mode) ||
        !is_executable(fd)) {
        return PASS_ON;
    }
    execution->may_succeed = true;
    if ((status.st_mode & (S_ISUID | S_ISGID)) != 0) {
        return PASS_ON;
    }
    const int64_t available = host_call(__NR_pread64, fd, head, sizeof head, 0L);
    if (host_is_error(available)) {
        return PASS_ON;
    }
    if (script_read(script, head, (size_t)available)) {
        return INTERPRET;
    }
    if (elf_read(&image, head, (size_t)available, (uint64_t)status.st_size, TARGET_ELF_MACHINE) !=
            ELF_OK ||
        (image.has_interpreter && !has_good_interpreter(fd, &image))) {
        return PASS_ON;
    }
    return FOLLOW;
}

static void add_argument(struct execution *execution, const char *argument)
{
    execution->added[--execution->first_added] = argument;
}

/* An interpreter could not open it by its name. */
static bool is_out_of_reach(const struct execution *execution)
{
    return execution->by_folder &&
           (host_call(__NR_fcntl, execution->folder, (long)F_GETFD) & FD_CLOEXEC) != 0;
}

/* What the script's own first argument was is what it is called by. */
static void add_script(struct execution *execution, const struct script *script)
{
    if (execution->first_added == ADDED) {
        add_argument(execution, execution->name);
    }
    if (script->argument != NULL) {
        add_argument(execution, script->argument);
    }
    add_argument(execution, script->interpreter);
    execution->path = script->interpreter;
    execution->folder = AT_FDCWD;
    execution->flags = 0;
    execution->by_folder = false;
}

/* Goes on to the interpreter that is no script; leaves its file open if it is to
 * be followed. */
static enum verdict find_program(struct execution *execution, int64_t *error)
{
    for (unsigned depth = 0; depth < SCRIPTS_MAX; depth++) {
        struct script *script = &execution->scripts[depth];
        execution->file = open_file(execution);
        if (host_is_error(execution->file)) {
            return PASS_ON;
        }
        const enum verdict verdict = inspect(execution, script);
        if (verdict != PASS_ON && is_being_written(execution->file)) {
            *error = -ETXTBSY;
        } else if (verdict == INTERPRET && is_out_of_reach(execution)) {
            *error = -ENOENT;
        }
        if (verdict == FOLLOW && *error == 0) {
            return FOLLOW;
        }
        host_call(__NR_close, execution->file);
        if (verdict == PASS_ON || *error != 0) {
            return PASS_ON;
        }
        add_script(execution, script);
    }
    return PASS_ON;
}

/* The kernel reads what they point to. */
static int64_t count_arguments(uint64_t vector, size_t *count)
{
    *count = 0;
    if (vector == 0) {
        return 0;
    }
    for (;; vector += sizeof(uint64_t), ++*count) {
        const uint64_t within = vector % PAGE_BYTES;
        if ((*count == 0 || within < sizeof(uint64_t) || within > PAGE_BYTES - sizeof(uint64_t)) &&
            !signal_can_read(vector, sizeof(uint64_t))) {
            return -EFAULT;
        }
        if (*(const uint64_t __attribute__((aligned(1), may_alias)) *)(uintptr_t)vector == 0) {
            return 0;
        }
        if (*count == ARGUMENTS_MAX) {
            return -E2BIG;
        }
    }
}

/* The words of the new translator up to the program's path, and what they point to. */
struct front {
    const char *words[FRONT_WORDS];
    unsigned count;
    char self[EXECUTABLE_BYTES];
    char inherit[48];
    char stats_fd[24];
};

static void put_word(struct front *front, const char *word)
{
    front->words[front->count++] = word;
}

static void put_option(struct front *front, const char *name, const char *value)
{
    put_word(front, name);
    put_word(front, value);
}

static void put_number(char *buffer, size_t bytes, int64_t number)
{
    struct text text;

    text_begin(&text, buffer, bytes);
    text_put_decimal(&text, number);
}

/* Files of reports are opened again; a descriptor is the first process's only. */
static void put_reports(struct front *front, const struct translator *translator)
{
    const struct reports *reports = &translator->reports;

    if (translator->dump_path[0] != '\0') {
        put_option(front, "--dump-fragments", translator->dump_path);
    }
    if (translator->stats_path[0] != '\0') {
        put_option(front, "--stats", translator->stats_path);
    } else if (reports->stats_fd >= 0 && reports->first == host_call(__NR_getpid)) {
        put_number(front->stats_fd, sizeof front->stats_fd, reports->stats_fd);
        put_option(front, "--stats-fd", front->stats_fd);
    }
}

static void put_inherited(struct front *front, const struct translator *translator,
                          int64_t program_fd)
{
    const struct reports *reports = &translator->reports;
    struct text text;

    text_begin(&text, front->inherit, sizeof front->inherit);
    text_put_decimal(&text, reports->first);
    text_put_char(&text, ',');
    text_put_decimal(&text, reports->records_fd);
    text_put_char(&text, ',');
    text_put_decimal(&text, program_fd);
    put_option(front, "--inherit", front->inherit);
}

/* Where Strata's own file is, as the kernel says: there may be another one there now. */
static void find_self(struct front *front)
{
    const int64_t length =
        host_call(__NR_readlinkat, (long)AT_FDCWD, self_link, front->self, sizeof front->self - 1);

    front->self[host_is_error(length) ? 0 : length] = '\0';
}

/* Of `count` arguments the first is in front->words already. */
static int64_t *join_words(struct execution *execution, const struct front *front, size_t count)
{
    struct context *context = execution->context;
    const uint64_t *program = (const uint64_t *)(uintptr_t)execution->arguments;
    const size_t added = ADDED - execution->first_added;
    const size_t words = front->count + added + count + 1;

    context->words_bytes = (words * sizeof(int64_t) + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
    context->words = host_map(context->words_bytes, false);
    if (context->words == NULL) {
        return NULL;
    }
    int64_t *to = context->words;
    for (unsigned i = 0; i < front->count; i++) {
        *to++ = (intptr_t)front->words[i];
    }
    for (unsigned i = execution->first_added + 1; i < ADDED; i++) {
        *to++ = (intptr_t)execution->added[i];
    }
    for (size_t i = 1; i < count; i++) {
        __builtin_memcpy(to++, program + i, sizeof *to);
    }
    return context->words;
}

void execve_forget(struct context *context)
{
    if (context->words != NULL) {
        host_call(__NR_munmap, context->words, context->words_bytes);
        context->words = NULL;
    }
}

static const char *first_argument(const struct execution *execution, size_t count)
{
    uint64_t first;

    if (execution->first_added < ADDED) {
        return execution->added[execution->first_added];
    }
    if (count == 0) {
        return "";
    }
    __builtin_memcpy(&first, (const void *)(uintptr_t)execution->arguments, sizeof first);
    return (const char *)(uintptr_t)first;
}

static int64_t execute_self(struct execution *execution, const struct front *front, int64_t *words)
{
    const char *path = front->self;
    struct call call = {
        .number = __NR_execve,
        .arguments = {(uintptr_t)path, (uintptr_t)words, execution->environment},
    };
    const int64_t result = system_pass(execution->context, &call);

    if (result != -ENOENT) {
        return result;
    }
    call.arguments[0] = (uintptr_t)self_link; /* its file is gone, but not for the kernel */
    return system_pass(execution->context, &call);
}

static int64_t follow(struct execution *execution)
{
    struct context *context = execution->context;
    struct translator *translator = context->translator;
    struct front front = {.count = 0};
    size_t count;
    int64_t result = count_arguments(execution->arguments, &count);

    if (result != 0) {
        return result;
    }
    report_prepare_process(translator);
    find_self(&front);
    put_word(&front, front.self);
    for (unsigned i = 0; i < translator->option_words.count; i++) {
        put_word(&front, translator->option_words.words[i]);
    }
    put_reports(&front, translator);
    put_inherited(&front, translator, execution->by_folder ? execution->file : -1);
    put_option(&front, "--argv0", first_argument(execution, count));
    put_option(&front, "--execfn", execution->name);
    put_option(&front, "--", execution->by_folder ? execution->name : execution->path);
    int64_t *words = join_words(execution, &front, count);
    if (words == NULL) {
        return -ENOMEM;
    }
    if (execution->by_folder) {
        host_call(__NR_fcntl, execution->file, (long)F_SETFD, 0L);
    }
    descriptors_keep(&translator->reports, true);
    report_replaced(translator);
    result = execute_self(execution, &front, words);
    report_not_replaced(translator);
    descriptors_keep(&translator->reports, false);
    execve_forget(context);
    return result;
}

/* The program's own file is Strata's for the kernel. */
static int64_t pass_on(const struct execution *execution, const struct call *call)
{
    struct translator *translator = execution->context->translator;
    struct call changed = *call;

    if (execution->is_own) {
        changed.arguments[call->number == __NR_execveat ? 1 : 0] =
            (uintptr_t)translator->executable;
    }
    if (!execution->may_succeed) {
        return system_pass(execution->context, &changed);
    }
    report_replaced(translator);
    const int64_t result = system_pass(execution->context, &changed);
    report_not_replaced(translator);
    return result;
}

static int64_t execute(struct execution *execution, const struct call *call)
{
    const bool follows = execution->context->translator->options.follow_exec;
    int64_t result = 0;

    execution->first_added = ADDED;
    execution->name = execution->path;
    const enum verdict verdict = find_program(execution, &result);
    if (result == 0) {
        fault_mask_hand_over(execution->context);
        result = verdict == FOLLOW && follows ? follow(execution) : pass_on(execution, call);
        fault_mask_take_back(execution->context);
    }
    if (verdict == FOLLOW) {
        host_call(__NR_close, execution->file);
    }
    return result;
}

int64_t system_execve(struct context *context, const struct call *call)
{
    struct execution execution = {
        .context = context,
        .folder = AT_FDCWD,
        .path = (const char *)(uintptr_t)call->arguments[0],
        .arguments = call->arguments[1],
        .environment = call->arguments[2],
    };

    return execute(&execution, call);
}

int64_t system_execveat(struct context *context, const struct call *call)
{
    struct execution execution = {
        .context = context,
        .folder = (int)call->arguments[0],
        .path = (const char *)(uintptr_t)call->arguments[1],
        .arguments = call->arguments[2],
        .environment = call->arguments[3],
        .flags = call->arguments[4],
    };

    if ((execution.flags & ~(uint64_t)(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW)) != 0 ||
        host_call(__NR_execveat, -1L, NULL, NULL, NULL, 0L) == -ENOSYS) {
        return system_pass(context, call);
    }
    return execute(&execution, call);
}
