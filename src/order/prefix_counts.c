/* Defines the constant table of prefix_counts.h. */
#include "order/prefix_counts.h"

const uint32_t rdi_prefix_steps[32] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                       1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
