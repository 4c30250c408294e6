/* Tests that a child process can use a context that a thread of its parent uses during fork(). */
#define _GNU_SOURCE /* fork(), alarm() */
#include "base/common.h"
#include "support/fixture.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define CHILDREN 20

static atomic_bool started, stop;

/* Writes messages until `stop` is set. They are long, so that most of the time one is being written. */
static void *fail_all_the_time(void *unused) {
    while (!atomic_load(&stop)) {
        rdi_fail(ctx, RD_EINVAL, "%900d", 1);
        atomic_store(&started, true);
    }
    return unused;
}

/* Returns whether a child process can make a message and read it. */
static bool child_fails_in_its_own_words(void) {
    static const char text[] = "a message of the child";
    int status;
    pid_t child = fork();
    if (child == 0) {
        alarm(20); /* ends a child that waits forever */
        rdi_fail(ctx, RD_EINVAL, "%s", text);
        _exit(strcmp(rd_last_error(ctx), text) != 0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void child_does_not_wait_for_a_thread_of_its_parent(void **state) {
    (void)state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fail_all_the_time, NULL), 0);
    while (!atomic_load(&started))
        sched_yield();
    int good = 0;
    while (good < CHILDREN && child_fails_in_its_own_words())
        good++;
    atomic_store(&stop, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(good, CHILDREN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(child_does_not_wait_for_a_thread_of_its_parent, new_ctx,
                                        free_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
