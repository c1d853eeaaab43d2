/* Tests that files for the user are there whole or stay as they were, and that only regular files are replaced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/result_file.h"

static char folder[] = "/tmp/test_result_file.XXXXXX";

static int enter(void **unused)
{
    (void)unused;
    umask(022);
    return mkdtemp(folder) != NULL ? chdir(folder) : -1;
}

static bool is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int empty_folder(void **unused)
{
    DIR *entries = opendir(".");
    const struct dirent *entry;
    (void)unused;
    while ((entry = readdir(entries)) != NULL) {
        if (is_entry(entry) && unlink(entry->d_name) != 0) {
            rmdir(entry->d_name);
        }
    }
    return closedir(entries);
}

static int leave(void **unused)
{
    (void)unused;
    return chdir("/") == 0 ? rmdir(folder) : -1;
}

static bool put(const char *path, const char *text)
{
    return result_file_write(path, text, strlen(text), RESULT_FILE_MODE);
}

static void make(const char *path, const char *text, mode_t mode)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    assert_int_equal(close(fd), 0);
}

static void assert_text(const char *path, const char *expected)
{
    char text[64] = "";
    const int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    assert_true(read(fd, text, sizeof text - 1) >= 0);
    close(fd);
    assert_string_equal(text, expected);
}

static struct stat status_of(const char *path)
{
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    return status;
}

static void assert_names(unsigned expected)
{
    unsigned count = 0;
    DIR *entries = opendir(".");
    const struct dirent *entry;
    while ((entry = readdir(entries)) != NULL) {
        count += is_entry(entry);
    }
    closedir(entries);
    assert_int_equal(count, expected);
}

static void a_new_file(void **unused)
{
    (void)unused;
    assert_true(put("new", "text"));
    assert_text("new", "text");
    assert_int_equal(status_of("new").st_mode & 07777, 0644);
    assert_true(result_file_write("program", "text", 4, 0755));
    assert_int_equal(status_of("program").st_mode & 07777, 0755);
    assert_true(put("empty", ""));
    assert_names(3);
}

static void a_file_is_replaced(void **unused)
{
    (void)unused;
    make("old", "a longer text", 0640);
    const struct stat before = status_of("old");
    assert_true(put("old", "text"));
    assert_text("old", "text");
    assert_int_equal(status_of("old").st_mode & 07777, 0640);
    assert_int_not_equal(status_of("old").st_ino, before.st_ino);
    assert_true(result_file_write("old", "text", 4, 0755));
    assert_int_equal(status_of("old").st_mode & 07777, 0751);
    assert_names(1);
}

static void links_stay(void **unused)
{
    (void)unused;
    make("old", "old", 0600);
    assert_int_equal(mkdir("below", 0700), 0);
    assert_int_equal(symlink("old", "near"), 0);
    assert_int_equal(symlink("../near", "below/far"), 0);
    assert_true(put("below/far", "text"));
    assert_text("old", "text");
    assert_true(S_ISLNK(status_of("near").st_mode) && S_ISLNK(status_of("below/far").st_mode));
    assert_true(S_ISREG(status_of("old").st_mode));
    assert_int_equal(symlink("new", "dangling"), 0);
    assert_true(put("dangling", "text"));
    assert_true(S_ISLNK(status_of("dangling").st_mode));
    assert_text("new", "text");
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_false(put("loop", "text"));
    assert_int_equal(errno, ELOOP);
    unlink("below/far");
}

static void a_pipe_is_written_to(void **unused)
{
    char text[8] = "";
    (void)unused;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(symlink("pipe", "link"), 0);
    const int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_true(put("pipe", "ab"));
    assert_true(put("link", "cd"));
    assert_int_equal(read(reader, text, sizeof text), 4);
    assert_string_equal(text, "abcd");
    close(reader);
    assert_true(S_ISFIFO(status_of("pipe").st_mode));
    assert_names(2);
}

/* A node of its own: what a mistake destroys is not the host's. */
static void a_device_is_written_to(void **unused)
{
    (void)unused;
    const mode_t kind = S_IFCHR | 0600;
    int fd = -1;
    if (mknod("null", kind, makedev(1, 3)) != 0 || (fd = open("null", O_WRONLY)) < 0) {
        skip(); /* only root may, and not everywhere */
    }
    close(fd);
    assert_true(put("null", "text"));
    assert_true(S_ISCHR(status_of("null").st_mode));
    assert_int_equal(symlink("null", "link"), 0);
    assert_true(put("link", "text"));
    assert_true(S_ISLNK(status_of("link").st_mode) && S_ISCHR(status_of("null").st_mode));
    assert_int_equal(mknod("full", kind, makedev(1, 7)), 0);
    assert_false(put("full", "text"));
    assert_int_equal(errno, ENOSPC);
    assert_true(S_ISCHR(status_of("full").st_mode));
    assert_names(3);
}

/* As a shell does for `>>`: what is there stays, and what follows is written behind it. */
static void a_descriptor_is_written_to(void **unused)
{
    char path[64];
    (void)unused;
    make("old", "old", 0600);
    const int fd = open("old", O_WRONLY);
    assert_int_equal(lseek(fd, 3, SEEK_SET), 3);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    assert_true(result_file_possible(path));
    assert_true(put(path, " and"));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_true(put(path, " new"));
    assert_int_equal(symlink(path, "link"), 0);
    assert_true(put("link", "er"));
    assert_text("old", "old and newer");
    close(fd);
    assert_false(put(path, "text"));
    assert_names(2);
}

static void a_folder_is_refused(void **unused)
{
    (void)unused;
    assert_false(put(".", "text"));
    assert_int_equal(errno, EISDIR);
    assert_false(result_file_possible("/"));
    assert_int_equal(errno, EISDIR);
    assert_false(put("missing/file", "text"));
    assert_int_equal(errno, ENOENT);
    assert_false(result_file_possible("missing/file"));
    assert_int_equal(errno, ENOENT);
    assert_false(put("", "text"));
    make("file", "old", 0600);
    assert_false(put("file/below", "text"));
    assert_int_equal(errno, ENOTDIR);
    assert_names(1);
}

/* In a process of its own, which is nobody's if this one is root's. */
static void without_permission(void **unused)
{
    (void)unused;
    assert_int_equal(chmod(".", 0777), 0);
    make("file", "old", 0444);
    assert_int_equal(mkdir("shut", 0755), 0);
    make("shut/file", "old", 0666);
    assert_int_equal(chmod("shut", 0555), 0);
    const pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) {
            _exit(1);
        }
        _exit(put("file", "text") || errno != EACCES || result_file_possible("file") ? 2
              : put("shut/file", "text") || errno != EACCES                          ? 3
              : result_file_possible("shut/new") || !put("new", "text")              ? 4
                                                                                     : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_text("file", "old");
    assert_text("shut/file", "old");
    assert_int_equal(chmod("shut", 0755), 0);
    unlink("shut/file");
    assert_int_equal(chmod(".", 0700), 0);
    assert_names(3);
}

/* Whoever may write into another's file in /tmp may not replace it: that is known before a long run. */
static void a_file_of_another_in_a_sticky_folder(void **unused)
{
    (void)unused;
    if (geteuid() != 0) {
        skip();
    }
    assert_int_equal(chmod(".", 01777), 0);
    make("file", "old", 0666);
    make("own", "old", 0600);
    assert_int_equal(chown("own", 65534, 65534), 0);
    const pid_t child = fork();
    if (child == 0) {
        if (setgid(65534) != 0 || setuid(65534) != 0) {
            _exit(1);
        }
        _exit(result_file_possible("file") || errno != EPERM       ? 2
              : put("file", "text") || errno != EPERM              ? 3
              : !result_file_openable("file")                      ? 4
              : !result_file_possible("own") || !put("own", "new") ? 5
              : !put("fresh", "text")                              ? 6
                                                                   : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_text("file", "old");
    assert_text("own", "new");
    assert_true(put("file", "root's"));
    assert_int_equal(chmod(".", 0700), 0);
    assert_names(3);
}

/* The limit on files' sizes stands for a full disk. */
static void a_failure_leaves_the_old_file(void **unused)
{
    char large[8192];
    (void)unused;
    memset(large, 'x', sizeof large);
    make("old", "old", 0600);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {4096, 4096};
        signal(SIGXFSZ, SIG_IGN);
        _exit(setrlimit(RLIMIT_FSIZE, &limit) != 0 ||
              result_file_write("old", large, sizeof large, RESULT_FILE_MODE) || errno != EFBIG);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_text("old", "old");
    assert_names(1);
}

/* SIGXFSZ kills in the middle of writing. */
static void a_kill_leaves_the_old_file(void **unused)
{
    char large[8192];
    (void)unused;
    memset(large, 'x', sizeof large);
    make("old", "old", 0600);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {4096, 4096}, none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        setrlimit(RLIMIT_FSIZE, &limit);
        signal(SIGXFSZ, SIG_DFL);
        _exit(result_file_write("old", large, sizeof large, RESULT_FILE_MODE));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
    assert_text("old", "old");
    assert_names(2); /* and the new one, as far as it was written */
}

static void a_file_that_grows_is_written_in_place(void **unused)
{
    (void)unused;
    make("old", "a longer text", 0640);
    const ino_t before = status_of("old").st_ino;
    const int fd = result_file_open("old");
    assert_int_equal(write(fd, "text", 4), 4);
    close(fd);
    assert_text("old", "text");
    assert_int_equal(status_of("old").st_ino, before);
    const int new = result_file_open("new");
    assert_true(new >= 0);
    close(new);
    assert_int_equal(status_of("new").st_mode & 07777, 0644);
    assert_int_equal(result_file_open("missing/file"), -1);
    assert_int_equal(errno, ENOENT);
}

static void the_same_file(void **unused)
{
    (void)unused;
    make("a", "", 0600);
    make("b", "", 0600);
    assert_int_equal(link("a", "hard"), 0);
    assert_int_equal(symlink("./a", "soft"), 0);
    assert_int_equal(symlink("new", "dangling"), 0);
    assert_true(result_file_same("a", "a"));
    assert_true(result_file_same("hard", "soft"));
    assert_false(result_file_same("a", "b"));
    assert_false(result_file_same("a", "new"));
    assert_true(result_file_same("new", "./new"));
    assert_true(result_file_same("new", "dangling"));
    assert_false(result_file_same("new", "newer"));
    assert_false(result_file_same("missing/new", "missing/new"));
    assert_false(result_file_same("/dev/null", "/dev/null"));
}

static void whether_a_descriptor_is_there(void **unused)
{
    int ends[2];
    char name[32];
    (void)unused;
    make("a", "", 0600);
    make("b", "", 0600);
    const int file = open("a", O_WRONLY), nowhere = open("/dev/null", O_WRONLY);
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    assert_true(result_file_is_open("a", file));
    assert_true(result_file_is_open("./a", file));
    assert_false(result_file_is_open("b", file));
    assert_false(result_file_is_open("new", file));
    assert_true(result_file_is_open(name, ends[1]));
    assert_false(result_file_is_open(name, file));
    assert_false(result_file_is_open("/dev/null", nowhere));
    close(file);
    close(nowhere);
    close(ends[0]);
    close(ends[1]);
}

/* What can be opened is asked without opening it, and the answer is that of opening. */
static void what_can_be_opened(void **unused)
{
    static const char *const paths[] = {"file", "new",  "link", "dangling", "folder",   "missing/x",
                                        "loop", "pipe", "",     "file/x",   "/dev/null"};
    (void)unused;
    make("file", "old", 0600);
    assert_int_equal(symlink("file", "link"), 0);
    assert_int_equal(symlink("new2", "dangling"), 0);
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    const int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const bool openable = result_file_openable(paths[i]);
        const int reason = errno, fd = result_file_open(paths[i]);
        assert_int_equal(openable, fd >= 0);
        assert_true(openable || reason == errno);
        close(fd);
    }
    close(reader);
}

#define TEST(name) cmocka_unit_test_teardown(name, empty_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_file),
        TEST(a_file_is_replaced),
        TEST(links_stay),
        TEST(a_pipe_is_written_to),
        TEST(a_device_is_written_to),
        TEST(a_descriptor_is_written_to),
        TEST(a_folder_is_refused),
        TEST(without_permission),
        TEST(a_file_of_another_in_a_sticky_folder),
        TEST(a_failure_leaves_the_old_file),
        TEST(a_kill_leaves_the_old_file),
        TEST(a_file_that_grows_is_written_in_place),
        TEST(the_same_file),
        TEST(whether_a_descriptor_is_there),
        TEST(what_can_be_opened),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
