# Programs with known references are recorded exactly: kind, offset in `memory` and size of each, in order.
memory=$((16#$(nm "$PROGRAMS/sequences" | awk '$3 == "memory" {print $1}')))

# references NAME: prints the references that the function NAME makes to the array `memory`.
references() {
    local kind address size status=0
    echo "$1:"
    "$REUSEDIST" record --inside="$1" --to=lackey -o t -- "$PROGRAMS/sequences" "$1" 2>/dev/null || status=$?
    [ $status -eq 0 ] || echo "status $status"
    while IFS=' ,' read -r kind address size; do
        address=$((16#$address - memory))
        [ $address -lt 0 ] || [ $address -ge 4096 ] || echo "$kind $address $size"
    done <t | if [ "$1" = copy ]; then sum_up; else paste -sd' ' | sed 's/ \([LS]\)/, \1/g'; fi
}

# memcpy() may use references of any size; only the blocks that it loads and stores are compared.
sum_up() {
    awk '{for (b = int($2 / 64); b <= int(($2 + $3 - 1) / 64); b++) seen[$1 " " b] = 1}
         END {for (s in seen) n[substr(s, 1, 1)]++; print n["L"] " blocks loaded, " n["S"] " stored"}'
}

for name in loop chase unaligned vector masked atomic modify string side_exit fault threads copy; do
    references $name
done
