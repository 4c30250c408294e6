/* Suite `formats` of `bench`: writes one trace in every writable format except u32, and times
 * reading the files. */
#include "bench.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define USUAL_REFS (32u * 1024 * 1024)

/* Writes copies of a trace to one file in one format until the file has options->refs references
 * (0: USUAL_REFS) or more, and sets *written to the number of references in the file. */
static bool write_copy(bench *b, const char *source, const char *format, const char *path,
                       uint64_t *written) {
    rd_trace_writer *w = NULL;
    rd_status status = RD_OK;
    uint64_t wanted = b->options->refs ? b->options->refs : USUAL_REFS;
    *written = 0;
    while (status == RD_OK && *written < wanted) {
        rd_trace *t = NULL;
        status = rd_trace_open(b->ctx, source, NULL, &t);
        if (status == RD_OK && !w)
            status = rd_trace_writer_open(
                b->ctx, path, format, rd_trace_format(t)->fields & (RD_FIELD_SIZE | RD_FIELD_KIND),
                rd_trace_has_ids(t), &w);
        const rd_refs *refs = NULL;
        uint64_t before = *written;
        while (status == RD_OK && (status = rd_trace_read(t, &refs)) == RD_OK && refs->n > 0) {
            status = rd_trace_writer_write(w, refs);
            *written += refs->n;
        }
        rd_trace_close(t);
        if (status == RD_OK && *written == before) {
            b->status = fail("%s: the trace has no references; give a trace that has some", source);
            break;
        }
    }
    if (status == RD_OK)
        status = rd_trace_writer_finish(w);
    if (status != RD_OK)
        b->status = fail_status(b->ctx, status);
    rd_trace_writer_close(w);
    return b->status == EXIT_OK;
}

/* Reads the file through the whole pipeline with engine null, which adds almost no work, and sets
 * *blocks to the number of block references. */
static rd_status read_through(rd_ctx *ctx, const char *path, const char *format, uint64_t *blocks) {
    rd_trace *t = NULL;
    rd_mapper *m = NULL;
    rd_engine *e = NULL;
    rd_mapping mapping = {.size = sizeof mapping, .block_bytes = 64};
    rd_status status = rd_trace_open(ctx, path, format, &t);
    if (status == RD_OK)
        status = rd_mapper_new(ctx, &mapping, &m);
    if (status == RD_OK)
        status = rd_engine_open(ctx, "null", NULL, &e);
    const rd_refs *refs = NULL;
    *blocks = 0;
    while (status == RD_OK && (status = rd_trace_read(t, &refs)) == RD_OK && refs->n > 0) {
        const uint64_t *block = NULL;
        size_t n = 0;
        rd_mapper_feed(m, refs);
        while (status == RD_OK && (status = rd_mapper_next(m, &block, &n)) == RD_OK && n > 0) {
            status = rd_engine_feed(e, block, n, NULL);
            *blocks += n;
        }
    }
    if (status == RD_OK)
        status = rd_engine_finish(e);
    rd_engine_close(e);
    rd_mapper_free(m);
    rd_trace_close(t);
    return status;
}

static bool time_format(bench *b, const char *format, const char *path, uint64_t refs) {
    bench_result r = {.engine = "null", .trace = format, .threads = 1, .references = refs};
    uint64_t blocks = 0;
    for (uint64_t k = 0; k <= b->options->repeats; k++) {
        double start = bench_now();
        rd_status status = read_through(b->ctx, path, format, &blocks);
        if (status != RD_OK) {
            b->status = fail_status(b->ctx, status);
            return false;
        }
        if (k > 0) /* the first run only brings the file into the page cache */
            r.seconds[r.repeats++] = bench_now() - start;
    }
    struct stat st;
    if (stat(path, &st) != 0) {
        b->status = fail("%s: %s", path, strerror(errno));
        return false;
    }
    bench_summarize(&r);
    double bytes = (double)st.st_size / (double)refs, speed = (double)refs / r.median / 1e6;
    if (!b->options->json)
        printf("%-14s %10.1f M refs/s %10.1f best %8.2f ns/ref %8.2f bytes/ref %8.0f MB/s\n",
               format, speed, (double)refs / r.best / 1e6, r.median * 1e9 / (double)refs, bytes,
               (double)st.st_size / r.median / 1e6);
    rd_json_writer *w = bench_begin_line(b);
    rd_json_put_string(w, "format", format);
    rd_json_put_u64(w, "references", refs);
    rd_json_put_u64(w, "block_references", blocks);
    rd_json_put_fixed(w, "bytes_per_reference", bytes, 3);
    rd_json_put_fixed(w, "median_seconds", r.median, 6);
    rd_json_put_fixed(w, "best_seconds", r.best, 6);
    rd_json_put_fixed(w, "mrefs_per_second", speed, 2);
    bench_end_line(b);
    return true;
}

/* Writes the trace to `path` in one format after the other, and times reading it. */
static bool time_formats(bench *b, const char *trace, const char *path) {
    for (size_t i = 0; rd_format_info_at(i); i++) {
        const rd_format_info *info = rd_format_info_at(i);
        uint64_t refs = 0;
        /* Format u32 cannot hold 64-bit addresses. */
        if (!info->writable || strcmp(info->name, "u32") == 0)
            continue;
        bool ok =
            write_copy(b, trace, info->name, path, &refs) && time_format(b, info->name, path, refs);
        unlink(path);
        if (!ok)
            return false;
    }
    return true;
}

/* Runs the suite with a file in a folder that only this user can write. In a shared folder,
 * somebody else could replace the file with a link. */
static bool run_formats(bench *b, int n, char **traces) {
    if (n != 1) {
        b->status = fail_usage("bench formats needs one TRACE to write in every format");
        return false;
    }
    const char *chosen = getenv("TMPDIR"), *folder = chosen ? chosen : "/tmp";
    char own[PATH_MAX - 8], path[PATH_MAX];
    snprintf(own, sizeof own, "%s/reusedist-bench-XXXXXX", folder);
    if (!mkdtemp(own)) {
        b->status = fail("%s: cannot create a folder there: %s; set TMPDIR to a folder in which "
                         "you can write",
                         folder, strerror(errno));
        return false;
    }
    snprintf(path, sizeof path, "%s/trace", own);
    bool good = time_formats(b, traces[0], path);
    rmdir(own);
    return good;
}

const bench_suite bench_formats = {
    "formats", "how fast is reading alone, and how large are the files?", run_formats};
