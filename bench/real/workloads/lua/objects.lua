-- Tables as objects: methods through metatables, trees that become garbage, a queue.
local scale = tonumber(arg[1])

local Shape = {}
Shape.__index = Shape
function Shape.new(class, size)
    return setmetatable({ size = size }, class)
end
function Shape:grow(by)
    self.size = self.size + by
    return self
end

local Square = setmetatable({}, { __index = Shape })
Square.__index = Square
function Square:area()
    return self.size * self.size
end
local Strip = setmetatable({}, { __index = Shape })
Strip.__index = Strip
Strip.__add = function(a, b)
    return Strip:new(a.size + b.size)
end
function Strip:area()
    return 3 * self.size
end
Square.new, Strip.new = Shape.new, Shape.new

local shapes = {}
for i = 1, 300 * scale do
    shapes[i] = (i % 3 == 0 and Strip or Square):new(i)
end
local area = 0
for round = 1, 60 do
    for _, shape in ipairs(shapes) do
        area = (area + shape:grow(round % 4):area()) % 1000003
    end
end
local strip = Strip:new(0)
for i = 1, 5000 * scale do
    strip = strip + Strip:new(i % 5)
end

local function tree(depth)
    if depth == 0 then
        return {}
    end
    return { tree(depth - 1), tree(depth - 1) }
end
local function count(node)
    return node[1] and 1 + count(node[1]) + count(node[2]) or 1
end
local nodes = 0
for _ = 1, 12 * scale do
    nodes = nodes + count(tree(10))
end

local queue, first, last = { 1 }, 1, 1
local seen = { [1] = true }
while first <= last and last < 8000 * scale do
    local n = queue[first]
    first = first + 1
    for _, next_one in ipairs({ n * 2, n * 3 % 1000003, n + 7 }) do
        if not seen[next_one] then
            seen[next_one], last = true, last + 1
            queue[last] = next_one
        end
    end
end
print(area, strip.size, nodes, first, last, queue[last])
