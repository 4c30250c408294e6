/* Traces: files, pipes and generators in; references, then block ids out.
 *
 *   rd_trace_open(ctx, "prog.lackey.gz", NULL, &t);      (NULL: format found by content)
 *   rd_mapper_new(ctx, &(rd_mapping){.size = sizeof(rd_mapping), .block_bytes = 64}, &m);
 *   while (rd_trace_read(t, &refs) == RD_OK && refs->n > 0) {
 *       rd_mapper_feed(m, refs);
 *       while (rd_mapper_next(m, &blocks, &n) == RD_OK && n > 0)
 *           rd_engine_feed(e, blocks, n, NULL);
 *   }
 *
 * A batch belongs to whoever filled it, until the next call: references to the trace, block ids to
 * the mapper. The caller frees neither.
 */
#ifndef REUSEDIST_TRACE_H
#define REUSEDIST_TRACE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RD_LOAD = 1,
    RD_STORE = 2,
    RD_FETCH = 4,
    RD_ALL_KINDS = 7
}; /* kind of a reference; also a mask */

/* Columns a format can deliver beside the address; and events, rd_trace_events(). */
enum {
    RD_FIELD_SIZE = 1,
    RD_FIELD_KIND = 2,
    RD_FIELD_PC = 4,
    RD_FIELD_THREAD = 8,
    RD_FIELD_EVENTS = 16
};

/* Further columns, which only some traces have: RD_FIELD_MORE(i) stands for rd_refs.more[i]. */
#define RD_MORE_COLUMNS  8
#define RD_FIELD_MORE(i) (UINT32_C(256) << (i))

/* The name of one RD_FIELD_*: "size", "kind", "pc" ... NULL: there is no such field. */
RD_API const char *rd_field_name(uint32_t field);

/* A batch of references, one column per field. A column that is not in `fields` is NULL: size is
 * then 1, kind RD_LOAD, everything else 0. Borrowed from the trace until its next call. */
typedef struct rd_refs {
    size_t n; /* 0: end of the trace */
    uint32_t fields;
    const uint64_t *addr;
    const uint32_t *size; /* bytes, at least 1 */
    const uint8_t *kind;
    const uint64_t *pc;
    const uint32_t *thread;
    const uint64_t *more[RD_MORE_COLUMNS];
} rd_refs;

/* References [at, at + n) of a batch, as a batch that borrows from it. */
RD_API rd_refs rd_refs_slice(const rd_refs *refs, size_t at, size_t n);

/* What happened beside references, so that addresses can be given names. Where ranges overlap, the
 * later event is right: memory is mapped, freed and given out again. */
typedef enum rd_event_kind {
    RD_EVENT_MODULE = 1, /* a program or library was mapped */
    RD_EVENT_ALLOCATE,   /* memory was given out */
    RD_EVENT_RELEASE,    /* and came back; size 0: as much as was given out at this address */
    RD_EVENT_STACK,      /* of `thread` */
    RD_EVENT_UNLOAD      /* a module went away */
} rd_event_kind;

typedef struct rd_event {
    uint64_t at; /* index in the trace of the reference before which it happened */
    rd_event_kind kind;
    uint32_t thread;
    uint64_t address, size; /* of a module: where its executable segment lies */
    /* ALLOCATE: inside of the call instruction, of the first caller outside of the allocator; 0
     * unknown. MODULE: load bias, what the addresses in the file lie below those of the process.
     * Else 0. */
    uint64_t pc;
    const char *path; /* MODULE: the file; else NULL */
} rd_event;

typedef struct rd_format_info {
    const char *name;
    const char *summary;
    const char *card;   /* paragraphs for `reusedist formats NAME` */
    uint32_t fields;    /* RD_FIELD_* it can deliver */
    bool ids;           /* addresses are object ids: the default granularity is one block per id */
    bool writable;      /* `convert` can write it */
    bool binary;        /* not for a terminal */
    const rd_opt *opts; /* may be NULL */
} rd_format_info;

RD_API const rd_format_info *rd_format_info_at(size_t index);
RD_API const rd_format_info *rd_format_info_find(const char *name);

typedef struct rd_trace rd_trace;

/* `path` "-": standard input. `spec`: "NAME[:key=value,...]", NULL or "auto": by content.
 * Compressed input (gz, bz2, xz, zst, lz4) is unpacked on the way. */
RD_API RD_CHECKED rd_status rd_trace_open(rd_ctx *ctx, const char *path, const char *spec,
                                          rd_trace **out);
/* An open file or pipe, which stays the caller's; `name` stands for the path in messages. `head`:
 * the `n` bytes that the caller has read from it already (copied). */
RD_API RD_CHECKED rd_status rd_trace_open_fd(rd_ctx *ctx, int fd, const char *name,
                                             const void *head, size_t n, const char *spec,
                                             rd_trace **out);
/* A trace in memory (borrowed); `name` stands for the path in messages. */
RD_API RD_CHECKED rd_status rd_trace_open_memory(rd_ctx *ctx, const char *name, const void *data,
                                                 size_t n, const char *spec, rd_trace **out);
/* A synthetic trace: "zipf:blocks=4M,refs=50M,seed=1". See rd_generator_info_at(). */
RD_API RD_CHECKED rd_status rd_trace_generate(rd_ctx *ctx, const char *spec, rd_trace **out);

/* Next batch; refs->n is 0 at the end. On damage: RD_EFORMAT with line or byte offset in the
 * message, after everything before the damage has been delivered. */
RD_API RD_CHECKED rd_status rd_trace_read(rd_trace *t, const rd_refs **out);

/* The events before and inside the batch read last, by ascending `at`; behind the last reference:
 * with the batch that is the end. Returns how many there are. Borrowed until the next read. */
RD_API size_t rd_trace_events(const rd_trace *t, const rd_event **out);

/* References of a plain file in a format whose reading can begin anywhere; 0: of any other trace,
 * and of one with events. */
RD_API uint64_t rd_trace_count(rd_trace *t);
/* The next batches are of the n references from `first` on, as far as there are as many as
 * rd_trace_count(). A part that reaches the end of the trace fails if that is damaged. */
RD_API RD_CHECKED rd_status rd_trace_seek(rd_trace *t, uint64_t first, uint64_t n);

/* Of a generated trace: the generator. */
RD_API const rd_format_info *rd_trace_format(const rd_trace *t);
/* Whether addresses are object ids in this very trace (the native format says so per file). */
RD_API bool rd_trace_has_ids(const rd_trace *t);
/* What the user should know about this trace, as one sentence; NULL: nothing. A file of a later
 * release can have columns and kinds of events that this release does not know: it reads the file
 * without them, and the note names them. Borrowed from the trace. */
RD_API const char *rd_trace_note(const rd_trace *t);
/* References that the recorder left out on purpose so far: 0 none, UINT64_MAX some. */
RD_API uint64_t rd_trace_skipped(const rd_trace *t);
/* References that were only counted, see rd_live_config.collapse_bytes: each has distance 0. */
RD_API uint64_t rd_trace_repeats(const rd_trace *t);
/* Bytes read so far and in all, of the file as stored (compressed); total 0 when unknown. Of a
 * generated trace: references. */
RD_API void rd_trace_progress(const rd_trace *t, uint64_t *done, uint64_t *total);
RD_API void rd_trace_close(rd_trace *t);

/* The generators, described like formats: `opts` are what rd_trace_generate() takes. */
RD_API const rd_format_info *rd_generator_info_at(size_t index);
RD_API const rd_format_info *rd_generator_info_find(const char *name);

/* ---- running programs ---- */

/* Memory shared with the recorders inside running programs, which this process started. */
typedef struct rd_live rd_live;

#define RD_COLLAPSE_MAX (UINT64_C(1) << 40)

typedef struct rd_live_config {
    size_t size; /* sizeof(rd_live_config) */
    bool pc;     /* recorders tell program counters */
    bool events; /* and events, rd_trace_events(); implies pc */
    bool thread; /* batches have a thread column */
    /* Power of two, RD_COLLAPSE_MAX at most; not 0: recorders only count references that stay in
     * the block of this size that the one before touched, rd_trace_repeats(), and batches whose
     * references all stay in one block have neither sizes nor kinds. Less work for an analysis with
     * blocks of this size. */
    uint64_t collapse_bytes;
    bool paused; /* record nothing before rd_live_set_recording() or a recorder says so */
    /* Asked when nothing comes for a moment: whether something may still come. Once it says no, the
     * trace ends behind what is already there. */
    bool (*running)(void *user);
    void *user;
} rd_live_config;

RD_API RD_CHECKED rd_status rd_live_new(rd_ctx *ctx, const rd_live_config *config, rd_live **out);
/* The file that recorders open; it exists as long as this process and `live`. */
RD_API const char *rd_live_path(const rd_live *live);
/* The references of all programs that record, in the order in which they happened per thread. The
 * programs wait for whoever reads. Addresses of the second, third ... program differ from those of
 * the first by a number of their own in the top 16 bits. `live` (borrowed) serves one trace. */
RD_API RD_CHECKED rd_status rd_trace_open_live(rd_ctx *ctx, rd_live *live, rd_trace **out);
/* Has the recorders record or skip from now on, within a few thousand references. May be called in
 * a signal handler. */
RD_API void rd_live_set_recording(rd_live *live, bool on);
/* The trace ends within a chunk of references, whatever else there is. May be called in a signal
 * handler. */
RD_API void rd_live_stop(rd_live *live);
/* How many programs have recorded so far, or begun to. */
RD_API uint64_t rd_live_programs(const rd_live *live);
/* Programs that still record end with a message. */
RD_API void rd_live_free(rd_live *live);

/* ---- writing ---- */

typedef struct rd_trace_writer rd_trace_writer;

/* `spec` NULL: the native format. `path` "-": standard output. `fields`: the columns to keep (a
 * batch without one of them counts as size 1, kind RD_LOAD, everything else 0); a format leaves out
 * what it cannot hold. `ids`: addresses are object ids. */
RD_API RD_CHECKED rd_status rd_trace_writer_open(rd_ctx *ctx, const char *path, const char *spec,
                                                 uint32_t fields, bool ids, rd_trace_writer **out);
RD_API RD_CHECKED rd_status rd_trace_writer_write(rd_trace_writer *w, const rd_refs *refs);
/* An event that happened before the reference that is written next; `at` is not looked at. For
 * writers opened with RD_FIELD_EVENTS; a format that cannot hold events leaves it out. */
RD_API RD_CHECKED rd_status rd_trace_writer_event(rd_trace_writer *w, const rd_event *event);
/* From now on the file is there under its name, and what is in it stays whatever happens, up to its
 * last whole part: for what cannot be made a second time. */
RD_API RD_CHECKED rd_status rd_trace_writer_keep(rd_trace_writer *w);
/* Writes what is buffered and checks that everything reached the file. */
RD_API RD_CHECKED rd_status rd_trace_writer_finish(rd_trace_writer *w);
/* A file that was not finished does not appear: one of that name stays as it was. */
RD_API void rd_trace_writer_close(rd_trace_writer *w);

/* ---- references to blocks ---- */

typedef struct rd_mapping {
    size_t size;          /* sizeof(rd_mapping) */
    uint64_t block_bytes; /* power of two; 0: one block per address, never split (-b addr) */
    uint32_t kinds;       /* mask of RD_LOAD ...; 0: all */
    bool origins;         /* rd_mapper_origins() will be asked */
} rd_mapping;

typedef struct rd_mapper rd_mapper;

RD_API RD_CHECKED rd_status rd_mapper_new(rd_ctx *ctx, const rd_mapping *mapping, rd_mapper **out);
/* Borrows `refs` until the next feed. */
RD_API void rd_mapper_feed(rd_mapper *m, const rd_refs *refs);
/* Next batch of block ids (borrowed until the next call); *n is 0 when the references are used up.
 */
RD_API RD_CHECKED rd_status rd_mapper_next(rd_mapper *m, const uint64_t **blocks, size_t *n);
/* Of the batch of block ids given last: for each the index of its reference in what was fed. */
RD_API const uint32_t *rd_mapper_origins(const rd_mapper *m);
/* The next feed begins at reference `first` of the trace, which messages count from. */
RD_API void rd_mapper_seek(rd_mapper *m, uint64_t first);
RD_API void rd_mapper_free(rd_mapper *m);

#ifdef __cplusplus
}
#endif
#endif
