/* Draws miss-ratio curves into grids of dots, and prints them as Braille characters, or as ASCII
 * characters if the terminal has no Unicode. */
#include "report/chart.h"

#include "model/mrc.h"
#include "model/objects_curve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROWS         9 /* number of rows of characters; every second row has a label */
#define LABEL        7 /* number of columns to the left of the chart axis */
#define MIN_OCTAVES  4
#define MAX_OCTAVES  63
#define LABEL_GAP    2 /* smallest number of columns between two sizes below the chart axis */
#define BRAILLE_BASE 0x2800

#define BYTE_POINT   "∘" /* a point of the byte curve */

/* A grid of dots, with one bit per dot of a character. A Braille character has 2 by 4 dots, and a
 * plain character has one. */
typedef struct dot_grid {
    unsigned cells; /* number of characters per row */
    unsigned across, down;
    uint8_t *bits; /* the dots of ROWS * cells characters */
} dot_grid;

static void set_dot(dot_grid *g, unsigned x, unsigned y) {
    static const uint8_t braille[4][2] = {/* The bits of the dots in Unicode. */
                                          {0x01, 0x08},
                                          {0x02, 0x10},
                                          {0x04, 0x20},
                                          {0x40, 0x80}};
    uint8_t bit = braille[y % g->down][x % g->across];
    g->bits[y / g->down * g->cells + x / g->across] |= bit;
}

/* Returns the number of octaves from one block (object caches: one byte) to the size where the
 * curve ends, but at least MIN_OCTAVES and at most MAX_OCTAVES. */
static unsigned count_octaves(const rd_profile *p, const rdi_mrc_scan *scan) {
    uint64_t bound = rd_profile_facts_of(p)->bound;
    uint64_t end = bound ? bound : rdi_mrc_end(scan);
    unsigned octaves = end > 1 ? rdi_bit_width(end - 1) : 0;
    return octaves < MIN_OCTAVES ? MIN_OCTAVES : octaves > MAX_OCTAVES ? MAX_OCTAVES : octaves;
}

/* A miss-ratio curve of the chart: of bytes if `of_bytes` is true, otherwise of requests or references. */
typedef struct curve {
    rdi_mrc_scan requests;
    rdi_byte_scan bytes;
    bool of_bytes;
} curve;

static double curve_at(curve *c, uint64_t size) {
    bool interpolated;
    return c->of_bytes ? rdi_byte_scan_at(&c->bytes, size)
                       : rdi_mrc_scan_at(&c->requests, size, &interpolated);
}

/* Plots one dot per column of dots. Dots of neighboring columns are joined vertically, so that a
 * steep step appears as a line. The byte curve has single dots instead, in every second column. */
static void plot(dot_grid *g, const rd_profile *p, unsigned octaves, bool of_bytes) {
    curve c = {.requests = rdi_mrc_scan_start(p),
               .bytes = {.facts = rd_profile_objects(p)},
               .of_bytes = of_bytes};
    uint64_t bound = rd_profile_facts_of(p)->bound;
    uint64_t resolution = rd_mrc_resolution(p);
    unsigned width = g->cells * g->across, height = ROWS * g->down, last = 0;
    bool joined = false; /* true: the next dot is joined with the dot before it */
    for (unsigned x = 0; x < width; x++) {
        uint64_t blocks = (uint64_t)exp2((double)octaves * x / (width - 1));
        if (bound && blocks > bound)
            break; /* the curve is unknown beyond the bound and is not drawn */
        if (blocks < resolution)
            continue; /* the sample says nothing about this size */
        if (of_bytes && x % 2)
            continue;
        double miss = curve_at(&c, blocks);
        unsigned y = (unsigned)lround((1 - miss) * (height - 1));
        y = y < height ? y : height - 1;
        for (unsigned k = joined && !of_bytes ? last : y; k < y; k++)
            set_dot(g, x, k);
        set_dot(g, x, y);
        last = y;
        joined = true;
    }
}

static void put_braille(rdi_text *t, uint8_t bits) {
    unsigned code = BRAILLE_BASE + bits;
    const char utf8[] = {(char)(0xe0 | code >> 12), (char)(0x80 | (code >> 6 & 0x3f)),
                         (char)(0x80 | (code & 0x3f))};
    rdi_text_add(t, utf8, sizeof utf8);
}

/* Prints one character of the chart. Where both curves meet, it belongs to the curve of requests. */
static void print_cell(rdi_paper *paper, uint8_t bits, uint8_t byte_bits) {
    bool unicode = paper->style.unicode;
    if (bits && unicode)
        put_braille(&paper->t, bits);
    else if (bits)
        rdi_text_putc(&paper->t, '*');
    else
        rdi_text_puts(&paper->t, !byte_bits ? " " : unicode ? BYTE_POINT : "o");
}

static void print_row(rdi_paper *paper, const dot_grid *g, const dot_grid *bytes, unsigned row) {
    bool unicode = paper->style.unicode, labeled = row % 2 == 0;
    char label[16] = "";
    if (labeled)
        snprintf(label, sizeof label, "%d %%", 100 - (int)row * 100 / (ROWS - 1));
    rdi_paper_column(paper, -(LABEL - 1), label);
    rdi_paper_ink(paper, RDI_INK_DIM);
    rdi_text_puts(&paper->t, unicode ? (labeled ? " ┤" : " │") : (labeled ? " +" : " |"));
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    const uint8_t *bits = g->bits + row * g->cells, *byte_bits = bytes->bits + row * g->cells;
    unsigned n = g->cells;
    while (n > 0 && bits[n - 1] == 0 && byte_bits[n - 1] == 0)
        n--;
    rdi_paper_ink(paper, RDI_INK_DRAWING);
    for (unsigned i = 0; i < n; i++)
        print_cell(paper, bits[i], byte_bits[i]);
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
}

/* Returns the column of a cache of 2^octave blocks (object caches: bytes). */
static unsigned octave_column(const dot_grid *g, unsigned octaves, unsigned octave) {
    return (g->cells - 1) * octave / octaves;
}

/* Returns the smallest spacing of the labels, in octaves, at which they do not overlap; at most
 * `octaves`. */
static unsigned label_step(const rdi_paper *paper, const dot_grid *g, unsigned octaves) {
    unsigned widest = 0;
    for (unsigned i = 0; i <= octaves; i++) {
        char label[RDI_FORMAT_ROOM];
        rdi_format_power(paper, UINT64_C(1) << i, label);
        unsigned columns = rdi_text_columns(label);
        widest = columns > widest ? columns : widest;
    }
    unsigned step = 1;
    while (step < octaves && g->cells * step / octaves < widest + LABEL_GAP)
        step++;
    return step;
}

static void print_axis(rdi_paper *paper, const dot_grid *g, unsigned octaves, unsigned step) {
    bool unicode = paper->style.unicode;
    rdi_text_fill(&paper->t, ' ', LABEL);
    rdi_paper_ink(paper, RDI_INK_DIM);
    rdi_text_puts(&paper->t, unicode ? "└" : "+");
    unsigned octave = 0;
    for (unsigned i = 0; i < g->cells; i++) {
        bool tick = octave <= octaves && i == octave_column(g, octaves, octave);
        octave += tick ? step : 0;
        rdi_text_puts(&paper->t, unicode ? (tick ? "┬" : "─") : (tick ? "+" : "-"));
    }
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
}

/* Prints the labels, centered under their ticks. The last label moves to the left if it would not
 * fit, and is left out if it would touch the label before it. */
static void print_sizes(rdi_paper *paper, const dot_grid *g, unsigned octaves, unsigned step) {
    unsigned column = 0;
    for (unsigned i = 0; i <= octaves; i += step) {
        char label[RDI_FORMAT_ROOM];
        rdi_format_power(paper, UINT64_C(1) << i, label);
        unsigned columns = rdi_text_columns(label);
        unsigned at = LABEL + 1 + octave_column(g, octaves, i) - columns / 2;
        unsigned right = LABEL + 1 + g->cells - columns;
        at = at < right ? at : right;
        if (column > 0 && at <= column)
            break;
        rdi_text_fill(&paper->t, ' ', at - column);
        rdi_text_puts(&paper->t, label);
        column = at + columns;
    }
    rdi_text_putc(&paper->t, '\n');
}

/* Says which characters belong to which curve, and the smallest cache size for which the curves are valid. */
static void print_legend(rdi_paper *paper, const rd_objects_facts *f) {
    bool unicode = paper->style.unicode;
    char largest[16];
    rd_format_bytes((double)f->largest, largest);
    rdi_text_fill(&paper->t, ' ', LABEL + 1);
    rdi_text_printf(&paper->t,
                    "%s requests missed   %s bytes missed   valid from %s, the largest object\n",
                    unicode ? "⠒⠒" : "**", unicode ? BYTE_POINT : "o", largest);
}

void rdi_chart_mrc(rdi_paper *paper, const rd_profile *p) {
    rdi_mrc_scan scan = rdi_mrc_scan_start(p);
    unsigned octaves = count_octaves(p, &scan), cells = paper->style.width - LABEL - 2;
    const rd_objects_facts *objects = rd_profile_objects(p);
    bool unicode = paper->style.unicode;
    uint8_t *bits = rdi_calloc(paper->t.ctx, 2 * ROWS * cells, sizeof *bits);
    if (!bits) {
        paper->t.status = RD_ENOMEM;
        return;
    }
    dot_grid g = {cells, unicode ? 2 : 1, unicode ? 4 : 1, bits};
    dot_grid bytes = {cells, 1, 1, bits + ROWS * cells};
    plot(&g, p, octaves, false);
    if (objects)
        plot(&bytes, p, octaves, true);
    for (unsigned row = 0; row < ROWS; row++)
        print_row(paper, &g, &bytes, row);
    unsigned step = label_step(paper, &g, octaves);
    print_axis(paper, &g, octaves, step);
    print_sizes(paper, &g, octaves, step);
    if (objects)
        print_legend(paper, objects);
    rdi_free(paper->t.ctx, bits);
}
