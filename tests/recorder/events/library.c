/* A library that allocations.c loads. It allocates memory and has a variable. */
#include <stdlib.h>

void library_work(void);

static volatile long variable[60];

void library_work(void) {
    volatile long *block = malloc(560); /* site: of a library */
    for (int i = 0; i < 70; i++)
        block[i] = i;
    for (int i = 0; i < 60; i++)
        variable[i] = i;
    free((void *)block);
}
