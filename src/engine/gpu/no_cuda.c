/* Replaces the CUDA files in a build without them: reports that there is no GPU. */
#include "engine/gpu/device.h"

const char *rdi_device_unavailable(void) {
    return "built without CUDA";
}
