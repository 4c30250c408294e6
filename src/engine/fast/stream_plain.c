/* Compiles the stream engine's inner loops in plain C, for any processor. */
#include "engine/fast/stream.h"

#define KERNEL        rdi_stream_plain
#define KERNEL_TARGET /* none */
#define ISA           0
#define SLOT          uint32_t
#define WAYS          RDI_SLOT_WAYS
#include "engine/fast/stream_kernel.inc.h"
