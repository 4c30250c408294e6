/* Reads several traces of an analysis, one after the other, as one trace. Lockstep needs this: threads whose
 * references are in different traces must take turns as if all references were in one trace. Only one of
 * the traces is open at a time. */
#include "analysis/analysis_state.h"

#include <inttypes.h>

typedef struct joined_inputs {
    rd_analysis *a;
    size_t next;              /* index of the next input */
    rdi_analysis_reading now; /* the input that is being read; now.trace is NULL if there is none */
    bool processes;           /* rd_trace_has_processes() of the first input */
    /* true: an input does not fit the analysis, so that there is no result, not even a partial one */
    bool refused;
} joined_inputs;

/* Stores the counts of the current input, and closes it if it is a file. */
static void end_input(joined_inputs *j) {
    rdi_analysis_reading *r = &j->now;
    uint64_t total;
    if (r->source) {
        rd_trace_progress(r->trace, &r->source->bytes, &total);
        r->source->references += rd_trace_repeats(r->trace);
    }
    if (r->is_file)
        rd_trace_close(r->trace);
    *r = (rdi_analysis_reading){0};
}

static rd_status next_input(void *user, rd_trace **trace) {
    joined_inputs *j = user;
    rd_analysis *a = j->a;
    end_input(j);
    if (j->next == a->n_inputs)
        return RD_OK;
    RD_TRY(rdi_analysis_open_input(a, &a->inputs[j->next++], &j->now));
    rd_status begun = rdi_analysis_begin_input(a, &j->now);
    j->refused = begun != RD_OK;
    if (begun == RD_OK) {
        rdi_analysis_add_source(a, &j->now);
        *trace = j->now.trace;
    }
    return begun;
}

/* Checks the columns of the first batch of the current input. */
static rd_status check_columns(joined_inputs *j, uint32_t fields) {
    rd_status fits = rdi_private_check(j->a, &j->now, fields);
    j->refused = fits != RD_OK;
    if (!j->refused)
        rdi_analysis_note_columns(j->a, &j->now, fields);
    return fits;
}

/* Fails if a reference that is divided into blocks runs past the end of the address space, and cuts
 * the batch off before this reference. The mapper also refuses such references, but does not know
 * which input they come from. */
static rd_status check_ends(const joined_inputs *j, rd_refs *refs) {
    const rd_analysis *a = j->a;
    uint32_t kinds = a->config.kinds && !a->config.kinds_chosen ? a->config.kinds : RD_ALL_KINDS;
    for (size_t i = 0; refs->size && a->block_bytes && i < refs->n; i++) {
        bool wraps = refs->addr[i] > UINT64_MAX - (refs->size[i] - 1);
        if (!wraps || !(kinds & (refs->kind ? refs->kind[i] : RD_LOAD)))
            continue;
        refs->n = i;
        return rdi_fail(a->ctx, RD_EFORMAT,
                        "%s: reference %" PRIu64 ": %" PRIu32 " bytes at 0x%" PRIx64
                        " run past the end of the address space",
                        j->now.name, j->now.source->references + i + 1, refs->size[i],
                        refs->addr[i]);
    }
    return RD_OK;
}

/* Checks and counts a batch of the current input. */
static rd_status see_batch(void *user, rd_refs *refs) {
    joined_inputs *j = user;
    rd_status status = RD_OK;
    if (j->now.source->references == 0)
        status = check_columns(j, refs->fields);
    if (status == RD_OK)
        status = check_ends(j, refs);
    else
        refs->n = 0;
    j->now.source->references += refs->n;
    return status;
}

/* Reduces the counts of the sources such that the sources have `analyzed` references in total. If
 * the analysis was canceled, the counts also include the references in the reorder buffer, which
 * were not analyzed. They are assumed to be the last references that were read. */
static void limit_sources(const rd_analysis *a, uint64_t analyzed) {
    for (size_t i = 0; i < a->n_sources; i++) {
        uint64_t *references = &a->sources[i].references;
        *references = *references < analyzed ? *references : analyzed;
        analyzed -= *references;
    }
}

rd_status rdi_analysis_read_joined(rd_analysis *a) {
    joined_inputs j = {.a = a};
    rd_join join = {.size = sizeof join, .next = next_input, .batch = see_batch, .user = &j};
    rd_source all = {0};
    rdi_analysis_reading r = {.name = "joined traces", .source = &all, .joined = true};
    rd_status status = rd_trace_join(a->ctx, &join, &r.trace);
    if (status == RD_OK)
        status = rdi_analysis_read_opened(a, &r);
    if (j.refused)
        a->ended_early = false;
    rd_trace_close(r.trace);
    end_input(&j);
    limit_sources(a, all.references);
    return status;
}
