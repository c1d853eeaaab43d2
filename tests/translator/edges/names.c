/* Executes scripts by path, by folder and by descriptor; as their interpreter, shows what it was given. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void show(int count, char **words)
{
    for (int i = 1; i < count; i++) {
        printf("[%s]", words[i]);
    }
    printf(" by %s", (const char *)getauxval(AT_EXECFN));
    if (count > 2) {
        printf(", %s", access(words[2], R_OK) == 0 ? "readable" : "not readable");
    }
    printf("\n");
}

static void make(const char *path, const char *first, const char *second)
{
    FILE *file = fopen(path, "w");

    fprintf(file, "#!%s%s\n", first, second);
    fclose(file);
    chmod(path, 0755);
}

static void execute(int folder, const char *path, int flags)
{
    char *words[] = {"never seen", "last", NULL};

    fflush(stdout);
    if (fork() == 0) {
        execveat(folder, path, words, environ, flags);
        printf("%s: %s\n", path, strerrorname_np(errno));
        exit(0);
    }
    wait(NULL);
}

static void check_scripts(const char *self)
{
    make("script", self, " show");
    make("nested", "./script", " more");
    mkdir("below", 0755);
    make("below/script", self, " show");
    int script = open("script", O_RDONLY);
    int nested = open("nested", O_RDONLY);
    int closed = open("script", O_RDONLY | O_CLOEXEC);
    int folder = open("below", O_PATH | O_DIRECTORY);
    int closed_folder = open("below", O_PATH | O_DIRECTORY | O_CLOEXEC);
    /* Numbers that do not depend on what is open. */
    dup2(script, 50);
    dup2(nested, 51);
    dup3(closed, 52, O_CLOEXEC);
    dup2(folder, 53);
    dup3(closed_folder, 54, O_CLOEXEC);

    execute(AT_FDCWD, "./script", 0);
    execute(AT_FDCWD, "./nested", 0);
    execute(50, "", AT_EMPTY_PATH);
    execute(51, "", AT_EMPTY_PATH);
    execute(52, "", AT_EMPTY_PATH);
    execute(53, "script", 0);
    execute(54, "script", 0);
    execute(53, "none", 0);
    execute(55, "", AT_EMPTY_PATH);
}

int main(int count, char **words)
{
    if (count > 1 && strcmp(words[1], "scripts") != 0) {
        show(count, words);
        return 0;
    }
    char self[4096] = "";
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) {
        return 1;
    }
    check_scripts(self);
    fflush(stdout);
    symlink(self, "itself");
    char *again[] = {"a name", "show", NULL};
    execve("./itself", again, environ);
    return 1;
}
