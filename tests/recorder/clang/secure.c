/* Says whether the program has other rights than its caller. */
#include <stdio.h>
#include <sys/auxv.h>

static volatile int sum;

int main(void) {
    for (int i = 0; i < 1000; i++)
        sum += i;
    puts(getauxval(AT_SECURE) ? "other rights than the caller" : "the rights of the caller");
    return 0;
}
