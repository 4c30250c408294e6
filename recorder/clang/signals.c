/* Intercepts signal handlers: sigaction(), signal() and __sysv_signal() are defined here and
 * install a handler of the runtime, which calls the handler of the program. */
#define _GNU_SOURCE
#include "runtime.h"

#include <signal.h>

#define VISIBLE __attribute__((visibility("default")))

/* The sigaction() of the C library, under a name that this file does not define. */
int __sigaction(int number, const struct sigaction *wanted, struct sigaction *before);

/* The types of the program's handlers, without and with SA_SIGINFO. struct sigaction holds them in
 * a union. */
typedef void (*plain_handler)(int);
typedef void (*informed_handler)(int, siginfo_t *, void *);
static union {
    plain_handler plain;
    informed_handler informed;
} handlers[NSIG];

typedef struct call {
    int number;
    siginfo_t *info;
    void *context;
} call;

static void run_plain(void *argument) {
    const call *c = argument;
    __atomic_load_n(&handlers[c->number].plain, __ATOMIC_RELAXED)(c->number);
}

static void run_informed(void *argument) {
    const call *c = argument;
    __atomic_load_n(&handlers[c->number].informed, __ATOMIC_RELAXED)(c->number, c->info,
                                                                     c->context);
}

static void on_plain(int number) {
    runtime_run_handler(run_plain, &(call){.number = number});
}

static void on_informed(int number, siginfo_t *info, void *context) {
    runtime_run_handler(run_informed, &(call){number, info, context});
}

static int is_function(const struct sigaction *action) {
    return action->sa_flags & SA_SIGINFO ||
           (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

static int is_ours(const struct sigaction *action) {
    return action->sa_flags & SA_SIGINFO ? action->sa_sigaction == on_informed
                                         : action->sa_handler == on_plain;
}

/* Sets the program's handler of signal `number` and returns the previous one. sigaction() calls
 * this function before it installs the handler of the runtime, because the kernel may call that
 * handler at once. */
static plain_handler exchange(int number, plain_handler handler) {
    return __atomic_exchange_n(&handlers[number].plain, handler, __ATOMIC_RELAXED);
}

VISIBLE int sigaction(int number, const struct sigaction *wanted, struct sigaction *before) {
    if (number < 1 || number >= NSIG || !wanted || !is_function(wanted) || is_ours(wanted)) {
        int status = __sigaction(number, wanted, before);
        if (status == 0 && before && is_ours(before))
            before->sa_handler = __atomic_load_n(&handlers[number].plain, __ATOMIC_RELAXED);
        return status;
    }
    struct sigaction ours = *wanted;
    if (wanted->sa_flags & SA_SIGINFO)
        ours.sa_sigaction = on_informed;
    else
        ours.sa_handler = on_plain;
    plain_handler last = exchange(number, wanted->sa_handler);
    int status = __sigaction(number, &ours, before);
    if (status != 0)
        exchange(number, last);
    else if (before && is_ours(before))
        before->sa_handler = last;
    return status;
}

static plain_handler set(int number, plain_handler handler, int flags) {
    struct sigaction wanted = {.sa_handler = handler, .sa_flags = flags}, before;
    sigemptyset(&wanted.sa_mask);
    return sigaction(number, &wanted, &before) == 0 ? before.sa_handler : SIG_ERR;
}

/* signal() has BSD semantics. Programs that request System V semantics call __sysv_signal()
 * instead. */
VISIBLE plain_handler signal(int number, plain_handler handler) {
    return set(number, handler, SA_RESTART);
}

VISIBLE plain_handler __sysv_signal(int number, plain_handler handler) {
    return set(number, handler, (int)(SA_RESETHAND | SA_NODEFER));
}
