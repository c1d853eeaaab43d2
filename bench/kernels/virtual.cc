// Bench kernel: C++ virtual calls.
//
// A drawing of mixed shapes, among them nested groups, held by unique_ptr in vectors: areas and
// bounds through virtual functions, three visitors by double dispatch, shapes replaced as it runs,
// and std::sort with a comparison that makes virtual calls.  Exercises indirect calls of many
// targets, small constructors and destructors, new and delete.  The scale is the number of rounds
// over the drawing.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "kernel.h"

namespace
{

constexpr uint32_t scale_default = 100;
constexpr uint32_t drawing_size = 1500;
constexpr double pi = 3.14159265358979323846;

struct Point {
    double x;
    double y;
};

struct Box {
    double left;
    double bottom;
    double right;
    double top;

    void include(const Box &other)
    {
        left = std::min(left, other.left);
        bottom = std::min(bottom, other.bottom);
        right = std::max(right, other.right);
        top = std::max(top, other.top);
    }
};

class Circle;
class Rectangle;
class Triangle;
class Polygon;
class Group;

class Visitor
{
  public:
    virtual ~Visitor() = default;
    virtual void visit(const Circle &circle) = 0;
    virtual void visit(const Rectangle &rectangle) = 0;
    virtual void visit(const Triangle &triangle) = 0;
    virtual void visit(const Polygon &polygon) = 0;
    virtual void visit(const Group &group) = 0;
};

class Shape
{
  public:
    virtual ~Shape() = default;
    virtual double area() const = 0;
    virtual Box bounds() const = 0;
    virtual void move(double dx, double dy) = 0;
    virtual void accept(Visitor &visitor) const = 0;
    virtual uint32_t corners() const
    {
        return 0;
    }
};

class Circle final : public Shape
{
  public:
    Circle(Point middle, double radius) : center(middle), r(radius)
    {
    }
    double area() const override
    {
        return pi * r * r;
    }
    Box bounds() const override
    {
        return {center.x - r, center.y - r, center.x + r, center.y + r};
    }
    void move(double dx, double dy) override
    {
        center.x += dx;
        center.y += dy;
    }
    void accept(Visitor &visitor) const override
    {
        visitor.visit(*this);
    }
    double radius() const
    {
        return r;
    }

  private:
    Point center;
    double r;
};

class Rectangle final : public Shape
{
  public:
    Rectangle(Point corner, double width, double height) : at(corner), w(width), h(height)
    {
    }
    double area() const override
    {
        return w * h;
    }
    Box bounds() const override
    {
        return {at.x, at.y, at.x + w, at.y + h};
    }
    void move(double dx, double dy) override
    {
        at.x += dx;
        at.y += dy;
    }
    void accept(Visitor &visitor) const override
    {
        visitor.visit(*this);
    }
    uint32_t corners() const override
    {
        return 4;
    }
    double width() const
    {
        return w;
    }
    double height() const
    {
        return h;
    }

  private:
    Point at;
    double w;
    double h;
};

double distance(Point a, Point b)
{
    return std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
}

Box box_of(const Point *points, size_t count)
{
    Box box = {points[0].x, points[0].y, points[0].x, points[0].y};
    for (size_t i = 1; i < count; i++) {
        box.include({points[i].x, points[i].y, points[i].x, points[i].y});
    }
    return box;
}

double area_of(const Point *points, size_t count)
{
    double twice = 0.0;
    for (size_t i = 0; i < count; i++) {
        const Point &a = points[i];
        const Point &b = points[(i + 1) % count];
        twice += a.x * b.y - b.x * a.y;
    }
    return std::fabs(twice) / 2.0;
}

class Triangle final : public Shape
{
  public:
    Triangle(Point a, Point b, Point c) : points{a, b, c}
    {
    }
    double area() const override
    {
        return area_of(points, 3);
    }
    Box bounds() const override
    {
        return box_of(points, 3);
    }
    void move(double dx, double dy) override
    {
        for (Point &point : points) {
            point.x += dx;
            point.y += dy;
        }
    }
    void accept(Visitor &visitor) const override
    {
        visitor.visit(*this);
    }
    uint32_t corners() const override
    {
        return 3;
    }
    double edge(size_t i) const
    {
        return distance(points[i], points[(i + 1) % 3]);
    }

  private:
    Point points[3];
};

class Polygon final : public Shape
{
  public:
    explicit Polygon(std::vector<Point> outline) : points(std::move(outline))
    {
    }
    double area() const override
    {
        return area_of(points.data(), points.size());
    }
    Box bounds() const override
    {
        return box_of(points.data(), points.size());
    }
    void move(double dx, double dy) override
    {
        for (Point &point : points) {
            point.x += dx;
            point.y += dy;
        }
    }
    void accept(Visitor &visitor) const override
    {
        visitor.visit(*this);
    }
    uint32_t corners() const override
    {
        return static_cast<uint32_t>(points.size());
    }
    double edge(size_t i) const
    {
        return distance(points[i], points[(i + 1) % points.size()]);
    }

  private:
    std::vector<Point> points;
};

class Group final : public Shape
{
  public:
    void add(std::unique_ptr<Shape> shape)
    {
        members.push_back(std::move(shape));
    }
    double area() const override
    {
        double total = 0.0;
        for (const auto &member : members) {
            total += member->area();
        }
        return total;
    }
    Box bounds() const override
    {
        Box box = members.front()->bounds();
        for (const auto &member : members) {
            box.include(member->bounds());
        }
        return box;
    }
    void move(double dx, double dy) override
    {
        for (auto &member : members) {
            member->move(dx, dy);
        }
    }
    void accept(Visitor &visitor) const override
    {
        visitor.visit(*this);
    }
    uint32_t corners() const override
    {
        uint32_t total = 0;
        for (const auto &member : members) {
            total += member->corners();
        }
        return total;
    }
    const std::vector<std::unique_ptr<Shape>> &all() const
    {
        return members;
    }

  private:
    std::vector<std::unique_ptr<Shape>> members;
};

class CountVisitor final : public Visitor
{
  public:
    void visit(const Circle &) override
    {
        counts[0]++;
    }
    void visit(const Rectangle &) override
    {
        counts[1]++;
    }
    void visit(const Triangle &) override
    {
        counts[2]++;
    }
    void visit(const Polygon &) override
    {
        counts[3]++;
    }
    void visit(const Group &group) override
    {
        counts[4]++;
        for (const auto &member : group.all()) {
            member->accept(*this);
        }
    }
    uint32_t counts[5] = {};
};

class PerimeterVisitor final : public Visitor
{
  public:
    void visit(const Circle &circle) override
    {
        total += 2.0 * pi * circle.radius();
    }
    void visit(const Rectangle &rectangle) override
    {
        total += 2.0 * (rectangle.width() + rectangle.height());
    }
    void visit(const Triangle &triangle) override
    {
        total += triangle.edge(0) + triangle.edge(1) + triangle.edge(2);
    }
    void visit(const Polygon &polygon) override
    {
        for (uint32_t i = 0; i < polygon.corners(); i++) {
            total += polygon.edge(i);
        }
    }
    void visit(const Group &group) override
    {
        for (const auto &member : group.all()) {
            member->accept(*this);
        }
    }
    double total = 0.0;
};

class DepthVisitor final : public Visitor
{
  public:
    void visit(const Circle &) override
    {
    }
    void visit(const Rectangle &) override
    {
    }
    void visit(const Triangle &) override
    {
    }
    void visit(const Polygon &) override
    {
    }
    void visit(const Group &group) override
    {
        depth++;
        deepest = std::max(deepest, depth);
        for (const auto &member : group.all()) {
            member->accept(*this);
        }
        depth--;
    }
    uint32_t depth = 0;
    uint32_t deepest = 0;
};

double random_below(uint64_t &random, double limit)
{
    return limit * static_cast<double>(program_random(&random)) / 4294967296.0;
}

Point random_point(uint64_t &random)
{
    double x = random_below(random, 1000.0);
    double y = random_below(random, 1000.0);
    return {x, y};
}

std::unique_ptr<Shape> make_shape(uint64_t &random, uint32_t depth)
{
    uint32_t kind = program_random(&random) % (depth < 3 ? 9 : 8);
    Point at = random_point(random);
    double size = 1.0 + random_below(random, 20.0);
    if (kind < 3) {
        return std::make_unique<Circle>(at, size);
    }
    if (kind < 5) {
        return std::make_unique<Rectangle>(at, size, 1.0 + random_below(random, 20.0));
    }
    if (kind < 7) {
        Point b = {at.x + size, at.y + random_below(random, 5.0)};
        Point c = {at.x + random_below(random, 5.0), at.y + size};
        return std::make_unique<Triangle>(at, b, c);
    }
    if (kind == 7) {
        std::vector<Point> outline;
        uint32_t corners = 5 + program_random(&random) % 4;
        for (uint32_t i = 0; i < corners; i++) {
            // Corners on a parabola make a convex outline without sines, which differ by libm.
            double t = static_cast<double>(i) - static_cast<double>(corners) / 2.0;
            outline.push_back({at.x + size * t, at.y + t * t});
        }
        return std::make_unique<Polygon>(std::move(outline));
    }
    auto group = std::make_unique<Group>();
    uint32_t members = 2 + program_random(&random) % 5;
    for (uint32_t i = 0; i < members; i++) {
        group->add(make_shape(random, depth + 1));
    }
    return group;
}

uint64_t run_round(std::vector<std::unique_ptr<Shape>> &drawing, uint64_t &random, uint64_t sum)
{
    double area = 0.0;
    uint32_t corners = 0;
    Box box = drawing.front()->bounds();
    for (const auto &shape : drawing) {
        area += shape->area();
        corners += shape->corners();
        box.include(shape->bounds());
    }
    program_check(box.left < box.right && box.bottom < box.top && area > 0.0, "empty drawing");
    sum = program_mix_double(sum, area);
    sum = program_mix_double(sum, box.right - box.left);
    sum = program_mix(sum, corners);

    CountVisitor count;
    PerimeterVisitor perimeter;
    DepthVisitor depth;
    Visitor *visitors[] = {&count, &perimeter, &depth};
    for (const auto &shape : drawing) {
        for (Visitor *visitor : visitors) {
            shape->accept(*visitor);
        }
    }
    for (uint32_t kind : count.counts) {
        sum = program_mix(sum, kind);
    }
    sum = program_mix_double(sum, perimeter.total);
    sum = program_mix(sum, depth.deepest);

    for (auto &shape : drawing) {
        shape->move(0.25, -0.5);
    }
    for (uint32_t i = 0; i < drawing_size / 20; i++) {
        drawing[program_random(&random) % drawing_size] = make_shape(random, 0);
    }
    return sum;
}

uint64_t sort_by_area(const std::vector<std::unique_ptr<Shape>> &drawing, uint64_t sum)
{
    std::vector<const Shape *> order;
    for (const auto &shape : drawing) {
        order.push_back(shape.get());
    }
    std::sort(order.begin(), order.end(),
              [](const Shape *a, const Shape *b) { return a->area() < b->area(); });
    for (size_t i = 0; i < order.size(); i += 10) {
        sum = program_mix_double(sum, order[i]->area());
    }
    return sum;
}

} // namespace

int main(int argc, char **argv)
{
    uint32_t scale = kernel_scale(argc, argv, scale_default);
    uint64_t random = 1985;
    uint64_t sum = 0;
    std::vector<std::unique_ptr<Shape>> drawing;
    for (uint32_t i = 0; i < drawing_size; i++) {
        drawing.push_back(make_shape(random, 0));
    }
    for (uint32_t round = 0; round < scale; round++) {
        sum = run_round(drawing, random, sum);
        if (round % 8 == 0) {
            sum = sort_by_area(drawing, sum);
        }
    }
    kernel_report("virtual", scale, sum);
    return 0;
}
