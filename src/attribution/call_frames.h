/* Finds the call frames of program counters: the function at a program counter, and the functions
 * into which it was inlined. */
#ifndef RDI_CALL_FRAMES_H
#define RDI_CALL_FRAMES_H

#include "attribution/modules.h"
#include "base/arena.h"
#include "base/own_code.h"
#include "reusedist/attribution.h"

/* A program counter whose frames are requested. */
typedef struct rdi_code_place {
    uint64_t pc;
    uint32_t epoch;
    uint32_t first, n; /* result: its frames in rdi_call_frames.of, outermost first */
    uint32_t user;     /* free for use by the caller */
} rdi_code_place;

typedef struct rdi_call_frames {
    rd_call_frame *frame; /* the distinct frames */
    uint32_t *of;         /* the frames of all places, as indices into `frame` */
    size_t n_frames, n;
} rdi_call_frames;

/* Sets *out to whether a call frame of `pc` belongs to the user's own code. */
rd_status rdi_has_own_frame(const rdi_modules *modules, const rdi_own *own, uint64_t pc,
                            uint32_t epoch, bool *out);

/* Finds the frames of n places, and sorts the places by program counter. The result is in
 * `scratch`, except for texts that are borrowed from the modules. */
rd_status rdi_call_frames_find(const rdi_modules *modules, const rdi_own *own,
                               rdi_code_place *places, size_t n, rdi_arena *scratch,
                               rdi_call_frames *out);

#endif
