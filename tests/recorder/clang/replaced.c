/* replaced HOW PROGRAM: a thread replaces the program by the function HOW, while another thread runs. PROGRAM gets
 * the arguments of a shell that prints HOW and variables. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PRINT "echo \"$0 $1 ${GIVEN-no variable}\""

static char *how, *program;

static void *replace(void *unused) {
    char *environment[] = {"GIVEN=a variable", NULL};
    char *arguments[] = {"sh", "-c", PRINT, how, "arguments", NULL};
    if (strcmp(how, "execl") == 0)
        execl(program, "sh", "-c", PRINT, how, "arguments", (char *)NULL);
    else if (strcmp(how, "execlp") == 0)
        execlp(program, "sh", "-c", PRINT, how, "arguments", (char *)NULL);
    else if (strcmp(how, "execle") == 0)
        execle(program, "sh", "-c", PRINT, how, "arguments", (char *)NULL, environment);
    else if (strcmp(how, "execv") == 0)
        execv(program, arguments);
    else if (strcmp(how, "execvp") == 0)
        execvp(program, arguments);
    else if (strcmp(how, "execve") == 0)
        execve(program, arguments, environment);
    else if (strcmp(how, "execvpe") == 0)
        execvpe(program, arguments, environment);
    else
        fexecve(open(program, O_RDONLY), arguments, environment);
    perror(how);
    exit(0);
    return unused;
}

static void *wait_forever(void *unused) {
    pause();
    return unused;
}

int main(int argc, char **argv) {
    pthread_t threads[2];
    if (argc < 3)
        return 2;
    how = argv[1];
    program = argv[2];
    pthread_create(&threads[0], NULL, wait_forever, NULL);
    pthread_create(&threads[1], NULL, replace, NULL);
    pthread_join(threads[1], NULL);
    return 1;
}
