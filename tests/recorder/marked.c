/* Fills an array four times. With the argument "markers", a start marker precedes the second time,
 * and a stop marker follows the third time. */
#include "reusedist/marker.h"

#include <string.h>

static volatile long words[100];

__attribute__((noinline)) static void fill(void) {
    for (int i = 0; i < 100; i++)
        words[i] = i;
}

__attribute__((noinline)) static void second(void) {
    fill();
    __asm__ volatile("");
}

__attribute__((noinline)) static void third(void) {
    fill();
    __asm__ volatile("nop");
}

int main(int argc, char **argv) {
    int marked = argc > 1 && strcmp(argv[1], "markers") == 0;
    fill();
    if (marked)
        rd_record_start();
    second();
    third();
    if (marked)
        rd_record_stop();
    fill();
    return 0;
}
