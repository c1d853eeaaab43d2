-- Floating-point and integer arithmetic over arrays.
local scale = tonumber(arg[1])

local function sieve(limit)
    local composite, count = {}, 0
    for i = 2, limit do
        if not composite[i] then
            count = count + 1
            for j = i * i, limit, i do
                composite[j] = true
            end
        end
    end
    return count
end

local function matrix(n)
    local a, b, c = {}, {}, {}
    for i = 1, n do
        a[i], b[i], c[i] = {}, {}, {}
        for j = 1, n do
            a[i][j], b[i][j] = (i * j) % 7 / 3, (i - j) % 11 / 5
        end
    end
    for i = 1, n do
        for j = 1, n do
            local sum = 0.0
            for k = 1, n do
                sum = sum + a[i][k] * b[k][j]
            end
            c[i][j] = sum
        end
    end
    return c[n // 2][n // 3]
end

local function orbit(steps)
    local x, y, vx, vy = 1.0, 0.0, 0.0, 1.0
    for _ = 1, steps do
        local cube = (x * x + y * y) ^ 1.5
        vx, vy = vx - x / cube * 0.001, vy - y / cube * 0.001
        x, y = x + vx * 0.001, y + vy * 0.001
    end
    return math.sqrt(x * x + y * y), math.atan(y, x)
end

local hash = 0xcbf29ce484222325
for i = 1, 60000 * scale do
    hash = (hash ~ (i & 255)) * 1099511628211 ~ (hash >> 29)
end
local radius, angle = orbit(20000 * scale)
print(sieve(60000 * scale), string.format("%.12g %.9f %.9f", matrix(30 + 10 * scale), radius, angle), hash)
