/* Attacks memory of Strata's, where handlers return to, with each call that could change it. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096 };
static uint8_t *page; /* of Strata's */

static void handle(int number)
{
    (void)number;
    page = (uint8_t *)((uintptr_t)__builtin_return_address(0) & ~(uintptr_t)(PAGE - 1));
}

static void show(const char *what, long result)
{
    printf("%s: %s\n", what, result == -1 ? strerrorname_np(errno) : result == 0 ? "done" : "some");
}

static void write_elsewhere(void)
{
    static char zeros[PAGE], target[16];
    const struct iovec local = {zeros, 32};
    const struct iovec both[] = {{target, 16}, {page, 16}};

    show("process_vm_writev", process_vm_writev(getpid(), &local, 1, both + 1, 1, 0));
    show("process_vm_writev, first to the program",
         process_vm_writev(getpid(), &local, 1, both, 2, 0));
    show("process_vm_readv", process_vm_readv(getpid(), &local, 1, both + 1, 1, 0));
}

static void attach_over(void)
{
    int segment = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);
    void *place = shmat(segment, page, SHM_REMAP);

    show("shmat", place == (void *)-1 ? -1 : 0);
    shmctl(segment, IPC_RMID, NULL);
}

int main(int count, char **words)
{
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
    void *other = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;

    show("mmap", mmap(page, PAGE, PROT_READ, how, -1, 0) == MAP_FAILED ? -1 : 0);
    show("mprotect", mprotect(page, PAGE, PROT_NONE));
    show("munmap", munmap(page, PAGE));
    show("madvise", madvise(page, PAGE, MADV_DONTNEED));
    show("madvise to free", madvise(page, PAGE, MADV_FREE));
    show("mremap", mremap(page, PAGE, PAGE, MREMAP_MAYMOVE) == MAP_FAILED ? -1 : 0);
    show("mremap over",
         mremap(other, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, page) == MAP_FAILED ? -1 : 0);
    attach_over();
    if (count > 1 && strcmp(words[1], "more") == 0) {
        show("pkey_mprotect", syscall(SYS_pkey_mprotect, page, (long)PAGE, (long)PROT_NONE, -1L));
        write_elsewhere();
    }
    page = NULL;
    raise(SIGUSR1);
    printf("handlers still return\n");
    return page == NULL;
}
