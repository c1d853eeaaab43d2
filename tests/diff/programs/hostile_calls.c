/* Throws bad pointers, sizes and numbers at every system call: whoever runs this must survive it.
 *
 * What the calls return is not looked at, since kernels differ.  Each call has a
 * child process of its own: one that a signal kills was not this program's own
 * fault, as nothing here is touched but by system calls.
 *
 * The calls reach the host.  So that they find nothing there to change, the
 * children have no rights, a working folder that is gone, and no descriptor that
 * this program did not make, the standard ones included.  Semaphores, queues and
 * shared memory are found by numbers that anyone can guess: calls on them get one
 * that the child has made, or none, and what they make is removed. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CALLS = 460,
    ROUNDS = 120,
    PAGE = 4096,
    PATIENCE_SECONDS = 20,
    NUMBERS_MAX = 64,
    REPORT = 500, /* where this program's own output goes: none of the numbers */
    NOBODY = 65534,
};

static void fail(const char *what)
{
    dprintf(REPORT, "%s: %s\n", what, strerror(errno));
    _exit(2);
}

/* Before anything else: all that the host could lose goes out of reach. */
static void become_harmless(void)
{
    char folder[] = "hostile.XXXXXX";

    if (dup2(1, REPORT) != REPORT) {
        _exit(2);
    }
    if (mkdtemp(folder) == NULL) {
        fail("mkdtemp");
    }
    int above = open(".", O_PATH | O_DIRECTORY);
    if (above < 0 || chdir(folder) != 0 || unlinkat(above, folder, AT_REMOVEDIR) != 0) {
        fail("folder");
    }
    if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) {
        fail("rights");
    }
    int standard = eventfd(0, EFD_NONBLOCK);
    for (int i = 0; i < 3; i++) {
        if (dup2(standard, i) != i) {
            fail("standard descriptors");
        }
    }
    close_range(3, REPORT - 1, 0);
    close_range(REPORT + 1, ~0u, 0);
}

static long numbers[NUMBERS_MAX];
static unsigned number_count;
static uint64_t random_state;

static void add_number(long number)
{
    numbers[number_count++] = number;
}

static long next_number(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return numbers[(random_state >> 33) % number_count];
}

static unsigned char *map_pages(unsigned pages, int protection)
{
    void *mapped = mmap(NULL, (size_t)pages * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) {
        fail("mmap");
    }
    return mapped;
}

/* Pages with something in them.  As a signal mask it could block the signal that
 * ends a wait. */
enum { FILLED_PAGES = 5 };
static unsigned char *filled;
static unsigned char *zeros;

static void add_addresses(void)
{
    unsigned char *edge = map_pages(2, PROT_READ | PROT_WRITE);
    mprotect(edge + PAGE, PAGE, PROT_NONE);
    filled = map_pages(FILLED_PAGES, PROT_READ | PROT_WRITE);
    unsigned char *ones = filled;
    memset(ones, 0xff, 2 * PAGE);
    zeros = map_pages(16, PROT_READ | PROT_WRITE);
    unsigned char *name = filled + 2 * PAGE;
    memset(name, 'n', 300);
    long *times = (long *)(void *)(filled + 3 * PAGE);
    for (unsigned i = 0; i < 64; i += 4) { /* the longest interval, and a short time */
        times[i] = LONG_MAX;
        times[i + 1] = 999999999;
        times[i + 3] = 1;
    }
    /* Vectors, messages and lists whose pointers lead to themselves or nowhere. */
    unsigned long *pointers = (unsigned long *)(void *)(filled + 4 * PAGE);
    for (unsigned i = 0; i < PAGE / 8; i++) {
        const unsigned long kinds[] = {(unsigned long)(uintptr_t)pointers,
                                       16,
                                       (unsigned long)(uintptr_t)(edge + PAGE - 4),
                                       1ul << 32,
                                       (1ul << 38) - 8,
                                       4096,
                                       ~0ul,
                                       8};
        pointers[i] = kinds[i % 8];
    }
    int short_file = memfd_create("short", 0);
    unsigned char *beyond = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, short_file, 0);
    if (beyond == MAP_FAILED || ftruncate(short_file, 100) != 0) {
        fail("short file");
    }
    unsigned char *nothing = map_pages(1, PROT_NONE);
    unsigned char *read_only = map_pages(1, PROT_READ);
    const void *places[] = {edge + PAGE - 8,
                            edge + PAGE - 1,
                            ones,
                            zeros,
                            zeros + 4,
                            zeros + 1,
                            name,
                            times,
                            pointers,
                            pointers + 1,
                            pointers + 6,
                            beyond + PAGE,
                            nothing,
                            read_only,
                            read_only + PAGE - 4,
                            beyond + 96};
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        add_number((long)(uintptr_t)places[i]);
    }
    const unsigned long wild[] = {0,
                                  1,
                                  8,
                                  1ul << 12,
                                  1ul << 31,
                                  1ul << 32,
                                  (1ul << 38) - 4096,
                                  (1ul << 38) - 8,
                                  1ul << 38,
                                  (1ul << 38) + 8,
                                  1ul << 47,
                                  1ul << 63,
                                  ~0ul,
                                  ~7ul,
                                  LONG_MAX,
                                  INT_MAX};
    for (unsigned i = 0; i < sizeof wild / sizeof wild[0]; i++) {
        add_number((long)wild[i]);
    }
    add_number(short_file);
}

static void add_small_numbers(void)
{
    const long small[] = {2, 3, 4, 5, 6, 7, 9, 14, 16, 17, 24, 64, 128, 1024, -100};
    for (unsigned i = 0; i < sizeof small / sizeof small[0]; i++) {
        add_number(small[i]);
    }
}

/* Descriptors of many kinds, none of which makes a call wait. */
static void add_descriptors(void)
{
    int pair[2], ends[2];
    sigset_t none;

    sigemptyset(&none);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0 ||
        pipe2(ends, O_NONBLOCK) != 0) {
        fail("descriptors");
    }
    const int descriptors[] = {
        pair[0],
        ends[0],
        ends[1],
        eventfd(0, EFD_NONBLOCK),
        timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK),
        signalfd(-1, &none, SFD_NONBLOCK),
        epoll_create1(0),
        open("/proc/self/maps", O_RDONLY),
        socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0),
    };
    for (unsigned i = 0; i < sizeof descriptors / sizeof descriptors[0]; i++) {
        add_number(descriptors[i]);
    }
}

/* These end or replace this process, reach others, take long, fill the host's
 * memory, or take away the memory that this program needs; the last ones have
 * their own tests below. */
static int is_left_out(long call)
{
    static const short left_out[] = {
        SYS_exit,         SYS_exit_group,
        SYS_execve,       SYS_execveat,
        SYS_kill,         SYS_tkill,
        SYS_tgkill,       SYS_rt_sigqueueinfo,
        SYS_reboot,       SYS_rt_tgsigqueueinfo,
        SYS_setpriority,  SYS_setpgid,
        SYS_sync,         SYS_syncfs,
        SYS_fsync,        SYS_fdatasync,
        SYS_fallocate,    SYS_clone,
        SYS_munmap,       SYS_mmap,
        SYS_mremap,       SYS_mprotect,
        SYS_brk,          SYS_madvise,
        SYS_rt_sigreturn,
    };

    for (unsigned i = 0; i < sizeof left_out / sizeof left_out[0]; i++) {
        if (left_out[i] == call) {
            return 1;
        }
    }
    return 0;
}

static void ignore(int number)
{
    (void)number;
}

static void set_alarm(long microseconds)
{
    const struct itimerval every = {{0, microseconds}, {0, microseconds}};

    setitimer(ITIMER_REAL, &every, NULL);
}

/* A call that waits is interrupted soon, whatever the ones before have done. */
static void prepare(long call)
{
    struct sigaction action = {.sa_handler = ignore};
    sigset_t none;

    set_alarm(0);
    sigaction(SIGALRM, &action, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (call != SYS_rt_sigaction) {
        set_alarm(2000);
    }
}

static int is_filled(long address)
{
    return address >= (long)(uintptr_t)filled &&
           address < (long)(uintptr_t)filled + FILLED_PAGES * PAGE;
}

static int replaces_mask(long call)
{
    return call == SYS_rt_sigsuspend || call == SYS_ppoll || call == SYS_pselect6 ||
           call == SYS_epoll_pwait || call == SYS_epoll_pwait2;
}

static const char queue_name[] = "strata-hostile";

/* What a call is about that takes its number first, -1 if there is none to be had. */
enum { TAKES_NO_OBJECT = -2 };

static long make_object(long call)
{
    const long everything[8] = {0, 4, 64};

    switch (call) {
    case SYS_msgctl:
    case SYS_msgsnd:
    case SYS_msgrcv:
        return syscall(SYS_msgget, 0L, 0700L);
    case SYS_semctl:
    case SYS_semop:
    case SYS_semtimedop:
        return syscall(SYS_semget, 0L, 3L, 0700L);
    case SYS_shmctl:
    case SYS_shmat:
        return syscall(SYS_shmget, 0L, 2L * PAGE, 0700L);
    case SYS_mq_timedsend:
    case SYS_mq_timedreceive:
    case SYS_mq_notify:
    case SYS_mq_getsetattr: {
        const long queue =
            syscall(SYS_mq_open, queue_name, (long)(O_RDWR | O_CREAT), 0600L, everything);
        syscall(SYS_mq_unlink, queue_name);
        return queue;
    }
    default:
        return TAKES_NO_OBJECT;
    }
}

static void remove_object(long call, long object)
{
    if (object >= 0 && (call == SYS_msgctl || call == SYS_msgsnd || call == SYS_msgrcv)) {
        syscall(SYS_msgctl, object, 0L, NULL);
    } else if (object >= 0 && (call == SYS_semctl || call == SYS_semop || call == SYS_semtimedop)) {
        syscall(SYS_semctl, object, 0L, 0L, 0L);
    } else if (object >= 0 && (call == SYS_shmctl || call == SYS_shmat)) {
        syscall(SYS_shmctl, object, 0L, NULL);
    }
}

/* What a call that makes something has made. */
static void remove_made(long call, long made, const long *arguments)
{
    if (made < 0) {
        return;
    }
    switch (call) {
    case SYS_msgget:
        remove_object(SYS_msgctl, made);
        break;
    case SYS_semget:
        remove_object(SYS_semctl, made);
        break;
    case SYS_shmget:
        remove_object(SYS_shmctl, made);
        break;
    case SYS_mq_open:
        syscall(SYS_mq_unlink, arguments[0]);
        break;
    default:
        break;
    }
}

static void throw_numbers(long call)
{
    const long object = make_object(call);
    const struct rlimit small_files = {1 << 16, 1 << 16};

    /* What is written must not fill the disk. */
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small_files);
    random_state = (uint64_t)call * 977 + 1;
    for (int round = 0; round < ROUNDS; round++) {
        long arguments[6];
        for (int i = 0; i < 6; i++) {
            arguments[i] = next_number();
            if (replaces_mask(call) && is_filled(arguments[i])) {
                arguments[i] = (long)(uintptr_t)zeros;
            }
        }
        if (object != TAKES_NO_OBJECT) {
            arguments[0] = round % 8 == 7 ? -1 : object;
        }
        prepare(call);
        const long result = syscall(call, arguments[0], arguments[1], arguments[2], arguments[3],
                                    arguments[4], arguments[5]);
        remove_made(call, result, arguments);
    }
    remove_object(call, object);
}

static void throw_mappings(long unused)
{
    static const long calls[] = {SYS_munmap,  SYS_mprotect, SYS_mremap, SYS_madvise,
                                 SYS_mincore, SYS_msync,    SYS_mlock};
    unsigned char *own = map_pages(64, PROT_READ | PROT_WRITE);
    const unsigned long sizes[] = {0, 1, PAGE, 1ul << 38, ~0ul, ~0ul - 4095, 1ul << 63};
    const unsigned long places[] = {(unsigned long)(uintptr_t)own + PAGE, (1ul << 38) - PAGE,
                                    1ul << 38, ~0ul - 4095, (unsigned long)(uintptr_t)own + 1};

    (void)unused;
    for (unsigned i = 0; i < 7 * 7 * 5 * 24; i++) {
        const long call = calls[i % 7];
        const unsigned long place = places[i / 49 % 5];
        syscall(call, place, sizes[i / 7 % 7], sizes[i / 3 % 7], i % 24, place, 0);
    }
    for (unsigned i = 0; i < 7 * 5 * 32; i++) {
        const int flags = (i % 2 != 0 ? MAP_FIXED : 0) | (i % 3 != 0 ? MAP_ANONYMOUS : 0) |
                          (i % 5 != 0 ? MAP_PRIVATE : MAP_SHARED);
        syscall(SYS_mmap, places[i / 7 % 5], sizes[i % 7], 7, flags, (long)i % 20 - 1,
                i % 4 != 0 ? 0 : sizes[i % 7]);
    }
    syscall(SYS_brk, ~0ul);
    syscall(SYS_brk, 1ul << 38);
}

/* A mapping that fails late must not leave a hole behind for others to fill. */
static void throw_sealed_file(long unused)
{
    unsigned char *place = map_pages(256, PROT_READ | PROT_WRITE);
    int file = memfd_create("sealed", MFD_ALLOW_SEALING);

    (void)unused;
    if (ftruncate(file, 256 * PAGE) != 0 || fcntl(file, F_ADD_SEALS, F_SEAL_WRITE) != 0) {
        fail("sealed file");
    }
    if (mmap(place, 256 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) !=
        MAP_FAILED) {
        dprintf(REPORT, "a sealed file was mapped for writing\n");
    }
}

static void leave(int number)
{
    (void)number;
    _exit(0);
}

/* Faults of this program itself, on a stack that is always there. */
static void catch_faults(void)
{
    static unsigned char stack[65536];
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction action = {.sa_handler = leave, .sa_flags = SA_ONSTACK};

    sigaltstack(&alternate, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGILL, &action, NULL);
}

/* Whether the frame, if there is one, would block the signals of faults: then
 * the next fault rightly kills. */
static int blocks_faults(long frame)
{
    enum { MASK = 168 }; /* siginfo_t, then uc_flags, uc_link and uc_stack */
    unsigned long mask = 0;
    int ends[2];

    if (pipe(ends) != 0 ||
        write(ends[1], (const void *)(frame + MASK), sizeof mask) != sizeof mask ||
        read(ends[0], &mask, sizeof mask) != sizeof mask) {
        return 0;
    }
    return (mask & (1ul << (SIGSEGV - 1) | 1ul << (SIGBUS - 1) | 1ul << (SIGILL - 1))) != 0;
}

static void throw_frame(long sp)
{
    if (blocks_faults(sp)) {
        return;
    }
    catch_faults();
    __asm__ volatile("mv sp, %0\n\tli a7, 139\n\tecall" : : "r"(sp) : "a7", "memory");
}

static void throw_handler(long handler)
{
    struct sigaction action = {.sa_flags = 0};

    catch_faults();
    if (handler == 0) { /* SIG_DFL */
        return;
    }
    memcpy(&action.sa_handler, &handler, sizeof handler);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
}

static void throw_stack(long sp)
{
    catch_faults();
    signal(SIGUSR1, leave);
    const long pid = getpid();
    __asm__ volatile("mv sp, %0\n\tmv a0, %1\n\tli a1, 10\n\tli a7, 129\n\tecall"
                     :
                     : "r"(sp), "r"(pid)
                     : "a0", "a1", "a7", "memory");
    _exit(0);
}

/* A thread with all its pointers bad, and then the end of both. */
static void throw_thread(long pointer)
{
    const long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                       CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID |
                       CLONE_CHILD_SETTID;

    catch_faults();
    syscall(SYS_set_robust_list, pointer, 24);
    syscall(SYS_set_tid_address, pointer);
    /* The thread has neither a stack nor a place for errno. */
    __asm__ volatile("mv a0, %0\n\tmv a1, %1\n\tmv a2, %1\n\tmv a3, %1\n\tmv a4, %1\n\t"
                     "li a7, 220\n\tecall\n\tli a0, 0\n\tli a7, 93\n\tecall"
                     :
                     : "r"(flags), "r"(pointer)
                     : "a0", "a1", "a2", "a3", "a4", "a7", "memory");
}

static unsigned failures;

/* Runs `body` in a child; what kills the child is a failure. */
static void survive(const char *what, void (*body)(long), long argument)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        body(argument);
        _exit(0);
    }
    for (int waited = 0; waitpid(child, &status, WNOHANG) == 0; waited++) {
        if (waited == PATIENCE_SECONDS * 1000) {
            dprintf(REPORT, "%s %ld: no end\n", what, argument);
            failures++;
            kill(child, SIGKILL);
            waitpid(child, NULL, 0);
            return;
        }
        usleep(1000);
    }
    if (WIFSIGNALED(status)) {
        dprintf(REPORT, "%s %ld: killed by signal %d\n", what, argument, WTERMSIG(status));
        failures++;
    }
}

int main(void)
{
    become_harmless();
    add_addresses();
    add_small_numbers();
    add_descriptors();
    for (long call = 0; call < CALLS; call++) {
        if (!is_left_out(call)) {
            survive("call", throw_numbers, call);
        }
    }
    survive("mappings", throw_mappings, 0);
    survive("sealed file", throw_sealed_file, 0);
    for (unsigned i = 0; i < number_count; i++) {
        survive("frame at", throw_frame, numbers[i]);
        survive("handler at", throw_handler, numbers[i]);
        survive("stack at", throw_stack, numbers[i]);
        survive("thread with", throw_thread, numbers[i]);
    }
    dprintf(REPORT, "%u failures\n", failures);
    return failures != 0;
}
