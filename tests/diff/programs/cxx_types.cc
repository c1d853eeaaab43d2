// Shows run-time types: dynamic_cast over several bases, typeid, virtual bases, static
// construction order.
#include <cstdio>
#include <cstring>
#include <typeinfo>

namespace
{

struct Announcer {
    explicit Announcer(const char *text) : text_(text)
    {
        std::printf("construct %s\n", text_);
    }
    ~Announcer()
    {
        std::printf("destroy %s\n", text_);
    }
    const char *text_;
};

Announcer first("first");
Announcer second("second");

struct Root {
    virtual ~Root() = default;
    int root = 1;
};
struct Left : virtual Root {
    int left = 2;
};
struct Right : virtual Root {
    int right = 3;
    virtual int sum() const
    {
        return root + right;
    }
};
struct Bottom : Left, Right {
    int bottom = 4;
    int sum() const override
    {
        return root + left + right + bottom;
    }
};
struct Other : Root {
};

Announcer &lazy()
{
    static Announcer announcer("lazy");

    return announcer;
}

template <typename T> const char *can_cast(Root *root)
{
    return dynamic_cast<T *>(root) != nullptr ? "yes" : "no";
}

} // namespace

int main()
{
    Bottom bottom;
    Other other;
    Root *roots[] = {&bottom, &other};

    for (Root *root : roots) {
        std::printf("left %s, right %s, other %s, bottom %s\n", can_cast<Left>(root),
                    can_cast<Right>(root), can_cast<Other>(root), can_cast<Bottom>(root));
        std::printf("is bottom %d\n", typeid(*root) == typeid(Bottom));
    }
    std::printf("cross cast %d\n", dynamic_cast<Right *>(static_cast<Left *>(&bottom))->sum());
    std::printf("most derived %d\n",
                dynamic_cast<void *>(static_cast<Right *>(&bottom)) == &bottom);
    std::printf("names %d\n", std::strcmp(typeid(int).name(), "i") == 0);
    try {
        (void)dynamic_cast<Other &>(*roots[0]);
    } catch (const std::bad_cast &) {
        std::printf("bad cast\n");
    }
    std::printf("lazy %s %s\n", lazy().text_, lazy().text_);
    return 0;
}
