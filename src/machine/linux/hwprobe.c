/* What the processor can do, for programs that ask the system: riscv_hwprobe. */
#include "machine/linux/syscall.h"
#include "machine/linux/thread.h"

#include <errno.h>

/* As in Linux' asm/hwprobe.h, which only RISC-V has. */
enum key {
    KEY_VENDOR = 0,
    KEY_ARCHITECTURE = 1,
    KEY_IMPLEMENTATION = 2,
    KEY_BASE = 3,
    KEY_EXTENSIONS = 4,
    KEY_MISALIGNED = 5,
};
enum {
    BASE_IMA = 1,
    EXTENSION_FD = 1,
    EXTENSION_C = 2,
    EXTENSION_ZBA = 8,
    EXTENSION_ZBB = 16,
    EXTENSION_ZBS = 32,
    MISALIGNED_FAST = 3,
};

struct pair {
    int64_t key;
    uint64_t value;
};

static struct pair answer(int64_t key)
{
    switch (key) {
    case KEY_VENDOR:
    case KEY_ARCHITECTURE:
    case KEY_IMPLEMENTATION:
        return (struct pair){key, 0};
    case KEY_BASE:
        return (struct pair){key, BASE_IMA};
    case KEY_EXTENSIONS:
        return (struct pair){key, EXTENSION_FD | EXTENSION_C | EXTENSION_ZBA | EXTENSION_ZBB |
                                      EXTENSION_ZBS};
    case KEY_MISALIGNED:
        return (struct pair){key, MISALIGNED_FAST};
    default:
        return (struct pair){-1, 0};
    }
}

/* The set of processors that are meant has the only one there is; no set means all. */
static int64_t check_set(struct thread *thread, uint64_t bytes, uint64_t address)
{
    uint8_t first;

    if (bytes == 0 && address == 0) {
        return 0;
    }
    if (bytes == 0) {
        return -EINVAL;
    }
    if (!thread_read(thread, &first, address, sizeof first)) {
        return -EFAULT;
    }
    return (first & 1) != 0 ? 0 : -EINVAL;
}

int64_t sys_riscv_hwprobe(struct thread *thread, const uint64_t *arguments)
{
    if (arguments[4] != 0) {
        return -EINVAL;
    }
    const int64_t fault = check_set(thread, arguments[2], arguments[3]);
    if (fault != 0) {
        return fault;
    }
    for (uint64_t i = 0; i < arguments[1]; i++) {
        const uint64_t address = arguments[0] + i * sizeof(struct pair);
        struct pair pair;
        if (!thread_read(thread, &pair, address, sizeof pair)) {
            return -EFAULT;
        }
        pair = answer(pair.key);
        if (!thread_write(thread, address, &pair, sizeof pair)) {
            return -EFAULT;
        }
    }
    return 0;
}
