# If a rank fails, there is one message, exit status 1 and no result. The first case has a bad record in
# the last part.
head -c 90000 /dev/zero >t.bin
printf '\011' | dd of=t.bin bs=1 seek=89999 conv=notrunc 2>/dev/null # an invalid kind
status=0
ranks 4 analyze -f binary:format='<QB',addr=1,kind=2 -o out.json t.bin 2>messages || status=$?
test "$status" = 1 || give_up "exit status $status for a bad record"
test ! -e out.json || give_up "a result was written"
test "$(grep -c '^reusedist:' messages)" = 1 || give_up "$(cat messages)"
grep -q '^reusedist: rank 3: t.bin: byte 89991: the kind of this record is not 0, 1, 2 or one of the letters R L W S I: 9' messages ||
    give_up "$(cat messages)"

# Rank 0 detects extra bytes at the end before any rank starts.
head -c 89999 t.bin >short.bin
status=0
ranks 3 analyze -f binary:format='<QB',addr=1,kind=2 -o out.json short.bin 2>messages || status=$?
test "$status" = 1 || give_up "exit status $status for extra bytes at the end"
test ! -e out.json || give_up "a result was written"
grep -q '^reusedist: short.bin: byte 89991: the last record is incomplete: it has 8 of the 9 bytes' messages ||
    give_up "$(cat messages)"

# A rank other than 0 runs out of memory.
reusedist generate uniform:blocks=300000,refs=600000 -o t.native
status=0
ranks 2 analyze -e parda --mem=4M -o out.json t.native 2>messages || status=$?
test "$status" = 1 || give_up "exit status $status when memory is exhausted"
test ! -e out.json || give_up "a result was written"
grep -q '^reusedist: .*memory' messages || give_up "$(cat messages)"

# Rank 0 has too little memory to start and must still release all other ranks.
status=0
ranks 3 analyze --mem=1 -o out.json t.native 2>messages || status=$?
test "$status" = 1 || give_up "exit status $status without any memory"
test ! -e out.json || give_up "a result was written"
test "$(grep -c '^reusedist: out of memory' messages)" = 1 || give_up "$(cat messages)"
