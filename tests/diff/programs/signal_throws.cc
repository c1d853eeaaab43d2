// Shows C++ exceptions thrown from signal handlers: out of a fault, an illegal instruction and a
// breakpoint, with destructors run on the way, again and again.  Assembly is no place for a landing
// pad: what it throws is caught further out.
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <sys/mman.h>

namespace
{

struct Fault {
    int number;
    uintptr_t address;
};

int destroyed;

struct Guard {
    explicit Guard(int value) : value(value)
    {
    }
    ~Guard()
    {
        destroyed += value;
    }
    int value;
};

void unblock(int number)
{
    sigset_t mask;

    sigemptyset(&mask);
    sigaddset(&mask, number);
    sigprocmask(SIG_UNBLOCK, &mask, nullptr);
}

void raise_exception(int number, siginfo_t *info, void *context)
{
    (void)context;
    unblock(number);
    throw Fault{number, reinterpret_cast<uintptr_t>(info->si_addr)};
}

__attribute__((noinline)) int read_from(const volatile int *place)
{
    Guard guard(1);

    return *place;
}

__attribute__((noinline)) int divide(const volatile int *place, int depth)
{
    Guard guard(10);

    return depth == 0 ? read_from(place) : divide(place, depth - 1) + 1;
}

__attribute__((noinline)) void execute_nothing()
{
    __asm__ volatile(".half 0");
}

__attribute__((noinline)) void stop()
{
    __asm__ volatile("ebreak");
}

template <typename Function> void attempt(const char *name, Function function, uintptr_t address)
{
    destroyed = 0;
    try {
        Guard guard(1000);
        function();
        std::printf("%s: nothing thrown\n", name);
    } catch (const Fault &fault) {
        std::printf("%s: signal %d, address right %d, destroyed %d\n", name, fault.number,
                    address == 0 || fault.address == address, destroyed);
    }
}

} // namespace

int main()
{
    struct sigaction action = {};
    const auto pages =
        static_cast<int *>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));

    action.sa_sigaction = raise_exception;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGILL, &action, nullptr);
    sigaction(SIGTRAP, &action, nullptr);
    const auto address = reinterpret_cast<uintptr_t>(pages + 5);
    for (int round = 0; round < 3; round++) {
        attempt(
            "read", [&] { read_from(pages + 5); }, address);
        attempt(
            "deep", [&] { divide(pages + 5, 9); }, address);
        attempt("illegal", execute_nothing, 0);
        attempt("break", stop, 0);
    }
    int caught = 0;
    for (int i = 0; i < 1000; i++) {
        try {
            divide(pages, i % 7);
        } catch (const Fault &) {
            caught++;
        }
    }
    std::printf("caught %d\n", caught);
    return 0;
}
