/* started [FILE]: makes 100,000 stores, and then more until FILE exists. */
#include <stdio.h>
#include <unistd.h>

static volatile int numbers[1000];

static void store(void) {
    for (int i = 0; i < 100000; i++)
        numbers[i % 1000] = i;
}

int main(int argc, char **argv) {
    store();
    while (argc > 1 && access(argv[1], F_OK) != 0)
        store();
    puts("the end");
    return 0;
}
