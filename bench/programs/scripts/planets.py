"""The Python work: planets that attract each other, an index of a text, a queue of events.

usage: python3 planets.py N
"""
import collections
import heapq
import sys


def randoms(seed=1):
    while True:
        seed = seed * 16807 % 2147483647
        yield seed


def planets(steps, random):
    bodies = [[next(random) % 1000 / 100 for _ in range(3)] + [0.0] * 3 for _ in range(8)]
    for _ in range(steps):
        for i, a in enumerate(bodies):
            for b in bodies[i + 1:]:
                d = [a[k] - b[k] for k in range(3)]
                pull = 0.001 / (sum(x * x for x in d) + 0.1) ** 1.5
                for k in range(3):
                    a[3 + k] -= pull * d[k]
                    b[3 + k] += pull * d[k]
        for body in bodies:
            for k in range(3):
                body[k] += 0.01 * body[3 + k]
    return sum(body[0] for body in bodies)


def index(count, random):
    places = collections.defaultdict(list)
    for i in range(count):
        word = "".join(chr(97 + next(random) % 12) for _ in range(3))
        places[word].append(i)
    return max(sorted(places), key=lambda word: len(places[word]))


def events(count, random):
    queue, now = [], 0
    for i in range(count):
        heapq.heappush(queue, (now + next(random) % 1000, i))
        if i % 3 == 2:
            now = heapq.heappop(queue)[0]
    return now


def main():
    random, rounds = randoms(), int(sys.argv[1])
    total = 0.0
    for _ in range(rounds):
        total += planets(60, random) + len(index(2000, random)) + events(2000, random)
    print(f"python {rounds}: {total:.6f}")


main()
