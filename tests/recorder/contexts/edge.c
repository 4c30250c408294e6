/* Has calling contexts that a recorder does not number: calls that are too deep, and, with an argument, too
 * many contexts. Each call of first() and second() makes one reference. */
#include <stdlib.h>

static char data[1 << 20];

#define FUNCTION __attribute__((noinline)) static
#define TOUCH()  (((volatile char *)data)[at % sizeof data] = 1)
#define STAYS()  __asm__ volatile("") /* prevents tail calls */

FUNCTION void second(int depth, unsigned at);

/* All calls and references of a function are on one line, so that they have one call frame. */
/* clang-format off */
FUNCTION void first(int depth, unsigned at) { TOUCH(); if (depth) { first(depth - 1, 2 * at); second(depth - 1, 2 * at + 1); } STAYS(); }
FUNCTION void second(int depth, unsigned at) { TOUCH(); if (depth) { first(depth - 1, 2 * at); second(depth - 1, 2 * at + 1); } STAYS(); }
FUNCTION void deep(int depth) { unsigned at = 64 * (unsigned)depth; TOUCH(); if (depth) deep(depth - 1); STAYS(); }
/* clang-format on */

int main(int argc, char **argv) {
    deep(700);
    if (argc > 1)
        first(atoi(argv[1]), 1);
    return 0;
}
