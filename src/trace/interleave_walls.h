/* The walls of an interleaved trace, which are events of modules, for each process. docs/threads.md has the
 * definitions. */
#ifndef RDI_INTERLEAVE_WALLS_H
#define RDI_INTERLEAVE_WALLS_H

#include "trace/events.h"

/* A wall that was read and not delivered. */
typedef struct rdi_wall {
    rd_event event;    /* its path is a copy */
    uint64_t position; /* number of records of all processes before it, in recorded order */
    uint64_t behind; /* number of records of its process that were read after it and before the next
                          wall, and that were not delivered */
} rdi_wall;

typedef struct rdi_walled {
    uint32_t process;
    rdi_wall *walls; /* in recorded order */
    size_t first, n,
        room;       /* index of the next wall to deliver, and number of walls up to the last one */
    uint64_t ahead; /* number of records of the process up to wall `first` that were read and not
                       delivered; if there is no wall, of all its records */
    uint64_t last;  /* number of the process's last record that was read, in recorded order */
    bool walled;    /* true: a wall of the process was read */
} rdi_walled;

typedef struct rdi_walls {
    rd_ctx *ctx;
    rdi_walled **all; /* in ascending order of processes */
    size_t n, room;
} rdi_walls;

/* Finds a process, or makes it. */
rd_status rdi_walls_process(rdi_walls *w, uint32_t process, rdi_walled **out);
/* Adds a wall of a process. `position` records of all processes were read before it. */
rd_status rdi_walls_add(rdi_walls *w, uint32_t process, const rd_event *event, uint64_t position);
/* Removes the next wall. */
void rdi_walls_remove(rdi_walls *w, rdi_walled *p);
void rdi_walls_fini(rdi_walls *w);

/* rdi_walls_read() counts record number `position`, which was read from the process.
 * rdi_walls_delivered() counts the delivery of the process's first record that was not delivered
 * yet; all walls before that record must have been delivered. */
static inline void rdi_walls_read(rdi_walled *p, uint64_t position) {
    *(p->first < p->n ? &p->walls[p->n - 1].behind : &p->ahead) += 1;
    p->last = position;
}

static inline void rdi_walls_delivered(rdi_walled *p) {
    p->ahead--;
}

/* Returns the next wall if it comes before record `position`, or NULL. */
static inline const rdi_wall *rdi_walls_next(const rdi_walled *p, uint64_t position) {
    const rdi_wall *wall = p->first < p->n ? &p->walls[p->first] : NULL;
    return wall && wall->position <= position ? wall : NULL;
}

/* Returns whether record `position` of the process waits because there is a wall before it, and records
 * before this wall were not delivered. */
static inline bool rdi_walls_hold(const rdi_walled *p, uint64_t position) {
    uint64_t before = p->ahead;
    for (size_t i = p->first; i < p->n && p->walls[i].position <= position; i++) {
        if (before > 0)
            return true;
        before = p->walls[i].behind;
    }
    return false;
}

#endif
