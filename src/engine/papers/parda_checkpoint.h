/* The data that a Parda analysis needs to resume from the end of a round, as a file.
 *
 * The file contains 64-bit numbers, little-endian: a magic number, the fields below in this order,
 * the lengths of the two lists, the lists, and a checksum. It appears whole or not at all.
 */
#ifndef RDI_PARDA_CHECKPOINT_H
#define RDI_PARDA_CHECKPOINT_H

#include "base/u64_list.h"

typedef struct rdi_parda_checkpoint {
    uint64_t identity;   /* of the analysis and its settings: rdi_parda_identity() */
    uint64_t position;   /* where reading resumes: references of the trace, or fed ones */
    uint64_t references; /* block references counted so far */
    uint64_t
        digest; /* digest of these references if they were dealt (rdi_parda_digest()), else 0 */
    rdi_u64_list counts; /* their packed histogram */
    rdi_u64_list state;  /* the LRU stack, oldest block first */
} rdi_parda_checkpoint;

void rdi_parda_checkpoint_free(rd_ctx *ctx, rdi_parda_checkpoint *c);

/* A number that distinguishes analyses. `what` may be NULL. */
uint64_t rdi_parda_identity(const char *what, bool parts, uint64_t bound, uint64_t binning,
                            uint64_t param);

/* Extends `digest`, which is 0 at the beginning of a trace, by these blocks. */
uint64_t rdi_parda_digest(uint64_t digest, const uint64_t *blocks, size_t n);

/* Checks that checkpoints can be written to this file, before the analysis begins. */
rd_status rdi_parda_checkpoint_check(rd_ctx *ctx, const char *path);
rd_status rdi_parda_checkpoint_save(rd_ctx *ctx, const char *path, const rdi_parda_checkpoint *c);

/* Loads a checkpoint. *c stays as it is if there is no such file. RD_EFORMAT: the file is damaged.
 * RD_EINVAL: it belongs to another analysis than c->identity. */
rd_status rdi_parda_checkpoint_load(rd_ctx *ctx, const char *path, rdi_parda_checkpoint *c);

#endif
