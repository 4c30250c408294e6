/* Prints results of benchmarks: JSON lines for programs, a table for people. See bench.h. */
#include "bench.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* ---- JSON lines ---- */

/* Finds the first line of a /proc file that begins with `key`, and stores its text after ':' in
 * `out`; "" if there is no such line. */
static void proc_value(const char *path, const char *key, char *out, size_t room) {
    out[0] = '\0';
    FILE *f = fopen(path, "r");
    char line[512];
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0) {
            const char *value = strchr(line, ':');
            value = value ? value + 1 + strspn(value + 1, " \t") : "";
            snprintf(out, room, "%.*s", (int)strcspn(value, "\n"), value);
            break;
        }
    if (f)
        fclose(f);
}

static void put_machine(rd_json_writer *w) {
    char cpu[256], memory[64];
    proc_value("/proc/cpuinfo", "model name", cpu, sizeof cpu);
    proc_value("/proc/meminfo", "MemTotal", memory, sizeof memory);
    rd_json_begin_object(w, "machine", RD_JSON_INLINE);
    rd_json_put_string(w, "cpu", cpu);
    rd_json_put_u64(w, "cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    rd_json_put_string(w, "memory", memory);
    rd_json_put_string(w, "compiler", __VERSION__);
    rd_json_end_object(w);
    rd_json_put_string(w, "version", rd_version());
}

rd_json_writer *bench_begin_line(bench *b) {
    rd_json_begin_object(b->line, NULL, RD_JSON_INLINE);
    rd_json_put_string(b->line, "suite", b->suite);
    return b->line;
}

void bench_end_line(bench *b) {
    char *text = NULL;
    size_t n = 0;
    put_machine(b->line);
    rd_json_end_object(b->line);
    rd_status status = rd_json_writer_take(b->line, &text, &n);
    if (status != RD_OK) {
        b->status = fail_status(b->ctx, status);
    } else if (b->lines) {
        fwrite(text, 1, n, b->lines);
        fflush(b->lines);
    }
    rd_text_free(b->ctx, text);
}

static void put_line(bench *b, const bench_result *r) {
    rd_json_writer *w = bench_begin_line(b);
    rd_json_put_string(w, "trace", r->trace);
    rd_json_put_string(w, "engine", r->engine);
    rd_json_put_u64(w, "threads", r->threads);
    rd_json_put_u64(w, "references", r->references);
    if (r->blocks != RD_UNKNOWN)
        rd_json_put_u64(w, "blocks", r->blocks);
    rd_json_put_string(w, "answer", r->answer);
    rd_json_begin_array(w, "seconds", RD_JSON_INLINE);
    for (size_t i = 0; i < r->repeats; i++)
        rd_json_put_fixed(w, NULL, r->seconds[i], 6);
    rd_json_end_array(w);
    rd_json_put_fixed(w, "median_seconds", r->median, 6);
    rd_json_put_fixed(w, "best_seconds", r->best, 6);
    rd_json_put_fixed(w, "mrefs_per_second", (double)r->references / r->median / 1e6, 3);
    rd_json_put_fixed(w, "ns_per_reference", r->median * 1e9 / (double)r->references, 3);
    rd_json_put_u64(w, "peak_bytes", r->peak_bytes);
    rd_json_put_fixed(w, "checked_seconds", r->checked, 6);
    rd_json_put_fixed(w, "checked_system_seconds", r->system, 6);
    rd_json_put_string(w, "note", r->note);
    bench_end_line(b);
}

/* ---- the table ---- */

void bench_header(const bench *b) {
    if (!b->options->json)
        printf("%-26s %-34s %3s %10s %10s %8s %12s  %s\n", "trace", "engine", "thr", "M refs/s",
               "best", "ns/ref", "peak bytes", "answer");
}

void bench_print(bench *b, const bench_result *r) {
    put_line(b, r);
    if (b->options->json)
        return;
    double n = (double)r->references;
    printf("%-26.26s %-34s %3" PRIu32 " %10.2f %10.2f %8.2f %12zu  %s\n", r->trace, r->engine,
           r->threads, n / r->median / 1e6, n / r->best / 1e6, r->median * 1e9 / n, r->peak_bytes,
           r->answer);
    if (b->notes)
        printf("    the checked run took %.3f s, including %.3f s of system time; %s\n", r->checked,
               r->system, r->note);
    fflush(stdout);
}
