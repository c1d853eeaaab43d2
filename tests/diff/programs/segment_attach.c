/* System V shared memory: where segments are attached, who sees them, and when they go. */
#include "common.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>

enum { PAGE = 4096, SEGMENT_BYTES = 3 * PAGE + 100, SEGMENT_PAGES = 4 };

static sigjmp_buf fault;

static void on_fault(int number)
{
    siglongjmp(fault, number);
}

static const char *store(volatile char *to)
{
    if (sigsetjmp(fault, 1) == 0) {
        *to = 1;
        return "written";
    }
    return "fault";
}

static unsigned long attached(int id)
{
    struct shmid_ds status;

    REQUIRE(shmctl(id, IPC_STAT, &status) == 0);
    return status.shm_nattch;
}

static const char *attach_outcome(int id, const void *place, int flags)
{
    void *memory = shmat(id, place, flags);

    return memory == (void *)-1 ? error_name(errno) : memory == place ? "there" : "elsewhere";
}

/* Free pages that a segment fits into. */
static char *find_room(void)
{
    char *room = mmap(NULL, 16 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(room != MAP_FAILED && munmap(room, 16 * PAGE) == 0);
    return room;
}

static void show_status(int id)
{
    struct shmid_ds status;

    REQUIRE(shmctl(id, IPC_STAT, &status) == 0);
    printf("size %zu, mode %o, attached %lu, made here %d, key %d, owner %d\n", status.shm_segsz,
           status.shm_perm.mode, (unsigned long)status.shm_nattch, status.shm_cpid == getpid(),
           (int)status.shm_perm.__key, status.shm_perm.uid == geteuid());
    status.shm_perm.mode = 0640;
    printf("set: %s\n", outcome(shmctl(id, IPC_SET, &status)));
    REQUIRE(shmctl(id, IPC_STAT, &status) == 0);
    printf("mode %o\n", status.shm_perm.mode);
}

static void attach_twice(int id)
{
    char *first = shmat(id, NULL, 0), *second = shmat(id, NULL, 0);

    REQUIRE(first != (void *)-1 && second != (void *)-1 && first != second);
    strcpy(first + PAGE, "both see this");
    printf("%s, attached %lu\n", second + PAGE, attached(id));
    char *read_only = shmat(id, NULL, SHM_RDONLY);
    REQUIRE(read_only != (void *)-1);
    printf("read only: %s, ", read_only + PAGE);
    printf("%s\n", store(read_only));
    printf("and then: %s\n", outcome(mprotect(read_only, PAGE, PROT_READ | PROT_WRITE)));
    printf("last byte: %s\n", store(first + SEGMENT_PAGES * PAGE - 1));
    printf("detach: %s", outcome(shmdt(second)));
    printf(" again: %s", outcome(shmdt(second)));
    printf(" inside: %s", outcome(shmdt(first + PAGE)));
    printf(" odd: %s\n", outcome(shmdt(first + 1)));
    printf("gone: %s", store(second));
    printf(", attached %lu\n", attached(id));
    REQUIRE(shmdt(read_only) == 0 && shmdt(first) == 0);
}

static void attach_at_addresses(int id)
{
    char *room = find_room();

    printf("at a place: %s", attach_outcome(id, room, 0));
    printf(", taken: %s", attach_outcome(id, room, 0));
    printf(", half taken: %s", attach_outcome(id, room + 2 * PAGE, 0));
    printf(", odd: %s", attach_outcome(id, room + 8 * PAGE + 12, 0));
    char *rounded = shmat(id, room + 8 * PAGE + 12, SHM_RND);
    printf(", rounded: %ld\n", (long)(rounded - room));
    REQUIRE(shmdt(room) == 0 && shmdt(rounded) == 0);
    printf("replaced nowhere: %s\n", attach_outcome(id, NULL, SHM_REMAP));

    char *other = mmap(room, 8 * PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    REQUIRE(other == room);
    memset(other, 'o', 8 * PAGE);
    printf("over a mapping: %s", attach_outcome(id, other + PAGE, 0));
    printf(", replaced: %s\n", attach_outcome(id, other + PAGE, SHM_REMAP));
    printf("around it: %c %d %c\n", other[0], other[2 * PAGE] == 'o', other[5 * PAGE]);
    REQUIRE(munmap(other, 8 * PAGE) == 0);
    printf("attached %lu\n", attached(id));
}

/* What is left of an attached segment belongs together, wherever it was cut. */
static void cut(int id)
{
    char *memory = shmat(id, NULL, 0);

    REQUIRE(memory != (void *)-1);
    REQUIRE(munmap(memory, PAGE) == 0 && munmap(memory + 2 * PAGE, PAGE) == 0);
    printf("cut: attached %lu, %s", attached(id), store(memory + PAGE));
    printf(" %s\n", store(memory + 2 * PAGE));
    printf("detached: %s", outcome(shmdt(memory)));
    printf(", attached %lu, %s", attached(id), store(memory + PAGE));
    printf(" %s\n", store(memory + 3 * PAGE));
}

/* The list of mappings names segments: each has a file that no folder has. */
static void show_in_maps(int id)
{
    char *memory = shmat(id, NULL, SHM_RDONLY), line[512];
    FILE *maps = fopen("/proc/self/maps", "r");

    REQUIRE(memory != (void *)-1 && maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long start, end, offset, inode;
        char permissions[5], name[64] = "";
        REQUIRE(sscanf(line, "%lx-%lx %4s %lx %*s %lu %63[^\n]", &start, &end, permissions, &offset,
                       &inode, name) >= 5);
        if (start == (unsigned long)(uintptr_t)memory) {
            printf("%lu bytes, %s, offset %lx, its number %d, %s\n", end - start, permissions,
                   offset, inode == (unsigned long)id, name);
        }
    }
    fclose(maps);
    REQUIRE(shmdt(memory) == 0);
}

static void show_in_child(int id)
{
    char *memory = shmat(id, NULL, 0);
    int status;

    REQUIRE(memory != (void *)-1);
    strcpy(memory, "from the parent");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        printf("child: %s, attached %lu\n", memory, attached(id));
        strcpy(memory, "from the child");
        char *again = shmat(id, NULL, 0);
        printf("child: %s, attached %lu\n", again, attached(id));
        fflush(stdout);
        _exit(0);
    }
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    printf("parent: %s, attached %lu\n", memory, attached(id));
    REQUIRE(shmctl(id, IPC_RMID, NULL) == 0);
    struct shmid_ds removed;
    REQUIRE(shmctl(id, IPC_STAT, &removed) == 0);
    printf("removed while attached: %s, marked %d\n", memory,
           (removed.shm_perm.mode & SHM_DEST) != 0);
    REQUIRE(shmdt(memory) == 0);
    printf("afterwards: %s\n", outcome(shmctl(id, IPC_STAT, &removed)));
    printf("attach: %s\n", attach_outcome(id, NULL, 0));
}

static void make(void)
{
    key_t key = 0x53000000 | (getpid() & 0xffffff);
    int id = shmget(key, PAGE, IPC_CREAT | IPC_EXCL | 0600);

    REQUIRE(id >= 0);
    int same = shmget(key, 0, 0);
    printf("the same by its key: %d", id == same);
    printf(", again: %s", outcome(shmget(key, PAGE, IPC_CREAT | IPC_EXCL | 0600)));
    printf(", larger: %s", outcome(shmget(key, 2 * PAGE, 0)));
    REQUIRE(shmctl(id, IPC_RMID, NULL) == 0);
    printf(", gone: %s", outcome(shmget(key, PAGE, 0)));
    printf(", of no size: %s\n", outcome(shmget(IPC_PRIVATE, 0, 0600)));
}

int main(void)
{
    signal(SIGSEGV, on_fault);
    make();
    int id = shmget(IPC_PRIVATE, SEGMENT_BYTES, IPC_CREAT | 0600);
    REQUIRE(id >= 0);
    show_status(id);
    attach_twice(id);
    attach_at_addresses(id);
    cut(id);
    show_in_maps(id);
    show_in_child(id);
    return 0;
}
