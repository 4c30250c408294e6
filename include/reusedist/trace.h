/* Traces: functions that read references from files, pipes, memory, generators and running programs,
 * map them to block ids, and write them.
 *
 *   rd_trace_open(ctx, "prog.lackey.gz", NULL, &t);      (NULL: detect the format)
 *   rd_mapper_new(ctx, &(rd_mapping){.size = sizeof(rd_mapping), .block_bytes = 64}, &m);
 *   while (rd_trace_read(t, &refs) == RD_OK && refs->n > 0) {
 *       rd_mapper_feed(m, refs);
 *       while (rd_mapper_next(m, &blocks, &n) == RD_OK && n > 0)
 *           rd_engine_feed(e, blocks, n, NULL);
 *   }
 *
 * The trace owns a batch of references, and the mapper a batch of block ids. A batch is valid until
 * the next call of rd_trace_read() or rd_mapper_next(), and the caller does not free it.
 */
#ifndef REUSEDIST_TRACE_H
#define REUSEDIST_TRACE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of references. The values can be combined into a mask. */
enum { RD_LOAD = 1, RD_STORE = 2, RD_FETCH = 4, RD_ALL_KINDS = 7 };

/* Fields that a format can deliver in addition to the address: columns of a batch, and events (see
 * rd_trace_events()). */
enum {
    RD_FIELD_SIZE = 1,
    RD_FIELD_KIND = 2,
    RD_FIELD_PC = 4,
    RD_FIELD_THREAD = 8,
    RD_FIELD_EVENTS = 16,
    RD_FIELD_SYNC = 32 /* events of synchronization: RD_EVENT_SYNC_RELEASE, RD_EVENT_SYNC_ACQUIRE */
};

/* Further columns, which only some traces have: RD_FIELD_MORE(i) is the field of
 * rd_refs.more[i]. */
#define RD_MORE_COLUMNS  8
#define RD_FIELD_MORE(i) (UINT32_C(256) << (i))

/* The columns of requests of object caches, as indices of rd_refs.more. A trace delivers them only
 * after rd_trace_select(). */
enum { RD_MORE_TIME, RD_MORE_LIFETIME, RD_MORE_OPERATION, RD_MORE_BYTES };
#define RD_FIELD_TIME      RD_FIELD_MORE(RD_MORE_TIME)      /* time in nanoseconds */
#define RD_FIELD_LIFETIME  RD_FIELD_MORE(RD_MORE_LIFETIME)  /* lifetime (TTL) in nanoseconds */
#define RD_FIELD_OPERATION RD_FIELD_MORE(RD_MORE_OPERATION) /* an rd_operation */
#define RD_FIELD_BYTES     RD_FIELD_MORE(RD_MORE_BYTES)     /* bytes of the object, below 2^63 */
#define RD_REQUEST_FIELDS  (RD_FIELD_TIME | RD_FIELD_LIFETIME | RD_FIELD_OPERATION | RD_FIELD_BYTES)

/* Operations of requests on objects. */
typedef enum rd_operation {
    RD_OPERATION_READ,       /* get, gets: the object is in every cache afterwards */
    RD_OPERATION_WRITE,      /* set, add, replace, cas, append, prepend, incr, decr: the object is
                                in every cache afterwards, and its lifetime begins */
    RD_OPERATION_TOUCH,      /* touch: renews the lifetime of an object that is present */
    RD_OPERATION_READ_TOUCH, /* gat: reads, and renews the lifetime */
    RD_OPERATION_DELETE,     /* delete: removes the object */
    RD_OPERATIONS            /* the number of operations */
} rd_operation;

/* The column of calling contexts of recorded programs: numbers that RD_EVENT_CONTEXT defines before
 * they are used, or 0 if no call is active in the thread. Contexts that are too deep or too many
 * have no numbers of their own: a number with the bit RD_CONTEXT_BELOW stands for several contexts,
 * the context that has the number without this bit and contexts below it. A trace delivers the
 * column only after rd_trace_select(). */
enum { RD_MORE_CONTEXT = RD_MORE_BYTES + 1 };
#define RD_FIELD_CONTEXT RD_FIELD_MORE(RD_MORE_CONTEXT)
#define RD_CONTEXT_BELOW (UINT64_C(1) << 31)

/* Returns the name of one RD_FIELD_*: "size", "kind", "pc" and so on, or NULL if there is no such
 * field. */
RD_API const char *rd_field_name(uint32_t field);

/* A batch of references, one column per field. A column that is not in `fields` is NULL; its values
 * count as size 1, kind RD_LOAD and 0 for everything else. The batch is borrowed from the trace
 * until the next rd_trace_read(). */
typedef struct rd_refs {
    size_t n; /* number of references; 0: end of the trace */
    uint32_t fields;
    const uint64_t *addr;
    const uint32_t *size; /* size in bytes, at least 1 */
    const uint8_t *kind;
    const uint64_t *pc;
    const uint32_t *thread;
    const uint64_t *more[RD_MORE_COLUMNS];
} rd_refs;

/* Returns the range [at, at + n) of a batch as a batch, which borrows the columns of `refs`. */
RD_API rd_refs rd_refs_slice(const rd_refs *refs, size_t at, size_t n);

/* Events, which give names to addresses and order the references of threads. If the address ranges
 * of two events overlap, the later event applies, because memory is mapped, freed and reused.
 *
 * An event of synchronization concerns an object, such as a mutex, which `address` identifies. The
 * thread of an RD_EVENT_SYNC_ACQUIRE has waited, or would have waited, for every earlier
 * RD_EVENT_SYNC_RELEASE of the same object by another thread. If the `size` of the acquire is not 0,
 * the thread waits only for releases whose `size` is not larger: the `size` of a release is then its
 * number among the releases of the object, from 1. A thread that acquires address 0 waits for
 * everything that comes before this event in the trace. docs/threads.md defines how an interleaving
 * respects these events. */
typedef enum rd_event_kind {
    RD_EVENT_MODULE = 1,   /* a program or library was mapped */
    RD_EVENT_ALLOCATE,     /* memory was allocated */
    RD_EVENT_RELEASE,      /* memory was freed; size 0: the whole allocation that begins at
                              `address` */
    RD_EVENT_STACK,        /* the address range of the stack of `thread` */
    RD_EVENT_UNLOAD,       /* a module was unmapped */
    RD_EVENT_SYNC_RELEASE, /* `thread` releases threads that wait, or will wait, for an object */
    RD_EVENT_SYNC_ACQUIRE, /* `thread` has waited for an object */
    RD_EVENT_CONTEXT, /* a calling context: `address` is its number; `size` is the number of the
                              context of the caller, or 0; `pc` is an address inside the call
                              instruction */
    RD_EVENT_CALLER   /* `address` is the calling context of the next RD_EVENT_ALLOCATE */
} rd_event_kind;

typedef struct rd_event {
    uint64_t at; /* index in the trace, from 0, of the next reference after the event */
    rd_event_kind kind;
    uint32_t thread;
    uint64_t address, size; /* address range, RD_EVENT_MODULE: of the executable mapping; events of
                               synchronization and calling contexts: see above */
    /* RD_EVENT_ALLOCATE: an address inside the call instruction of the first caller outside the
     * allocator; 0: unknown. RD_EVENT_MODULE: the load bias, run-time address minus file address.
     * RD_EVENT_CONTEXT: an address inside the call instruction. Other kinds: 0. */
    uint64_t pc;
    const char *path; /* RD_EVENT_MODULE: path of the file; else NULL */
} rd_event;

typedef struct rd_format_info {
    const char *name;
    const char *summary;
    const char *card;   /* description that `reusedist formats NAME` prints, in paragraphs */
    uint32_t fields;    /* mask of the RD_FIELD_* that the format can deliver */
    bool ids;           /* true: addresses are object ids, and by default each id is a block */
    bool writable;      /* true: `convert` can write this format */
    bool binary;        /* true: this format must not be written to a terminal */
    const rd_opt *opts; /* the format's options; NULL: none */
    uint32_t unwritten; /* mask of the fields in `fields` that writing drops */
} rd_format_info;

RD_API const rd_format_info *rd_format_info_at(size_t index);
RD_API const rd_format_info *rd_format_info_find(const char *name);

typedef struct rd_trace rd_trace;

/* Opens a trace file; `path` "-" is standard input. `spec` is the format, "NAME[:key=value,...]";
 * NULL or "auto" detects the format from the content. Compressed input (gz, bz2, xz, zst, lz4) is
 * decompressed while it is read. */
RD_API RD_CHECKED rd_status rd_trace_open(rd_ctx *ctx, const char *path, const char *spec,
                                          rd_trace **out);
/* Opens a trace in an open file or pipe, which the caller closes after the trace. Messages call the
 * file `name`. `head` has the `n` bytes that the caller has already read from the file; they are
 * copied. */
RD_API RD_CHECKED rd_status rd_trace_open_fd(rd_ctx *ctx, int fd, const char *name,
                                             const void *head, size_t n, const char *spec,
                                             rd_trace **out);
/* Opens a trace in memory. `data` is borrowed until rd_trace_close(). Messages call the trace
 * `name`. */
RD_API RD_CHECKED rd_status rd_trace_open_memory(rd_ctx *ctx, const char *name, const void *data,
                                                 size_t n, const char *spec, rd_trace **out);
/* Opens a generated trace, for example "zipf:blocks=4M,refs=50M,seed=1". rd_generator_info_at()
 * lists the generators. */
RD_API RD_CHECKED rd_status rd_trace_generate(rd_ctx *ctx, const char *spec, rd_trace **out);
/* Opens a trace that merges `n` open traces by time. None of them may have been read yet. References
 * with equal times are in the order of the traces. A reference with a time before that of an earlier
 * reference of its trace counts as having the latest time so far in that trace, so each trace keeps
 * its order. All traces must have times and the same columns; the merged trace delivers the times
 * only if they are selected. Messages call the traces `names` (copied). Reading the merged trace
 * reads the traces; the caller closes them after it. */
RD_API RD_CHECKED rd_status rd_trace_merge(rd_ctx *ctx, rd_trace *const *traces,
                                           const char *const *names, size_t n, rd_trace **out);

/* Counts of the references that a merged trace has delivered so far from one of its traces. */
typedef struct rd_merged_facts {
    uint64_t references;
    uint64_t backwards; /* number of references whose time is before that of an earlier one */
} rd_merged_facts;

/* Returns the facts about trace `i` of a merged trace; zeros if there is no such trace. */
RD_API rd_merged_facts rd_trace_merged(const rd_trace *t, size_t i);

/* A function of the caller that receives batches of references. A status other than RD_OK ends
 * reading. */
typedef rd_status (*rd_refs_sink)(void *user, const rd_refs *refs);

/* Traces that are read one after the other. */
typedef struct rd_join {
    size_t size; /* sizeof(rd_join) */
    /* Sets *trace to the next trace, of which nothing was read yet, or leaves it NULL after the last one.
     * The joined trace does not use the previous trace any more, so this function may close it. Reading
     * the joined trace returns any status of this function other than RD_OK. */
    rd_status (*next)(void *user, rd_trace **trace);
    /* Receives a copy of each batch, with borrowed columns, when it is read from its trace; NULL: none. If
     * this function fails, it sets refs->n to the number of references that the joined trace still
     * delivers before reading returns the status. */
    rd_status (*batch)(void *user, rd_refs *refs);
    void *user; /* the first argument of `next` and `batch` */
} rd_join;

/* Opens a trace that delivers the records of several traces, one trace after the other. The positions of
 * events continue from trace to trace. The joined trace has the format of the first trace, which this
 * function asks for, and rd_trace_has_processes() returns the same for both, but each batch has the
 * columns of its own trace. The caller closes the traces; the last one that `next` returned must stay
 * open until the joined trace is closed or `next` is called again. */
RD_API RD_CHECKED rd_status rd_trace_join(rd_ctx *ctx, const rd_join *config, rd_trace **out);

/* Configuration of the order of lockstep, in which the threads alternate and each delivers `turn`
 * references at a time. A field that is 0 has its default. */
typedef struct rd_interleave {
    size_t size;           /* sizeof(rd_interleave) */
    uint64_t turn;         /* number of references in a turn, at most RD_TURN_MAX; default 1 */
    uint64_t reorder;      /* size of the reorder buffer in records, at most 2^32; default 2^20 */
    rd_refs_sink recorded; /* receives all references in recorded order; NULL: none */
    void *recorded_user;
    /* The last batch that the caller has read from `source`: lockstep begins with this batch, and
     * `recorded` does not receive it. NULL: nothing was read. */
    const rd_refs *first;
    uint64_t before; /* number of references in all batches before `first` */
    uint64_t thread; /* the only thread of the references before `first`: process << 32 | thread
                        number */
} rd_interleave;

#define RD_TURN_MAX 1000000

/* Opens a trace that delivers the records of `source`, from config->first on if the source has been read,
 * in the order of lockstep: threads take turns, and the references of a thread that has waited for
 * another thread come after the references that the other thread made before the release. docs/threads.md
 * defines this order. Reading the new trace reads `source`; the caller closes `source` after the new
 * trace. Columns of requests are left out. */
RD_API RD_CHECKED rd_status rd_trace_interleave(rd_ctx *ctx, rd_trace *source,
                                                const rd_interleave *config, rd_trace **out);

typedef struct rd_interleaved_facts {
    uint64_t threads;   /* number of threads so far */
    uint64_t reorder;   /* size of the reorder buffer in records */
    uint64_t overflows; /* number of turns that threads missed so far because the reorder buffer was
                           too small */
} rd_interleaved_facts;

/* Returns facts about a trace that rd_trace_interleave() has opened; zeros for any other trace. */
RD_API rd_interleaved_facts rd_trace_interleaved(const rd_trace *t);

/* Returns which columns of requests the trace has: a mask of bits of RD_REQUEST_FIELDS. The trace
 * delivers only the columns that rd_trace_select() chooses. */
RD_API uint32_t rd_trace_request_fields(const rd_trace *t);
/* Chooses which columns of requests the trace delivers, and whether it delivers calling contexts: a
 * mask of bits of RD_REQUEST_FIELDS and RD_FIELD_CONTEXT. Columns that the trace does not have are
 * left out. Without this call, the trace delivers none of these columns and does not spend time on
 * them. With RD_FIELD_BYTES, a trace of object ids delivers the sizes of the objects in this column
 * instead of the column of sizes. The function may be called once, before the first
 * rd_trace_read(). */
RD_API RD_CHECKED rd_status rd_trace_select(rd_trace *t, uint32_t fields);

/* Lets up to `threads` threads read ahead, from the next rd_trace_read() on, if the trace is a long
 * file or long text in memory and its format consists of lines of text. For any other trace, the
 * call has no effect. References and failures stay the same, and the memory for reading ahead is
 * limited. */
RD_API void rd_trace_read_ahead(rd_trace *t, unsigned threads);

/* Reads the next batch. At the end of the trace the batch is empty (n is 0). If the trace is
 * damaged, the function delivers all references before the damage first. The next call then returns
 * RD_EFORMAT, and the message gives the line or the byte offset. */
RD_API RD_CHECKED rd_status rd_trace_read(rd_trace *t, const rd_refs **out);

/* Sets *out to the events before and inside the last batch, in ascending order of `at`, and returns
 * their number. Events after the last reference come with the empty batch that ends the trace. The
 * events are borrowed until the next rd_trace_read(). */
RD_API size_t rd_trace_events(const rd_trace *t, const rd_event **out);

/* Returns the number of references if the trace can be read from any reference on. This requires an
 * uncompressed regular file without events, in a format that supports it. Returns 0 for any other
 * trace. */
RD_API uint64_t rd_trace_count(rd_trace *t);
/* Continues reading at reference `first`. The following batches have the `n` references that begin
 * there. The function returns RD_EINVAL if rd_trace_count() is 0 or first + n exceeds it. Reading a
 * range that reaches the end of the trace fails if the end is damaged. */
RD_API RD_CHECKED rd_status rd_trace_seek(rd_trace *t, uint64_t first, uint64_t n);

/* Returns the format of the trace, or the generator if the trace is generated. */
RD_API const rd_format_info *rd_trace_format(const rd_trace *t);
/* Returns whether the addresses in this trace are object ids. The native format states this in each
 * file. */
RD_API bool rd_trace_has_ids(const rd_trace *t);
/* Returns whether the top 16 bits of an address are the number of its process, from 0. Recorders write it
 * there, so this is true for running programs and for the native format, except for files of object ids and
 * files that were written with the option processes=off. Threads of different processes are different
 * threads, even if they have the same number. */
RD_API bool rd_trace_has_processes(const rd_trace *t);
/* Returns whether the ids are hexadecimal numbers in text, which may be addresses. Blocks of bytes
 * make sense for such ids; other object ids must not be divided into blocks. */
RD_API bool rd_trace_has_hex_ids(const rd_trace *t);
/* Returns a note for the user about this trace, as one sentence, or NULL if there is none. A file
 * of a later release can have columns and kinds of events that this release does not know. This
 * release then reads the file without them, and the note names them. The note is borrowed from the
 * trace. */
RD_API const char *rd_trace_note(const rd_trace *t);
/* Returns the number of references that the recorder intentionally left out so far. UINT64_MAX
 * means that it left out an unknown number of them. */
RD_API uint64_t rd_trace_skipped(const rd_trace *t);
/* Returns the number of references that the recorder counted without recording each of them, see
 * rd_live_config.collapse_bytes. Each of them has distance 0. */
RD_API uint64_t rd_trace_repeats(const rd_trace *t);
/* Returns whether `t` is the trace of a running program that has been read to its end although no
 * program ever connected to its channel: the program could not be started, or has no recorder. */
RD_API bool rd_trace_never_began(const rd_trace *t);
/* Returns the number of lines read so far, with the header and empty lines, or 0 if the trace is not
 * text. While threads read ahead, the result means nothing. */
RD_API uint64_t rd_trace_line(const rd_trace *t);
/* Sets *done to the number of stored (possibly compressed) bytes read so far, and *total to the
 * size of the file, or 0 if it is unknown. For a generated trace, both are numbers of references.
 * For a running program, *done is the number of references read so far, and *total is 0. */
RD_API void rd_trace_progress(const rd_trace *t, uint64_t *done, uint64_t *total);
RD_API void rd_trace_close(rd_trace *t);

/* The generators, described like formats. Their `opts` are the options that rd_trace_generate()
 * takes. */
RD_API const rd_format_info *rd_generator_info_at(size_t index);
RD_API const rd_format_info *rd_generator_info_find(const char *name);

/* ---- running programs ---- */

/* The channel: memory that this process shares with the recorders in the programs it started. */
typedef struct rd_live rd_live;

#define RD_COLLAPSE_MAX (UINT64_C(1) << 40)

typedef struct rd_live_config {
    size_t size; /* sizeof(rd_live_config) */
    bool pc;     /* true: recorders record program counters */
    bool events; /* true: recorders record events, see rd_trace_events(); implies pc */
    bool thread; /* true: batches have a thread column */
    /* Size of a block in bytes, a power of two up to RD_COLLAPSE_MAX; 0: off. Recorders count
     * consecutive references to one block of this size without recording each of them, see
     * rd_trace_repeats(). Unless `pc` is true, batches whose references each touch only one block
     * then have neither sizes nor kinds. An analysis with blocks of this size is faster and has the
     * same result. `events` and `sync` must be false. */
    uint64_t collapse_bytes;
    bool contexts; /* true: recorders record calling contexts, and batches have them; `events` must
                      be true */
    bool paused; /* true: recorders record nothing before rd_live_set_recording() or a marker starts
                    recording */
    /* The trace calls this function when no records arrive for a while. The function returns
     * whether more records may arrive. Once it returns false, the trace ends after the records that
     * are already in the channel. It must not be NULL. */
    bool (*running)(void *user);
    void *user;
    bool sync; /* true: recorders record the synchronization of threads, RD_FIELD_SYNC; implies
                  thread */
    /* true: recorders record a store unless the reference before it is a store as well, and batches
     * always have kinds. So a simulation of caches knows which blocks are stored to, see
     * rd_hierarchy_takes_repeats(). `collapse_bytes` must not be 0. */
    bool collapse_loads;
} rd_live_config;

RD_API RD_CHECKED rd_status rd_live_new(rd_ctx *ctx, const rd_live_config *config, rd_live **out);
/* Returns the path of the file that recorders open. The file exists until this process ends or frees
 * `live`. */
RD_API const char *rd_live_path(const rd_live *live);
/* Opens the trace of all recorded programs. The references of a thread are in the order in which
 * they happened. A program waits while too many of its records are unread. The top 16 bits of an
 * address identify the program: 0 for the first one, another number for each further one. `live` is
 * borrowed and can have only one trace. */
RD_API RD_CHECKED rd_status rd_trace_open_live(rd_ctx *ctx, rd_live *live, rd_trace **out);
/* Switches recording on or off. The recorders follow within a few thousand references. A signal
 * handler may call this function. */
RD_API void rd_live_set_recording(rd_live *live, bool on);
/* Ends the trace at the end of the buffer that is being read, which is within 65,536 references,
 * even if programs still record. A signal handler may call this function. */
RD_API void rd_live_stop(rd_live *live);
/* Returns the number of programs that have started to record so far. */
RD_API uint64_t rd_live_programs(const rd_live *live);
/* Returns the number of processes that recorded programs have started so far and that are not
 * recorded. */
RD_API uint64_t rd_live_children(const rd_live *live);
/* Returns the number of recorded programs that exec() has replaced so far by a program that is not
 * recorded. */
RD_API uint64_t rd_live_replaced(const rd_live *live);
/* Returns the number of threads that recorded programs have created so far and that have not ended.
 * After a program has ended, its threads that were still running at that moment stay counted. */
RD_API uint64_t rd_live_threads(const rd_live *live);
/* Frees the channel. Programs that still record exit with a message. */
RD_API void rd_live_free(rd_live *live);

/* ---- writing ---- */

typedef struct rd_trace_writer rd_trace_writer;

/* Opens a file for writing; `path` "-" is standard output. `spec` is the format; NULL selects the
 * native format. `fields` are the columns to write; a format drops the columns that it does not
 * support. If a batch lacks a column, the file gets size 1, kind RD_LOAD or 0. `ids` must be true
 * if addresses are object ids. If the top 16 bits of addresses do not name processes
 * (rd_trace_has_processes()), `spec` must be "native:processes=off" for the native format. */
RD_API RD_CHECKED rd_status rd_trace_writer_open(rd_ctx *ctx, const char *path, const char *spec,
                                                 uint32_t fields, bool ids, rd_trace_writer **out);
RD_API RD_CHECKED rd_status rd_trace_writer_write(rd_trace_writer *w, const rd_refs *refs);
/* Writes an event that happened before the next reference. The field `at` of the event is ignored. The
 * event is dropped if the format does not support events or the writer was opened without
 * RD_FIELD_EVENTS. */
RD_API RD_CHECKED rd_status rd_trace_writer_event(rd_trace_writer *w, const rd_event *event);
/* Makes the file appear now and keeps it even if writing fails later or the process is killed. The file can then be
 * read up to that point. If a file of that name exists, the new one has the name that rd_trace_writer_kept() returns
 * until rd_trace_writer_finish() replaces the old file. Keeps nothing, and returns RD_OK, if the file is not regular or
 * no new file can be created in the folder. `reusedist record` uses this function, because a recording cannot be
 * repeated. */
RD_API RD_CHECKED rd_status rd_trace_writer_keep(rd_trace_writer *w);
/* Returns the path of the kept file while it waits to replace an existing file, else NULL. The path is the name of
 * that file followed by ".partial", or ".partial-2" and so on. The writer owns the path. */
RD_API const char *rd_trace_writer_kept(const rd_trace_writer *w);
/* Writes all buffered data and checks that it reached the file, which then appears under its
 * name. */
RD_API RD_CHECKED rd_status rd_trace_writer_finish(rd_trace_writer *w);
/* Frees the writer. A file that was neither finished nor kept does not appear; an existing file of
 * that name stays unchanged. */
RD_API void rd_trace_writer_close(rd_trace_writer *w);

/* ---- mapping references to blocks ---- */

typedef struct rd_mapping {
    size_t size;          /* sizeof(rd_mapping) */
    uint64_t block_bytes; /* block size in bytes, a power of two; 0: one block per address, and
                             references are never split (-b addr) */
    uint32_t kinds;       /* mask of the kinds to keep, RD_LOAD and so on; 0: all kinds */
    bool origins;         /* true: the caller will call rd_mapper_origins() */
} rd_mapping;

typedef struct rd_mapper rd_mapper;

RD_API RD_CHECKED rd_status rd_mapper_new(rd_ctx *ctx, const rd_mapping *mapping, rd_mapper **out);
/* Gives the mapper a batch of references to map. `refs` is borrowed until the next
 * rd_mapper_feed(). */
RD_API void rd_mapper_feed(rd_mapper *m, const rd_refs *refs);
/* Sets *blocks to the next batch of block ids, borrowed until the next rd_mapper_next(), and *n to
 * their number. *n is 0 when all references of the batch are mapped. */
RD_API RD_CHECKED rd_status rd_mapper_next(rd_mapper *m, const uint64_t **blocks, size_t *n);
/* Returns, for each block id of the last batch, its origin: the index in `refs` of the reference
 * that it comes from. */
RD_API const uint32_t *rd_mapper_origins(const rd_mapper *m);
/* Tells the mapper that the next batch begins at reference `first` of the trace, so that its
 * messages number references correctly. */
RD_API void rd_mapper_seek(rd_mapper *m, uint64_t first);
RD_API void rd_mapper_free(rd_mapper *m);

#ifdef __cplusplus
}
#endif
#endif
