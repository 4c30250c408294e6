/* A program in two files, to test different ways to build it: this file stores, and sum.c loads. */
#include "table.h"

int table[ENTRIES];

int main(void) {
    for (int i = 0; i < ENTRIES; i++)
        table[i] = i;
    return sum(table, ENTRIES) == ENTRIES * (ENTRIES - 1) / 2 ? 0 : 1;
}
