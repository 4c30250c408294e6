/* Reads and writes traces in tests. See traces.h. */
#include "support/traces.h"

#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void *grow(void *old, size_t n, size_t size) {
    void *grown = realloc(old, n * size + 1);
    assert_non_null(grown);
    return grown;
}

static void append(traces_result *r, const rd_refs *refs) {
    size_t n = r->n + refs->n;
    r->addr = grow(r->addr, n, sizeof *r->addr);
    r->pc = grow(r->pc, n, sizeof *r->pc);
    r->size = grow(r->size, n, sizeof *r->size);
    r->thread = grow(r->thread, n, sizeof *r->thread);
    r->kind = grow(r->kind, n, sizeof *r->kind);
    for (size_t i = 0; i < refs->n; i++) {
        r->addr[r->n + i] = refs->addr[i];
        r->pc[r->n + i] = refs->pc ? refs->pc[i] : 0;
        r->size[r->n + i] = refs->size ? refs->size[i] : 1;
        r->thread[r->n + i] = refs->thread ? refs->thread[i] : 0;
        r->kind[r->n + i] = refs->kind ? refs->kind[i] : RD_LOAD;
    }
    r->n = n;
    r->batches++;
    r->fields = refs->fields;
}

static void drain(traces_result *r, rd_trace *t) {
    const rd_refs *refs = NULL;
    r->format = rd_trace_format(t)->name;
    r->ids = rd_trace_has_ids(t);
    snprintf(r->note, sizeof r->note, "%s", rd_trace_note(t) ? rd_trace_note(t) : "");
    while ((r->status = rd_trace_read(t, &refs)) == RD_OK && refs->n > 0)
        append(r, refs);
    /* Checks that the end of the trace and a failure are final: the next read gives the same
     * result. */
    assert_int_equal(rd_trace_read(t, &refs), r->status);
    if (r->status == RD_OK)
        assert_int_equal(refs->n, 0);
    rd_trace_close(t);
}

static void finish(traces_result *r, rd_ctx *ctx) {
    if (r->status != RD_OK)
        snprintf(r->error, sizeof r->error, "%s", rd_last_error(ctx));
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    rd_ctx_free(ctx);
}

traces_result traces_read(const char *spec, const void *data, size_t n) {
    traces_result r = {0};
    rd_ctx *ctx = NULL;
    rd_trace *t = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    r.status = rd_trace_open_memory(ctx, "t", data, n, spec, &t);
    if (r.status == RD_OK)
        drain(&r, t);
    finish(&r, ctx);
    return r;
}

traces_result traces_read_text(const char *spec, const char *text) {
    return traces_read(spec, text, strlen(text));
}

static void feed_pipe(int fd, const char *data, size_t n, size_t step) {
    for (size_t at = 0; at < n; at += step) {
        size_t part = n - at < step ? n - at : step;
        if (write(fd, data + at, part) != (ssize_t)part)
            break;
    }
    _exit(0);
}

/* Replaces the name of the pipe in messages with "t", which tests expect. */
static void rename_in_error(char error[1024], const char *name) {
    size_t n = strlen(name);
    if (strncmp(error, name, n) == 0) {
        error[0] = 't';
        memmove(error + 1, error + n, strlen(error + n) + 1);
    }
}

traces_result traces_read_pipe(const char *spec, const void *data, size_t n, size_t step) {
    traces_result r = {0};
    rd_ctx *ctx = NULL;
    rd_trace *t = NULL;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        feed_pipe(ends[1], data, n, step);
    }
    close(ends[1]);
    char name[32];
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    r.status = rd_trace_open(ctx, name, spec, &t);
    if (r.status == RD_OK)
        drain(&r, t);
    close(ends[0]);
    finish(&r, ctx);
    rename_in_error(r.error, name);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return r;
}

uint8_t *traces_write(const char *spec, const rd_refs *refs, bool ids, size_t *n) {
    char *path = files_path();
    rd_ctx *ctx = NULL;
    rd_trace_writer *w = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    assert_int_equal(rd_trace_writer_open(ctx, path, spec, refs->fields, ids, &w), RD_OK);
    assert_int_equal(rd_trace_writer_write(w, refs), RD_OK);
    assert_int_equal(rd_trace_writer_finish(w), RD_OK);
    rd_trace_writer_close(w);
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    rd_ctx_free(ctx);
    uint8_t *data = files_read(path, n);
    files_remove(path);
    return data;
}

void traces_free(traces_result *r) {
    free(r->addr);
    free(r->pc);
    free(r->size);
    free(r->thread);
    free(r->kind);
}

void traces_assert_equal(const traces_result *a, const traces_result *b) {
    assert_string_equal(a->error, b->error);
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->n, b->n);
    if (a->n == 0)
        return;
    assert_memory_equal(a->addr, b->addr, a->n * sizeof *a->addr);
    assert_memory_equal(a->pc, b->pc, a->n * sizeof *a->pc);
    assert_memory_equal(a->size, b->size, a->n * sizeof *a->size);
    assert_memory_equal(a->thread, b->thread, a->n * sizeof *a->thread);
    assert_memory_equal(a->kind, b->kind, a->n * sizeof *a->kind);
}

void traces_write_file(const char *path, const char *spec, const rd_refs *refs) {
    size_t n = 0;
    uint8_t *bytes = traces_write(spec, refs, false, &n);
    files_write(path, bytes, n);
    free(bytes);
}
