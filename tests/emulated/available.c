/* Makes GPU engines offer themselves on the device of plain memory, see plain_device.c: the command
 * built with this tests the C code around the kernels, and what plain C shares with them. */
#include "engine/gpu/device.h"

const char *rdi_device_unavailable(void) {
    return NULL;
}
