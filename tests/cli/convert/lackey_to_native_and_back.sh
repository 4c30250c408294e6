cat >t.lackey <<'T'
I  0401ab70,3
I  0401ab73,5
 S 1fff0006e8,8
 L 1fff0006e8,4
 S 1fff0006e8,4
 L 04228ff8,16
T
$REUSEDIST convert t.lackey -o t.trace
$REUSEDIST convert --to=lackey t.trace
$REUSEDIST convert t.trace --to=lackey --kinds=LI -o - -q
