# Every message escapes what a terminal would obey; what is text stays as it is.
"$REUSEDIST" analyze "$(printf 'no\nreusedist: such \033]0;title\007 file \303\251')"
