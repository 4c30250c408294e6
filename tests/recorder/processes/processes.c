/* Forks two children that run at the same time. In each process, two threads count in two fields of a block
 * of its own. With the argument "wait", the processes instead use the same data in a known order, because
 * each of them begins with a fork() and ends with a waitpid() of its parent. The program prints the address
 * and the size of these data. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 10000 };

static _Alignas(64) struct { volatile long first, second; } counters;
static _Alignas(64) volatile long data[8];

static void *count_first(void *nothing) {
    for (int i = 0; i < TIMES; i++)
        counters.first++;
    return nothing;
}

static void *count_second(void *nothing) {
    for (int i = 0; i < TIMES; i++)
        counters.second++;
    return nothing;
}

static void count(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, count_second, NULL);
    count_first(NULL);
    pthread_join(thread, NULL);
}

static void use(void) {
    for (int i = 0; i < 800; i++)
        data[i % 8]++;
}

static void count_in_families(void) {
    pid_t children[2];
    for (int i = 0; i < 2; i++)
        if ((children[i] = fork()) == 0) {
            count();
            _exit(0);
        }
    count();
    for (int i = 0; i < 2; i++)
        waitpid(children[i], NULL, 0);
}

static void use_in_order(int generations) {
    use();
    if (generations == 0)
        return;
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            use_in_order(generations - 1);
            _exit(0);
        }
        waitpid(child, NULL, 0);
        use();
    }
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc == 1) {
        count_in_families();
        return 0;
    }
    printf("%p %zu\n", (void *)(size_t)data, sizeof data);
    fflush(stdout);
    use_in_order(2);
    return 0;
}
