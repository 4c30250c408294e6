/* Reports the data that threads share: tables for people, CSV and JSON for programs. */
#include "reusedist/report.h"

#include "base/json_write.h"
#include "profile/profile_build.h"
#include "profile/sections.h"
#include "report/report_details.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BLOCKS_SHOWN  10
#define ROWS_SHOWN    10
#define NAME_COLUMNS  36
#define COUNT_COLUMNS 12

static rd_status find(rd_profile *p, const rd_shared_data **out) {
    *out = rd_profile_shared(p);
    return *out ? RD_OK
                : rdi_fail(rdi_profile_ctx(p), RD_EINVAL,
                           "this profile does not say which data threads share; use 'reusedist "
                           "sharing' on "
                           "the trace, or 'run --attribute' on a program with several threads");
}

/* ---- CSV and JSON ---- */

static void put_field(rdi_text *t, const char *text) {
    rdi_text_putc(t, ',');
    rdi_text_csv(t, text ? text : "");
}

rd_status rd_report_sharing_csv(rd_profile *p, char **text, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, text, n);
    const rd_shared_data *s = NULL;
    RD_TRY(find(p, &s));
    rdi_text t = rdi_text_start(rdi_profile_ctx(p));
    rdi_text_puts(&t, "block,threads,stores,coherence,true_sharing,false_sharing,data,lines,loads,"
                      "readers,writers,first,second,padding,removes\n");
    for (size_t i = 0; i < s->n_blocks; i++) {
        const rd_shared_block *b = &s->blocks[i];
        rdi_text_printf(&t,
                        "0x%" PRIx64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                        b->address, b->threads, b->stores, b->true_sharing + b->false_sharing,
                        b->true_sharing, b->false_sharing);
        put_field(&t, b->data);
        put_field(&t, b->lines);
        rdi_text_printf(&t, ",%" PRIu64, b->loads);
        put_field(&t, b->readers);
        put_field(&t, b->writers);
        put_field(&t, b->first);
        put_field(&t, b->second);
        rdi_text_printf(&t, ",%" PRIu64 ",%" PRIu64 "\n", b->padding, b->removes);
    }
    return rdi_text_take(&t, text, n);
}

rd_status rd_report_sharing_json(rd_profile *p, char **text, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, text, n);
    const rd_shared_data *s = NULL;
    RD_TRY(find(p, &s));
    rd_json_writer w = rdi_json_writer_start(rdi_profile_ctx(p), RD_JSON_SPACED);
    rd_json_begin_object(&w, NULL, RD_JSON_LINES);
    rd_json_put_string(&w, "schema", "reusedist.sharing/1");
    rdi_json_put_tool(&w);
    rd_json_put_u64(&w, "block_bytes", rd_profile_facts_of(p)->block_bytes);
    rdi_section_sharing.write(&w, rdi_profile_section(p, &rdi_section_sharing));
    rd_json_end_object(&w);
    return rd_json_writer_take(&w, text, n);
}

/* ---- text ---- */

static void add_heading(rdi_paper *paper, const char *what, const char *last) {
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_ink(paper, RDI_INK_BOLD);
    rdi_paper_column(paper, NAME_COLUMNS, what);
    rdi_paper_column(paper, -COUNT_COLUMNS, "true");
    rdi_paper_column(paper, -COUNT_COLUMNS, "false");
    rdi_paper_column(paper, -COUNT_COLUMNS, last);
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
}

static void add_rows(rdi_paper *paper, const char *what, const rd_shared_row *rows, size_t n,
                     bool lines) {
    if (n == 0)
        return;
    add_heading(paper, what, lines ? "causes" : "removable");
    for (size_t i = 0; i < n && i < ROWS_SHOWN; i++) {
        rdi_text_puts(&paper->t, "  ");
        rdi_paper_label(paper, rows[i].name, NAME_COLUMNS - 3, true);
        rdi_text_putc(&paper->t, ' ');
        rdi_paper_count(paper, -COUNT_COLUMNS, rows[i].true_sharing);
        rdi_paper_count(paper, -COUNT_COLUMNS, rows[i].false_sharing);
        rdi_paper_count(paper, -COUNT_COLUMNS, lines ? rows[i].removals : rows[i].removes);
        rdi_text_putc(&paper->t, '\n');
    }
    if (n > ROWS_SHOWN)
        rdi_text_printf(&paper->t, "  ... and %zu more\n", n - ROWS_SHOWN);
}

/* Adds an indented line about a block: the label and the list. Adds nothing if the list is empty. */
static void add_list(rdi_paper *paper, const char *label, const char *list) {
    if (!*list)
        return;
    rdi_text_printf(&paper->t, "    %s ", label);
    rdi_text_escaped(&paper->t, list);
    rdi_text_putc(&paper->t, '\n');
}

/* Says which data of the block to separate and how many misses this removes, if it removes any. */
static void add_advice(rdi_paper *paper, const rd_shared_block *b) {
    rdi_text *t = &paper->t;
    char share[RDI_FORMAT_ROOM], count[16];
    if (!b->first || b->removes == 0)
        return;
    rdi_format_share((double)b->removes / (double)(b->true_sharing + b->false_sharing), share);
    rd_format_count((double)b->removes, count);
    rdi_text_puts(t, "    separate ");
    rdi_text_escaped(t, b->first);
    rdi_text_puts(t, " and ");
    rdi_text_escaped(t, b->second);
    rdi_text_printf(
        t, " (bytes %" PRIu64 " and %" PRIu64 " of the block): %" PRIu64 " byte%s of padding\n",
        b->first_offset, b->second_offset, b->padding, b->padding == 1 ? "" : "s");
    rdi_text_printf(
        t, "    between them; with all such data separated, %s of the misses (%s) disappear\n",
        share, count);
}

static void add_block(rdi_paper *paper, const rd_shared_block *b) {
    char name[64];
    snprintf(name, sizeof name, "0x%" PRIx64 ", %" PRIu64 " threads", b->address, b->threads);
    rdi_text_puts(&paper->t, "  ");
    rdi_paper_column(paper, NAME_COLUMNS - 2, name);
    rdi_paper_count(paper, -COUNT_COLUMNS, b->true_sharing);
    rdi_paper_count(paper, -COUNT_COLUMNS, b->false_sharing);
    rdi_paper_count(paper, -COUNT_COLUMNS, b->removes);
    rdi_text_putc(&paper->t, '\n');
    add_list(paper, "data:", b->data);
    add_list(paper, "lines:", b->lines);
    add_list(paper, "threads that load: ", b->readers);
    add_list(paper, "threads that store:", b->writers);
    add_advice(paper, b);
}

static void add_totals(rdi_paper *paper, const rd_profile *p, const rd_shared_data *s) {
    rdi_text *t = &paper->t;
    uint64_t misses = s->true_sharing + s->false_sharing;
    char share[RDI_FORMAT_ROOM], count[16], references[16], falsely[RDI_FORMAT_ROOM];
    rd_format_count((double)s->references, references);
    rd_format_count((double)misses, count);
    double coherence = s->references ? (double)misses / (double)s->references : 0;
    char recorded[RDI_RECORDED_ROOM];
    rdi_format_share(coherence, share);
    rdi_format_share(misses ? (double)s->false_sharing / (double)misses : 0, falsely);
    rdi_text_printf(t, "  references       %s of %" PRIu64 " thread%s, interleaving: ", references,
                    s->threads, s->threads == 1 ? "" : "s");
    rdi_text_escaped(t, rdi_order_name(s->interleave, s->threads));
    rdi_text_printf(t, "\n  coherence misses %s, %s of the references; %s are false sharing\n",
                    count, share, falsely);
    if (rdi_format_recorded(p, coherence, recorded))
        rdi_text_printf(t, "  recorded order   %s", recorded);
    rdi_text_printf(t, "  shared blocks    %" PRIu64 "\n", s->shared_blocks);
}

rd_status rd_report_sharing_text(rd_profile *p, const rd_report_style *style, char **text,
                                 size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, text, n);
    const rd_shared_data *s = NULL;
    RD_TRY(find(p, &s));
    rdi_paper paper = rdi_paper_start(p, style);
    rdi_paper_title(&paper, p);
    add_totals(&paper, p, s);
    if (s->n_blocks == 0)
        rdi_text_puts(&paper.t, "\nNo thread lost a block to another thread.\n");
    else
        add_heading(&paper, "Blocks", "removable");
    for (size_t i = 0; i < s->n_blocks && i < BLOCKS_SHOWN; i++)
        add_block(&paper, &s->blocks[i]);
    if (s->shared_blocks > BLOCKS_SHOWN)
        rdi_text_printf(&paper.t, "  ... and %" PRIu64 " more\n", s->shared_blocks - BLOCKS_SHOWN);
    add_rows(&paper, "Data", s->data, s->n_data, false);
    add_rows(&paper, "Lines", s->lines, s->n_lines, true);
    return rdi_text_take(&paper.t, text, n);
}
