$REUSEDIST generate cycle:refs=5 | gzip | $REUSEDIST convert - --to=text
