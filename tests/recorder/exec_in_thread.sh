# A thread that is not the first one calls exec(), which ends all other threads. No message says that these threads were
# still running, because exec() ended them. If exec() fails, a message counts the threads that run when the program ends.
cat >program.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static void *replace(void *path) {
    execl(path, path, (char *)NULL);
    exit(0);
}
int main(int argc, char **argv) {
    pthread_t thread;
    (void)argc;
    pthread_create(&thread, NULL, replace, argv[1]);
    pthread_join(thread, NULL);
    return 1;
}
END
gcc -O1 program.c -o program -pthread
for path in /bin/true /nonexistent; do
    for option in "" --trace-children; do
        echo "$path${option:+ $option}"
        "$REUSEDIST" run $option -o result.txt -- ./program $path 2>&1
    done
done
