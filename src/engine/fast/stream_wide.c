/* Compiles the stream engine's inner loops with 64-bit slots. They are in plain C, because a table
 * that needs 64-bit slots is so large that memory, not arithmetic, limits the speed. */
#include "engine/fast/stream.h"

#define KERNEL        rdi_stream_wide
#define KERNEL_TARGET /* none */
#define ISA           0
#define SLOT          uint64_t
#define WAYS          RDI_SLOT_WIDE_WAYS
#include "engine/fast/stream_kernel.inc.h"
