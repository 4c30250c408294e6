/* Simulates molecular dynamics: 4 M^3 atoms of a Lennard-Jones fluid in a periodic box, which start
 * on a face-centered lattice. Every step sorts the atoms into cells and adds the forces between
 * atoms in the same and in adjacent cells. */
#include "kernel.h"

#include <math.h>

enum { ATOM_STEPS = 4 };

typedef struct atoms {
    int n, side;   /* number of atoms, and of cells per side */
    double length; /* length of the box */
    double *x[3], *v[3], *f[3];
    int *first, *next; /* first atom of each cell, and next atom after each atom; -1: none */
} atoms;

static const double atom_cutoff = 2.5, atom_dt = 0.002, atom_density = 0.8;

static atoms atoms_make(int m) {
    atoms a = {.n = 4 * m * m * m};
    a.length = cbrt(a.n / atom_density);
    a.side = (int)(a.length / atom_cutoff);
    for (int d = 0; d < 3; d++) {
        a.x[d] = kernel_doubles((size_t)a.n);
        a.v[d] = kernel_doubles((size_t)a.n);
        a.f[d] = kernel_doubles((size_t)a.n);
    }
    a.first = kernel_ints((size_t)(a.side * a.side * a.side));
    a.next = kernel_ints((size_t)a.n);
    return a;
}

static void atoms_place(atoms *a, int m) {
    static const double offset[4][3] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
    uint64_t state = 1;
    double unit = a->length / m;
    for (int i = 0; i < a->n; i++) {
        int cell = i / 4, at[3] = {cell / (m * m), cell / m % m, cell % m};
        for (int d = 0; d < 3; d++) {
            a->x[d][i] = unit * (at[d] + offset[i % 4][d] + 0.25);
            a->v[d][i] = kernel_uniform(&state) - 0.5;
        }
    }
}

static int atom_cell(const atoms *a, int i) {
    int cell = 0;
    for (int d = 0; d < 3; d++) {
        int at = (int)(a->x[d][i] / a->length * a->side);
        cell = cell * a->side + (at < a->side ? at : a->side - 1);
    }
    return cell;
}

static void atoms_sort(atoms *a) {
    for (int cell = 0; cell < a->side * a->side * a->side; cell++)
        a->first[cell] = -1;
    for (int i = a->n - 1; i >= 0; i--) {
        int cell = atom_cell(a, i);
        a->next[i] = a->first[cell];
        a->first[cell] = i;
        for (int d = 0; d < 3; d++)
            a->f[d][i] = 0;
    }
}

/* Adds the force between two atoms to both. Returns the energy of the pair. */
static double atom_pair(atoms *a, int i, int j) {
    double r[3], square = 0;
    for (int d = 0; d < 3; d++) {
        r[d] = a->x[d][i] - a->x[d][j];
        if (r[d] > 0.5 * a->length)
            r[d] -= a->length;
        else if (r[d] < -0.5 * a->length)
            r[d] += a->length;
        square += r[d] * r[d];
    }
    if (square >= atom_cutoff * atom_cutoff)
        return 0;
    double inverse = 1 / square, sixth = inverse * inverse * inverse;
    double force = 24 * inverse * sixth * (2 * sixth - 1);
    for (int d = 0; d < 3; d++) {
        a->f[d][i] += force * r[d];
        a->f[d][j] -= force * r[d];
    }
    return 4 * sixth * (sixth - 1);
}

/* Handles every pair of atoms of two cells once. The two cells may be the same. */
static double atom_cells(atoms *a, int cell, int other) {
    double energy = 0;
    for (int i = a->first[cell]; i >= 0; i = a->next[i])
        for (int j = cell == other ? a->next[i] : a->first[other]; j >= 0; j = a->next[j])
            energy += atom_pair(a, i, j);
    return energy;
}

static double atoms_forces(atoms *a) {
    int s = a->side;
    double energy = 0;
    for (int cell = 0; cell < s * s * s; cell++) {
        int x = cell / (s * s), y = cell / s % s, z = cell % s;
        energy += atom_cells(a, cell, cell);
        for (int k = 14; k < 27; k++) { /* only 13 of the 26 neighbors, because the other 13 handle
                                           this cell themselves */
            int nx = (x + k / 9 - 1 + s) % s, ny = (y + k / 3 % 3 - 1 + s) % s;
            int nz = (z + k % 3 - 1 + s) % s;
            energy += atom_cells(a, cell, (nx * s + ny) * s + nz);
        }
    }
    return energy;
}

static void atoms_move(atoms *a) {
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < a->n; i++) {
            a->v[d][i] += atom_dt * a->f[d][i];
            double x = a->x[d][i] + atom_dt * a->v[d][i];
            a->x[d][i] = x < 0 ? x + a->length : x >= a->length ? x - a->length : x;
        }
}

int main(int argc, char **argv) {
    int m = kernel_argument(argc, argv, 1, 5, 100, "particle M (4 M^3 atoms)");
    atoms a = atoms_make(m);
    atoms_place(&a, m);
    double energy = 0;
    for (int step = 0; step < ATOM_STEPS; step++) {
        atoms_sort(&a);
        energy = atoms_forces(&a);
        atoms_move(&a);
    }
    printf("particle %d: %.9g\n", a.n, energy / a.n);
    return 0;
}
