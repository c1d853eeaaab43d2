-- Calls, recursion, closures and coroutines.
local scale = tonumber(arg[1])

local function fib(n)
    if n < 2 then
        return n
    end
    return fib(n - 1) + fib(n - 2)
end

local function tak(x, y, z)
    if y >= x then
        return z
    end
    return tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y))
end

local function adders(count)
    local sum, list = 0, {}
    for i = 1, count do
        list[i] = function(x)
            sum = sum + x * i
            return sum
        end
    end
    for round = 1, 40 do
        for i = 1, count do
            list[i](round)
        end
    end
    return sum
end

local function generator(limit)
    return coroutine.wrap(function()
        for i = 1, limit do
            coroutine.yield(i, i * i)
        end
    end)
end

local total = 0
for i, square in generator(4000 * scale) do
    total = total + square % (i + 1)
end
local caught = 0
for i = 1, 2000 * scale do
    local good, message = pcall(function(n)
        if n % 3 == 0 then
            error("three " .. n, 0)
        end
        return n
    end, i)
    caught = caught + (good and 1 or #message)
end
print(fib(21 + scale), tak(9 + scale, 6, 3), adders(500 * scale), total, caught)
