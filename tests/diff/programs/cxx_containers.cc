// Shows the standard library: containers, algorithms, strings and streams over fixed data.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <iomanip>
#include <iostream>
#include <list>
#include <map>
#include <queue>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

int main()
{
    std::mt19937_64 random(2024);
    std::vector<uint32_t> numbers(20000);
    std::map<std::string, int> counts;
    std::unordered_map<uint32_t, uint32_t> hashed;
    std::priority_queue<uint32_t> heap;
    std::set<uint32_t, std::greater<>> ordered;
    std::deque<int> deque;
    std::list<int> list;
    uint64_t sum = 0;

    for (auto &number : numbers) {
        number = static_cast<uint32_t>(random() % 5000);
        counts["key" + std::to_string(number % 97)]++;
        hashed[number] += number;
        heap.push(number);
        ordered.insert(number);
    }
    std::stable_sort(numbers.begin(), numbers.end(),
                     [](uint32_t a, uint32_t b) { return a % 100 < b % 100; });
    for (size_t i = 0; i < numbers.size(); i++) {
        sum = sum * 1099511628211u + numbers[i];
    }
    std::cout << "stable sort " << std::hex << sum << std::dec << '\n';
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    std::cout << "distinct " << numbers.size() << ' ' << ordered.size() << ' ' << hashed.size()
              << ", largest " << *ordered.begin() << ' ' << heap.top() << '\n';
    for (const auto &[key, value] : counts) {
        sum = sum * 31 + key.size() + static_cast<uint64_t>(value);
    }
    std::cout << "counts " << counts.size() << ' ' << counts.begin()->first << ' ' << sum << '\n';
    for (int i = 0; i < 1000; i++) {
        i % 3 ? deque.push_back(i) : deque.push_front(i);
        list.push_back(i * 7 % 101);
    }
    list.sort();
    list.unique();
    std::cout << "deque " << deque.front() << ' ' << deque[500] << ", list " << list.size() << '\n';
    std::ostringstream text;
    text << std::setw(8) << std::setfill('*') << 42 << ' ' << std::fixed << std::setprecision(3)
         << 3.14159265 << ' ' << std::scientific << 12345.678 << ' ' << std::boolalpha << true;
    std::cout << text.str() << '\n';
    std::istringstream input("12 abc 3.5 0x1f");
    int integer = 0;
    std::string word;
    double number = 0;
    input >> integer >> word >> number >> std::hex >> integer;
    std::cout << integer << ' ' << word << ' ' << number << '\n';
    std::string line = "the quick brown fox, the lazy dog";
    std::regex pattern("(\\w+) (\\w+)");
    std::cout << std::regex_replace(line, pattern, "$2 $1") << '\n';
    std::reverse(line.begin(), line.end());
    std::cout << line << ' ' << line.find("eht") << ' ' << std::uppercase << std::hex << 48879
              << '\n';
    return 0;
}
