bad() {
    printf -- "$1" >bad
    $REUSEDIST convert --time-histogram bad "${@:2}" >out || echo "$?, $(wc -c <out) bytes"
}
bad '1,3\n5,1\n'
bad '1,3\n5,1\n4,1\ninf,2\n'
bad '0,3\ninf,2\n'
bad '1,x\ninf,2\n'
bad '1\ninf,2\n'
bad '1,2,3,9\ninf,2\n'
bad '1,1,3,1,1\ninf,2\n'
bad '1,18446744073709551615\n2,1\ninf,2\n'
bad '1,3\ninf,2\ninf,2\n'
bad '1,3\ninf,0\n'
bad 'time,count\nand,more\n'
bad '-1,3\ninf,2\n'
bad '\357\273\2771,3\ninf,2\n'
bad "$(printf '%01200d' 1)\n"
bad '1,3\n18446744073709551615,1\ninf,2\n'
bad '1,3\0,4\ninf,2\n'
bad '1,3\ninf,2\n' --hist=squares
bad '1,3\ninf,2\n' bad
$REUSEDIST convert --time-histogram missing || echo $?
