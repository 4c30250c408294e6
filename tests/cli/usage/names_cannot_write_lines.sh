# Messages escape control characters and leave other text unchanged.
"$REUSEDIST" analyze "$(printf 'no\nreusedist: such \033]0;title\007 file \303\251')"
