// Exceptions and long jumps leave many calls at once.
#include <csetjmp>
#include <cstdio>
#include <stdexcept>

#define APART __attribute__((noinline, noclone))

static std::jmp_buf back;

APART static int deeper(int n, bool jump)
{
    if (n == 0) {
        if (jump) {
            std::longjmp(back, 1);
        }
        throw std::runtime_error("deep enough");
    }
    return deeper(n - 1, jump) + 1;
}

APART static int work(int n)
{
    int sum = 0;
    for (int i = 0; i < 50; i++) {
        sum += i * n;
    }
    return sum;
}

int main()
{
    volatile int sum = 0;
    for (volatile int i = 0; i < 3; i = i + 1) {
        try {
            sum = sum + deeper(8, false);
        } catch (const std::runtime_error &) {
            sum = sum + work(i);
        }
        if (setjmp(back) == 0) {
            sum = sum + deeper(8, true);
        }
        sum = sum + work(sum);
    }
    std::printf("%d\n", sum);
    return 0;
}
