/* Makes untrusted text safe to print: implements rd_text_escape(). */
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* Returns whether a character that changes the direction of the text or ends a line begins at `s`:
 * U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069. Such a character could make the end of a name
 * appear somewhere else. */
static bool is_direction(const unsigned char *s) {
    if (s[0] != 0xe2)
        return false;
    return s[1] == 0x80 ? s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae)
                        : s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9;
}

/* Returns the size of the first character of `text` if it is valid UTF-8 and printable, else 0. */
static size_t printable_bytes(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80)
        return s[0] >= ' ' && s[0] != 0x7f;
    bool control = s[0] == 0xc2 && s[1] < 0xa0; /* U+0080 to U+009F, which terminals interpret */
    bool no_character = s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe; /* U+FFFE, U+FFFF */
    return control || no_character || is_direction(s) ? 0 : rdi_utf8_length(text, strnlen(text, 4));
}

bool rdi_text_is_printable(const char *text) {
    size_t n;
    while (*text && (n = printable_bytes(text)) > 0)
        text += n;
    return *text == '\0';
}

size_t rd_text_escape(const char *text, char *out, size_t room) {
    size_t length = 0, written = 0;
    room = out ? room : 0;
    while (text && *text) {
        char escaped[8];
        size_t used = printable_bytes(text), n = used;
        const char *piece = text;
        if (used == 0) {
            n = (size_t)snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned char)*text);
            piece = escaped;
            used = 1;
        }
        /* Writes only whole characters, and leaves room for the NUL. */
        if (written == length && length + n < room) {
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
