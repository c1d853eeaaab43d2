/* Makes processes with each kind of flags that clone has, and shows what became of them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t received;
static int shared_file;

static void receive(int number)
{
    received = number;
}

/* The child changes what flags may make its parent's, too. */
static void run_child(long flags)
{
    chdir("/");
    close(shared_file);
    if ((flags & CLONE_VFORK) != 0) {
        struct sigaction action = {.sa_handler = SIG_IGN};
        sigaction(SIGHUP, &action, NULL);
    }
    syscall(SYS_exit_group, 3);
}

static void show_effects(void)
{
    char folder[4096] = "";
    struct sigaction action;

    getcwd(folder, sizeof folder);
    sigaction(SIGHUP, NULL, &action);
    printf(" folder %s, file %s, action %s, signal %d\n",
           strcmp(folder, "/") == 0 ? "changed" : "kept",
           fcntl(shared_file, F_GETFD) >= 0 ? "open" : "closed",
           action.sa_handler == SIG_IGN ? "changed" : "kept", (int)received);
}

static void try(const char *what, long flags)
{
    int home = open(".", O_RDONLY | O_DIRECTORY);
    struct sigaction action = {.sa_handler = receive};
    int status = 0;

    sigaction(SIGHUP, &action, NULL);
    shared_file = open("/dev/null", O_RDONLY);
    received = 0;
    fflush(stdout);
    long child = syscall(SYS_clone, flags, 0L, 0L, 0L, 0L);
    if (child == 0) {
        run_child(flags);
    }
    printf("%s: %s", what, child > 0 ? "begun" : strerrorname_np(errno));
    if (child > 0) {
        long waited = waitpid((pid_t)child, &status, __WALL);
        printf(", %s with %d", waited == child ? "ended" : strerrorname_np(errno),
               waited == child ? WEXITSTATUS(status) : -1);
    }
    show_effects();
    fchdir(home);
    close(home);
    close(shared_file);
}

int main(void)
{
    struct clone_args arguments = {.exit_signal = SIGCHLD};
    pid_t wanted[] = {4242};

    signal(SIGUSR1, receive);
    signal(SIGCHLD, receive);
    signal(SIGWINCH, receive);
    try("plain", SIGCHLD);
    try("another signal", SIGUSR1);
    try("a signal that is ignored else", SIGWINCH);
    try("shared folder", CLONE_FS | SIGCHLD);
    try("shared files", CLONE_FILES | SIGCHLD);
    try("shared folder and files", CLONE_FS | CLONE_FILES | SIGCHLD);
    try("shared semaphore undo", CLONE_SYSVSEM | SIGCHLD);
    try("shared input and output", CLONE_IO | SIGCHLD);
    try("vfork", CLONE_VFORK | CLONE_VM | SIGCHLD);
    try("vfork with a copy", CLONE_VFORK | SIGCHLD);
    try("vfork with a copy and shared files", CLONE_VFORK | CLONE_FILES | SIGCHLD);
    try("shared handlers alone", CLONE_SIGHAND | SIGCHLD);
    try("a thread without shared handlers", CLONE_THREAD | CLONE_VM);
    try("a thread without shared memory", CLONE_THREAD | CLONE_SIGHAND);
    try("a folder that cannot be shared", CLONE_NEWNS | CLONE_FS | SIGCHLD);
    if (syscall(SYS_clone3, &arguments, sizeof arguments) == 0) {
        _exit(0);
    }
    arguments.set_tid = (uintptr_t)wanted;
    arguments.set_tid_size = 1;
    if (syscall(SYS_clone3, &arguments, 8L) == 0) {
        _exit(0);
    }
    printf("clone3: %s\n", strerrorname_np(errno));
    return 0;
}
