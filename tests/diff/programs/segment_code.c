/* Shows code in segments of shared memory: attached, written through another address, replaced and detached. */
#include "common.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>

enum { PAGE = 4096, ROUNDS = 200 };

static sigjmp_buf back;

static void note(int number)
{
    siglongjmp(back, number);
}

static void write_function(uint32_t *code, unsigned value)
{
    code[0] = value << 20 | 10u << 7 | 0x13;
    code[1] = 0x00008067;
}

static void flush(uint32_t *code)
{
    __builtin___clear_cache((char *)code, (char *)(code + 2));
}

static void try(const char *what, const void *code)
{
    long (*volatile function)(void) = (long (*)(void))(uintptr_t)code;

    if (sigsetjmp(back, 1) == 0) {
        printf("%s: %ld\n", what, function());
    } else {
        printf("%s: fault\n", what);
    }
}

/* A segment of two pages.  It goes with this process, which never detaches it from where it is written to. */
static int make_segment(unsigned value)
{
    int id = shmget(IPC_PRIVATE, 2 * PAGE, IPC_CREAT | 0700);
    uint32_t *code = shmat(id, NULL, 0);

    REQUIRE(id >= 0 && code != (void *)-1);
    write_function(code, value);
    write_function(code + PAGE / 4, value + 1);
    REQUIRE(shmctl(id, IPC_RMID, NULL) == 0);
    return id;
}

static uint32_t *find_room(void)
{
    uint32_t *room = mmap(NULL, 4 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(room != MAP_FAILED && munmap(room, 4 * PAGE) == 0);
    return room;
}

/* Two segments take turns at one address. */
static void take_turns(void)
{
    const int ids[] = {make_segment(100), make_segment(200)};
    uint32_t *place = find_room();
    long (*volatile first)(void) = (long (*)(void))place;
    long (*volatile second)(void) = (long (*)(void))(place + PAGE / 4);
    volatile long sum = 0;

    for (int i = 0; i < ROUNDS; i++) {
        REQUIRE(shmat(ids[i % 2], place, SHM_EXEC | SHM_RDONLY) == place);
        flush(place);
        sum += first() * i + second();
        REQUIRE(shmdt(place) == 0);
    }
    printf("in turns %ld\n", sum);
    try("detached", place);
    try("its second page", place + PAGE / 4);
    for (int i = 0; i < ROUNDS; i++) {
        REQUIRE(shmat(ids[i % 2], place, SHM_EXEC | SHM_REMAP) == place);
        flush(place);
        sum += first() * i + second();
    }
    printf("one over the other %ld\n", sum);
    REQUIRE(shmat(ids[0], place, SHM_REMAP) == place);
    try("not executable", place);
    REQUIRE(shmdt(place) == 0);
}

static void write_elsewhere(void)
{
    int id = make_segment(300), status;
    uint32_t *code = shmat(id, NULL, SHM_EXEC | SHM_RDONLY), *data = shmat(id, NULL, 0);
    long (*volatile function)(void) = (long (*)(void))code;
    volatile long sum = 0;

    REQUIRE(code != (void *)-1 && data != (void *)-1);
    for (int i = 0; i < ROUNDS; i++) {
        write_function(data, (unsigned)i);
        flush(code);
        sum += function() * i;
    }
    printf("written elsewhere %ld\n", sum);
    pid_t child = fork();
    if (child == 0) {
        write_function(data, 777);
        _exit(0);
    }
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    flush(code);
    printf("by a child %ld\n", function());
}

int main(void)
{
    REQUIRE(signal(SIGSEGV, note) != SIG_ERR);
    take_turns();
    write_elsewhere();
    return 0;
}
