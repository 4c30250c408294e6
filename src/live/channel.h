/* The channel: the memory that recorders share with the analyzer.
 *
 * Recorders run inside the traced programs: the Valgrind tool and the runtime of compiled-in
 * recording. They do not use the library; they share only this header and the constants of
 * reusedist/trace.h and reusedist/marker.h with it. This header needs no C library. Each recording
 * thread or process takes a free buffer, fills it with records, hands it over and takes another
 * one. The reader takes full buffers in the order in which they were handed over, and frees them. A
 * recorder that finds too many full buffers waits, so no record is lost, and the program runs no
 * faster than the analysis. Buffers that are being filled do not count as full, because their owner
 * may be waiting for a thread that needs a buffer. RDI_CHANNEL_BUFFERS buffers are enough for
 * hundreds of threads.
 *
 * All words of a free buffer are zero, and the first word of a record is never zero. So if a
 * recorder was killed while it filled a buffer, a zero word marks the end of the records. If the
 * analyzer has exited, each recorder that needs a buffer prints a message and ends its program with
 * exit status 1.
 *
 * Waiting uses futexes: the waiting side sets its flag, `reader_waits` or `recorders_wait`, checks
 * once more, and sleeps on the counter that the other side increments. Both sides also wake up
 * after a short time, to check whether the other side still exists. A wake-up costs more than
 * filling or reading a buffer, so one wake-up serves many buffers: the reader sleeps until a
 * quarter of RDI_CHANNEL_FULL_MAX buffers are full or a recorder waits, and recorders sleep until
 * at most half of RDI_CHANNEL_FULL_MAX buffers are full.
 */
#ifndef RDI_CHANNEL_H
#define RDI_CHANNEL_H

#include <stdint.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* The bytes "\0RDRING8". The digit changes when the layout of the channel changes. */
#define RDI_CHANNEL_MAGIC UINT64_C(0x38474e4952445200)
/* Number of words in a buffer. Buffers are large, so that a recorder needs milliseconds to fill a
 * quarter of RDI_CHANNEL_FULL_MAX buffers, and the reader can sleep during this time. Only buffers that
 * were ever taken use memory. */
#define RDI_CHANNEL_BUFFER_WORDS 65536
/* Recorders wait for the reader while this number of buffers or more are full. */
#define RDI_CHANNEL_FULL_MAX 64
/* Number of buffers of a channel. If that many cannot be mapped, the channel has only
 * RDI_CHANNEL_FULL_MAX buffers. */
#define RDI_CHANNEL_BUFFERS 1024
/* Number of waits for a free buffer, each up to a tenth of a second long, after which a recorder
 * gives up and ends its program if no buffer was full during these waits. */
#define RDI_CHANNEL_PATIENCE   100
#define RDI_CHANNEL_HEAD_BYTES 40960
#define RDI_CHANNEL_BYTES(buffers)                                                                 \
    (RDI_CHANNEL_HEAD_BYTES + (uint64_t)(buffers)*RDI_CHANNEL_BUFFER_WORDS * 8)

/* A reference is a record of one word. The upper 48 bits of the word are the lower 48 bits of the
 * address, which the reader sign-extends. Below them are 14 bits of size and 2 bits of kind. If
 * record_words is 2, a second word has the program counter. */
enum { RDI_RECORD_LOAD = 0, RDI_RECORD_STORE = 1, RDI_RECORD_FETCH = 2, RDI_RECORD_EVENT = 3 };
#define RDI_RECORD_SHIFT           16
#define RDI_RECORD_SIZE_MAX        0x3fff
#define RDI_RECORD_LOW(size, kind) ((uint64_t)(size) << 2 | (uint64_t)(kind))

/* If the field `events` of the channel is not 0, recorders write events (rd_event_kind) between the
 * references. An event consists of a head (kind, length of the path in bytes, thread), address,
 * size, program counter, and the path, padded to an even number of words. Kind 0 fills the place
 * that was reserved for an event that did not happen. RDI_EVENTS_DATA, which needs record_words 2,
 * asks for events about modules, allocations and stacks, and RDI_EVENTS_SYNC for events of
 * synchronization. */
enum { RDI_EVENTS_DATA = 1, RDI_EVENTS_SYNC = 2, RDI_EVENTS_CONTEXTS = 4 };
#define RDI_EVENT_WORDS 4

/* RDI_EVENTS_CONTEXTS, which needs RDI_EVENTS_DATA, asks for calling contexts. An event of two words
 * with the kind RDI_CONTEXT_SWITCH says that the references after it have the calling context whose
 * number is in the place of the thread. The second word is 0. The references of a buffer have context 0
 * until the first such event. RD_EVENT_CONTEXT defines a number before the first reference that has
 * it. */
#define RDI_CONTEXT_SWITCH  0x3fff
#define RDI_SWITCH_WORDS    2
#define RDI_SWITCH(context) RDI_EVENT_HEAD(RDI_CONTEXT_SWITCH, 0, context)
/* If the recorder has reached its limits, a number with this bit stands for the context that has the
 * number without this bit, and for all contexts below it. */
#define RDI_CONTEXT_BELOW (UINT32_C(1) << 31)
#define RDI_EVENT_HEAD(kind, path_bytes, thread)                                                   \
    ((uint64_t)(thread) << 32 | (uint64_t)(path_bytes) << 16 | (uint64_t)(kind) << 2 |             \
     RDI_RECORD_EVENT)
#define RDI_EVENT_KIND(head)       ((unsigned)(head) >> 2 & 0x3fff)
#define RDI_EVENT_PATH_BYTES(head) ((unsigned)((head) >> 16) & 0xffff)
#define RDI_EVENT_THREAD(head)     ((uint32_t)((head) >> 32))

enum { RDI_BUFFER_FREE = 0, RDI_BUFFER_FILLING = 1, RDI_BUFFER_FULL = 2 };

typedef struct rdi_buffer {
    uint64_t state;   /* lower 32 bits: RDI_BUFFER_*; upper 32 bits: process id, in the reader's
                         /proc, of the recorder that fills the buffer */
    uint32_t process; /* number of the recording: one per program image, from 0 */
    uint32_t thread;  /* number of the thread, which the recorder chooses */
    uint64_t ticket;  /* full buffer: its place in the order in which buffers were handed over */
    uint32_t words;   /* full buffer: number of filled words; 0: up to the first zero word */
    uint32_t repeats; /* full buffer: number of references removed by rdi_channel_collapse() */
} rdi_buffer;

/* The value of `words` while repeats are being removed from a buffer. If the owner is killed during
 * this time, the reader skips the contents. */
#define RDI_WORDS_CHANGING UINT32_MAX

/* A bit of `collapse`: a store stays unless the record before it is a store as well. So at least one store
 * is left of consecutive references to one block among which are stores. */
#define RDI_COLLAPSE_LOADS 0x100

typedef struct rdi_channel {
    uint64_t magic;
    uint32_t record_words; /* number of words per record: 1, or 2 with program counters */
    uint32_t recording;    /* 0: recorders skip references for now */
    uint32_t closed;       /* nonzero: the reader takes no more buffers */
    uint32_t processes;    /* number of recordings that have begun */
    uint64_t skipped;      /* number of references that recorders left out intentionally */
    uint32_t collapse;     /* 1 + log2 of the block size for removing repeats, combined with
                              RDI_COLLAPSE_LOADS; 0: keep repeats */
    uint32_t events;       /* mask of RDI_EVENTS_*: the events that recorders write */
    uint32_t vector_bits;  /* usable vector width of this processor: 0, 256 or 512 */
    uint32_t buffers;      /* number of buffers */
    uint32_t reader;       /* process id of the reader */
    uint32_t children;     /* number of processes that recorded programs started and that are not
                              recorded */
    uint32_t replaced;     /* number of recorded programs that exec() replaced by one that is not
                              recorded */
    /* Number of threads of recorded programs that have not ended, not counting one thread of each
     * program. After all programs have ended, it is the number of threads that were still running
     * when another thread ended their program. */
    uint32_t threads;
    /* Recorders increment `fulls` and `tickets`. The reader sets `reader_waits` while it sleeps on
     * `fulls`. This group of fields and the next one are in different cache lines. */
    uint32_t fulls, reader_waits;
    uint64_t tickets;
    uint64_t padding[6];
    /* The reader increments `frees`. Recorders set `recorders_wait` when they sleep on `frees`. */
    uint32_t frees, recorders_wait;
    uint64_t padding_too[7];
    rdi_buffer buffer[RDI_CHANNEL_BUFFERS];
} rdi_channel;

static inline uint64_t *rdi_channel_words(rdi_channel *channel, unsigned index) {
    return (uint64_t *)(void *)((char *)channel + RDI_CHANNEL_HEAD_BYTES) +
           (uint64_t)index * RDI_CHANNEL_BUFFER_WORDS;
}

/* Returns whether the buffer is being filled. *owner is set to the process id of its recorder. */
static inline int rdi_channel_is_filling(const rdi_buffer *buffer, uint32_t *owner) {
    uint64_t state = __atomic_load_n(&buffer->state, __ATOMIC_ACQUIRE);
    *owner = (uint32_t)(state >> 32);
    return (uint32_t)state == RDI_BUFFER_FILLING;
}

static inline uint64_t rdi_channel_event_words(uint64_t head) {
    return RDI_EVENT_KIND(head) == RDI_CONTEXT_SWITCH
               ? RDI_SWITCH_WORDS
               : RDI_EVENT_WORDS + ((uint64_t)RDI_EVENT_PATH_BYTES(head) + 15) / 16 * 2;
}

/* Returns the number of full buffers that the reader has not freed. After the reader has closed the
 * channel, the number may be too low. */
static inline int32_t rdi_channel_full(const rdi_channel *channel) {
    uint32_t frees = __atomic_load_n(&channel->frees, __ATOMIC_SEQ_CST);
    return (int32_t)(__atomic_load_n(&channel->fulls, __ATOMIC_SEQ_CST) - frees);
}

/* ---- recorders ---- */

/* Writes an event to `to`, which must have room for it. The head is written last, so that a killed
 * recorder leaves only complete events. */
static inline void rdi_channel_put_event(uint64_t *to, uint64_t head, uint64_t address,
                                         uint64_t size, uint64_t pc, const char *path) {
    char *bytes = (char *)(to + RDI_EVENT_WORDS);
    to[1] = address;
    to[2] = size;
    to[3] = pc;
    for (unsigned i = 0; i < RDI_EVENT_PATH_BYTES(head); i++)
        bytes[i] = path[i];
    __atomic_store_n(to, head, __ATOMIC_RELEASE);
}

/* Counts `references` references that are not recorded. Returns nonzero about once per 2^26 such
 * references; the caller must then check whether the reader still exists. *since is a counter of the
 * caller, which must be 0 at first. */
static inline int rdi_channel_skip(rdi_channel *channel, uint64_t *since, uint64_t references) {
    const uint64_t many = UINT64_C(1) << 26;
    __atomic_fetch_add(&channel->skipped, references, __ATOMIC_RELAXED);
    *since += references;
    int look = *since >= many;
    *since %= many;
    return look;
}

/* Takes a free buffer for `owner` and returns its index, or -1 if the caller must wait. The
 * function takes the lowest free index, so that the same few buffers are used again while they are
 * still in a cache. */
static inline int rdi_channel_take(rdi_channel *channel, uint32_t owner) {
    if (rdi_channel_full(channel) >= RDI_CHANNEL_FULL_MAX)
        return -1;
    for (int i = 0; i < (int)channel->buffers; i++) {
        rdi_buffer *buffer = &channel->buffer[i];
        uint64_t expected = RDI_BUFFER_FREE, taken = (uint64_t)owner << 32 | RDI_BUFFER_FILLING;
        if (__atomic_load_n(&buffer->state, __ATOMIC_RELAXED) == RDI_BUFFER_FREE &&
            __atomic_compare_exchange_n(&buffer->state, &expected, taken, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return i;
    }
    return -1;
}

/* Counts a wait for a buffer in *turns, which must be 0 at first, or sets *turns to 0 if a buffer
 * is full. Returns whether there were more than RDI_CHANNEL_PATIENCE waits in a row without a full
 * buffer. All buffers are then being filled, and no thread makes progress. Recorders call this
 * function once per wait. */
static inline int rdi_channel_is_hopeless(const rdi_channel *channel, unsigned *turns) {
    *turns = rdi_channel_full(channel) > 0 ? 0 : *turns + 1;
    return *turns > RDI_CHANNEL_PATIENCE;
}

/* The progress of removing repeats. */
typedef struct rdi_collapse {
    uint64_t at, kept; /* number of words examined so far, and number of these words that stay */
    uint64_t last;     /* the last block that the previous record touched */
    uint64_t
        store; /* RDI_RECORD_STORE: stores may stay, as with RDI_COLLAPSE_LOADS; 0: they do not */
    uint64_t stored; /* `store` if the previous record is a store, else 0 */
} rdi_collapse;

static inline void rdi_channel_collapse_plain(rdi_collapse *c, unsigned shift, uint64_t step,
                                              uint64_t *words, uint64_t n) {
    for (; c->at < n; c->at += step) {
        uint64_t word = words[c->at], size = word >> 2 & RDI_RECORD_SIZE_MAX;
        uint64_t first = word >> shift, end = (word + ((size - 1) << RDI_RECORD_SHIFT)) >> shift;
        words[c->kept] = word;
        if (step == 2)
            words[c->kept + 1] = words[c->at + 1];
        c->kept += first != c->last || end != c->last || (word & c->store) > c->stored ? step : 0;
        c->last = end;
        c->stored = word & c->store;
    }
}

#if defined(__x86_64__)
/* Does the same as rdi_channel_collapse_plain() for four records of one word at a time, and leaves
 * up to three records for that function. The stores overwrite up to four words after the kept words,
 * all of which have already been examined. */
__attribute__((target("avx2"))) static inline void
rdi_channel_collapse_avx2(rdi_collapse *c, unsigned shift, uint64_t *words, uint64_t n) {
    /* order[k] is an order of the halves of four words that begins with the words in the set k, and
     * count[k] is the number of words in this set. */
    static const uint32_t order[16][8] = {
        {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 4, 5, 6, 7},
        {0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 0, 1, 2, 3, 6, 7}, {0, 1, 4, 5, 2, 3, 6, 7},
        {2, 3, 4, 5, 0, 1, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {6, 7, 0, 1, 2, 3, 4, 5},
        {0, 1, 6, 7, 2, 3, 4, 5}, {2, 3, 6, 7, 0, 1, 4, 5}, {0, 1, 2, 3, 6, 7, 4, 5},
        {4, 5, 6, 7, 0, 1, 2, 3}, {0, 1, 4, 5, 6, 7, 2, 3}, {2, 3, 4, 5, 6, 7, 0, 1},
        {0, 1, 2, 3, 4, 5, 6, 7}};
    static const uint8_t count[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    const __m256i size_bits = _mm256_set1_epi64x(RDI_RECORD_SIZE_MAX << 2);
    const __m256i one = _mm256_set1_epi64x(1 << RDI_RECORD_SHIFT);
    const __m128i by = _mm_cvtsi32_si128((int)shift);
    const __m256i store = _mm256_set1_epi64x((long long)(c->store << 63));
    __m256i last = _mm256_set1_epi64x((long long)c->last);
    unsigned stored = (unsigned)c->stored; /* bit 0: the record before these ones is a store */
    uint64_t at = c->at, kept = c->kept;
    for (; at + 4 <= n; at += 4) {
        __m256i word = _mm256_loadu_si256((const __m256i *)(const void *)(words + at));
        __m256i size = _mm256_slli_epi64(_mm256_and_si256(word, size_bits), RDI_RECORD_SHIFT - 2);
        __m256i first = _mm256_srl_epi64(word, by);
        __m256i end = _mm256_srl_epi64(_mm256_add_epi64(word, _mm256_sub_epi64(size, one)), by);
        __m256i before = _mm256_blend_epi32(_mm256_permute4x64_epi64(end, 0x90), last, 3);
        __m256i same =
            _mm256_and_si256(_mm256_cmpeq_epi64(first, before), _mm256_cmpeq_epi64(end, before));
        __m256i is_store = _mm256_and_si256(_mm256_slli_epi64(word, 63), store);
        unsigned stores = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(is_store));
        unsigned keep = 15u ^ (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(same));
        keep |= stores & ~(stores << 1 | stored);
        stored = stores >> 3;
        __m256i lanes = _mm256_loadu_si256((const __m256i *)(const void *)order[keep]);
        _mm256_storeu_si256((__m256i *)(void *)(words + kept),
                            _mm256_permutevar8x32_epi32(word, lanes));
        kept += count[keep];
        last = _mm256_permute4x64_epi64(end, 0xff);
    }
    *c = (rdi_collapse){at, kept, (uint64_t)_mm256_extract_epi64(last, 0), c->store, stored};
}

/* Does the same as rdi_channel_collapse_avx2() for eight records at a time, and leaves up to seven
 * records for rdi_channel_collapse_plain(). */
__attribute__((target("avx512f,popcnt"))) static inline void
rdi_channel_collapse_avx512(rdi_collapse *c, unsigned shift, uint64_t *words, uint64_t n) {
    const __m512i size_bits = _mm512_set1_epi64(RDI_RECORD_SIZE_MAX << 2);
    const __m512i one = _mm512_set1_epi64(1 << RDI_RECORD_SHIFT);
    const __m128i by = _mm_cvtsi32_si128((int)shift);
    const __m512i store = _mm512_set1_epi64((long long)c->store);
    __m512i end_before = _mm512_set1_epi64((long long)c->last);
    unsigned stored = (unsigned)c->stored; /* bit 0: the record before these ones is a store */
    uint64_t at = c->at, kept = c->kept;
    for (; at + 8 <= n; at += 8) {
        __m512i word = _mm512_loadu_si512(words + at);
        __m512i size = _mm512_slli_epi64(_mm512_and_si512(word, size_bits), RDI_RECORD_SHIFT - 2);
        __m512i first = _mm512_srl_epi64(word, by);
        __m512i end = _mm512_srl_epi64(_mm512_add_epi64(word, _mm512_sub_epi64(size, one)), by);
        __m512i before = _mm512_alignr_epi64(end, end_before, 7);
        __mmask8 keep = _mm512_cmpneq_epi64_mask(
            _mm512_or_si512(_mm512_xor_si512(first, before), _mm512_xor_si512(end, before)),
            _mm512_setzero_si512());
        unsigned stores = _mm512_test_epi64_mask(word, store);
        keep |= (__mmask8)(stores & ~(stores << 1 | stored));
        stored = stores >> 7;
        _mm512_storeu_si512(words + kept, _mm512_maskz_compress_epi64(keep, word));
        kept += (uint64_t)__builtin_popcount(keep);
        end_before = end;
    }
    uint64_t last[8];
    _mm512_storeu_si512(last, end_before);
    *c = (rdi_collapse){at, kept, last[7], c->store, stored};
}
#endif

/* Removes records that touch only the last block that the previous record touches. If RDI_COLLAPSE_LOADS is set, a
 * store stays unless the previous record is a store, too. The distance of the removed records is 0, so it is enough to
 * count them. Returns the number of words that remain, and sets the words after them to 0. */
static inline uint64_t rdi_channel_collapse(rdi_channel *channel, uint64_t *words, uint64_t n) {
    unsigned shift = (channel->collapse & ~(unsigned)RDI_COLLAPSE_LOADS) - 1 + RDI_RECORD_SHIFT;
    uint64_t step = channel->record_words;
    rdi_collapse c = {.last = ~UINT64_C(0),
                      .store = channel->collapse & RDI_COLLAPSE_LOADS ? RDI_RECORD_STORE : 0};
#if defined(__x86_64__)
    if (channel->vector_bits == 512 && step == 1)
        rdi_channel_collapse_avx512(&c, shift, words, n);
    else if (channel->vector_bits == 256 && step == 1)
        rdi_channel_collapse_avx2(&c, shift, words, n);
#endif
    rdi_channel_collapse_plain(&c, shift, step, words, n);
    for (uint64_t i = c.kept; i < n; i++)
        words[i] = 0;
    return c.kept;
}

/* Returns whether the reader sleeps or is about to sleep. */
static inline int rdi_channel_reader_waits(const rdi_channel *channel) {
    return __atomic_load_n(&channel->reader_waits, __ATOMIC_SEQ_CST) != 0;
}

static inline int rdi_channel_hand_over(rdi_channel *channel, int index, uint64_t words) {
    rdi_buffer *buffer = &channel->buffer[index];
    buffer->words = (uint32_t)words;
    buffer->ticket = __atomic_fetch_add(&channel->tickets, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&buffer->state, RDI_BUFFER_FULL, __ATOMIC_RELEASE);
    __atomic_fetch_add(&channel->fulls, 1, __ATOMIC_SEQ_CST);
    return rdi_channel_reader_waits(channel);
}

/* Hands over a buffer whose first `words` words are filled, after removing repeats if
 * channel->collapse is not 0. Returns whether the reader sleeps. If the reader sleeps, the caller
 * must wake it (futex on `fulls`) at the latest when the program ends, and earlier if
 * rdi_channel_is_worth_waking() returns nonzero. */
static inline int rdi_channel_submit(rdi_channel *channel, int index, uint64_t words) {
    rdi_buffer *buffer = &channel->buffer[index];
    uint64_t before = words;
    if (channel->collapse && words) {
        __atomic_store_n(&buffer->words, RDI_WORDS_CHANGING, __ATOMIC_SEQ_CST);
        words = rdi_channel_collapse(channel, rdi_channel_words(channel, (unsigned)index), words);
    }
    buffer->repeats = (uint32_t)((before - words) / channel->record_words);
    return rdi_channel_hand_over(channel, index, words);
}

/* Returns whether at least a quarter of RDI_CHANNEL_FULL_MAX buffers are full, so that it is worth
 * waking the reader. */
static inline int rdi_channel_is_worth_waking(const rdi_channel *channel) {
    return rdi_channel_full(channel) >= RDI_CHANNEL_FULL_MAX / 4;
}

#endif
