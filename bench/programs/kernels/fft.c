/* Computes a periodic convolution with a two-dimensional fast Fourier transform, forward and back,
 * repeatedly.
 *
 * It transforms every row and then every column with a textbook radix-2 transform. Columns are
 * copied into a line and back. */
#include "kernel.h"

#include <math.h>

enum { FFT_ROUNDS = 10 };

typedef struct fft_plane {
    int n; /* number of lines, and of points of a line; a power of two */
    double *re, *im;
    double *line_re, *line_im;
    double *cosine, *sine; /* cosine and sine of 2 pi k / n */
} fft_plane;

static void fft_reverse_bits(int n, double *re, double *im) {
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double r = re[i], s = im[i];
            re[i] = re[j];
            im[i] = im[j];
            re[j] = r;
            im[j] = s;
        }
    }
}

static void fft_line(const fft_plane *p, double *re, double *im, double sign) {
    fft_reverse_bits(p->n, re, im);
    for (int half = 1; half < p->n; half *= 2) {
        int stride = p->n / (2 * half);
        for (int start = 0; start < p->n; start += 2 * half)
            for (int k = 0; k < half; k++) {
                double c = p->cosine[k * stride], s = sign * p->sine[k * stride];
                int a = start + k, b = a + half;
                double r = re[b] * c - im[b] * s, i = re[b] * s + im[b] * c;
                re[b] = re[a] - r;
                im[b] = im[a] - i;
                re[a] += r;
                im[a] += i;
            }
    }
}

static void fft_column(fft_plane *p, int column, double sign) {
    int n = p->n;
    for (int i = 0; i < n; i++) {
        p->line_re[i] = p->re[i * n + column];
        p->line_im[i] = p->im[i * n + column];
    }
    fft_line(p, p->line_re, p->line_im, sign);
    for (int i = 0; i < n; i++) {
        p->re[i * n + column] = p->line_re[i];
        p->im[i * n + column] = p->line_im[i];
    }
}

static void fft_transform(fft_plane *p, double sign) {
    for (int i = 0; i < p->n; i++)
        fft_line(p, p->re + i * p->n, p->im + i * p->n, sign);
    for (int j = 0; j < p->n; j++)
        fft_column(p, j, sign);
}

/* Damps high frequencies, and removes the factor n * n of the two transforms. */
static void fft_filter(fft_plane *p) {
    int n = p->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int x = i < n / 2 ? i : n - i, y = j < n / 2 ? j : n - j;
            double damp = 1.0 / ((1.0 + (double)(x * x + y * y) / (n * n)) * n * n);
            p->re[i * n + j] *= damp;
            p->im[i * n + j] *= damp;
        }
}

static fft_plane fft_make(int n) {
    size_t points = (size_t)n * (size_t)n;
    fft_plane p = {.n = n,
                   .re = kernel_doubles(points),
                   .im = kernel_doubles(points),
                   .line_re = kernel_doubles((size_t)n),
                   .line_im = kernel_doubles((size_t)n),
                   .cosine = kernel_doubles((size_t)n),
                   .sine = kernel_doubles((size_t)n)};
    double turn = 8 * atan(1.0);
    for (int k = 0; k < n; k++) {
        p.cosine[k] = cos(turn * k / n);
        p.sine[k] = sin(turn * k / n);
    }
    uint64_t state = 1;
    for (size_t i = 0; i < points; i++)
        p.re[i] = kernel_uniform(&state);
    return p;
}

int main(int argc, char **argv) {
    int n = kernel_argument(argc, argv, 1, 2, 4096, "fft N (a power of two)");
    if (n & (n - 1))
        n = kernel_argument(1, argv, 1, 2, 4096, "fft N (a power of two)");
    fft_plane p = fft_make(n);
    for (int round = 0; round < FFT_ROUNDS; round++) {
        fft_transform(&p, 1);
        fft_filter(&p);
        fft_transform(&p, -1);
    }
    double sum = 0;
    for (int i = 0; i < n * n; i++)
        sum += fabs(p.re[i]);
    printf("fft %d: %.9g\n", n, sum);
    return 0;
}
