// Shows C++ exceptions: nested, rethrown, through C frames and destructors, uncaught inside
// noexcept.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

namespace
{

int alive;

struct Tracked {
    Tracked()
    {
        alive++;
    }
    ~Tracked()
    {
        alive--;
    }
};

struct Base {
    virtual ~Base() = default;
    virtual int number() const
    {
        return 1;
    }
};

struct Derived : Base {
    int number() const override
    {
        return 2;
    }
};

int descend(int depth)
{
    Tracked tracked;
    std::string text(static_cast<size_t>(depth) + 20, 'x');

    if (depth == 0) {
        throw std::runtime_error("deep");
    }
    return descend(depth - 1) + static_cast<int>(text.size());
}

int compare(const void *left, const void *right)
{
    if (*static_cast<const int *>(left) == 13 || *static_cast<const int *>(right) == 13) {
        throw 13;
    }
    return *static_cast<const int *>(left) - *static_cast<const int *>(right);
}

std::string unwind_nested(const std::exception &error)
{
    std::string text = error.what();

    try {
        std::rethrow_if_nested(error);
    } catch (const std::exception &inner) {
        text += " <- " + unwind_nested(inner);
    }
    return text;
}

void fail_nested(int level)
{
    try {
        if (level == 0) {
            throw std::out_of_range("level 0");
        }
        fail_nested(level - 1);
    } catch (...) {
        if (level == 0) {
            throw;
        }
        std::throw_with_nested(std::logic_error("level " + std::to_string(level)));
    }
}

} // namespace

int main()
{
    uint64_t sum = 0;

    for (int i = 0; i < 500; i++) {
        try {
            sum += static_cast<uint64_t>(descend(i % 40));
        } catch (const std::exception &error) {
            sum = sum * 31 + static_cast<uint64_t>(error.what()[i % 4]);
        }
    }
    std::printf("sum %016lx, alive %d\n", sum, alive);
    try {
        throw Derived();
    } catch (const Base &caught) {
        std::printf("by base: %d\n", caught.number());
    }
    try {
        try {
            throw std::invalid_argument("first");
        } catch (const std::logic_error &error) {
            std::printf("inner: %s\n", error.what());
            throw;
        }
    } catch (const std::exception &error) {
        std::printf("outer: %s\n", error.what());
    }
    try {
        fail_nested(3);
    } catch (const std::exception &error) {
        std::printf("chain: %s\n", unwind_nested(error).c_str());
    }
    try {
        int values[] = {5, 1, 13, 4, 2};

        std::qsort(values, 5, sizeof(int), compare);
    } catch (int value) {
        std::printf("through qsort: %d\n", value);
    }
    try {
        auto unused = std::make_unique<int[]>(static_cast<size_t>(alive) + (1ul << 60));

        std::printf("%d\n", unused[0]);
    } catch (const std::bad_alloc &) {
        std::printf("out of memory\n");
    }
    std::exception_ptr kept;
    try {
        throw std::string("kept");
    } catch (...) {
        kept = std::current_exception();
    }
    try {
        std::rethrow_exception(kept);
    } catch (const std::string &text) {
        std::printf("later: %s\n", text.c_str());
    }
    std::set_terminate([] {
        std::printf("terminated\n");
        std::exit(3);
    });
    []() noexcept { descend(3); }();
    return 0;
}
