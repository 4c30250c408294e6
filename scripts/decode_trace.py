#!/usr/bin/env python3
"""Decodes a native trace. This is an independent implementation of docs/trace-format.md. It refuses everything
that the format does not allow, and decodes exactly the files that the C reader reads.

usage: decode_trace.py FILE     prints "ADDRESS SIZE KIND PC THREAD", with - for absent columns,
                                and "event KIND THREAD ADDRESS SIZE PC [PATH]" where an event happened;
                                described columns, and described kinds of events other than
                                sync_release and sync_acquire, are skipped
"""
import re
import struct
import sys

M = (1 << 64) - 1
P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                      0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def rotate(x, bits):
    return (x << bits | x >> (64 - bits)) & M


def absorb(lane, word):
    return rotate((lane + word * P2) & M, 31) * P1 & M


def xxh64(data, seed):
    n, at = len(data), 0
    lanes = [(seed + P1 + P2) & M, (seed + P2) & M, seed, (seed - P1) & M]
    for at in range(0, n - 31, 32):
        lanes = [absorb(a, w) for a, w in zip(lanes, struct.unpack_from("<4Q", data, at))]
    h = (seed + P5) & M
    if n >= 32:
        at += 32
        h = sum(rotate(a, r) for a, r in zip(lanes, (1, 7, 12, 18))) & M
        for a in lanes:
            h = ((h ^ absorb(0, a)) * P1 + P4) & M
    h = (h + n) & M
    while n - at >= 8:
        h = (rotate(h ^ absorb(0, struct.unpack_from("<Q", data, at)[0]), 27) * P1 + P4) & M
        at += 8
    if n - at >= 4:
        h = (rotate(h ^ struct.unpack_from("<I", data, at)[0] * P1 & M, 23) * P2 + P3) & M
        at += 4
    for byte in data[at:]:
        h = rotate(h ^ byte * P5 & M, 11) * P1 & M
    h = (h ^ h >> 33) * P2 & M
    h = (h ^ h >> 29) * P3 & M
    return h ^ h >> 32


def check(condition, text):
    if not condition:
        sys.exit(f"decode_trace.py: {text}")


def check_symbol(symbol, slots, sized, kinds):
    slot, width, size_width, kind, size, _ = symbol
    check(slot < slots, "symbol without a slot")
    check(width <= 8 and size_width <= (4 if sized else 0), "symbol too wide")
    check(kind in ((1, 2, 4) if kinds else (0,)), "symbol without a valid kind")
    check(size_width or size if sized else not size, "symbol without a valid size")


def decode_block(p, at, limit, n, sized=False, kinds=False):
    """Decodes a column. Returns (value, size, kind) of each reference, and the offset after the column, which is
    at most `limit`."""
    check(limit - at >= 8, "column cut off")
    slots, zero, symbols, data_bytes = struct.unpack_from("<BBHI", p, at)
    check(1 <= slots <= 16 and not zero and 1 <= symbols <= 256, "invalid head of a column")
    after = at + 8 + 8 * slots + 16 * symbols + data_bytes + 4 + (n if symbols > 1 else 0)
    check(after <= limit, "column cut off")
    bases = list(struct.unpack_from(f"<{slots}Q", p, at + 8))
    at += 8 + 8 * slots
    table = [struct.unpack_from("<BBBBIQ", p, at + 16 * i) for i in range(symbols)]
    for symbol in table:
        check_symbol(symbol, slots, sized, kinds)
    at += 16 * symbols
    end = at + data_bytes
    control = p[end + 4:after] if symbols > 1 else bytes(n)
    check(max(control) < symbols, "control byte without a symbol")
    refs = []
    for symbol in control:
        slot, width, size_width, kind, size, add = table[symbol]
        value = (bases[slot] + add + int.from_bytes(p[at:at + width], "little")) & M
        at += width
        size = size + int.from_bytes(p[at:at + size_width], "little") & 0xffffffff
        at += size_width
        check(size or not sized, "reference of size 0")
        bases[slot] = (value + size) & M if sized else value
        refs.append((value, size, kind))
    check(at == end, "data left over or missing")
    return refs, after


def number(p, at, end):
    """Returns a number that is stored with seven bits per byte, and the offset after it."""
    value = shift = 0
    while True:
        check(at < end and shift < 64, "event cut off")
        byte = p[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            check(value <= M, "number of more than 64 bits")
            return value, at


def unfold(x):
    return -(x + 1 >> 1) if x & 1 else x >> 1


SYNC = ("sync_release", "sync_acquire")


def decode_events(p, at, end, before, plain, described):
    """Yields (before, kind, thread, address, size, pc, path) of each event of a frame, where `before` is the
    number of references before the event. A described event has its name as the kind, and None from the address
    on if this decoder does not know the name. `described` has the name of each number of a described kind."""
    last = {kind: (0, 0) for kind in (*(range(1, 6) if plain else ()), *described)}
    while at < end:
        kind, at = p[at], at + 1
        check(kind in last, "event of unknown kind")
        step, at = number(p, at, end)
        thread, at = number(p, at, end)
        check(step < 65536 and thread < 1 << 32, "event with an invalid position or thread")
        before += step
        limit = end
        if kind in described:
            length, at = number(p, at, end)
            limit = at + length
            check(limit <= end, "event cut off")
            if described[kind] not in SYNC:
                yield (before, described[kind], thread, None, None, None, None)
                at = limit
                continue
        address, at = number(p, at, limit)
        size, at = number(p, at, limit)
        pc, at = number(p, at, limit)
        check(kind not in described or at == limit, "event with extra bytes")
        last[kind] = (last[kind][0] + unfold(address)) & M, (last[kind][1] + unfold(pc)) & M
        path = None
        if kind == 1:
            length, at = number(p, at, end)
            path, at = p[at:at + length], at + length
            check(1 <= length <= 4095 and at <= end and 0 not in path, "event without a valid path")
            path = path.decode(errors="replace")
        yield (before, described.get(kind, kind), thread, last[kind][0], size, last[kind][1], path)
    check(at == end, "events cut off")


def descriptions(f):
    """Returns the number of described columns, the names of described kinds of events by their numbers, and
    the offset of the first frame. This decoder does not interpret described columns: it skips them, and fails
    if one is required."""
    columns, kinds = 0, {}
    if f[8] == 1:
        return columns, kinds, 24
    at, end, seen = 24, 24 + struct.unpack_from("<I", f, 12)[0], set()
    check(len(f) >= end + 8, "truncated")
    check(struct.unpack_from("<Q", f, end)[0] == xxh64(f[24:end], 0), "bad descriptions")
    while at < end:
        check(end - at >= 4, "description cut off")
        about, flags, value, length = f[at:at + 4]
        name, at = f[at + 4:at + 4 + length].decode("latin-1"), at + 4 + length
        check(at <= end and not flags & ~1 and re.fullmatch("[a-z0-9_]{1,63}", name),
              "description without a valid name or flags")
        check((about, name) not in seen, f"described twice: {name}")
        check(about != 1 or name not in ("pc", "thread"), f"column of the header: {name}")
        check(about != 2 or 6 <= value <= 31 and value not in kinds, f"invalid number of {name}")
        check(not flags & 1 or about == 2 and name in SYNC or (about, name) == (3, "no_processes"),
              f"unknown column or event kind that is required: {name}")
        seen.add((about, name))
        columns += about == 1
        kinds |= {value: name} if about == 2 else {}
    check(columns + bin(f[9] & 12).count("1") <= 16, "too many columns")
    return columns, kinds, end + 8


def references(f):
    """Yields (address, size, kind, pc, thread) of each reference, with None for absent columns, and the events
    of decode_events() before the references that they precede."""
    check(len(f) >= 24 and f[:8] == b"\x89RDT\r\n\x1a\n" and f[8] in (1, 2),
          "not a native trace of version 1 or 2")
    check(struct.unpack_from("<Q", f, 16)[0] == xxh64(f[:16], 0), "bad header")
    check(not f[9] & ~15 and not f[10] & ~7 and not f[11], "unknown columns or flags")
    check(struct.unpack_from("<I", f, 12)[0] <= (4096 if f[8] == 2 else 0), "too many descriptions")
    described, kinds, at = descriptions(f)
    columns, before = f[9], 0
    pending, events = [], 0
    while True:
        check(len(f) - at >= 16, "truncated")
        n, payload = struct.unpack_from("<II", f, at)
        end = at + 8 + payload
        check(n <= 65536 and (n or payload <= 1 << 20), "impossible length of a frame")
        check(len(f) - end >= 8, "truncated")
        check(struct.unpack_from("<Q", f, end)[0] == xxh64(f[at:end], (before + (events << 40)) & M),
              "bad checksum")
        if n == 0 and payload > 0:
            check(f[10] & 4 or kinds, "events without the flag")
            more = list(decode_events(f, at + 8, end, pending[-1][0] if pending else before,
                                      f[10] & 4, kinds))
            pending, events, at = pending + more, events + len(more), end + 8
            continue
        check(not pending or pending[-1][0] < before + max(n, 1), "event after its frame")
        if n == 0:
            check(end + 8 == len(f), "extra bytes after the end")
            yield from pending
            return
        addr, at = decode_block(f, at + 8, end, n, columns & 1, columns & 2)
        pc, at = decode_block(f, at, end, n) if columns & 4 else ([None] * n, at)
        thread, at = decode_block(f, at, end, n) if columns & 8 else ([None] * n, at)
        check(all(t is None or t[0] < 1 << 32 for t in thread), "thread of more than 32 bits")
        for _ in range(described):
            check(end - at >= 4, "column cut off")
            length = struct.unpack_from("<I", f, at)[0]
            check(length <= 4236 + 13 * n, "column too long")
            at += 4 + length
        check(at == end, "extra bytes in a payload")
        for i, ((a, size, kind), p, t) in enumerate(zip(addr, pc, thread)):
            while pending and pending[0][0] == before + i:
                yield pending.pop(0)
            yield (a, size if columns & 1 else None, kind if columns & 2 else None,
                   p and p[0], t and t[0])
        at, before = end + 8, before + n


if __name__ == "__main__":
    check(len(sys.argv) == 2, "usage: decode_trace.py FILE")
    kinds = {None: "-", 1: "load", 2: "store", 4: "fetch"}
    events = {1: "module", 2: "allocate", 3: "release", 4: "stack", 5: "unload"}
    with open(sys.argv[1], "rb") as trace:
        for reference in references(trace.read()):
            if len(reference) == 7:
                _, kind, thread, a, size, pc, path = reference
                if a is not None:
                    print("event", events.get(kind, kind), thread, hex(a), size, hex(pc), path or "")
                continue
            a, size, kind, pc, thread = reference
            print(f"{a:#x} {'-' if size is None else size} {kinds[kind]} "
                  f"{'-' if pc is None else hex(pc)} {'-' if thread is None else thread}")
