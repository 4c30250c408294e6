"""usage: check_joins.py TRACE OBJECTS: prints the joins of joins.c after which thread 1 has acquired the thread that
was joined."""
import sys

sys.path.insert(0, sys.path[0] + "/../../../scripts")
from decode_trace import references

with open(sys.argv[1], "rb") as trace:
    acquired = {record[3] for record in references(trace.read())
                if len(record) == 7 and record[1] == "sync_acquire" and record[2] == 1}
for line in open(sys.argv[2]):
    name, thread = line.split()
    if int(thread, 16) in acquired:
        print(name)
