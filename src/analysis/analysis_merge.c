/* Reads the traces of an analysis merged by time. All of them are open at the same time. */
#include "analysis/analysis_state.h"

#include <inttypes.h>

static rd_status open_all(rd_analysis *a, rd_trace **traces, const char **names) {
    for (size_t i = 0; i < a->n_inputs; i++) {
        const rdi_analysis_input *input = &a->inputs[i];
        names[i] = input->name;
        traces[i] = input->trace;
        if (!input->trace)
            RD_TRY(rd_trace_open(a->ctx, input->name, a->config.format, &traces[i]));
        if (rd_trace_note(traces[i]))
            rdi_analysis_note(a, RD_NOTE_WARNING, "%s: %s", names[i], rd_trace_note(traces[i]));
        a->sources[a->n_sources++] =
            (rd_source){.path = names[i], .format = rd_trace_format(traces[i])->name};
    }
    return RD_OK;
}

static void close_all(const rd_analysis *a, rd_trace **traces) {
    for (size_t i = 0; i < a->n_inputs; i++)
        if (!a->inputs[i].trace)
            rd_trace_close(traces[i]);
}

/* Stores the numbers of bytes and references of each source, and makes a note about times that go
 * backwards. rdi_note_objects() makes that note for requests of objects. */
static void note_sources(rd_analysis *a, rd_trace *const *traces, const rd_trace *merged) {
    for (size_t i = 0; i < a->n_sources; i++) {
        uint64_t total;
        rd_merged_facts facts = rd_trace_merged(merged, i);
        rd_trace_progress(traces[i], &a->sources[i].bytes, &total);
        a->sources[i].references = facts.references + rd_trace_repeats(traces[i]);
        if (facts.backwards && !a->objects)
            rdi_analysis_note(a, RD_NOTE_CHOICE,
                              "%s: %" PRIu64 " reference%s a time before that of an earlier "
                              "reference; the latest time so far counts instead",
                              a->sources[i].path, facts.backwards,
                              facts.backwards == 1 ? " has" : "s have");
    }
}

static rd_status read_merged(rd_analysis *a, rd_trace **traces, const char **names) {
    rd_status opened = open_all(a, traces, names);
    if (opened != RD_OK) {
        a->n_sources = 0; /* nothing was read, so there is nothing to report */
        return rdi_analysis_end_early(a, opened);
    }
    rd_source all = {0};
    rdi_analysis_reading r = {.name = a->n_inputs > 1 ? "merged traces" : names[0], .source = &all};
    RD_TRY(rd_trace_merge(a->ctx, traces, names, a->n_inputs, &r.trace));
    rd_status status = rdi_analysis_read_opened(a, &r);
    note_sources(a, traces, r.trace);
    rd_trace_close(r.trace);
    return status;
}

rd_status rdi_analysis_read_merged(rd_analysis *a) {
    rd_trace **traces = rdi_calloc(a->ctx, a->n_inputs, sizeof *traces);
    const char **names = rdi_calloc(a->ctx, a->n_inputs, sizeof *names);
    rd_status status = traces && names ? read_merged(a, traces, names) : RD_ENOMEM;
    if (traces)
        close_all(a, traces);
    rdi_free(a->ctx, traces);
    rdi_free(a->ctx, names);
    return status;
}
