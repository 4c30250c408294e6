# Reports read the source files that a profile names, so an output must not overwrite one of them.
sed 's#"[^"]*words\.cpp"#"words.cpp"#' "$DATA/profiles/contexts.json" >p.json
echo kept >words.cpp
"$REUSEDIST" annotate -o words.cpp p.json || echo "status $?"
"$REUSEDIST" report -o words.cpp p.json || echo "status $?"
"$REUSEDIST" report --to=csv -o words.cpp p.json || echo "status $?"
cat words.cpp
