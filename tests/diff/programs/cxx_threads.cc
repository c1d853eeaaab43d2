// Shows C++ threads: exceptions inside them and through futures, mutexes, atomics, thread_local
// objects.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <future>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{

std::atomic<int> constructed{0};
std::atomic<int> destroyed{0};

struct Local {
    Local()
    {
        constructed++;
    }
    ~Local()
    {
        destroyed++;
    }
    int value = 0;
};

thread_local Local local;

int fail_sometimes(int number)
{
    local.value += number;
    if (number % 3 == 0) {
        throw std::runtime_error("number " + std::to_string(number));
    }
    return number * number;
}

} // namespace

int main()
{
    std::vector<std::future<int>> futures;
    std::atomic<uint64_t> total{0};
    std::vector<std::thread> threads;
    std::mutex mutex;
    std::condition_variable changed;
    int turn = 0;
    std::string order;

    for (int i = 0; i < 12; i++) {
        futures.push_back(std::async(std::launch::async, fail_sometimes, i));
    }
    for (auto &future : futures) {
        try {
            std::printf("value %d\n", future.get());
        } catch (const std::runtime_error &error) {
            std::printf("error %s\n", error.what());
        }
    }
    for (int i = 0; i < 6; i++) {
        threads.emplace_back([&, i] {
            for (int k = 0; k < 300; k++) {
                try {
                    total += static_cast<uint64_t>(fail_sometimes(k));
                } catch (const std::exception &error) {
                    total += std::string(error.what()).size();
                }
            }
            std::unique_lock<std::mutex> lock(mutex);
            changed.wait(lock, [&] { return turn == i; });
            order += static_cast<char>('a' + i);
            turn++;
            changed.notify_all();
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    std::printf("total %lu, order %s\n", total.load(), order.c_str());
    std::printf("locals %d, destroyed %d\n", constructed.load(), destroyed.load());
    return 0;
}
