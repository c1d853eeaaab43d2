/* Shows what execve says of files that are no programs, of bad pointers, and of too much. */
#include "common.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define HUGE_ARGUMENT (256 * 1024)
#define PAGE 4096

static char *arguments[] = {(char *)"name", NULL};
static char *environment[] = {NULL};

static void make(const char *path, const char *text, mode_t mode)
{
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0700);

    REQUIRE(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    REQUIRE(fchmod(file, mode) == 0 && close(file) == 0);
}

static void show(const char *what, const char *path)
{
    printf("%s: %s\n", what, outcome(execve(path, arguments, environment)));
}

static void show_files(void)
{
    char long_name[400];

    memset(long_name, 'x', sizeof(long_name) - 1);
    long_name[sizeof(long_name) - 1] = '\0';
    make("plain", "no program", 0600);
    make("empty", "", 0700);
    make("garbage", "\177ELF but nothing more", 0700);
    make("text", "neither a program nor a script\n", 0700);
    REQUIRE(symlink("loop", "loop") == 0);
    show("missing", "./none");
    show("empty path", "");
    show("a folder", ".");
    show("below a file", "./plain/x");
    show("not executable", "./plain");
    show("empty", "./empty");
    show("garbage", "./garbage");
    show("text", "./text");
    show("a link to itself", "./loop");
    show("a long name", long_name);
}

static void show_scripts(void)
{
    make("none.sh", "#!./none\n", 0700);
    make("plain.sh", "#!./plain\n", 0700);
    make("nameless.sh", "#! \t \n", 0700);
    make("itself.sh", "#!./itself.sh\n", 0700);
    show("no interpreter", "./none.sh");
    show("its interpreter is not executable", "./plain.sh");
    show("its interpreter has no name", "./nameless.sh");
    show("it is its own interpreter", "./itself.sh");
    int writer = open("none.sh", O_WRONLY);
    REQUIRE(writer >= 0);
    show("a script that is being written", "./none.sh");
    REQUIRE(close(writer) == 0);
    show("and then is not", "./none.sh");
}

static void show_pointers(void)
{
    char *volatile nowhere = (char *)16; /* so that the compiler does not see it */
    char *bad = nowhere;
    char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *one_bad[] = {(char *)"name", bad, NULL};

    REQUIRE(page != MAP_FAILED && munmap(page + PAGE, PAGE) == 0);
    char **endless = (char **)(void *)(page + PAGE) - 1;
    *endless = (char *)"x";
    printf("bad path: %s\n", outcome(execve(bad, arguments, environment)));
    printf("bad arguments: %s\n", outcome(execve("/bin/true", (char **)(void *)bad, environment)));
    printf("arguments without an end: %s\n", outcome(execve("/bin/true", endless, environment)));
    printf("a bad argument: %s\n", outcome(execve("/bin/true", one_bad, environment)));
    printf("bad environment: %s\n", outcome(execve("/bin/true", arguments, (char **)(void *)bad)));
}

static void show_too_much(void)
{
    char *huge = malloc(HUGE_ARGUMENT);

    REQUIRE(huge != NULL);
    memset(huge, 'x', HUGE_ARGUMENT - 1);
    huge[HUGE_ARGUMENT - 1] = '\0';
    char *words[] = {(char *)"name", huge, NULL};
    printf("a huge argument: %s\n", outcome(execve("/bin/true", words, environment)));
    printf("a huge variable: %s\n", outcome(execve("/bin/true", arguments, words)));
    free(huge);
}

int main(void)
{
    show_files();
    show_scripts();
    show_pointers();
    show_too_much();
    puts("still here");
    return 0;
}
