/* A planted locality problem: an array of structures in which one field is hot.
 *
 * The program repeatedly reads only the energy of each particle of 128 bytes, so it uses only eight
 * bytes of each block. The line that causes the misses is marked "planted", in total_energy(). The
 * data that miss are the particles that new_particles() allocates.
 */
#include <stdio.h>
#include <stdlib.h>

#define PARTICLES 40000
#define ROUNDS    10

typedef struct particle {
    double position[3], velocity[3], force[3];
    double energy;
    char name[48];
} particle;

static particle *new_particles(void) {
    particle *p = calloc(PARTICLES, sizeof *p); /* the data */
    for (size_t i = 0; p && i < PARTICLES; i++)
        p[i].energy = (double)(i % 10);
    return p;
}

static double total_energy(const particle *p) {
    double sum = 0;
    for (size_t i = 0; i < PARTICLES; i++)
        sum += p[i].energy; /* planted */
    return sum;
}

int main(void) {
    particle *p = new_particles();
    double sum = 0;
    if (!p)
        return 1;
    for (int round = 0; round < ROUNDS; round++)
        sum += total_energy(p);
    printf("%g\n", sum);
    free(p);
    return 0;
}
