/* Places a circuit by simulated annealing: cells on a square of slots, with wires between them. Two
 * slots at a time are swapped, and a swap that makes the wires longer is kept with a probability
 * that falls with the temperature. The length of a wire is half the perimeter of the rectangle
 * around its pins. */
#include "kernel.h"

#include <math.h>

enum { PLACE_TEMPERATURES = 24, PLACE_TRIES = 3, PLACE_PINS = 4 };

typedef struct place {
    int n, side;              /* number of cells, and of slots per side */
    int *x, *y;               /* position of each cell */
    int *slot;                /* cell in each slot, or -1 */
    int (*wires)[PLACE_PINS]; /* the wires that each cell is connected to */
    int *first;  /* index of each wire's first pin; has one more entry than there are wires */
    int *pins;   /* the cells that the pins belong to */
    int *length; /* length of each wire */
    uint64_t state;
} place;

/* Connects the cells. There are as many wires as cells. A cell is connected to its own wire and to
 * the wires of three cells with similar numbers. */
static void place_connect(place *p) {
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < PLACE_PINS; k++) {
            int away = k ? (int)(kernel_random(&p->state) % 40) + 1 : 0;
            p->wires[i][k] = (i + away) % p->n;
            p->first[p->wires[i][k] + 1]++;
        }
    for (int w = 0; w < p->n; w++)
        p->first[w + 1] += p->first[w];
    int *filled = kernel_ints((size_t)p->n);
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < PLACE_PINS; k++) {
            int w = p->wires[i][k];
            p->pins[p->first[w] + filled[w]++] = i;
        }
    free(filled);
}

static place place_make(int n) {
    place p = {.n = n, .side = (int)ceil(sqrt(1.1 * n)), .state = 1};
    size_t cells = (size_t)n, slots = (size_t)p.side * (size_t)p.side;
    p.x = kernel_ints(cells);
    p.y = kernel_ints(cells);
    p.slot = kernel_ints(slots);
    p.wires = (void *)kernel_ints(cells * PLACE_PINS);
    p.first = kernel_ints(cells + 1);
    p.pins = kernel_ints(cells * PLACE_PINS);
    p.length = kernel_ints(cells);
    for (int s = 0; s < p.side * p.side; s++)
        p.slot[s] = s < n ? s : -1;
    for (int s = p.side * p.side - 1; s > 0; s--) {
        int other = (int)(kernel_random(&p.state) % (uint64_t)(s + 1)), held = p.slot[s];
        p.slot[s] = p.slot[other];
        p.slot[other] = held;
    }
    place_connect(&p);
    return p;
}

static int place_wire_length(const place *p, int w) {
    int low_x = p->side, low_y = p->side, high_x = 0, high_y = 0;
    for (int i = p->first[w]; i < p->first[w + 1]; i++) {
        int x = p->x[p->pins[i]], y = p->y[p->pins[i]];
        low_x = x < low_x ? x : low_x;
        high_x = x > high_x ? x : high_x;
        low_y = y < low_y ? y : low_y;
        high_y = y > high_y ? y : high_y;
    }
    return high_x - low_x + high_y - low_y;
}

static void place_put(place *p, int cell, int slot) {
    p->slot[slot] = cell;
    if (cell >= 0) {
        p->x[cell] = slot % p->side;
        p->y[cell] = slot / p->side;
    }
}

/* Computes the new lengths of a cell's wires. Returns how much longer they are. */
static int place_measure(place *p, int cell) {
    int change = 0;
    for (int k = 0; cell >= 0 && k < PLACE_PINS; k++) {
        int w = p->wires[cell][k], length = place_wire_length(p, w);
        change += length - p->length[w];
        p->length[w] = length;
    }
    return change;
}

static int place_swap(place *p, int a, int b) {
    int cell_a = p->slot[a], cell_b = p->slot[b];
    place_put(p, cell_a, b);
    place_put(p, cell_b, a);
    return place_measure(p, cell_a) + place_measure(p, cell_b);
}

/* Chooses the second slot, in a square around the first one that shrinks with the temperature. */
static int place_partner(place *p, int slot, int reach) {
    int span = 2 * reach + 1, limit = p->side - 1;
    int x = slot % p->side + (int)(kernel_random(&p->state) % (uint64_t)span) - reach;
    int y = slot / p->side + (int)(kernel_random(&p->state) % (uint64_t)span) - reach;
    x = x < 0 ? 0 : x > limit ? limit : x;
    y = y < 0 ? 0 : y > limit ? limit : y;
    return y * p->side + x;
}

int main(int argc, char **argv) {
    int n = kernel_argument(argc, argv, 1, 10, 1000000, "place CELLS");
    place p = place_make(n);
    int slots = p.side * p.side;
    for (int s = 0; s < slots; s++)
        place_put(&p, p.slot[s], s);
    long total = 0;
    for (int cell = 0; cell < n; cell++)
        total += place_measure(&p, cell);
    double heat = 2 * sqrt(n);
    for (int t = 0; t < PLACE_TEMPERATURES; t++, heat *= 0.8) {
        int reach = p.side * (PLACE_TEMPERATURES - t) / (2 * PLACE_TEMPERATURES) + 1;
        for (int i = 0; i < PLACE_TRIES * n; i++) {
            int a = (int)(kernel_random(&p.state) % (uint64_t)slots);
            int b = place_partner(&p, a, reach), change = place_swap(&p, a, b);
            if (change > 0 && kernel_uniform(&p.state) >= exp(-change / heat))
                change += place_swap(&p, a, b);
            total += change;
        }
    }
    printf("place %d: %ld\n", n, total);
    return 0;
}
