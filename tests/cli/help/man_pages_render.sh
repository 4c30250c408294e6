# Every page renders without a warning, and names its command and each of its options.
command -v man >/dev/null || { echo "there is no man"; exit 77; }
check() { # [COMMAND]
    "$REUSEDIST" help --man "${@:1:1}" >page.1
    MANWIDTH=400 man --warnings -E UTF-8 -l page.1 >page.txt 2>warnings
    if [ -s warnings ]; then cat warnings; exit 1; fi
}
commands=$("$REUSEDIST" help | awk '/^  [a-z]/ { print $1 }')
check
for command in $commands; do
    grep -q "reusedist $command" page.txt || echo "reusedist(1) is silent about $command"
done
# Commands that run a program return its exit status.
for command in run record; do
    check "$command"
    grep -A 1 '^EXIT STATUS' page.txt | grep -q 'The exit status of COMMAND' || echo "$command: wrong exit status"
done
for command in $commands; do
    check "$command"
    grep -q "^ *reusedist-$command - " page.txt || echo "$command: no name"
    for option in $("$REUSEDIST" help "$command" | grep -o '^ .*--[a-z-]*' | grep -o -e '--[a-z-]*'); do
        grep -q -e "$option" page.txt || echo "$command: no $option"
    done
done
