/* Reads the usual lines of a text table fast: lines whose values are plain decimal numbers, times
 * with a fraction, or words, without quotes and without blanks around them. The general reader
 * (fmt_csv.c) reads all other lines and makes all messages. */
#ifndef RDI_CSV_FAST_H
#define RDI_CSV_FAST_H

#include "trace/rows.h"

#define RDI_CSV_WORDS 16 /* number of remembered words; a power of two */

/* A word of up to 8 bytes and its meaning. */
typedef struct rdi_csv_word {
    uint64_t text, value;
    size_t n; /* length of the word; 0: no word */
} rdi_csv_word;

/* The columns to read, in their order in a line. */
typedef struct rdi_csv_plan {
    char sep;
    size_t steps; /* number of columns to read; 0: no line is read fast */
    struct {
        size_t skip; /* number of columns to skip before this one */
        int role;    /* an RDI_ROW_*, without RDI_ROW_COUNT */
        /* Sets *out to the meaning of a word: a kind or an operation. Returns NULL, or a text that
         * says what is wrong with the word. */
        const char *(*meaning)(const char *text, size_t n, uint64_t *out);
    } step[RDI_ROW_ROLES];
    rdi_csv_word words[RDI_CSV_WORDS]; /* a cache of kinds or operations that were read before */
} rdi_csv_plan;

/* Implements rdi_rows_fast according to `plan`. */
const char *rdi_csv_fast(rdi_rows *w, rdi_csv_plan *plan, const char *p, const char *limit,
                         size_t *n);

#endif
