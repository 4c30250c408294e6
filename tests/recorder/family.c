/* A parent and a forked child write to the same block, each many times. With an argument, the
 * parent then executes the program with this name. The program is linked statically, so that both
 * processes see the block at the same address. */
#include <sys/wait.h>
#include <unistd.h>

_Alignas(64) static volatile long block[8];

static void write_block(int times) {
    for (int i = 0; i < times; i++)
        block[i % 8] = i;
}

int main(int argc, char **argv) {
    write_block(1000);
    pid_t child = fork();
    if (child == 0) {
        write_block(500);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    if (argc > 1)
        execv(argv[1], argv + 1);
    return 0;
}
