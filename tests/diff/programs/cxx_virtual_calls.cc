// Shows many indirect calls: virtual functions, std::function, member pointers, templates.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

namespace
{

struct Shape {
    virtual ~Shape() = default;
    virtual uint64_t value(uint64_t input) const = 0;
    uint64_t twice(uint64_t input) const
    {
        return value(value(input));
    }
};

template <uint64_t Factor> struct Scaled : Shape {
    uint64_t value(uint64_t input) const override
    {
        return input * Factor + (input >> 7);
    }
};

struct Pair : Shape {
    Pair(std::shared_ptr<Shape> left, std::shared_ptr<Shape> right)
        : left_(std::move(left)), right_(std::move(right))
    {
    }
    uint64_t value(uint64_t input) const override
    {
        return left_->value(input) ^ right_->twice(input);
    }
    std::shared_ptr<Shape> left_;
    std::shared_ptr<Shape> right_;
};

} // namespace

int main()
{
    std::vector<std::shared_ptr<Shape>> shapes = {std::make_shared<Scaled<3>>(),
                                                  std::make_shared<Scaled<5>>(),
                                                  std::make_shared<Scaled<7>>()};
    std::vector<std::function<uint64_t(uint64_t)>> functions;
    uint64_t (Shape::*members[])(uint64_t) const = {&Shape::value, &Shape::twice};
    uint64_t state = 1;

    for (int i = 0; i < 6; i++) {
        shapes.push_back(std::make_shared<Pair>(shapes[static_cast<size_t>(i)],
                                                shapes[static_cast<size_t>(i) + 1]));
    }
    for (const auto &shape : shapes) {
        functions.emplace_back([shape](uint64_t input) { return shape->value(input) + 1; });
    }
    for (int i = 0; i < 200000; i++) {
        size_t index = state >> 60;

        if (index < shapes.size()) {
            state = (shapes[index].get()->*members[i & 1])(state);
        }
        state = functions[index % functions.size()](state) * 6364136223846793005u + 1;
    }
    std::printf("state %016lx\n", state);
    return 0;
}
