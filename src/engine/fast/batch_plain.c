/* The batch engine's inner loops for any processor. */
#define RDI_AXIS_VECTOR 16
#define KERNEL_NAME     rdi_batch_plain
#define KERNEL_TEXT     "plain"
#define KERNEL_TARGET

#include "engine/fast/batch.h"

/* A bit for every key that equals `block`. */
static inline unsigned match8(const uint64_t *key, uint64_t block) {
    unsigned found = 0;
    for (unsigned i = 0; i < 8; i++)
        found |= (unsigned)(key[i] == block) << i;
    return found;
}

#include "engine/fast/batch_kernel.inc.h"
