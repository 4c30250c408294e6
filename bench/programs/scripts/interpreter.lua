-- The interpreter's work: puzzles, words and a table that is sorted and searched.
-- usage: lua interpreter.lua N
local n = tonumber(arg[1])
local state = 1
local function random(limit)
    state = state * 16807 % 2147483647
    return state % limit + 1
end

local function queens(size)
    local columns, up, down, count = {}, {}, {}, 0
    local function place(row)
        if row > size then count = count + 1 return end
        for c = 1, size do
            if not columns[c] and not up[row + c] and not down[row - c + size] then
                columns[c], up[row + c], down[row - c + size] = true, true, true
                place(row + 1)
                columns[c], up[row + c], down[row - c + size] = nil, nil, nil
            end
        end
    end
    place(1)
    return count
end

local function words(count)
    local seen, order = {}, {}
    for i = 1, count do
        local word = {}
        for k = 1, 2 + random(4) do word[k] = string.char(96 + random(20)) end
        word = table.concat(word)
        if not seen[word] then order[#order + 1] = word end
        seen[word] = (seen[word] or 0) + 1
    end
    table.sort(order, function(a, b)
        return seen[a] > seen[b] or (seen[a] == seen[b] and a < b)
    end)
    return order[1]
end

local function tree(count)
    local root = nil
    for i = 1, count do
        local key, at = random(1000000), root
        local node = {key = key}
        if not root then root = node end
        while at do
            local side = key < at.key and "left" or "right"
            if not at[side] then at[side] = node break end
            at = at[side]
        end
    end
    local function depth(node)
        if not node then return 0 end
        return 1 + math.max(depth(node.left), depth(node.right))
    end
    return depth(root)
end

local result = 0
for round = 1, n do
    result = result + queens(6) + #words(700) + tree(400)
end
print("lua " .. n .. ": " .. result)
