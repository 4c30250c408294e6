/* What reports are written on: growing text that knows the terminal's abilities and the unit of a
 * cache size. Columns are counted in characters, not bytes.
 */
#ifndef RDI_PAPER_H
#define RDI_PAPER_H

#include "base/text.h"
#include "reusedist/report.h"

typedef struct rdi_paper {
    rdi_text t;
    rd_report_style style;
    uint64_t block_bytes; /* 0: sizes are counted in blocks */
} rdi_paper;

/* Colours; nothing on a terminal without. */
typedef enum rdi_ink { RDI_INK_PLAIN, RDI_INK_BOLD, RDI_INK_DIM, RDI_INK_DRAWING } rdi_ink;

rdi_paper rdi_paper_start(rd_profile *p, const rd_report_style *style);

/* The name of the trace, or how many there were; and whether it broke off. */
void rdi_paper_title(rdi_paper *paper, const rd_profile *p);
void rdi_paper_ink(rdi_paper *paper, rdi_ink ink);
/* A bold line with an empty one before it. */
void rdi_paper_heading(rdi_paper *paper, const char *text);
/* Text in `columns` columns: to the left, or to the right when negative. Longer text sticks out. */
void rdi_paper_column(rdi_paper *paper, int columns, const char *text);
/* A bar of share (0 to 1) times `cells` cells; anything above nothing can be seen. Returns how many
 * columns it takes. */
unsigned rdi_paper_bar(rdi_paper *paper, double share, unsigned cells);
/* A paragraph, broken between words. */
void rdi_paper_wrap(rdi_paper *paper, const char *text);

/* Columns that a UTF-8 text takes. */
unsigned rdi_text_columns(const char *text);

#define RDI_FORMAT_ROOM 24

/* "3.1 %", "0.42 %", "<0.01 %", "100 %": never rounded to nothing or to all. */
void rdi_format_share(double share, char *text);
/* A cache size: bytes with units, or blocks with binary units ("64 Ki"). */
void rdi_format_size(const rdi_paper *paper, uint64_t blocks, char *text);
/* A number in binary units: "512", "2 Ki", "1.5 Mi". */
void rdi_format_units(double number, char *text);

#endif
