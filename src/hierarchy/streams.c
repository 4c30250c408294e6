/* The table of a stream prefetcher. See streams.h. */
#include "hierarchy/streams.h"

#include <string.h>

/* Returns 1 if `block` is 1 to RDI_STREAM_REACH blocks after `last`, -1 if it is 1 to
 * RDI_STREAM_REACH blocks before `last`, otherwise 0. */
static int direction_of(uint64_t last, uint64_t block) {
    if (block > last)
        return block - last <= RDI_STREAM_REACH;
    return -(int)(block < last && last - block <= RDI_STREAM_REACH);
}

static bool matches(const rdi_stream_entry *e, uint64_t block) {
    int direction = direction_of(e->last, block);
    return block == e->last || (direction && (!e->direction || e->direction == direction));
}

int rdi_streams_train(rdi_streams *s, uint64_t block) {
    unsigned at = 0;
    while (at < s->n && !matches(&s->entry[at], block))
        at++;
    rdi_stream_entry e = {.last = block};
    if (at < s->n)
        e = s->entry[at];
    else if (s->n < RDI_STREAMS)
        s->n++;
    else
        at--; /* the least recently used entry */
    int direction = direction_of(e.last, block);
    if (direction)
        e = (rdi_stream_entry){block, direction, e.steps + 1};
    memmove(s->entry + 1, s->entry, at * sizeof *s->entry);
    s->entry[0] = e;
    return direction && e.steps >= RDI_STREAM_TRAINED ? direction : 0;
}
