/* Makes calls of all kinds, each with a walk through memory whose calling context is known. */
#define _GNU_SOURCE
#include "trail.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#define FUNCTION __attribute__((noinline)) static

static jmp_buf place;
static sigjmp_buf signal_place;

FUNCTION void recurse(int depth) {
    enter("recurse");
    if (depth > 0)
        recurse(depth - 1);
    WALK(depth, 100 + depth);
    leave();
}

FUNCTION void odd(int depth);

FUNCTION void even(int depth) {
    enter("even");
    if (depth > 0)
        odd(depth - 1);
    WALK(10, 128);
    leave();
}

FUNCTION void odd(int depth) {
    enter("odd");
    if (depth > 0)
        even(depth - 1);
    WALK(10, 130);
    leave();
}

FUNCTION void last(int blocks) {
    enter("last");
    WALK(11, blocks);
    leave();
}

/* Ends with a tail call of last(). */
FUNCTION void tail(int blocks) {
    walked[11] +=
        blocks == 0; /* prevents the compiler from merging this function with another one */
    last(blocks);
}

FUNCTION void jump(int depth) {
    enter("jump");
    WALK(12, 150 + depth);
    if (depth == 0)
        longjmp(place, 1);
    jump(depth - 1);
    leave();
}

FUNCTION void jumps(void) {
    enter("jumps");
    volatile int n = now.n;
    if (setjmp(place) == 0)
        jump(5);
    now.n = n;
    WALK(13, 160);
    if (setjmp(place) == 0)
        jump(2);
    now.n = n;
    leave();
}

FUNCTION int compare(const void *a, const void *b) {
    enter("compare");
    WALK(14, 170);
    leave();
    return *(const int *)a - *(const int *)b;
}

FUNCTION void sort(void) {
    enter("sort");
    int numbers[] = {3, 1, 2};
    qsort(numbers, 3, sizeof *numbers, compare);
    WALK(14, 171);
    leave();
}

static void handler(int number) {
    enter("handler");
    WALK(15, 180);
    if (number == SIGUSR2)
        siglongjmp(signal_place, 1);
    leave();
}

FUNCTION void signals(void) {
    enter("signals");
    raise(SIGUSR1);
    WALK(16, 190);
    int n = now.n;
    if (sigsetjmp(signal_place, 1) == 0)
        raise(SIGUSR2);
    now.n = n;
    WALK(16, 191);
    leave();
}

FUNCTION void other_stack(void) {
    static char memory[65536];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    enter("other_stack");
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    signals();
    WALK(17, 200);
    leave();
}

#define INLINED static inline __attribute__((always_inline))

INLINED void inner(int blocks) {
    enter("inner");
    WALK(23, blocks);
    leave();
}

INLINED void outer(int blocks) {
    enter("outer");
    inner(blocks);
    WALK(24, blocks + 1);
    recurse(1);
    leave();
}

FUNCTION void inlined(void) {
    enter("inlined");
    outer(140);
    inner(141);
    leave();
}

FUNCTION void *thread(void *area_number) {
    enter("thread");
    recurse(2);
    WALK((int)(size_t)area_number, 210);
    leave();
    return NULL;
}

FUNCTION void threads(void) {
    pthread_t id;
    enter("threads");
    for (size_t i = 0; i < 3; i++) {
        pthread_create(&id, NULL, thread, (void *)(20 + i));
        pthread_join(id, NULL);
    }
    WALK(18, 220);
    leave();
}

/* Makes an array whose size is only known here, after calls that have returned. */
FUNCTION void array(int bytes) {
    enter("array");
    recurse(1);
#ifndef NO_ARRAYS
    volatile char text[bytes];
    text[0] = text[bytes - 1] = 0;
#endif
    WALK(25, 240);
    recurse(0);
    leave();
}

int main(void) {
    enter("main");
    recurse(5);
    even(5);
    tail(140);
    jumps();
    sort();
    signal(SIGUSR1, handler);
    signal(SIGUSR2, handler);
    signals();
    other_stack();
    threads();
    inlined();
    array(100 * n_done);
    WALK(19, 230);
    print_walks();
    leave();
    return 0;
}
