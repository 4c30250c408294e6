# The histogram equals that of a single process, whether ranks read their own parts or rank 0 distributes the
# references.
reusedist generate zipf:blocks=3000,refs=60000,seed=5 -o t.native
reusedist convert t.native -o t.u64 --to=u64
reusedist convert t.native -o t.din --to=din
gzip -k t.u64

check() { # check RANKS ENGINE TRACE [OPTION...]: compares the histograms of RANKS processes and of one process
    local n=$1 engine=$2 trace=$3
    shift 3
    reusedist analyze -e stream --hist=full --out=csv "$@" "$trace" >expected
    ranks "$n" analyze -e "$engine" --hist=full --out=csv "$@" "$trace" >got
    cmp expected got || give_up "$n ranks, $engine, $trace, $*"
}

check 2 parda t.native
check 3 parda:phase=7000 t.u64 --bound=100
check 5 parda:phase=20000,fixup=postfix t.u64 --bound=1
check 4 parda:phase=1000,rename=off t.native
check 2 parda:engine=olken,space=plain t.din
check 3 parda:phase=9999 t.u64.gz -f u64 -b addr
check 8 parda:phase=30000,fixup=postfix,rename=off,engine=olken t.u64

# Rank 0 reads a pipe of unknown length and distributes the references.
reusedist analyze --hist=full --out=csv t.u64 >expected
ranks 3 analyze --hist=full --out=csv -e parda:phase=5000 - <t.u64 >got
cmp expected got || give_up "standard input"

# There are fewer references than ranks; the engine is the default.
printf '%s\n' 1 2 1 | reusedist convert - -f text -o short.native
reusedist analyze --hist=full --out=csv short.native >expected
ranks 7 analyze --hist=full --out=csv short.native >got
cmp expected got || give_up "three references, seven ranks"

# Other commands run only on rank 0.
test "$(ranks 3 version | grep -c '^reusedist')" = 1 || give_up "more than one rank printed its version"
