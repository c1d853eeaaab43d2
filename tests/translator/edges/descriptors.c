/* Lists the open descriptors as programs do that close all others, and closes them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HIGHEST = 1 << 20 };

/* Above all that the program itself may have. */
static void show(const char *path, int first)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    int numbers = 0;
    int high = 0;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        int number = atoi(entry->d_name);
        numbers += entry->d_name[0] != '.' && number < first;
        high += number >= first;
    }
    printf("%s: %s, %d low, %d high\n", strrchr(path, '/'), folder != NULL ? "open" : "not open",
           numbers, high);
    if (folder != NULL) {
        closedir(folder);
    }
}

/* A buffer that has room for one entry only: none may look like the end. */
static int count_one_by_one(void)
{
    char buffer[32];
    int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
    int count = 0;
    long bytes;

    while ((bytes = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0) {
        count++;
    }
    close(folder);
    return count;
}

static int probe_high(int first)
{
    struct stat status;
    int found = 0;

    for (int i = first; i < 70000; i++) {
        found += fcntl(i, F_GETFD) >= 0;
        found += fstat(i, &status) == 0;
        int copy = dup(i);
        found += copy >= 0;
    }
    return found;
}

static void close_all(int first)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;
    int closed = 0;

    while ((entry = readdir(folder)) != NULL) {
        int number = atoi(entry->d_name);
        if (number > 2 && number != dirfd(folder) && number < HIGHEST) {
            closed += number >= first && close(number) == 0;
        }
    }
    closedir(folder);
    printf("closed: %d\n", closed);
}

int main(void)
{
    char path[64];
    const int first = 200;

    show("/proc/self/fd", first);
    show("/proc/self/fdinfo", first);
    show("/proc/thread-self/fd", first);
    snprintf(path, sizeof path, "/proc/%d/fd", getpid());
    show(path, first);
    snprintf(path, sizeof path, "/proc/self/task/%ld/fdinfo", syscall(SYS_gettid));
    show(path, first);
    show("/nowhere/fd", first);
    printf("one by one: %d\n", count_one_by_one());
    printf("probed: %d\n", probe_high(first));
    close_all(first);
    fflush(stdout);
    if (fork() == 0) {
        show("/proc/self/fd", first);
        close_all(first);
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    show("/proc/self/fd", first);
    return 0;
}
