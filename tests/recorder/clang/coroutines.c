/* Two coroutines. The second one, whose stack is below the other one, releases the stack of the first one, and
 * then calls functions that the C library calls back. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK_BYTES 65536

static ucontext_t program, first, second;
static char *upper;
static int sums[100];

static int compare(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void sort(int n) {
    int array[64];
    for (int i = 0; i < 64; i++)
        array[i] = (i * 7919 + n) % 97;
    qsort(array, 64, sizeof *array, compare);
    sums[n % 100] += array[3];
}

__attribute__((noinline)) static void descend(int n) {
    if (n == 0) {
        sort(1);
        swapcontext(&first, &second);
    } else {
        descend(n - 1);
    }
    sums[n]++;
}

static void run_first(void) {
    descend(50);
}

static void run_second(void) {
    sort(2);
    munmap(upper, STACK_BYTES);
    for (int i = 0; i < 100; i++)
        sort(i);
    setcontext(&program);
}

static void make(ucontext_t *coroutine, char *stack, void (*run)(void)) {
    getcontext(coroutine);
    coroutine->uc_stack.ss_sp = stack;
    coroutine->uc_stack.ss_size = STACK_BYTES;
    makecontext(coroutine, run, 0);
}

int main(void) {
    char *lower =
        mmap(NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    upper = lower + STACK_BYTES;
    make(&first, upper, run_first);
    make(&second, lower, run_second);
    swapcontext(&program, &first);
    sort(3);
    printf("%d %d\n", sums[0], sums[3]);
    return 0;
}
