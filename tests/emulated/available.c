/* Makes GPU engines available on the emulated device (plain_device.c). The command built with this
 * file tests the C code around the kernels, and the functions that plain C shares with them. */
#include "engine/gpu/device.h"

const char *rdi_device_unavailable(void) {
    return NULL;
}
