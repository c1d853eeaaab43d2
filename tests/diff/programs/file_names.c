/* Shows names of files: rename, hard and symbolic links, removal, folders, relative descriptors. */
#include "common.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static void touch(const char *name)
{
    int file = open(name, O_CREAT | O_WRONLY, 0600);

    REQUIRE(file >= 0 && write(file, name, strlen(name)) > 0 && close(file) == 0);
}

static const char *contents(const char *name)
{
    static char text[64];
    int file = open(name, O_RDONLY);
    ssize_t size = 0;

    if (file < 0) {
        return error_name(errno);
    }
    size = read(file, text, sizeof(text) - 1);
    REQUIRE(size >= 0 && close(file) == 0);
    text[size] = '\0';
    return text;
}

int main(void)
{
    char target[64];
    int folder = 0;

    touch("a");
    touch("b");
    printf("mkdir %s\n", outcome(mkdir("d", 0700)));
    printf("mkdir again %s\n", outcome(mkdir("d", 0700)));
    printf("rename over %s: %s\n", outcome(rename("a", "b")), contents("b"));
    printf("gone: %s\n", contents("a"));
    printf("rename into folder %s: %s\n", outcome(rename("b", "d/b")), contents("d/b"));
    printf("rename onto folder %s\n", outcome(rename("d/b", "d")));
    printf("link %s: %s\n", outcome(link("d/b", "hard")), contents("hard"));
    printf("symlink %s: %s\n", outcome(symlink("d/b", "soft")), contents("soft"));
    memset(target, 0, sizeof(target));
    printf("readlink %s", outcome(readlink("soft", target, sizeof(target))));
    printf(": %s\n", target);
    memset(target, '.', sizeof(target));
    printf("readlink cut %s", outcome(readlink("soft", target, 2)));
    printf(": %.4s\n", target);
    printf("readlink of a file %s\n", outcome(readlink("hard", target, sizeof(target))));
    printf("symlink loop %s", outcome(symlink("loop", "loop")));
    printf(": %s\n", contents("loop"));
    printf("rmdir full %s\n", outcome(rmdir("d")));
    printf("unlink folder %d\n", unlink("d") == -1);
    folder = open("d", O_RDONLY | O_DIRECTORY);
    REQUIRE(folder >= 0);
    printf("renameat %s: %s\n", outcome(renameat(folder, "b", folder, "c")), contents("d/c"));
    printf("dangling: %s\n", contents("soft"));
    touch("x");
    printf("renameat2 refuses %s\n",
           outcome(syscall(SYS_renameat2, AT_FDCWD, "x", folder, "c", 1)));
    printf("linkat %s\n", outcome(linkat(AT_FDCWD, "x", folder, "y", 0)));
    printf("symlinkat %s: %s\n", outcome(symlinkat("y", folder, "z")), contents("d/z"));
    printf("mkdirat %s\n", outcome(mkdirat(folder, "sub", 0755)));
    printf("unlinkat %s %s", outcome(unlinkat(folder, "z", 0)), contents("d/y"));
    printf(" %s\n", outcome(unlinkat(folder, "sub", AT_REMOVEDIR)));
    printf("open of a file as folder %s\n", outcome(open("x", O_DIRECTORY)));
    printf("open of a link refused %s\n", outcome(open("soft", O_NOFOLLOW)));
    printf("unlink twice %s", outcome(unlink("hard")));
    printf(" %s\n", outcome(unlink("hard")));
    return 0;
}
