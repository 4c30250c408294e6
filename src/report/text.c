/* The report people read in the terminal. */
#include "reusedist/report.h"

#include "base/text.h"
#include "profile/profile.h"

static void add_count(rdi_text *t, const char *label, uint64_t count) {
    char text[16];
    rd_format_count((double)count, text);
    rdi_text_printf(t, "%-16s %s\n", label, count == RD_UNKNOWN ? "unknown (bounded)" : text);
}

rd_status rd_report_text(rd_profile *p, const rd_report_style *style, char **text, size_t *n) {
    (void)style;
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    rdi_text t = rdi_text_start(rdi_profile_ctx(p));
    add_count(&t, "references", facts->references);
    add_count(&t, "distinct blocks", facts->blocks);
    add_count(&t, "infinite", facts->infinite);
    return rdi_text_take(&t, text, n);
}
