/* Descriptors of processes: the host's, but a signal to the own process goes straight to its queue. */
#define _GNU_SOURCE
#include "machine/linux/files.h"
#include "machine/linux/signal.h"
#include "machine/linux/syscall.h"
#include "machine/linux/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int64_t sys_pidfd_open(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    pid_t pid = (pid_t)arguments[0];
    unsigned flags = (unsigned)arguments[1];

    /* Only processes have descriptors, and the host knows nothing of the others' numbers. */
    if ((flags & ~(unsigned)O_NONBLOCK) != 0 ||
        (pid != process->pid && thread_find(process, pid) != NULL)) {
        return -EINVAL;
    }
    return files_result(syscall(SYS_pidfd_open, pid, flags));
}

/* The process behind the descriptor; 0 if that is not known. */
static pid_t read_process(int fd)
{
    static const char field[] = "Pid:";
    char path[64], line[128];
    pid_t pid = 0;

    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, field, strlen(field)) == 0) {
            pid = (pid_t)strtol(line + strlen(field), NULL, 10);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return pid;
}

int64_t sys_pidfd_send_signal(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    int fd = (int)arguments[0], number = (int)arguments[1];
    struct guest_siginfo info = signal_info_sent(number, SI_USER);

    if ((unsigned)arguments[3] != 0) {
        return -EINVAL;
    }
    if (arguments[2] != 0) {
        if (!thread_read(thread, &info, arguments[2], sizeof info)) {
            return -EFAULT;
        }
        if (info.signo != number) {
            return -EINVAL;
        }
    }
    /* Signal 0 finds out whether the descriptor is one, and its process there. */
    if (read_process(fd) != process->pid || number == 0) {
        siginfo_t host;
        memcpy(&host, &info, sizeof host);
        return files_result(
            syscall(SYS_pidfd_send_signal, fd, number, arguments[2] != 0 ? &host : NULL, 0));
    }
    if (number < 0 || number > GUEST_SIGNALS) {
        return -EINVAL;
    }
    signal_send_process(process, &info);
    return 0;
}
