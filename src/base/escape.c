/* Text from outside, made fit to be shown. */
#include "base/common.h"

#include <stdio.h>
#include <string.h>

/* Bytes of the character at the head of `s`, if it is well-formed UTF-8 and prints; else 0. */
static size_t printable_bytes(const unsigned char *s) {
    if (s[0] < 0x80)
        return s[0] >= ' ' && s[0] != 0x7f;
    if (s[0] < 0xc0)
        return 0; /* the middle of a character */
    size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    uint32_t code = s[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3f);
    }
    /* Below: overlong forms, and the control characters from 0x80 on, which terminals obey too. */
    static const uint32_t least[] = {[2] = 0xa0, [3] = 0x800, [4] = 0x10000};
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    bool no_character = code > 0x10ffff || code == 0xfffe || code == 0xffff;
    return code < least[n] || surrogate || no_character || s[0] > 0xf4 ? 0 : n;
}

size_t rd_text_escape(const char *text, char *out, size_t room) {
    size_t length = 0, written = 0;
    while (*text) {
        char escaped[8];
        size_t used = printable_bytes((const unsigned char *)text), n = used;
        const char *piece = text;
        if (used == 0) {
            n = (size_t)snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned char)*text);
            piece = escaped;
            used = 1;
        }
        if (written == length && length + n < room) { /* whole characters, in front of the NUL */
            memcpy(out + written, piece, n);
            written += n;
        }
        length += n;
        text += used;
    }
    if (room)
        out[written] = '\0';
    return length;
}
