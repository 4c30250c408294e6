/* Copies the whole buffer with memcpy() in each step, although only a part of it has changed. */
#include <stdlib.h>
#include <string.h>

enum { BYTES = 200000 };

static void snapshot(char *to, const char *from) {
    memcpy(to, from, BYTES); /* planted */
}

int main(void) {
    char *from = calloc(BYTES, 1), *to = malloc(BYTES);
    for (int step = 0; step < 12; step++) {
        from[step] = 1;
        snapshot(to, from);
    }
    int result = to[0];
    free(from);
    free(to);
    return result == 0;
}
