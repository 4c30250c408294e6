/* Runs Shor's algorithm on a simulated quantum computer: finds the period of A^x mod N, where
 * libquantum computes the gates. The measurement is always the same, so that every run does the
 * same work. It uses one thread, like the program in SPEC. */
#include "kernel.h"

#include <quantum.h>

void omp_set_num_threads(int n); /* declared here, because libquantum uses OpenMP */

static int shor_bits(int n) {
    int bits = 0;
    for (; n; n >>= 1)
        bits++;
    return bits;
}

int main(int argc, char **argv) {
    const char *usage = "shor N A (A has no common factor with N)";
    int n = kernel_argument(argc, argv, 1, 15, 4096, usage);
    int a = kernel_argument(argc, argv, 2, 2, 4095, usage);
    int width = shor_bits(n * n), more = shor_bits(n);
    srand(1);
    omp_set_num_threads(1);
    quantum_reg reg = quantum_new_qureg(0, width);
    for (int i = 0; i < width; i++)
        quantum_hadamard(i, &reg);
    quantum_addscratch(3 * more + 2, &reg);
    quantum_exp_mod_n(n, a, width, more, &reg);
    for (int i = 0; i < 3 * more + 2; i++)
        quantum_bmeasure(0, &reg);
    quantum_qft(width, &reg);
    for (int i = 0; i < width / 2; i++) {
        quantum_cnot(i, width - i - 1, &reg);
        quantum_cnot(width - i - 1, i, &reg);
        quantum_cnot(i, width - i - 1, &reg);
    }
    printf("shor %d %d: %lld\n", n, a, (long long)quantum_measure(reg));
    quantum_delete_qureg(&reg);
    return 0;
}
