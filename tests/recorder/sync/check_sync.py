"""usage: check_sync.py TRACE OBJECTS: prints what the recorded events of sync.c say about each of its objects."""
import sys

sys.path.insert(0, sys.path[0] + "/../../../scripts")
from decode_trace import references

events = []
with open(sys.argv[1], "rb") as trace:
    for record in references(trace.read()):
        if len(record) == 7 and str(record[1]).startswith("sync_"):
            events.append((record[1][5:], record[2], record[3], record[4]))


def calls(events):
    """Drops repeated events: a recorder may report a lock when it is requested and when it is held, and an unlock
    before and after it. Of several acquires of a thread in a row, the last one is kept; of several releases, the
    first one."""
    kept = []
    for i, event in enumerate(events):
        kind, thread, address, _ = event
        own = (e for e in (reversed(events[:i]) if kind == "release" else events[i + 1:]) if e[1:3] == event[1:3])
        other = next(own, None)
        if other is None or other[0] != kind or other[3] != event[3]:
            kept.append(event)
    return kept


events = calls(events)
objects = dict(line.split() for line in open(sys.argv[2]))
names = {int(address, 16): name for name, address in objects.items()}


def of(name, kind):
    return [(thread, number) for k, thread, address, number in events if k == kind and names.get(address) == name]


print("mutex:", len(of("mutex", "acquire")), "acquires,", len(of("mutex", "release")), "releases")
for name in "barrier", "semaphore":
    for kind in "release", "acquire":
        print(f"{name}, {kind}s:", *sorted(number for _, number in of(name, kind)))
print("posts by thread", *{thread for thread, _ in of("semaphore", "release")},
      "for thread", *{thread for thread, _ in of("semaphore", "acquire")})
# The next event of the mutex after each acquire is the release by the same thread.
turns = [(kind, thread) for kind, thread, address, _ in events if names.get(address) == "turns"]
print("a lock is acquired only after its release:",
      all(turns[i + 1] == ("release", turns[i][1]) for i in range(len(turns) - 1) if turns[i][0] == "acquire"))
# Creation: thread 2 begins with acquires, and thread 1 has released the first of these objects before.
first = next(i for i, e in enumerate(events) if e[1] == 2)
print("creation:", events[first][0], any(e[:3] == ("release", 1, events[first][2]) for e in events[:first]))
end = [i for i, e in enumerate(events) if e[:2] == ("release", 2) and names.get(e[2]) == "thread"]
join = [i for i, e in enumerate(events) if e[:2] == ("acquire", 1) and names.get(e[2]) == "thread"]
print("join after the end:", len(join) == 1 and len(end) >= 1 and end[-1] < join[0])
