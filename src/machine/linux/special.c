/* Descriptors that the machine makes ready: timerfd in virtual time, signalfd for its signals.
 *
 * Each is an eventfd in the host.  A timer's expirations are added to it, and
 * reading takes them out, which is just what timerfd promises; a signalfd's
 * counter only says whether a read would succeed. */
#include "machine/linux/files.h"
#include "machine/linux/signal.h"
#include "machine/linux/syscall.h"
#include "machine/linux/time.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum special_kind { SPECIAL_TIMER, SPECIAL_SIGNALS };

/* What all duplicates of a descriptor share. */
struct special_object {
    enum special_kind kind;
    unsigned references;
    int32_t clock;     /* of a timer */
    uint64_t deadline; /* WAIT_FOREVER: disarmed */
    uint64_t interval; /* 0: expires once */
    guest_sigset mask; /* of a signalfd */
};

struct special_descriptor {
    int fd;
    struct special_object *object;
    struct special_descriptor *next;
};

/* A process's descriptors.  Fork copies them, vfork too, though it shares all
 * other memory: so there is one table for each process that uses this memory. */
struct special_table {
    pid_t pid;
    struct special_descriptor *descriptors;
    struct special_table *next;
};

static bool add_descriptor(struct special_table *table, int fd, struct special_object *object)
{
    struct special_descriptor *descriptor = malloc(sizeof *descriptor);

    if (descriptor == NULL) {
        return false;
    }
    descriptor->fd = fd;
    descriptor->object = object;
    descriptor->next = table->descriptors;
    table->descriptors = descriptor;
    object->references++;
    return true;
}

/* The table of this process, made from its parent's when it is first used; NULL
 * if there are no special descriptors, or no memory. */
static struct special_table *find_table(struct process *process)
{
    struct special_table **tables = &files_state(process)->specials;
    struct special_table *table = *tables;

    while (table != NULL && table->pid != process->pid) {
        table = table->next;
    }
    if (table == NULL && *tables != NULL) {
        table = calloc(1, sizeof *table);
        if (table == NULL) {
            return NULL;
        }
        table->pid = process->pid;
        for (struct special_descriptor *descriptor = (*tables)->descriptors; descriptor != NULL;
             descriptor = descriptor->next) {
            add_descriptor(table, descriptor->fd, descriptor->object);
        }
        table->next = *tables;
        *tables = table;
    }
    return table;
}

static struct special_descriptor *first_descriptor(struct process *process)
{
    struct special_table *table = find_table(process);

    return table == NULL ? NULL : table->descriptors;
}

static struct special_descriptor *find_descriptor(struct process *process, int fd)
{
    struct special_descriptor *descriptor = first_descriptor(process);

    while (descriptor != NULL && descriptor->fd != fd) {
        descriptor = descriptor->next;
    }
    return descriptor;
}

void special_duplicated(struct process *process, int from, int to)
{
    struct special_descriptor *descriptor = find_descriptor(process, from);

    if (descriptor != NULL && from != to) {
        add_descriptor(find_table(process), to, descriptor->object);
    }
}

void special_closed(struct process *process, unsigned first, unsigned last)
{
    struct special_table *table = find_table(process);

    if (table == NULL) {
        return;
    }
    struct special_descriptor **at = &table->descriptors;
    while (*at != NULL) {
        struct special_descriptor *descriptor = *at;
        if ((unsigned)descriptor->fd < first || (unsigned)descriptor->fd > last) {
            at = &descriptor->next;
            continue;
        }
        *at = descriptor->next;
        if (--descriptor->object->references == 0) {
            free(descriptor->object);
        }
        free(descriptor);
    }
}

static bool is_readable(int fd)
{
    struct pollfd descriptor = {.fd = fd, .events = POLLIN};

    return poll(&descriptor, 1, 0) == 1;
}

static void empty(int fd)
{
    uint64_t count;

    if (is_readable(fd) && read(fd, &count, sizeof count) < 0) {
        return;
    }
}

static void add(int fd, uint64_t count)
{
    if (write(fd, &count, sizeof count) < 0) {
        return;
    }
}

static void update_timer(struct special_descriptor *descriptor, uint64_t now)
{
    struct special_object *timer = descriptor->object;

    if (timer->deadline > now) {
        return;
    }
    add(descriptor->fd, time_advance(&timer->deadline, timer->interval, now));
}

void special_update(struct thread *thread)
{
    struct special_descriptor *descriptor = first_descriptor(thread->process);

    for (; descriptor != NULL; descriptor = descriptor->next) {
        if (descriptor->object->kind == SPECIAL_TIMER) {
            update_timer(descriptor, schedule_now(&thread->process->schedule));
            continue;
        }
        bool ready = (signal_pending(thread) & descriptor->object->mask) != 0;
        if (ready != is_readable(descriptor->fd)) {
            if (ready) {
                add(descriptor->fd, 1);
            } else {
                empty(descriptor->fd);
            }
        }
    }
}

void special_prepare_wait(struct thread *thread, int host_fd)
{
    struct special_descriptor *descriptor = first_descriptor(thread->process);

    for (; descriptor != NULL; descriptor = descriptor->next) {
        if (host_fd != SPECIAL_ALL && host_fd != descriptor->fd) {
            continue;
        }
        if (descriptor->object->kind == SPECIAL_SIGNALS) {
            thread->wait.signal = true;
            thread->wait.wait_set |= descriptor->object->mask;
        } else if (descriptor->object->deadline < thread->wait.deadline) {
            thread->wait.deadline = descriptor->object->deadline;
        }
    }
}

void special_destroy(struct process *process)
{
    struct special_table **tables = &files_state(process)->specials;

    while (*tables != NULL) {
        struct special_table *table = *tables;
        while (table->descriptors != NULL) {
            struct special_descriptor *descriptor = table->descriptors;
            table->descriptors = descriptor->next;
            if (--descriptor->object->references == 0) {
                free(descriptor->object);
            }
            free(descriptor);
        }
        *tables = table->next;
        free(table);
    }
}

/* The table to add to; NULL if there is no memory. */
static struct special_table *make_table(struct process *process)
{
    struct special_table *table = find_table(process);

    if (table == NULL) {
        table = calloc(1, sizeof *table);
        if (table != NULL) {
            table->pid = process->pid;
            files_state(process)->specials = table;
        }
    }
    return table;
}

/* Makes the host descriptor and what it stands for: the descriptor or -errno. */
static int64_t create(struct process *process, const struct special_object *kind, int flags)
{
    struct special_table *table = make_table(process);
    struct special_object *object = malloc(sizeof *object);
    int fd = eventfd(0, flags & (EFD_CLOEXEC | EFD_NONBLOCK));
    int64_t result = fd < 0 ? -errno : -ENOMEM;

    if (fd >= 0 && table != NULL && object != NULL) {
        *object = *kind;
        if (add_descriptor(table, fd, object)) {
            return fd;
        }
    }
    free(object);
    if (fd >= 0) {
        close(fd);
    }
    return result;
}

_Static_assert((int)TFD_CLOEXEC == (int)EFD_CLOEXEC && (int)SFD_CLOEXEC == (int)EFD_CLOEXEC &&
                   (int)TFD_NONBLOCK == (int)EFD_NONBLOCK && (int)SFD_NONBLOCK == (int)EFD_NONBLOCK,
               "the flags of eventfd, timerfd and signalfd are the same");

int64_t sys_timerfd_create(struct thread *thread, const uint64_t *arguments)
{
    struct special_object timer = {
        .kind = SPECIAL_TIMER,
        .clock = (int32_t)arguments[0],
        .deadline = WAIT_FOREVER,
    };
    uint64_t unused;
    int flags = (int)arguments[1];

    if ((flags & ~(TFD_CLOEXEC | TFD_NONBLOCK)) != 0 ||
        time_deadline(thread->process, timer.clock, 0, &unused) != 0) {
        return -EINVAL;
    }
    return create(thread->process, &timer, flags);
}

/* The timer of a descriptor, or -errno. */
static int64_t find_timer(struct thread *thread, int fd, struct special_descriptor **descriptor)
{
    *descriptor = find_descriptor(thread->process, fd);
    if (*descriptor == NULL || (*descriptor)->object->kind != SPECIAL_TIMER) {
        return fcntl(fd, F_GETFD) < 0 ? -EBADF : -EINVAL;
    }
    return 0;
}

static bool write_timer(struct thread *thread, guest_addr to, const struct special_object *timer)
{
    uint64_t now = schedule_now(&thread->process->schedule);
    uint64_t left = timer->deadline == WAIT_FOREVER ? 0
                    : timer->deadline > now         ? timer->deadline - now
                                                    : 1;
    struct guest_itimerspec setting = {
        .interval = time_to_timespec(timer->interval),
        .value = time_to_timespec(left),
    };

    return thread_write(thread, to, &setting, sizeof setting);
}

int64_t sys_timerfd_settime(struct thread *thread, const uint64_t *arguments)
{
    struct process *process = thread->process;
    struct special_descriptor *descriptor;
    uint64_t interval, value;
    int fd = (int)arguments[0];
    int flags = (int)arguments[1];

    if ((flags & ~(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)) != 0) {
        return -EINVAL;
    }
    int64_t error = time_read_timespec(thread, arguments[2], &interval);
    if (error == 0) {
        error = time_read_timespec(thread, arguments[2] + offsetof(struct guest_itimerspec, value),
                                   &value);
    }
    if (error == 0) {
        error = find_timer(thread, fd, &descriptor);
    }
    if (error != 0) {
        return error;
    }
    special_update(thread);
    if (arguments[3] != 0 && !write_timer(thread, arguments[3], descriptor->object)) {
        return -EFAULT;
    }
    empty(fd);
    descriptor->object->interval = value == 0 ? 0 : interval;
    if (value == 0) {
        descriptor->object->deadline = WAIT_FOREVER;
    } else if ((flags & TFD_TIMER_ABSTIME) != 0) {
        time_deadline(process, descriptor->object->clock, value, &descriptor->object->deadline);
    } else {
        descriptor->object->deadline = time_after(process, value);
    }
    return 0;
}

int64_t sys_timerfd_gettime(struct thread *thread, const uint64_t *arguments)
{
    struct special_descriptor *descriptor;
    int64_t error = find_timer(thread, (int)arguments[0], &descriptor);

    if (error != 0) {
        return error;
    }
    special_update(thread);
    return write_timer(thread, arguments[1], descriptor->object) ? 0 : -EFAULT;
}

int64_t sys_signalfd4(struct thread *thread, const uint64_t *arguments)
{
    struct special_object signals = {.kind = SPECIAL_SIGNALS, .deadline = WAIT_FOREVER};
    int fd = (int)arguments[0];
    int flags = (int)arguments[3];

    if (arguments[2] != sizeof(guest_sigset) || (flags & ~(SFD_CLOEXEC | SFD_NONBLOCK)) != 0) {
        return -EINVAL;
    }
    if (!thread_read(thread, &signals.mask, arguments[1], sizeof signals.mask)) {
        return -EFAULT;
    }
    signals.mask &= ~SIGNALS_UNBLOCKABLE;
    if (fd == -1) {
        return create(thread->process, &signals, flags);
    }
    struct special_descriptor *descriptor = find_descriptor(thread->process, fd);
    if (descriptor == NULL || descriptor->object->kind != SPECIAL_SIGNALS) {
        return fcntl(fd, F_GETFD) < 0 ? -EBADF : -EINVAL;
    }
    descriptor->object->mask = signals.mask;
    return fd;
}

/* Where the fields of a siginfo's kinds are, after the first 16 bytes. */
static void convert_info(struct signalfd_siginfo *to, const struct guest_siginfo *from)
{
    uint32_t words[2];
    uint64_t value;

    memset(to, 0, sizeof *to);
    memcpy(words, from->fields, sizeof words);
    memcpy(&value, from->fields + sizeof words, sizeof value);
    to->ssi_signo = (uint32_t)from->signo;
    to->ssi_errno = from->error;
    to->ssi_code = from->code;
    if (from->code == SI_TIMER) {
        to->ssi_tid = words[0];
        to->ssi_overrun = words[1];
    } else {
        to->ssi_pid = words[0];
        to->ssi_uid = words[1];
    }
    if (from->signo == SIGCHLD) {
        to->ssi_status = (int32_t)value;
    } else {
        to->ssi_int = (int32_t)value;
        to->ssi_ptr = value;
    }
}

bool special_read(struct thread *thread, int host_fd, const struct iovec *parts, unsigned count,
                  int64_t *result)
{
    struct special_descriptor *descriptor = find_descriptor(thread->process, host_fd);
    struct guest_siginfo info;

    if (descriptor == NULL || descriptor->object->kind != SPECIAL_SIGNALS) {
        return false;
    }
    int64_t done = 0;
    for (unsigned i = 0; i < count; i++) {
        struct memory *memory = &thread->process->machine.memory;
        guest_addr at = (guest_addr)((uint8_t *)parts[i].iov_base - memory->base);
        uint64_t room = parts[i].iov_len / sizeof(struct signalfd_siginfo);
        if (room > 0 &&
            !memory_allows(memory, at, room * sizeof(struct signalfd_siginfo), PAGE_WRITE)) {
            *result = done > 0 ? done : -EFAULT;
            return true;
        }
        for (; room > 0 && signal_take(thread, descriptor->object->mask, &info); room--) {
            struct signalfd_siginfo converted;
            convert_info(&converted, &info);
            if (!memory_write(memory, at, &converted, sizeof converted)) {
                *result = done > 0 ? done : -EFAULT;
                return true;
            }
            at += sizeof converted;
            done += (int64_t)sizeof converted;
        }
    }
    if (done > 0) {
        *result = done;
    } else if (count == 0 || parts[0].iov_len < sizeof(struct signalfd_siginfo)) {
        *result = -EINVAL;
    } else if ((fcntl(host_fd, F_GETFL) & O_NONBLOCK) != 0) {
        *result = -EAGAIN;
    } else {
        thread->wait.deadline = WAIT_FOREVER;
        special_prepare_wait(thread, host_fd);
        *result = SYSCALL_BLOCKS;
    }
    return true;
}
