/* A program's seat at a processor that another process simulates: shared memory, and whose turn it is. */
#include "machine/processor/seat.h"

#include "base/check.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Room for 1.8 million different instructions; pages that are not used cost nothing. */
#define SHARED_BYTES ((size_t)128 << 20)
#define ARENA_OFFSET ((size_t)1 << 16)

/* How often the lead looks whether a companion that does not answer still lives. */
#define LIFE_NANOSECONDS 50000000

struct seat *seat_create(void)
{
    _Static_assert(sizeof(struct seat) <= ARENA_OFFSET, "the arena begins behind the seat");
    struct seat *seat = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (seat == MAP_FAILED) {
        return NULL;
    }
    seat->end = ALONE_NO_END;
    seat->turn = SEAT_COMPANION;
    return seat;
}

void seat_destroy(struct seat *seat)
{
    munmap(seat, SHARED_BYTES);
}

void *seat_arena(struct seat *seat, size_t *bytes)
{
    *bytes = SHARED_BYTES - ARENA_OFFSET;
    return (char *)seat + ARENA_OFFSET;
}

void seat_pass(struct seat *seat, enum seat_turn to)
{
    __atomic_store_n(&seat->turn, (uint32_t)to, __ATOMIC_RELEASE);
    syscall(SYS_futex, &seat->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static bool is_turn(const struct seat *seat, enum seat_turn turn)
{
    return __atomic_load_n(&seat->turn, __ATOMIC_ACQUIRE) == (uint32_t)turn;
}

void seat_await_lead(struct seat *seat)
{
    while (!is_turn(seat, SEAT_COMPANION)) {
        syscall(SYS_futex, &seat->turn, FUTEX_WAIT, SEAT_LEAD, NULL, NULL, 0);
    }
}

/* Takes note of how it ended: killed from outside, since it tells of everything else itself. */
static bool has_ended(struct seat *seat)
{
    siginfo_t info = {.si_pid = 0};
    if (waitid(P_PID, (id_t)seat->pid, &info, WEXITED | WNOHANG | (int)__WCLONE) != 0 ||
        info.si_pid == 0) {
        return false;
    }
    seat->state = SEAT_ENDED;
    seat->count = 0;
    seat->exit_status = info.si_code == CLD_EXITED ? info.si_status : 0;
    seat->exit_signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
    seat->pid = 0;
    return true;
}

void seat_await_companion(struct seat *seat)
{
    const struct timespec while_ = {.tv_nsec = LIFE_NANOSECONDS};
    while (!is_turn(seat, SEAT_LEAD)) {
        const long result =
            syscall(SYS_futex, &seat->turn, FUTEX_WAIT, SEAT_COMPANION, &while_, NULL, 0);
        if (result != 0 && errno == ETIMEDOUT && has_ended(seat)) {
            seat->turn = SEAT_LEAD;
        }
    }
}

void seat_reap(struct seat *seat)
{
    while (seat->pid != 0 && waitid(P_PID, (id_t)seat->pid, NULL, WEXITED | (int)__WCLONE) != 0 &&
           errno == EINTR) {
    }
    seat->pid = 0;
}
