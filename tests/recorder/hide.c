/* A program that changes its root or its environment, so that its recorder can no longer find the
 * analyzer. Then it stops the analyzer, and records more than the channel holds.
 *
 * usage: hide root|environment */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern char **environ;
static volatile long words[4096];

/* Makes the current, empty directory the root, in a new user namespace if needed. 0: success. */
static int change_root(void) {
    return chroot(".") != 0 && (unshare(CLONE_NEWUSER) != 0 || chroot(".") != 0);
}

/* Overwrites the environment, like programs that show their state in lists of processes. */
static int write_over_environment(void) {
    for (char **variable = environ; *variable; variable++)
        memset(*variable, 'x', strlen(*variable));
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    if (strcmp(argv[1], "root") == 0 ? change_root() : write_over_environment())
        return 77;
    kill(getppid(), SIGSTOP);
    for (long i = 0; i < 10000000; i++)
        words[i % 4096] = i;
    printf("%s: recorded to the end\n", argv[1]);
    return 0;
}
