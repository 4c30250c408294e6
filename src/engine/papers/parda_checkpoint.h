/* Declares a checkpoint: a file with the data that a Parda analysis needs to resume after a round.
 *
 * The file contains 64-bit little-endian numbers: a magic number, `identity`, `position`,
 * `references`, `digest`, the lengths of `counts` and `state`, these two lists, and a checksum. The
 * file appears only when it is complete.
 */
#ifndef RDI_PARDA_CHECKPOINT_H
#define RDI_PARDA_CHECKPOINT_H

#include "base/u64_list.h"

typedef struct rdi_parda_checkpoint {
    uint64_t identity;   /* identifies the analysis and its settings; see rdi_parda_identity() */
    uint64_t position;   /* number of references after which reading resumes: references of the
                            trace if the ranks read it, otherwise fed block references */
    uint64_t references; /* number of block references counted so far */
    uint64_t digest;     /* digest of the references counted so far, see rdi_parda_digest(); 0 if
                            the ranks read the trace themselves */
    rdi_u64_list counts; /* packed histogram of the references counted so far */
    rdi_u64_list state;  /* the LRU stack, oldest block first */
} rdi_parda_checkpoint;

void rdi_parda_checkpoint_free(rd_ctx *ctx, rdi_parda_checkpoint *c);

/* Returns a number that distinguishes analyses by their traces and settings. `what` describes the
 * trace and may be NULL. `parts` is true if the ranks read the trace themselves. `binning` and
 * `param` are the fields `kind` and `param` of the binning. */
uint64_t rdi_parda_identity(const char *what, bool parts, uint64_t bound, uint64_t binning,
                            uint64_t param);

/* Returns `digest`, which is 0 at the beginning of a trace, extended by the n blocks. */
uint64_t rdi_parda_digest(uint64_t digest, const uint64_t *blocks, size_t n);

/* Checks that checkpoints can be written to this file, before the analysis begins. */
rd_status rdi_parda_checkpoint_check(rd_ctx *ctx, const char *path);
rd_status rdi_parda_checkpoint_save(rd_ctx *ctx, const char *path, const rdi_parda_checkpoint *c);

/* Loads a checkpoint. If there is no such file, the function succeeds and leaves *c unchanged.
 * Fails with RD_EFORMAT if the file is damaged, and with RD_EINVAL if the identity in the file is
 * not c->identity. */
rd_status rdi_parda_checkpoint_load(rd_ctx *ctx, const char *path, rdi_parda_checkpoint *c);

#endif
