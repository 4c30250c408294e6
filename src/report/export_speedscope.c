/* Exports the tree for speedscope, as its file format schema describes it.
 *
 * The file has one profile per value. A profile lists where frames open and close. The position of
 * an entry is the number of references or misses before it. This layout stays small for deep trees.
 * A frame is a function, without lines, because speedscope lists each frame as a function.
 */
#include "report/export.h"

#include "base/json_write.h"

typedef struct events {
    const rdi_export *e;
    const rdi_functions *f;
    rd_json_writer *w;
    size_t value;
    uint64_t at;
} events;

static void put_event(void *user, size_t node, size_t depth, bool enter) {
    events *v = user;
    (void)depth;
    if (!v->e->all[node][v->value])
        return;
    rd_json_begin_object(v->w, NULL, RD_JSON_INLINE);
    rd_json_put_string(v->w, "type", enter ? "O" : "C");
    rd_json_put_u64(v->w, "frame", v->f->of[v->e->nodes[node].frame]);
    rd_json_put_u64(v->w, "at", v->at);
    rd_json_end_object(v->w);
    if (enter)
        v->at += rdi_export_value(&v->e->nodes[node], v->value);
}

static void put_frames(const rdi_export *e, const rdi_functions *functions, rd_json_writer *w) {
    rd_json_begin_object(w, "shared", RD_JSON_LINES);
    rd_json_begin_array(w, "frames", RD_JSON_LINES);
    for (size_t i = 0; i < functions->n; i++) {
        const rd_call_frame *f = &e->frames[functions->frame[i]];
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_string(w, "name", f->function);
        if (f->file)
            rd_json_put_string(w, "file", f->file);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
    rd_json_end_object(w);
}

static rd_status speedscope_write(const rdi_export *e, rdi_text *out) {
    rdi_arena arena = {.ctx = e->ctx};
    rdi_functions f = {0};
    rd_status status = rdi_export_functions(e, &arena, &f);
    if (status != RD_OK) {
        rdi_arena_fini(&arena);
        return status;
    }
    rd_json_writer w = rdi_json_writer_start(e->ctx, RD_JSON_COMPACT);
    char *text = NULL;
    size_t n = 0;
    rd_json_begin_object(&w, NULL, RD_JSON_LINES);
    rd_json_put_string(&w, "$schema", "https://www.speedscope.app/file-format-schema.json");
    rd_json_put_string(&w, "exporter", "reusedist");
    rd_json_put_u64(&w, "activeProfileIndex", e->chosen);
    put_frames(e, &f, &w);
    rd_json_begin_array(&w, "profiles", RD_JSON_LINES);
    for (size_t k = 0; k < e->n_values; k++) {
        events v = {e, &f, &w, k, 0};
        rd_json_begin_object(&w, NULL, RD_JSON_LINES);
        rd_json_put_string(&w, "type", "evented");
        rd_json_put_string(&w, "name", e->names[k]);
        rd_json_put_string(&w, "unit", "none");
        rd_json_put_u64(&w, "startValue", 0);
        rd_json_put_u64(&w, "endValue", e->total[k]);
        rd_json_begin_array(&w, "events", RD_JSON_LINES);
        rdi_export_walk(e, put_event, &v);
        rd_json_end_array(&w);
        rd_json_end_object(&w);
    }
    rd_json_end_array(&w);
    rd_json_end_object(&w);
    rdi_arena_fini(&arena);
    RD_TRY(rd_json_writer_take(&w, &text, &n));
    rdi_text_add(out, text, n);
    rd_text_free(e->ctx, text);
    return RD_OK;
}

const rdi_exporter rdi_exporter_speedscope = {"speedscope", "a flame graph for speedscope.app",
                                              speedscope_write};
