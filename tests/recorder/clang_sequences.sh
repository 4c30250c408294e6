# The compiled-in recorder records programs with known references, except the references that it cannot see.
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
root=$DATA/../..
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc

# build [OPTION]: builds the program with reusedist-cc.
build() {
    "$cc" -O1 -no-pie "$@" -I"$root/include" "$root/tests/recorder/clang/hooks.c" -o hooks
    memory=$((16#$(nm hooks | awk '$3 == "memory" {print $1}')))
}

# references NAME [OPTION]: prints kind, offset in `memory`, size and, for a child, the process of each reference of
# the function NAME.
references() {
    local name=$1 kind address size process status=0
    shift
    "$REUSEDIST" record --tool=clang --paused "$@" --to=lackey -o t -- ./hooks "$name" 2>messages || status=$?
    sed '/lackey cannot mark that the recorder skipped references/d' messages >&2
    echo "$name:$([ $status -eq 0 ] || echo " status $status")"
    while IFS=' ,' read -r kind address size; do
        address=$((16#$address)) process=''
        [ $((address >> 48)) -eq 0 ] || process=" of process $((address >> 48))"
        address=$(((address & ((1 << 48) - 1)) - memory))
        [ $address -lt 0 ] || [ $address -ge 4096 ] || echo "$kind $address $size$process"
    done <t | sort -s -k4 | paste -sd, | sed 's/,/, /g'
}

all() {
    for name in sizes loop chase unaligned copy threads forked crash; do
        references $name
    done
    references forked --trace-children
    echo "not seen:"
    for name in structs 'built-in copies' 'other sizes' atomics 'wide vectors' 'masked vectors' assembler endings libraries; do
        references "$name"
    done
}

build
all | tee inlined
build -fno-lto # the hooks are called
all | cmp inlined - && echo "the same by calls"
