/* Prints its words, its environment, and what else it sees of itself; executes another program if it is told to. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

extern char **environ;

int main(int count, char **arguments)
{
    char path[4096], line[5000];
    if (count > 2 && strcmp(arguments[1], "execute") == 0) {
        execv(arguments[2], arguments + 2);
        return 1;
    }
    for (int i = 0; i < count; i++) {
        puts(arguments[i]);
    }
    for (char **variable = environ; *variable != NULL; variable++) {
        puts(*variable);
    }
    printf("execfn %s\n", (const char *)getauxval(AT_EXECFN));
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    printf("exe %s\n", path);
    printf("processors %ld of %ld\n", sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_NPROCESSORS_CONF));
    unsigned char header[4] = {0};
    const int fd = open(path, O_RDONLY);
    if (fd >= 0 && read(fd, header, 4) == 4 && memcmp(header, ELFMAG, SELFMAG) == 0) {
        puts("opens itself");
    }
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        const char *name = strchr(line, '/');
        if (name != NULL && strcmp(name, path) == 0) {
            puts("maps itself");
            break;
        }
    }
    return 0;
}
