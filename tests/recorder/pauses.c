/* Walks over an array and pauses several times, so that the analyzer finds a buffer that is still
 * being filled. */
#include <unistd.h>

enum { WORDS = 5000, PAUSES = 4, PAUSE_US = 150000 };

static volatile long words[WORDS];

int main(void) {
    for (int pause = 0; pause < PAUSES; pause++) {
        for (int i = 0; i < WORDS; i++)
            words[i] += i;
        usleep(PAUSE_US);
    }
    return 0;
}
