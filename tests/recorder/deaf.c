/* Records some references, which a fork hands over to the analyzer, and then sleeps. The program
 * ignores SIGTERM. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long words[4096];

int main(void) {
    signal(SIGTERM, SIG_IGN);
    for (long i = 0; i < 100000; i++)
        words[i % 4096] = i;
    if (fork() == 0)
        _exit(0);
    wait(NULL);
    for (int seconds = 0; seconds < 60; seconds++)
        sleep(1);
    return 0;
}
