/* In place of the CUDA files in a build without them: there is no GPU. */
#include "engine/gpu/device.h"

const char *rdi_device_unavailable(void) {
    return "built without CUDA";
}
