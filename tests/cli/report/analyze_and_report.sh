# `analyze --report` writes the same page as `report` for the profile, but with the name of the trace.
printf '%s\n' d a c b c c g e f a f b c >trace.txt
"$REUSEDIST" analyze --out=json -o p.json --report=page.html trace.txt
"$REUSEDIST" report p.json -o other.html
diff <(grep -o '"references":13,"blocks":7.*"comparison"' page.html | sed 's/"seconds":[^,]*//') \
     <(grep -o '"references":13,"blocks":7.*"comparison"' other.html | sed 's/"seconds":[^,]*//')
grep -o '"name":"[^"]*","references":13' page.html
"$REUSEDIST" analyze --out=json -o p.json --report=p.json trace.txt || echo "exit $?"
"$REUSEDIST" analyze --report=trace.txt trace.txt || echo "exit $?"
