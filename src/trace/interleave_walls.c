/* Implements the walls of an interleaved trace. See interleave_walls.h. */
#include "trace/interleave_walls.h"

#include <string.h>

static rd_status add_process(rdi_walls *w, size_t at, uint32_t process) {
    if (w->n == w->room) {
        rdi_walled **grown = rdi_grow(w->ctx, w->all, &w->room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        w->all = grown;
    }
    rdi_walled *p = rdi_calloc(w->ctx, 1, sizeof *p);
    if (!p)
        return RD_ENOMEM;
    p->process = process;
    memmove(w->all + at + 1, w->all + at, (w->n - at) * sizeof *w->all);
    w->all[at] = p;
    w->n++;
    return RD_OK;
}

rd_status rdi_walls_process(rdi_walls *w, uint32_t process, rdi_walled **out) {
    size_t low = 0, high = w->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (w->all[middle]->process < process)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == w->n || w->all[low]->process != process)
        RD_TRY(add_process(w, low, process));
    *out = w->all[low];
    return RD_OK;
}

rd_status rdi_walls_add(rdi_walls *w, uint32_t process, const rd_event *event, uint64_t position) {
    rdi_walled *p;
    RD_TRY(rdi_walls_process(w, process, &p));
    if (p->n == p->room) {
        rdi_wall *grown = rdi_grow(w->ctx, p->walls, &p->room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        p->walls = grown;
    }
    rdi_wall wall = {.event = *event, .position = position};
    if (event->path && !(wall.event.path = rdi_strdup(w->ctx, event->path)))
        return RD_ENOMEM;
    p->walls[p->n++] = wall;
    p->walled = true;
    return RD_OK;
}

static void free_path(rdi_walls *w, const rdi_wall *wall) {
    if (wall->event.path)
        rdi_free(w->ctx, (void *)(uintptr_t)wall->event.path);
}

void rdi_walls_remove(rdi_walls *w, rdi_walled *p) {
    rdi_wall *wall = &p->walls[p->first++];
    p->ahead += wall->behind;
    free_path(w, wall);
    if (p->first == p->n)
        p->first = p->n = 0;
}

void rdi_walls_fini(rdi_walls *w) {
    for (size_t i = 0; i < w->n; i++) {
        rdi_walled *p = w->all[i];
        for (size_t k = p->first; k < p->n; k++)
            free_path(w, &p->walls[k]);
        rdi_free(w->ctx, p->walls);
        rdi_free(w->ctx, p);
    }
    rdi_free(w->ctx, w->all);
}
