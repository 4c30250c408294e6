"$REUSEDIST" compare "--fail-if=accuracy<99" a b
