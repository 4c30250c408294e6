# `script` gives the command a terminal as standard output.
on_terminal() { script -qec "'$REUSEDIST' generate cycle:refs=3 $*" /dev/null </dev/null | tr -d '\r'; }
on_terminal || echo "exit status $?"
on_terminal --to=text
