/* Shows folders: listing with types, rewinding, the current folder, leaving and coming back. */
#include "common.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static void list(DIR *folder)
{
    char *names[400];
    size_t count = 0;
    uint64_t hash = CHECKSUM_START;
    struct dirent *entry = NULL;

    while ((entry = readdir(folder)) != NULL) {
        char *line = NULL;
        const char *kind = entry->d_type == DT_DIR ? "/" : entry->d_type == DT_LNK ? "@" : "";

        REQUIRE(asprintf(&line, "%s%s", entry->d_name, kind) > 0 && count < 400);
        names[count++] = line;
    }
    qsort(names, count, sizeof(names[0]), by_name);
    for (size_t i = 0; i < count; i++) {
        hash = checksum(hash, names[i], strlen(names[i]));
        if (i < 6) {
            printf(" %s", names[i]);
        }
        free(names[i]);
    }
    printf(": %zu entries %016lx\n", count, hash);
}

int main(void)
{
    char before[4096];
    char after[4096];
    char small[2];
    char raw[300];
    DIR *folder = NULL;
    int here = open(".", O_RDONLY | O_DIRECTORY);

    REQUIRE(here >= 0 && getcwd(before, sizeof(before)) != NULL);
    REQUIRE(mkdir("many", 0755) == 0 && chdir("many") == 0);
    for (int i = 0; i < 300; i++) {
        char name[32];

        snprintf(name, sizeof(name), "file-%03d", i * 7 % 300);
        REQUIRE(close(creat(name, 0600)) == 0);
    }
    REQUIRE(mkdir("inner", 0755) == 0 && symlink("inner", "link") == 0);
    folder = opendir(".");
    REQUIRE(folder != NULL);
    list(folder);
    rewinddir(folder);
    list(folder);
    REQUIRE(closedir(folder) == 0);
    REQUIRE(getcwd(after, sizeof(after)) != NULL);
    printf("went down: %s\n", after + strlen(before));
    printf("small buffer: %s\n", getcwd(small, sizeof(small)) == NULL ? error_name(errno) : "?");
    REQUIRE(chdir("link") == 0 && getcwd(after, sizeof(after)) != NULL);
    printf("through the link: %s\n", after + strlen(before));
    REQUIRE(chdir("..") == 0 && fchdir(here) == 0 && getcwd(after, sizeof(after)) != NULL);
    printf("came back: %d\n", strcmp(before, after) == 0);
    printf("into a file: %s\n", outcome(chdir("many/file-001")));
    printf("getdents of a small buffer: %s\n", outcome(syscall(SYS_getdents64, here, raw, 8)));
    printf("getdents of a file: %s\n",
           outcome(syscall(SYS_getdents64, open("many/file-001", O_RDONLY), raw, sizeof(raw))));
    return 0;
}
