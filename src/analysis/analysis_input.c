/* Handles one opened trace of an analysis: chooses its block size and the way of reading it, and
 * makes notes about the trace. */
#include "analysis/analysis_state.h"

#include <inttypes.h>

/* Chooses the block size: the one in the configuration, or else the natural block size of the first
 * trace, which must then be natural for all other traces as well. Fails if object ids that are not
 * hexadecimal would be grouped into blocks of the configured size. */
static rd_status choose_block(rd_analysis *a, const rdi_analysis_reading *r) {
    bool ids = rd_trace_has_ids(r->trace);
    uint64_t natural = ids ? 0 : RDI_USUAL_BLOCK_BYTES;
    if (a->block_bytes && a->config.block != RD_BLOCK_AUTO && ids &&
        !rd_trace_has_hex_ids(r->trace))
        return rdi_fail(a->ctx, RD_EINVAL,
                        "%s: this trace has object ids, and a block of %" PRIu64
                        " bytes would combine unrelated objects; use one block per "
                        "id (-b addr), or read the ids as addresses, for example with "
                        "-f csv:addr=1",
                        r->name, a->block_bytes);
    if (!a->block_known) {
        a->block_bytes = natural;
        a->block_known = true;
    } else if (a->config.block == RD_BLOCK_AUTO && a->block_bytes != natural) {
        return rdi_fail(a->ctx, RD_EINVAL,
                        "%s: this trace has %s, but the previous one has %s; use one block per "
                        "address (-b addr)",
                        r->name, ids ? "object ids" : "addresses",
                        ids ? "addresses" : "object ids");
    }
    return RD_OK;
}

static void note_trace(const rd_analysis *a, const rdi_analysis_reading *r) {
    const rd_format_info *format = rd_trace_format(r->trace);
    if (a->block_bytes)
        rdi_analysis_note(a, RD_NOTE_CHOICE, "%s: format %s, blocks of %" PRIu64 " bytes", r->name,
                          format->name, a->block_bytes);
    else
        rdi_analysis_note(a, RD_NOTE_CHOICE, "%s: format %s, one block per %s", r->name,
                          format->name, rd_trace_has_ids(r->trace) ? "object id" : "address");
    if (a->config.kinds && !(format->fields & RD_FIELD_KIND))
        rdi_analysis_note(a, RD_NOTE_WARNING,
                          "%s: format %s has no kinds, so all references count as loads", r->name,
                          format->name);
    if (rd_trace_note(r->trace))
        rdi_analysis_note(a, RD_NOTE_WARNING, "%s: %s", r->name, rd_trace_note(r->trace));
}

static rd_status open_attribution(rd_analysis *a, const rd_mapping *mapping) {
    if (!a->config.attribution || a->attribution)
        return RD_OK;
    bool causes = a->config.hierarchy && !a->config.without_causes && !a->config.private_caches;
    size_t caches = causes ? a->config.hierarchy->n : 0;
    return rdi_attribution_feed_new(a->ctx, a->config.attribution, mapping, a->config.bound, caches,
                                    &a->attribution);
}

static rd_status open_hierarchy(rd_analysis *a, const rd_trace *trace) {
    if (!a->config.hierarchy || a->hierarchy)
        return RD_OK;
    bool wanted = a->attribution && !a->config.without_causes && !a->config.private_caches;
    bool exact = a->engine && !a->config.bound && rdi_analysis_is_exact(a);
    if (a->attribution && a->config.private_caches)
        rdi_analysis_note(a, RD_NOTE_WARNING,
                          "the misses of private caches are not attributed to code and data");
    return rdi_hierarchy_feed_new(a->ctx, &a->config, a->block_bytes, exact,
                                  wanted ? rdi_attribution_feed_misses : NULL, a->attribution,
                                  rd_trace_has_processes(trace), &a->hierarchy);
}

/* Makes a note if the requests for objects have columns that only object caches take into account. */
static void note_requests(const rd_analysis *a, const rdi_analysis_reading *r, uint32_t fields) {
    uint32_t requests = rd_trace_request_fields(r->trace);
    bool sizes = fields & RD_FIELD_SIZE || requests & RD_FIELD_BYTES;
    bool operations = requests & RD_FIELD_OPERATION, lifetimes = requests & RD_FIELD_LIFETIME;
    if (operations || lifetimes)
        rdi_analysis_note(
            a, RD_NOTE_WARNING,
            "%s: the %s%s%s%s of the requests are ignored: %s objects stay in the cache, and cache "
            "sizes are numbers of objects; %s",
            r->name, sizes ? (operations && lifetimes ? "sizes, " : "sizes and ") : "",
            operations ? "operations" : "", operations && lifetimes ? " and " : "",
            lifetimes ? "lifetimes" : "",
            !lifetimes    ? "deleted"
            : !operations ? "expired"
                          : "deleted and expired",
            sizes ? "to take them into account, use --weight=bytes"
                  : "--weight=bytes takes them into account, but needs a trace with the sizes of "
                    "the objects");
    else if (sizes)
        rdi_analysis_note(a, RD_NOTE_WARNING,
                          "%s: the sizes of the objects are ignored, and cache sizes are numbers "
                          "of objects; to count "
                          "bytes, use --weight=bytes",
                          r->name);
}

void rdi_analysis_note_columns(const rd_analysis *a, const rdi_analysis_reading *r,
                               uint32_t fields) {
    if (rd_trace_has_ids(r->trace) && !a->block_bytes)
        note_requests(a, r, fields);
    if (a->attribution && !(fields & RD_FIELD_PC))
        rdi_analysis_note(
            a, RD_NOTE_WARNING,
            "%s: the trace has no program counters, so all references are attributed to "
            "the address 0x0; to record program counters, use 'reusedist record --attribute'",
            r->name);
}

/* Feeds the trace to the engine in the fastest possible way. If the trace is read ahead or in
 * parts, the notes about its columns are made before reading, and assume that the trace has all
 * columns of its format. */
static rd_status feed(rd_analysis *a, const rdi_analysis_reading *r) {
    bool parts = rdi_feed_parts_is_possible(a, r);
    if (!parts && !rdi_feed_ahead_is_possible(a, r))
        return rdi_feed_plain(a, r);
    rdi_analysis_note_columns(a, r, rd_trace_format(r->trace)->fields);
    return parts ? rdi_feed_parts(a, r) : rdi_feed_ahead(a, r);
}

/* Makes a note if several threads use the same simulated caches, although not all of these caches are
 * marked as shared. */
static void note_shared_caches(const rd_analysis *a, const rdi_analysis_reading *r) {
    if (!a->hierarchy || a->config.private_caches || !a->threads_seen.several ||
        rd_hierarchy_check_private(a->ctx, a->config.hierarchy) != RD_OK)
        return;
    rdi_analysis_note(a, RD_NOTE_WARNING,
                      "%s: all threads of this trace use the same simulated caches; with "
                      "--stacks=private, every thread has its own, except those with shared=yes",
                      r->name);
}

/* Adds the counts that are known only at the end of the trace. */
static void take_counts(rd_analysis *a, const rdi_analysis_reading *r) {
    uint64_t repeats = rd_trace_repeats(r->trace), skipped = rd_trace_skipped(r->trace);
    bool known = skipped != RD_UNKNOWN && a->skipped != RD_UNKNOWN;
    r->source->references += repeats;
    a->repeats += repeats;
    a->skipped = known ? a->skipped + skipped : RD_UNKNOWN;
    a->bytes_before += r->source->bytes;
}

/* Fails if the recorder has only counted some references, although the analysis needs each of them: a store
 * removes the block from other private caches even if the reference before had the same block, and turns of
 * lockstep consist of references. */
static rd_status check_repeats(const rd_analysis *a, const rdi_analysis_reading *r) {
    uint64_t repeats = rd_trace_repeats(r->trace);
    if (repeats == 0 || !(a->sharing || rdi_analysis_has_private_caches(a) || a->config.interleave))
        return RD_OK;
    return rdi_fail(a->ctx, RD_EINVAL,
                    "%s: the recorder has left out %" PRIu64
                    " repeated reference%s, but %s each of them; set rd_live_config.collapse_bytes "
                    "to 0",
                    r->name, repeats, repeats == 1 ? "" : "s",
                    a->config.interleave ? "lockstep needs" : "private caches need");
}

void rdi_analysis_add_source(rd_analysis *a, rdi_analysis_reading *r) {
    if (r->source)
        return;
    r->source = &a->sources[a->n_sources++];
    *r->source = (rd_source){.path = r->name, .format = rd_trace_format(r->trace)->name};
}

static rd_status read_requests(rd_analysis *a, rdi_analysis_reading *r) {
    if (rd_trace_note(r->trace))
        rdi_analysis_note(a, RD_NOTE_WARNING, "%s: %s", r->name, rd_trace_note(r->trace));
    rdi_analysis_add_source(a, r);
    rd_status status = rdi_feed_objects(a, r);
    take_counts(a, r);
    return status;
}

/* Makes a trace file deliver its calling contexts, if attribution counts them. */
static rd_status select_contexts(const rd_analysis *a, const rdi_analysis_reading *r) {
    const rd_attribution_config *attribution = a->config.attribution;
    bool wanted = r->is_file && attribution && attribution->contexts && !a->config.interleave &&
                  rd_trace_format(r->trace)->fields & RD_FIELD_CONTEXT;
    return wanted ? rd_trace_select(r->trace, RD_FIELD_CONTEXT) : RD_OK;
}

/* Fails if threads matter, and the top 16 bits of addresses name processes in this trace, but not in the first one,
 * or the other way around: threads of different processes would be one thread, or one thread would be several. */
static rd_status check_processes(rd_analysis *a, const rdi_analysis_reading *r) {
    bool processes = rd_trace_has_processes(r->trace);
    if (!rdi_analysis_wants_sharing(a) && !rdi_analysis_has_private_caches(a) &&
        !a->config.interleave)
        return RD_OK;
    if (!a->processes_known)
        a->processes = processes;
    a->processes_known = true;
    if (processes == a->processes)
        return RD_OK;
    return rdi_fail(a->ctx, RD_EINVAL,
                    "%s: the top 16 bits of addresses %s processes in this trace, unlike in the "
                    "first one; convert "
                    "both traces with --to=native:processes=on or with --to=native:processes=off",
                    r->name, processes ? "name" : "do not name");
}

rd_status rdi_analysis_begin_input(rd_analysis *a, const rdi_analysis_reading *r) {
    RD_TRY(choose_block(a, r));
    RD_TRY(check_processes(a, r));
    note_trace(a, r);
    return select_contexts(a, r);
}

/* Reads an opened trace of references in the order in which r->trace delivers them. */
static rd_status read_references(rd_analysis *a, rdi_analysis_reading *r) {
    if (!r->joined)
        RD_TRY(rdi_analysis_begin_input(a, r));
    r->mapping =
        (rd_mapping){.size = sizeof(rd_mapping),
                     .block_bytes = a->block_bytes,
                     .kinds = a->config.kinds_chosen ? 0 : a->config.kinds,
                     .origins = a->config.attribution != NULL || a->bursts ||
                                a->config.hierarchy != NULL || rdi_analysis_wants_sharing(a)};
    RD_TRY(rdi_private_open(a, r->trace));
    RD_TRY(open_attribution(a, &r->mapping));
    RD_TRY(open_hierarchy(a, r->trace));
    RD_TRY(rd_mapper_new(a->ctx, &r->mapping, &r->mapper));
    rdi_analysis_add_source(a, r);
    rd_status status = feed(a, r);
    take_counts(a, r);
    note_shared_caches(a, r);
    rd_mapper_free(r->mapper);
    return status == RD_OK ? check_repeats(a, r) : status;
}

void rdi_analysis_note_overflows(const rd_analysis *a, const char *name,
                                 rd_interleaved_facts facts) {
    if (facts.overflows)
        rdi_analysis_note(a, RD_NOTE_WARNING,
                          "%s: threads missed %" PRIu64
                          " turn%s because the reorder buffer of %" PRIu64
                          " records was too small; enlarge it with --reorder",
                          name, facts.overflows, facts.overflows == 1 ? "" : "s", facts.reorder);
}

/* Adds the facts of an interleaved trace to the facts of the analysis, after reading the trace has
 * returned `status`. Makes notes if the trace has fewer than two threads, or if threads missed
 * turns. */
static void note_interleaved(rd_analysis *a, const rdi_analysis_reading *r, rd_status status) {
    rd_interleaved_facts facts = rd_trace_interleaved(r->trace);
    rd_interleaving *all = &a->interleaving;
    all->turn = a->config.interleave->turn ? a->config.interleave->turn : 1;
    all->reorder = facts.reorder;
    all->threads = facts.threads > all->threads ? facts.threads : all->threads;
    all->overflows += facts.overflows;
    all->recorded_coherence =
        a->recorded_order ? rdi_recorded_order_misses(a->recorded_order) : RD_UNKNOWN;
    if (facts.threads < 2 && status == RD_OK)
        rdi_analysis_note(a, RD_NOTE_WARNING,
                          "%s: there is only one thread, so the order is the recorded one",
                          r->name);
    rdi_analysis_note_overflows(a, r->name, facts);
}

/* If there are private caches to measure, sets `order` such that a->recorded_order also receives the references, in
 * recorded order, and counts coherence misses. The report can then say how much the order matters. */
static rd_status open_recorded_order(rd_analysis *a, const rdi_analysis_reading *r,
                                     rd_interleave *order) {
    if (!rdi_analysis_wants_sharing(a))
        return RD_OK;
    RD_TRY(choose_block(a, r));
    rd_mapping mapping = {.size = sizeof mapping,
                          .block_bytes = a->block_bytes,
                          .kinds = a->config.kinds_chosen ? 0 : a->config.kinds};
    if (!a->recorded_order)
        RD_TRY(rdi_recorded_order_new(a->ctx, &mapping, rd_trace_has_processes(r->trace),
                                      &a->recorded_order));
    order->recorded = rdi_recorded_order_feed;
    order->recorded_user = a->recorded_order;
    return RD_OK;
}

rd_status rdi_analysis_read_opened(rd_analysis *a, rdi_analysis_reading *r) {
    if (a->objects)
        return read_requests(a, r);
    if (!a->config.interleave)
        return read_references(a, r);
    rdi_analysis_reading ordered = *r;
    rd_interleave order = *a->config.interleave;
    RD_TRY(open_recorded_order(a, r, &order));
    ordered.is_file = false; /* a direct read of the file would give the recorded order */
    RD_TRY(rd_trace_interleave(a->ctx, r->trace, &order, &ordered.trace));
    rd_status status = read_references(a, &ordered);
    note_interleaved(a, &ordered, status);
    rd_trace_close(ordered.trace);
    return status;
}

rd_status rdi_analysis_open_input(const rd_analysis *a, const rdi_analysis_input *input,
                                  rdi_analysis_reading *r) {
    *r = (rdi_analysis_reading){
        .trace = input->trace, .name = input->name, .is_file = input->trace == NULL};
    if (!r->is_file)
        return RD_OK;
    RD_TRY(rd_trace_open(a->ctx, r->name, a->config.format, &r->trace));
    if (a->config.threads > 1 && !a->config.mem_bytes)
        rd_trace_read_ahead(r->trace, a->config.threads);
    return RD_OK;
}

rd_status rdi_analysis_read_input(rd_analysis *a, const rdi_analysis_input *input) {
    rdi_analysis_reading r;
    rd_status opened = rdi_analysis_open_input(a, input, &r);
    if (opened != RD_OK)
        return rdi_analysis_end_early(a, opened);
    rd_status status = rdi_analysis_read_opened(a, &r);
    if (r.is_file)
        rd_trace_close(r.trace);
    return status;
}
