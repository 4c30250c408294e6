/* Reports caches with every number of ways: a table for people, CSV and JSON for programs. */
#include "reusedist/report.h"

#include "base/json_write.h"
#include "profile/profile_build.h"
#include "profile/profile_write.h"
#include "report/paper.h"

#include <inttypes.h>
#include <stdio.h>

#define COLUMNS 12

rd_status rd_report_all_ways_csv(rd_profile *p, const rd_ways *w, char **text, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, w, text, n);
    const uint64_t *misses = NULL;
    uint64_t sets = 0;
    rdi_text t = rdi_text_start(rdi_profile_ctx(p));
    rdi_text_puts(&t, "sets,ways,misses\n");
    for (size_t i = 0, ways; (ways = rd_ways_misses(w, i, &sets, &misses)) != 0; i++)
        for (size_t a = 1; a <= ways; a++) {
            rdi_text_u64(&t, sets);
            rdi_text_putc(&t, ',');
            rdi_text_u64(&t, a);
            rdi_text_putc(&t, ',');
            rdi_text_u64(&t, misses[a - 1]);
            rdi_text_putc(&t, '\n');
        }
    return rdi_text_take(&t, text, n);
}

rd_status rd_report_all_ways_json(rd_profile *p, const rd_ways *w, char **text, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, w, text, n);
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    const uint64_t *misses = NULL;
    uint64_t sets = 0;
    rd_json_writer json = rdi_json_writer_start(rdi_profile_ctx(p), RD_JSON_SPACED);
    rd_json_begin_object(&json, NULL, RD_JSON_LINES);
    rd_json_put_string(&json, "schema", "reusedist.ways/1");
    rd_json_put_u64(&json, "references", facts->references);
    rdi_json_put_u64_or_null(&json, "block_bytes", facts->block_bytes, 0);
    rd_json_put_bool(&json, "partial", facts->partial);
    rdi_profile_write_interleaving(&json, p);
    rd_json_begin_array(&json, "caches", RD_JSON_LINES);
    for (size_t i = 0, ways; (ways = rd_ways_misses(w, i, &sets, &misses)) != 0; i++) {
        rd_json_begin_object(&json, NULL, RD_JSON_INLINE);
        rd_json_put_u64(&json, "sets", sets);
        rdi_json_put_u64s(&json, "misses", misses, ways);
        rd_json_end_object(&json);
    }
    rd_json_end_array(&json);
    rd_json_end_object(&json);
    return rd_json_writer_take(&json, text, n);
}

static void add_row(rdi_paper *paper, const rd_profile *p, uint64_t sets, uint64_t ways,
                    uint64_t misses) {
    uint64_t references = rd_profile_facts_of(p)->references;
    char text[RDI_FORMAT_ROOM];
    snprintf(text, sizeof text, "%" PRIu64, sets);
    rdi_paper_column(paper, -COLUMNS, text);
    snprintf(text, sizeof text, "%" PRIu64, ways);
    rdi_paper_column(paper, -COLUMNS, text);
    rdi_format_size(paper, sets * ways, text);
    rdi_paper_column(paper, -COLUMNS, text);
    rd_format_count((double)misses, text);
    rdi_paper_column(paper, -COLUMNS, text);
    rdi_format_share(references ? (double)misses / (double)references : 0, text);
    rdi_paper_column(paper, -COLUMNS, text);
    rdi_text_putc(&paper->t, '\n');
}

/* Adds rows for 1, 2, 4 ... ways, up to the first power of two from which on the misses do not
 * change. */
static void add_rows(rdi_paper *paper, const rd_profile *p, uint64_t sets, const uint64_t *misses,
                     uint64_t n) {
    for (uint64_t ways = 1;; ways *= 2) {
        add_row(paper, p, sets, ways, misses[(ways < n ? ways : n) - 1]);
        if (ways >= n)
            return;
    }
}

rd_status rd_report_all_ways_text(rd_profile *p, const rd_ways *w, const rd_report_style *style,
                                  char **text, size_t *n) {
    static const char *const titles[] = {"sets", "ways", "cache size", "misses", "miss ratio"};
    RDI_NEED(rdi_profile_ctx(p), p, w, text, n);
    const uint64_t *misses = NULL;
    uint64_t sets = 0;
    rdi_paper paper = rdi_paper_start(p, style);
    rdi_paper_title(&paper, p);
    rdi_text_putc(&paper.t, '\n');
    rdi_paper_ink(&paper, RDI_INK_BOLD);
    for (size_t i = 0; i < RDI_COUNT(titles); i++)
        rdi_paper_column(&paper, -COLUMNS, titles[i]);
    rdi_paper_ink(&paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper.t, '\n');
    for (size_t i = 0, ways; (ways = rd_ways_misses(w, i, &sets, &misses)) != 0; i++)
        add_rows(&paper, p, sets, misses, ways);
    return rdi_text_take(&paper.t, text, n);
}
