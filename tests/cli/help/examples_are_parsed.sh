# Commands accept the options of every example in the help texts. If a text names an option after a command, for
# example 'run --attribute', the command has this option.
count=0
for command in $("$REUSEDIST" help | awk '/^  [a-z]/ { print $1 }'); do
    "$REUSEDIST" help "$command" >text
    # An appended unknown option ends the command before it does anything, but after the other options
    # were parsed.
    while read -r _ example; do
        count=$((count + 1))
        read -ra words <<<"$example"
        "$REUSEDIST" "${words[@]}" --no-such-option >out 2>&1 || true
        grep -q "^reusedist: ${words[0]}: unknown option '--no-such-option'" out ||
            echo "help $command: $example: $(head -1 out)"
    done < <(sed -En '/^ +[a-z(< ]*reusedist [a-z]/ { s/.*(reusedist [a-z])/\1/; s/ -- .*|[|>)].*//; p }' text)
    while read -r name option; do
        count=$((count + 1))
        "$REUSEDIST" help "$name" | grep -e " $option\b" >found || echo "help $command: $name has no $option"
    done < <(tr '\n' ' ' <text | grep -o "'[a-z]* --[a-z-]*" | tr -d "'")
done
[ "$count" -ge 30 ] || echo "only $count examples were found"
