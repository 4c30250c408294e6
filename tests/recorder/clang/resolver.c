/* A resolver of an indirect function, which runs before the dynamic loader has bound the functions of the C
 * library. It makes more references than the scratch buffer of the recorder has room for. */
#include <stdio.h>

static int votes[5000];

static int one(int number) {
    return number + 1;
}

static int two(int number) {
    return number + 2;
}

static int (*resolve(void))(int) {
    int sum = 0;
    for (int i = 0; i < 5000; i++)
        sum += votes[i] += i & 1;
    return sum == 2500 ? two : one;
}

int chosen(int number) __attribute__((ifunc("resolve")));

int main(void) {
    int sum = 0;
    for (int i = 0; i < 5000; i++)
        sum += votes[i];
    printf("%d %d\n", chosen(3), sum);
    return 0;
}
