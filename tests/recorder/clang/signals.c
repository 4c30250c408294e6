/* Stores to every word of `table` again and again, and is interrupted by a handler that stores to
 * every word of `others`. Every word counts the stores to it, and the sums are printed. The
 * argument says how the handler is set up and how it ends. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define WORDS   4096
#define SIGNALS 100 /* number of signals after which the program ends */
#define ROUNDS  200 /* maximum number of passes over `table` */

/* These variables are not static, so that the compiler must assume that other code reads them. */
volatile long table[WORDS], others[WORDS];
static volatile sig_atomic_t signals, jumps;
static sigjmp_buf start;
static char other_stack[1 << 16];

static void count(volatile long *words, long n) {
    for (long i = 0; i < n; i++)
        words[i]++;
}

static void return_later(int number) {
    (void)number;
    count(others, WORDS);
    signals++;
}

static void return_informed(int number, siginfo_t *info, void *context) {
    (void)context;
    if (info->si_signo == number)
        return_later(number);
}

static void jump(int number) {
    return_later(number);
    jumps++;
    siglongjmp(start, 1);
}

static void set_up(const char *how) {
    struct sigaction action = {.sa_handler = return_later}, before;
    if (strcmp(how, "signal") == 0) {
        signal(SIGALRM, return_later);
        return;
    }
    if (strcmp(how, "jump") == 0)
        action.sa_handler = jump;
    if (strcmp(how, "informed") == 0)
        action = (struct sigaction){.sa_sigaction = return_informed, .sa_flags = SA_SIGINFO};
    if (strcmp(how, "other stack") == 0) {
        stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
        sigaltstack(&stack, NULL);
        action.sa_flags = SA_ONSTACK;
    }
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGALRM, NULL, &before);
    if (before.sa_handler != action.sa_handler || before.sa_flags & SA_SIGINFO & ~action.sa_flags)
        abort();
}

static void set_timer(long microseconds) {
    struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static long sum(const volatile long *words) {
    long all = 0;
    for (long i = 0; i < WORDS; i++)
        all += words[i];
    return all;
}

int main(int argc, char **argv) {
    static volatile int rounds;
    if (argc < 2)
        return 1;
    set_up(argv[1]);
    sigsetjmp(start, 1);
    for (set_timer(200); rounds < ROUNDS && signals < SIGNALS; rounds++)
        count(table, WORDS);
    set_timer(0);
    printf("%ld %ld %d\n", sum(table), sum(others), (int)jumps);
    return signals == 0;
}
