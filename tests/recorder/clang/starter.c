/* starter HOW COMMAND...: starts a command by "spawn", "vfork" or "fork", and waits for it. By "leave", it starts
 * the command and does not wait. */
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv) {
    pid_t child = 0;
    if (argc < 3)
        return 2;
    if (strcmp(argv[1], "fork") == 0)
        child = fork();
    else if (strcmp(argv[1], "vfork") == 0)
        child = vfork();
    else if (posix_spawn(&child, argv[2], NULL, NULL, argv + 2, environ) != 0)
        return 1;
    if (child == 0) {
        execv(argv[2], argv + 2);
        _exit(127);
    }
    return strcmp(argv[1], "leave") == 0 ? 0 : waitpid(child, NULL, 0) != child;
}
