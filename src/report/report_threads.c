/* Adds the threads of a profile of private caches to the report. */
#include "report/report_threads.h"

#include <inttypes.h>
#include <stdio.h>

#define ROWS_MAX      16 /* maximum number of rows in the table */
#define NAME_COLUMNS  20
#define COUNT_COLUMNS 14

static void add_row(rdi_paper *paper, const char *name, const rd_private_counts *c) {
    rdi_paper_column(paper, NAME_COLUMNS, name);
    rdi_paper_count(paper, -COUNT_COLUMNS, c->references);
    rdi_paper_count(paper, -COUNT_COLUMNS, c->cold);
    rdi_paper_count(paper, -COUNT_COLUMNS, c->true_sharing);
    rdi_paper_count(paper, -COUNT_COLUMNS, c->false_sharing);
    rdi_text_putc(&paper->t, '\n');
}

static void add_heading(rdi_paper *paper) {
    static const char *const names[] = {"references", "first touches", "true sharing",
                                        "false sharing"};
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_ink(paper, RDI_INK_BOLD);
    rdi_paper_column(paper, NAME_COLUMNS, "Threads");
    for (size_t i = 0; i < RDI_COUNT(names); i++)
        rdi_paper_column(paper, -COUNT_COLUMNS, names[i]);
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
}

/* Subtracts the counts of a thread with a row of its own from `rest`, which becomes the last row. */
static void subtract(rd_private_counts *rest, const rd_private_counts *c) {
    rest->references -= c->references;
    rest->cold -= c->cold;
    rest->true_sharing -= c->true_sharing;
    rest->false_sharing -= c->false_sharing;
}

void rdi_report_threads(rdi_paper *paper, const rd_private_stacks *all) {
    rd_private_counts rest = all->all;
    size_t rows = all->n_threads <= ROWS_MAX ? all->n_threads : ROWS_MAX - 1;
    char name[48];
    add_heading(paper);
    for (size_t i = 0; i < rows; i++) {
        const rd_thread_profile *t = &all->threads[i];
        if (t->process)
            snprintf(name, sizeof name, "  %" PRIu32 " of process %" PRIu32, t->thread,
                     t->process + 1);
        else
            snprintf(name, sizeof name, "  %" PRIu32, t->thread);
        add_row(paper, name, &t->counts);
        subtract(&rest, &t->counts);
    }
    if (rows < all->n_threads) {
        snprintf(name, sizeof name, "  %zu others", all->n_threads - rows);
        add_row(paper, name, &rest);
    }
}
