/* Compiles the inner loops of the data-parallel engines for x86 with AVX2. */
#if defined(__x86_64__)
#define LANES        rdi_lanes_avx2
#define LANES_NAME   "avx2"
#define LANES_TARGET RDI_TARGET_AVX2
#include "engine/papers/lanes.inc.h"
#else
#include "engine/papers/lanes.h"

const rdi_lanes rdi_lanes_avx2 = {0};
#endif
