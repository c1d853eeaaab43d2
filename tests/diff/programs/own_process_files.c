/* Shows what /proc/self says of the program itself: its file, arguments, mappings and stack. */
#include "common.h"
#include <elf.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

static int global = 1;

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* The line of /proc/self/maps that holds an address: its permissions and name, and of a file that
 * was mapped the place in it. */
static void show_mapping(const char *what, const void *address)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];

    REQUIRE(maps != NULL);
    while (fgets(line, sizeof(line), maps) != NULL) {
        unsigned long start = 0;
        unsigned long end = 0;
        unsigned long offset = 0;
        char permissions[5] = "";
        char name[2048] = "nothing";

        REQUIRE(sscanf(line, "%lx-%lx %4s %lx %*x:%*x %*u %2047s", &start, &end, permissions,
                       &offset, name) >= 4);
        if ((unsigned long)address >= start && (unsigned long)address < end) {
            printf("%s: %s %s\n", what, permissions, last_part(name));
            if (strcmp(last_part(name), "mapped") == 0) {
                printf("its byte %lu\n", offset + (unsigned long)address - start);
            }
        }
    }
    REQUIRE(fclose(maps) == 0);
}

static void show_arguments(void)
{
    char text[4096] = "";
    int file = open("/proc/self/cmdline", O_RDONLY);
    ssize_t count = read(file, text, sizeof(text));

    REQUIRE(count > 0);
    for (size_t at = 0; at < (size_t)count; at += strlen(text + at) + 1) {
        printf("argument [%s]\n", at == 0 ? last_part(text) : text + at);
    }
    REQUIRE(close(file) == 0);
}

static void show_program(void)
{
    char path[4096] = "";
    char head[4] = "";
    struct stat followed;
    struct stat link;
    int file = open("/proc/self/exe", O_RDONLY);

    REQUIRE(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
    printf("program %s, absolute %d\n", last_part(path), path[0] == '/');
    REQUIRE(file >= 0 && read(file, head, 4) == 4 && memcmp(head, ELFMAG, 4) == 0);
    REQUIRE(stat("/proc/self/exe", &followed) == 0 && lstat("/proc/self/exe", &link) == 0);
    printf("a file %d, a link %d\n", S_ISREG(followed.st_mode), S_ISLNK(link.st_mode));
    printf("cut short: %zd\n", readlink("/proc/self/exe", path, 3));
    REQUIRE(close(file) == 0);
}

static void show_auxiliary_vector(void)
{
    Elf64_auxv_t entry;
    int file = open("/proc/self/auxv", O_RDONLY);
    int page_size = 0;

    while (read(file, &entry, sizeof(entry)) == sizeof(entry) && entry.a_type != AT_NULL) {
        page_size |= entry.a_type == AT_PAGESZ && entry.a_un.a_val == getauxval(AT_PAGESZ);
    }
    printf("auxiliary vector %d, ends %d\n", page_size, entry.a_type == AT_NULL);
    REQUIRE(close(file) == 0);
}

int main(void)
{
    int local = 0;
    char *file_mapping = NULL;
    int file = open("mapped", O_CREAT | O_RDWR, 0600);

    REQUIRE(file >= 0 && ftruncate(file, 3 * 4096) == 0);
    file_mapping = mmap(NULL, 3 * 4096, PROT_READ, MAP_SHARED, file, 0);
    REQUIRE(file_mapping != MAP_FAILED && munmap(file_mapping + 4096, 4096) == 0);
    show_program();
    show_arguments();
    show_auxiliary_vector();
    show_mapping("stack", &local);
    show_mapping("data", &global);
    show_mapping("file", file_mapping);
    show_mapping("hole", file_mapping + 4096);
    show_mapping("rest of the file", file_mapping + 2 * 4096);
    file_mapping = mmap(NULL, 2 * 4096, PROT_READ, MAP_PRIVATE, file, 4096);
    REQUIRE(file_mapping != MAP_FAILED);
    show_mapping("its last two pages", file_mapping + 4096 + 5);
    return 0;
}
