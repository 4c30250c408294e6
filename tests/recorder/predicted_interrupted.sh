# A signal to `run --predict` ends the program and its twin, and the command returns the status of the program. A signal
# also ends a program without a twin, whose model predicts no growth.
train() {
    "$REUSEDIST" run -b addr --peaks=auto --out=json -o "$1.json" -- "$PROGRAMS/rounds" "$1" 8 runs >/dev/null ||
        [ $? -eq 7 ]
}
train 3000
train 9000
"$REUSEDIST" predict --size-from=peaks --train 3000.json --train 9000.json --model=model.json
sed 's/"size_unit": *"[^"]*"/"size_unit": "none"/' model.json >none.json
interrupt() { # MODEL PROCESSES: sends SIGTERM to a run that has started so many processes
    rm -f started
    "$REUSEDIST" run --predict="$1" -o /dev/null -- sh -c 'echo $$ >>started; while :; do :; done' &
    until [ "$(wc -l <started)" = "$2" ]; do sleep 0.1; done 2>/dev/null
    kill -TERM $!
    wait $! || echo "exit status $?"
    while read -r program; do
        ! kill -0 "$program" 2>/dev/null || echo "$program is still there"
    done <started
}
interrupt model.json 2
interrupt none.json 1
