-- Strings: building, matching, replacing, sorting, formatting.
local scale = tonumber(arg[1])
local state = 12345

local function draw(limit)
    state = (state * 1103515245 + 12345) % 2147483648
    return state // 65536 % limit
end

local function word()
    local letters = {}
    for i = 1, 2 + draw(7) do
        letters[i] = string.char(97 + draw(26))
    end
    return table.concat(letters)
end

local words = {}
for i = 1, 2500 * scale do
    words[i] = word()
end
local text = table.concat(words, " ")

local counts = {}
for w in text:gmatch("%a+") do
    local key = w:sub(1, 2)
    counts[key] = (counts[key] or 0) + 1
end
local keys = {}
for key in pairs(counts) do
    keys[#keys + 1] = key
end
table.sort(keys, function(a, b)
    if counts[a] ~= counts[b] then
        return counts[a] > counts[b]
    end
    return a < b
end)
for i = 1, 5 do
    io.write(keys[i], "=", counts[keys[i]], " ")
end

local swapped, changes = text:gsub("(%a)(%a)", "%2%1")
local _, vowels = swapped:gsub("[aeiou]", string.upper)
table.sort(words)
local sum = 0
for i, w in ipairs(words) do
    sum = (sum * 31 + #string.format("%s:%05d:%x", w, i, sum % 4096) + w:byte(-1)) % 1000000007
end
print(#text, changes, vowels, words[1], words[#words], sum, text:reverse():find("zz", 1, true))
