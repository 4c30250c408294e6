/* Walks over an array with a few strides and ends as its argument says: with this exit status
 * (a number), by a signal ("abort", "segv"), or never ("forever", which it announces on standard
 * output). It is linked statically, so that two runs in the same environment reference exactly the
 * same addresses. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 100000

static long words[WORDS];
static volatile long sink;

static long walk(int rounds) {
    long sum = 0;
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < WORDS; i += 7) {
            words[i] = (long)i * round;
            sum += words[i * 31 % WORDS];
        }
    return sum;
}

int main(int argc, char **argv) {
    const char *end = argc > 1 ? argv[1] : "0";
    sink = walk(3);
    if (strcmp(end, "forever") == 0) {
        puts("walking");
        fflush(stdout);
        while (true)
            sink = walk(1);
    }
    if (strcmp(end, "abort") == 0)
        abort();
    if (strcmp(end, "segv") == 0)
        *(volatile int *)0 = 1;
    return atoi(end);
}
