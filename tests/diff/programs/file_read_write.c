/* Shows the life of a file: create, write, append, read back, truncate on open, exclusive
 * creation. */
#include "common.h"
#include <fcntl.h>
#include <sys/stat.h>

static void show(const char *name)
{
    char text[256];
    int file = open(name, O_RDONLY);
    ssize_t size = 0;

    REQUIRE(file >= 0);
    size = read(file, text, sizeof(text));
    REQUIRE(size >= 0);
    printf("%s: %zd bytes [%.*s], then %zd\n", name, size, (int)size, text, read(file, text, 1));
    REQUIRE(close(file) == 0);
}

int main(void)
{
    int file = creat("data", 0644);

    REQUIRE(file >= 0);
    REQUIRE(write(file, "hello ", 6) == 6);
    REQUIRE(write(file, "file", 4) == 4);
    printf("read from a write-only file: %s\n", outcome(read(file, &(char){0}, 1)));
    REQUIRE(close(file) == 0);
    show("data");
    file = open("data", O_WRONLY | O_APPEND);
    REQUIRE(write(file, "+more", 5) == 5);
    REQUIRE(lseek(file, 0, SEEK_SET) == 0);
    REQUIRE(write(file, "+end", 4) == 4);
    REQUIRE(close(file) == 0);
    show("data");
    printf("exclusive creation: %s\n", outcome(open("data", O_CREAT | O_EXCL | O_RDWR, 0600)));
    file = open("data", O_RDWR | O_TRUNC);
    REQUIRE(write(file, "new", 3) == 3);
    REQUIRE(close(file) == 0);
    show("data");
    file = openat(AT_FDCWD, "other", O_CREAT | O_EXCL | O_RDWR, 0600);
    REQUIRE(file >= 0);
    printf("write of nothing: %zd\n", write(file, "", 0));
    printf("read at the end: %zd\n", read(file, &(char){0}, 1));
    REQUIRE(fsync(file) == 0 && fdatasync(file) == 0 && close(file) == 0);
    printf("close again: %s\n", outcome(close(file)));
    return 0;
}
