# `script` gives the command a terminal as standard output.
script -qec true /dev/null >/dev/null 2>&1 || { echo "no pseudo-terminal here"; exit 77; }
on_terminal() { script -qec "'$REUSEDIST' generate cycle:refs=3 $*" /dev/null </dev/null | tr -d '\r'; }
on_terminal || echo "exit status $?"
on_terminal --to=text
