/* Compiles the inner loops of the data-parallel engines for any processor. */
#define LANES        rdi_lanes_plain
#define LANES_NAME   "plain"
#define LANES_TARGET /* none */
#include "engine/papers/lanes.inc.h"
