/* Reports that no GPU can be used, because this build does not have the CUDA files. */
#include "engine/gpu/device.h"

const char *rdi_device_unavailable(void) {
    return "this build has no CUDA";
}
