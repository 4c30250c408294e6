/* Compiles the stream engine's inner loops with 64-bit slots, in plain C. `stream` uses them only
 * with a table so large that memory, not arithmetic, limits the speed. Engine `time`, whose slots
 * are times, also uses them after 2^32 references. */
#include "engine/fast/stream.h"

#define KERNEL        rdi_stream_wide
#define KERNEL_TARGET /* none */
#define ISA           0
#define SLOT          uint64_t
#define WAYS          RDI_SLOT_WIDE_WAYS
#include "engine/fast/stream_kernel.inc.h"
