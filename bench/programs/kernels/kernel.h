/* Functions that the kernels share: arguments, memory and random numbers.
 *
 * All functions are static, so that a kernel is one file for the compiler, and so that one file can
 * combine several kernels: such files are the input of cc1, the compiler in the suite. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns argument `i` as a number from min to max. If it is anything else, prints `usage` and
 * exits. */
static inline int kernel_argument(int argc, char **argv, int i, int min, int max,
                                  const char *usage) {
    char *end = NULL;
    long value = i < argc ? strtol(argv[i], &end, 10) : min - 1L;
    if (i >= argc || *end || value < min || value > max) {
        fprintf(stderr, "usage: %s, from %d to %d\n", usage, min, max);
        exit(2);
    }
    return (int)value;
}

static inline void *kernel_memory(size_t n, size_t size) {
    void *memory = malloc(n * size);
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memory;
}

/* Returns n numbers that are all 0. They are written one by one, because the way in which a library
 * clears memory depends on the size. */
static inline double *kernel_doubles(size_t n) {
    double *numbers = kernel_memory(n, sizeof *numbers);
    for (size_t i = 0; i < n; i++)
        numbers[i] = 0;
    return numbers;
}

static inline int *kernel_ints(size_t n) {
    int *numbers = kernel_memory(n, sizeof *numbers);
    for (size_t i = 0; i < n; i++)
        numbers[i] = 0;
    return numbers;
}

/* Returns the next number of Marsaglia's xorshift64. The state must not be 0. */
static inline uint64_t kernel_random(uint64_t *state) {
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

/* Returns a random number from 0 up to, but not including, 1. */
static inline double kernel_uniform(uint64_t *state) {
    return (double)(kernel_random(state) >> 11) * 0x1p-53;
}

#endif
