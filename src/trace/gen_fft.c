/* fft: makes the memory references of a two-dimensional fast Fourier transform, again and again.
 *
 * The program transforms every row and then every column in place: bit reversal, then log2(length)
 * passes of butterflies. A complex number takes two blocks, and rows and columns share one table of
 * twiddle factors. Distances are short inside a row or column and long between rows and columns.
 * This is the program in the accuracy chart of Figure 7 in Zhong, Shen, Ding 2009.
 */
#include "trace/generate.h"

#include <inttypes.h>
#include <stddef.h>

#define STEP_REFS 10 /* maximum number of references in a step: a swap or a butterfly */

typedef struct fft_state {
    rdi_generator g;
    uint64_t rows, columns; /* options; powers of two */
    bool by_column;         /* true: the columns are being transformed */
    uint64_t line;          /* index of the current row or column */
    bool reversing;         /* true: the numbers of this row or column are being put in bit-reversed
                               order */
    uint64_t place;         /* position in the row or column, or number of the butterfly in its
                               pass */
    uint64_t half;          /* difference of the positions that a butterfly combines */
    uint64_t step[STEP_REFS];
    size_t in_step, taken;
} fft_state;

static const rd_opt fft_opts[] = {
    {.name = "rows",
     .type = RD_OPT_SIZE,
     .offset = offsetof(fft_state, rows),
     .def = "128",
     .min = 2,
     .max = 1 << 20,
     .help = "number of rows of the matrix, a power of two"},
    {.name = "columns",
     .type = RD_OPT_SIZE,
     .offset = offsetof(fft_state, columns),
     .def = "256",
     .min = 2,
     .max = 1 << 20,
     .help = "number of columns of the matrix, a power of two"},
    RDI_GENERATOR_OPTS(fft_state, g),
    {.name = NULL},
};

static bool is_power_of_two(uint64_t x) {
    return (x & (x - 1)) == 0;
}

static rd_status fft_open(void *self, rdi_reader *r) {
    fft_state *s = self;
    rdi_generator_open(&s->g, r);
    s->reversing = true;
    if (!is_power_of_two(s->rows) || !is_power_of_two(s->columns))
        return rdi_fail(r->ctx, RD_EINVAL,
                        "generator fft: rows=%" PRIu64 " and columns=%" PRIu64
                        ": both numbers must be powers of two",
                        s->rows, s->columns);
    return RD_OK;
}

/* ---- the references of a step ---- */

static void touch(fft_state *s, uint64_t complex_number) {
    s->step[s->in_step++] = 2 * complex_number;
    s->step[s->in_step++] = 2 * complex_number + 1;
}

/* Returns the index of the number at a position of the current row or column. */
static uint64_t number_at(const fft_state *s, uint64_t place) {
    return s->by_column ? place * s->columns + s->line : s->line * s->columns + place;
}

static uint64_t line_length(const fft_state *s) {
    return s->by_column ? s->rows : s->columns;
}

static uint64_t reversed(uint64_t place, uint64_t length) {
    uint64_t result = 0;
    for (; length > 1; length /= 2, place /= 2)
        result = 2 * result + place % 2;
    return result;
}

/* Makes the references that swap the numbers at positions a and b: both are read, then written. */
static void swap(fft_state *s, uint64_t a, uint64_t b) {
    for (int i = 0; i < 2; i++) {
        touch(s, number_at(s, a));
        touch(s, number_at(s, b));
    }
}

/* Makes the references of a butterfly: reads a twiddle factor and two numbers, and writes both
 * numbers. The table of twiddle factors follows the numbers and has half as many entries as the
 * longer side has numbers. */
static void butterfly(fft_state *s) {
    uint64_t longer = s->rows > s->columns ? s->rows : s->columns;
    uint64_t j = s->place % s->half, a = s->place / s->half * 2 * s->half + j;
    touch(s, s->rows * s->columns + j * (longer / (2 * s->half)));
    for (int i = 0; i < 2; i++) {
        touch(s, number_at(s, a + s->half));
        touch(s, number_at(s, a));
    }
}

/* ---- the order of the steps ---- */

static void next_line(fft_state *s) {
    s->reversing = true;
    s->place = 0;
    if (++s->line == (s->by_column ? s->columns : s->rows)) {
        s->line = 0;
        s->by_column = !s->by_column;
    }
}

static void reverse_step(fft_state *s) {
    uint64_t length = line_length(s), other = reversed(s->place, length);
    if (other > s->place)
        swap(s, s->place, other);
    if (++s->place == length) {
        s->reversing = false;
        s->place = 0;
        s->half = 1;
    }
}

static void butterfly_step(fft_state *s) {
    uint64_t length = line_length(s);
    butterfly(s);
    if (++s->place < length / 2)
        return;
    s->place = 0;
    s->half *= 2;
    if (s->half == length)
        next_line(s);
}

static void fft_fill(void *self, uint64_t *blocks, size_t n) {
    fft_state *s = self;
    for (size_t i = 0; i < n; i++) {
        if (s->taken == s->in_step) {
            s->taken = s->in_step = 0;
            while (s->in_step == 0) {
                if (s->reversing)
                    reverse_step(s);
                else
                    butterfly_step(s);
            }
        }
        blocks[i] = s->step[s->taken++];
    }
}

static rd_status fft_read(void *self, rd_refs *refs) {
    return rdi_generator_read(self, refs, fft_fill);
}

const rdi_format_ops rdi_generator_fft = {
    .info =
        {
            .name = "fft",
            .summary =
                "a two-dimensional FFT: short distances in a row or column, long between them",
            .card =
                "The program repeats an in-place transform of rows x columns complex numbers:\n"
                "all rows, then all columns. A complex number occupies two blocks. The table of\n"
                "twiddle factors has as many blocks as the longer side has numbers.",
            .opts = fft_opts,
        },
    .state_size = sizeof(fft_state),
    .open = fft_open,
    .read = fft_read,
};
