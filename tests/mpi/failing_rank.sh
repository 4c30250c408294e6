# A rank that fails: one message, exit status 1, and no result. First a bad record in the last part.
head -c 90000 /dev/zero >t.bin
printf '\011' | dd of=t.bin bs=1 seek=89999 conv=notrunc 2>/dev/null # a kind that there is not
status=0
ranks 4 analyze -f binary:format='<QB',addr=1,kind=2 -o out.json t.bin 2>messages || status=$?
test "$status" = 1 || give_up "exit status $status for a bad record"
test ! -e out.json || give_up "a result was written"
test "$(grep -c '^reusedist:' messages)" = 1 || give_up "$(cat messages)"
grep -q '^reusedist: rank 3: t.bin: byte 89991: this record has kind 9' messages ||
    give_up "$(cat messages)"

# Bytes left over at the end: rank 0 notices before anybody begins.
head -c 89999 t.bin >short.bin
status=0
ranks 3 analyze -f binary:format='<QB',addr=1,kind=2 -o out.json short.bin 2>messages || status=$?
test "$status" = 1 || give_up "exit status $status for a remainder"
test ! -e out.json || give_up "a result was written"
grep -q '^reusedist: short.bin: byte 89991: 8 bytes are left over' messages ||
    give_up "$(cat messages)"

# Out of memory on a rank that is not the first one.
reusedist generate uniform:blocks=300000,refs=600000 -o t.native
status=0
ranks 2 analyze -e parda --mem=4M -o out.json t.native 2>messages || status=$?
test "$status" = 1 || give_up "exit status $status when memory is out"
test ! -e out.json || give_up "a result was written"
grep -q '^reusedist: .*memory' messages || give_up "$(cat messages)"

# So little that rank 0 cannot even begin: the others have to be sent home all the same.
status=0
ranks 3 analyze --mem=1 -o out.json t.native 2>messages || status=$?
test "$status" = 1 || give_up "exit status $status without any memory"
test ! -e out.json || give_up "a result was written"
test "$(grep -c '^reusedist: out of memory' messages)" = 1 || give_up "$(cat messages)"
