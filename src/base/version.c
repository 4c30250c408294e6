/* Reports the version and the optional parts of this build. */
#include "base/build_config.h"
#include "base/common.h"

#define TEXT(x)               #x
#define VERSION_TEXT(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *rd_version(void) {
    return VERSION_TEXT(RD_VERSION_MAJOR, RD_VERSION_MINOR, RD_VERSION_PATCH);
}

const char *rd_build_feature(size_t index) {
    static const char *const features[] = {RDI_BUILD_FEATURES};
    return index < RDI_COUNT(features) ? features[index] : NULL;
}
