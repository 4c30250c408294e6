"""Checks that an export has the sums of its profile.

usage: exports.py FORMAT PROFILE EXPORT
"""
import collections, csv, json, re, sys


def fields(data):
    """Decodes a message of Protocol Buffers into a list of (field, value)."""
    at, out = 0, []

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            out.append((key >> 3, varint()))
        else:
            assert key & 7 == 2, f"wire type {key & 7}"
            n = varint()
            out.append((key >> 3, data[at:at + n]))
            at += n
    assert at == len(data)
    return out


def packed(data):
    return [value for _, value in fields(b"".join(b"\0" + varint for varint in split(data)))]


def split(data):
    """Splits packed numbers."""
    begin = 0
    for at, byte in enumerate(data):
        if byte < 128:
            yield data[begin:at + 1]
            begin = at + 1


def callgrind(text):
    sums, skip, names = None, False, set()
    events = re.search(r"^events: (.*)", text.decode(), re.M).group(1).split()
    for line in text.decode().splitlines():
        name = re.match(r"c?(ob|f[iln])=\((\d+)\)( .+)?$", line)
        if name:  # the name comes with its first number
            kind = "file" if name[1] in ("fi", "fl") else name[1]
            assert bool(name[3]) == ((kind, name[2]) not in names), line
            names.add((kind, name[2]))
        assert name or not re.match(r"c?(ob|f[iln])=", line), line
        if line.startswith("calls="):
            skip = True  # the next line has the inclusive costs of the call
        elif re.match(r"\d", line):
            values = [int(word) for word in line.split()[1:]]
            if not skip:
                sums = [a + b for a, b in zip(sums, values)] if sums else values
            skip = False
    for key in ("summary:", "totals:"):
        line = next(line for line in text.decode().splitlines() if line.startswith(key))
        assert [int(word) for word in line.split()[1:]] == sums, line
    sums = dict(zip(events, sums))
    return [sums.pop("Refs")] + [sums[event] for event in sorted(sums)]


def pprof(data):
    message = fields(data)
    locations = {dict(fields(value))[1] for field, value in message if field == 4}
    functions = {dict(fields(value))[1] for field, value in message if field == 5}
    texts = [value.decode() for field, value in message if field == 6]
    types = [texts[dict(fields(value))[1]] for field, value in message if field == 1]
    assert texts[0] == "" and types[0] == "references" and locations == functions
    sums = [0] * len(types)
    for field, value in message:
        if field == 2:
            sample = dict(fields(value))
            assert set(packed(sample[1])) <= locations
            values = packed(sample[2])
            assert len(values) == len(types)
            sums = [a + b for a, b in zip(sums, values)]
    return sums


def speedscope(data):
    file = json.loads(data)
    sums = []
    functions = [(frame["name"], frame.get("file")) for frame in file["shared"]["frames"]]
    assert len(set(functions)) == len(functions), "a function has several frames"
    for profile in file["profiles"]:
        stack, total, last = [], 0, 0
        for event in profile["events"]:
            assert event["at"] >= last
            total += event["at"] - last if stack else 0
            last = event["at"]
            assert 0 <= event["frame"] < len(file["shared"]["frames"])
            if event["type"] == "O":
                stack.append(event["frame"])
            else:
                assert stack.pop() == event["frame"]
        assert not stack and total == profile["endValue"]
        sums.append(total)
    return sums


def perfetto(data):
    tracks, sums, interned = {}, {}, collections.defaultdict(dict)
    for _, packet in fields(data):
        packet = dict(fields(packet))
        if 12 in packet:
            assert packet[13] == 1 and not interned
            for kind, entry in fields(packet[12]):
                entry = dict(fields(entry))
                assert entry[2] and entry[1] not in interned[kind]
                interned[kind][entry[1]] = entry
        elif 60 in packet:
            track = dict(fields(packet[60]))
            tracks[track[1]] = track
            if 8 not in track:
                sums[track[1]] = [[], 0]
        else:
            event = dict(fields(packet[11]))
            assert event[11] in tracks
            assert packet[13] == 2
            if event[9] == 1:
                assert event[10] in interned[2] and (34 not in event or event[34] in interned[4])
                if 34 in event:
                    assert interned[4][event[34]][3] == interned[2][event[10]][2]
                sums[event[11]][0].append(packet[8])
            elif event[9] == 2:
                begin = sums[event[11]][0].pop()
                if not sums[event[11]][0]:
                    sums[event[11]][1] += packet[8] - begin
    assert all(not stack for stack, _ in sums.values())
    return [total for _, total in sums.values()]


def rows(data):
    table = list(csv.DictReader(data.decode().splitlines()))
    return [sum(int(row[key]) for row in table) for key in table[0]
            if key == "references" or key.endswith(" misses")]


def svg(data):
    import xml.etree.ElementTree as tree
    root = tree.fromstring(data)
    space = "{http://www.w3.org/2000/svg}"
    sums = []
    for row in ("40", "58"):  # the whole run, and the outermost frames
        frames = [g for g in root.iter(space + "g") if g.find(space + "rect").get("y") == row]
        sums.append(sum(int(re.search(r": (\d+) [^:]*, [0-9.]+ %$", g.find(space + "title").text)
                            .group(1)) for g in frames))
    return sums


form, profile, export = sys.argv[1:]
profile = json.load(open(profile))
expected = [profile["references"]] + [sum(f["misses"][k] for f in profile["attribution"]["functions"])
                                      for k in range(len(profile["levels"]))]
data = open(export, "rb").read()
found = {"callgrind": callgrind, "pprof": pprof, "speedscope": speedscope, "perfetto": perfetto,
         "csv": rows, "svg": svg}[form](data)
if form == "svg":
    expected = [expected[1]] * 2
print(form, "right" if found == expected else f"WRONG: {found}, expected {expected}")
