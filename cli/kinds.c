/* Parses --kinds=LSI. See kinds.h. */
#include "kinds.h"

#include <string.h>

bool kinds_parse(const char *text, uint32_t *mask) {
    /* The letters are in the order of the bits RD_LOAD, RD_STORE and RD_FETCH. */
    static const char letters[] = "LSI";
    *mask = 0;
    if (!text)
        return true;
    for (const char *at = text; *at; at++) {
        const char *letter = strchr(letters, *at);
        if (!letter) {
            fail_usage("--kinds: '%.80s' has characters other than L, S and I", text);
            return false;
        }
        *mask |= 1u << (letter - letters);
    }
    if (*mask == 0)
        fail_usage("--kinds: give at least one of L, S and I");
    return *mask != 0;
}
