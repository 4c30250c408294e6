/* Reports that there is no GPU, in builds without the CUDA files. */
#include "engine/gpu/device.h"

const char *rdi_device_unavailable(void) {
    return "this build has no CUDA";
}
