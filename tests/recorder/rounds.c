/* usage: rounds N ROUNDS RUNS: increments N numbers in each of ROUNDS rounds, half of the numbers
 * twice, and adds a line to the file RUNS, so that a test can detect whether a twin ran. The exit status is 7. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    size_t n = (size_t)atoi(argv[1]), rounds = (size_t)atoi(argv[2]);
    volatile uint64_t *numbers = malloc(n * sizeof *numbers);
    int runs = open(argv[3], O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (!numbers || runs < 0 || write(runs, "run\n", 4) != 4)
        return 1;
    for (size_t i = 0; i < n; i++)
        numbers[i] = i;
    for (size_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < n; i++)
            numbers[i]++;
        for (size_t i = 0; i < n / 2; i++)
            numbers[i]++;
    }
    return write(1, "done\n", 5) == 5 ? 7 : 1;
}
