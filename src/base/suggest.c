/* Suggests the valid name that is closest to a mistyped one: implements rd_suggest() and the
 * functions that use it. */
#include "base/common.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 32 /* longer words get no suggestion, and longer names are not suggested */

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* Returns the number of edits that turn the word `a` into `b`. An edit inserts, removes or replaces
 * a character, or swaps two neighbors. */
static unsigned edit_distance(const char *a, size_t n, const char *b, size_t m) {
    unsigned rows[3][LONGEST + 1]; /* numbers of edits that turn the last three prefixes of `a` into
                                      each prefix of `b` */
    for (size_t k = 0; k <= m; k++)
        rows[0][k] = (unsigned)k;
    for (size_t i = 1; i <= n; i++) {
        unsigned *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t k = 1; k <= m; k++) {
            now[k] =
                least(least(now[k - 1], before[k]) + 1, before[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                now[k] = least(now[k], earlier[k - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

rd_suggestion rd_suggest(const char *word, size_t n) {
    n = word ? n : 0;
    return (rd_suggestion){.word = word, .n = n, .distance = n < 5 ? 1 : ((unsigned)n + 1) / 3};
}

/* A word with which a name begins counts as one edit away from this name. */
void rd_suggest_offer(rd_suggestion *s, const char *name, size_t n) {
    if (!s || !name || s->n < 2 || s->n > LONGEST || n > LONGEST)
        return;
    bool begins = n > s->n && memcmp(s->word, name, s->n) == 0;
    unsigned distance = begins ? 1 : edit_distance(s->word, s->n, name, n);
    if (distance < s->distance + (s->best == NULL)) {
        s->distance = distance;
        s->best = name;
        s->best_n = n;
    }
}

const char *rd_suggest_text(const rd_suggestion *s, const char *prefix, char *room) {
    if (!room)
        return "";
    room[0] = '\0';
    if (s && s->best)
        snprintf(room, RD_SUGGESTION_ROOM, "; did you mean %s%.*s?", prefix ? prefix : "",
                 (int)s->best_n, s->best);
    return room;
}

rd_status rdi_fail_unknown_name(rd_ctx *ctx, const char *what, const char *name,
                                const char *(*next)(size_t index)) {
    char valid[512], room[RD_SUGGESTION_ROOM];
    rd_suggestion s = rd_suggest(name, strlen(name));
    const char *other;
    rdi_list_names(valid, sizeof valid, next);
    for (size_t i = 0; (other = next(i)) != NULL; i++)
        rd_suggest_offer(&s, other, strlen(other));
    return rdi_fail(ctx, RD_EINVAL, "unknown %s '%.80s'%s (valid: %s)", what, name,
                    rd_suggest_text(&s, "", room), valid);
}
