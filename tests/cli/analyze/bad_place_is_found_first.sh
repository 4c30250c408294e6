# A wrong output is reported before the trace is opened, so there is no message about the missing trace.
mkdir directory
for place in nowhere/r directory ''; do
    $REUSEDIST analyze -o "$place" missing || echo "-o: $?"
    $REUSEDIST analyze --distances="$place" missing || echo "--distances: $?"
    $REUSEDIST mrc -o "$place" missing || echo "mrc: $?"
    $REUSEDIST merge -o "$place" missing || echo "merge: $?"
    $REUSEDIST convert -o "$place" missing || echo "convert: $?"
    $REUSEDIST generate -o "$place" cycle || echo "generate: $?"
done
