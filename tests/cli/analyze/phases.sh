# The command finds the phases of generated traces: seven different phases in three orders, and phases that
# recur, even if touching their working set takes the whole phase. It finds no phases in traces that contain
# only noise.
phases() {
    "$REUSEDIST" generate -q "$1" -o trace
    "$REUSEDIST" analyze -q -b addr --attribute --out=json -o out.json trace
    printf '%s: ' "$1"
    sed -n 's/.*"phase_numbers": //p' out.json
}
phases phases:sets=1K:2K:4K:8K:16K:32K:64K,length=100K,refs=700K
phases phases:sets=64K:32K:16K:8K:4K:2K:1K,length=100K,refs=700K
phases phases:sets=300:20K:2K:100:8K:50:700,length=100K,refs=700K,pattern=cycle
phases phases:sets=1K:16K,length=100K,refs=400K
phases phases:sets=1K:16K:4K,length=70K,refs=630K,pattern=cycle
phases phases:sets=500:64K,length=50K,refs=200K
phases zipf:blocks=20K,refs=500K
phases uniform:blocks=3K,refs=500K
"$REUSEDIST" generate -q phases:sets=1K:16K,length=100K,refs=400K -o trace
"$REUSEDIST" analyze -q -b addr --attribute trace | grep -o 'The run has 2 phases.*'
