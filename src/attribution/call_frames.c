/* Finds the call frames of program counters. See call_frames.h. */
#include "attribution/call_frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_pc(const void *a, const void *b) {
    const rdi_code_place *x = a, *y = b;
    if (x->pc != y->pc)
        return x->pc < y->pc ? -1 : 1;
    return (x->epoch > y->epoch) - (x->epoch < y->epoch);
}

/* ---- frames of one place ---- */

rd_status rdi_has_own_frame(const rdi_modules *modules, const rdi_own *own, uint64_t pc,
                            uint32_t epoch, bool *out) {
    rdi_location at;
    const char *module, *path = rdi_modules_path(modules, pc, epoch);
    RD_TRY(rdi_modules_find(modules, pc, epoch, &at, &module));
    *out = rdi_own_file(own, at.source, path);
    for (size_t i = 0; i < at.n_calls; i++)
        *out = *out || rdi_own_file(own, at.calls[i].source, path);
    return RD_OK;
}

/* Names a frame, whose function is unknown, after its address in the file, or after the run-time
 * address outside of modules. */
static rd_status name_by_address(const rdi_modules *modules, const rdi_code_place *place,
                                 rdi_arena *scratch, rd_call_frame *out) {
    const rdi_module *module = rdi_modules_of_code(modules, place->pc, place->epoch);
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, module ? place->pc - module->bias : place->pc);
    out->function = rdi_arena_strdup(scratch, text);
    return out->function ? RD_OK : RD_ENOMEM;
}

typedef struct frame_list {
    rd_call_frame *frame;
    size_t n, room;
} frame_list;

static rd_status append(rd_ctx *ctx, frame_list *list, const rd_call_frame *frame) {
    while (list->n >= list->room) {
        rd_call_frame *grown = rdi_grow(ctx, list->frame, &list->room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        list->frame = grown;
    }
    list->frame[list->n++] = *frame;
    return RD_OK;
}

/* Appends the frames of a place to the list, outermost first. */
static rd_status add_frames(const rdi_modules *modules, const rdi_own *own, rdi_code_place *place,
                            rdi_arena *scratch, frame_list *list) {
    const char *path = rdi_modules_path(modules, place->pc, place->epoch);
    rdi_location at;
    rd_call_frame frame = {0};
    RD_TRY(rdi_modules_find(modules, place->pc, place->epoch, &at, &frame.module));
    place->first = (uint32_t)list->n;
    place->n = 1 + (uint32_t)at.n_calls;
    for (size_t i = at.n_calls; i-- > 0;) {
        frame.function = at.calls[i].function ? at.calls[i].function : "?";
        frame.file = at.calls[i].source;
        frame.line = at.calls[i].line;
        frame.own = rdi_own_file(own, frame.file, path);
        RD_TRY(append(modules->ctx, list, &frame));
        frame.inlined = true;
    }
    frame.function = at.function;
    frame.file = at.source;
    frame.line = at.line;
    frame.own = rdi_own_file(own, at.source, path);
    if (!at.function)
        RD_TRY(name_by_address(modules, place, scratch, &frame));
    return append(modules->ctx, list, &frame);
}

/* ---- equal frames ---- */

typedef struct numbered {
    const rd_call_frame *frame;
    uint32_t index;
} numbered;

static int compare_texts(const char *a, const char *b) {
    return a == b ? 0 : a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int by_frame(const void *a, const void *b) {
    const rd_call_frame *x = ((const numbered *)a)->frame, *y = ((const numbered *)b)->frame;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->inlined != y->inlined)
        return x->inlined ? 1 : -1;
    int order = compare_texts(x->function, y->function);
    order = order ? order : compare_texts(x->file, y->file);
    return order ? order : compare_texts(x->module, y->module);
}

/* Numbers the n frames such that equal frames have the same number. */
static rd_status number_frames(rd_call_frame *all, size_t n, rdi_arena *scratch,
                               rdi_call_frames *out) {
    numbered *sorted = rdi_arena_alloc(scratch, n, sizeof *sorted);
    out->frame = rdi_arena_alloc(scratch, n, sizeof *out->frame);
    out->of = rdi_arena_alloc(scratch, n, sizeof *out->of);
    if (!sorted || !out->frame || !out->of)
        return RD_ENOMEM;
    for (size_t i = 0; i < n; i++)
        sorted[i] = (numbered){&all[i], (uint32_t)i};
    qsort(sorted, n, sizeof *sorted, by_frame);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || by_frame(&sorted[i - 1], &sorted[i]) != 0)
            out->frame[out->n_frames++] = *sorted[i].frame;
        out->of[sorted[i].index] = (uint32_t)out->n_frames - 1;
    }
    out->n = n;
    return RD_OK;
}

rd_status rdi_call_frames_find(const rdi_modules *modules, const rdi_own *own,
                               rdi_code_place *places, size_t n, rdi_arena *scratch,
                               rdi_call_frames *out) {
    frame_list all = {0};
    rd_status status = RD_OK;
    *out = (rdi_call_frames){0};
    qsort(places, n, sizeof *places, by_pc);
    for (size_t i = 0; i < n && status == RD_OK; i++) {
        if (i > 0 && by_pc(&places[i - 1], &places[i]) == 0) {
            places[i].first = places[i - 1].first;
            places[i].n = places[i - 1].n;
        } else {
            status = add_frames(modules, own, &places[i], scratch, &all);
        }
    }
    if (status == RD_OK)
        status = number_frames(all.frame, all.n, scratch, out);
    rdi_free(modules->ctx, all.frame);
    return status;
}
