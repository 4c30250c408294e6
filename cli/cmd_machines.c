/* machines: lists the known machines and this host, or describes one of them. */
#include "cli.h"

#include <string.h>

#define LIST_ROOM 200

/* Writes the sizes and ways of the caches: "32K:8 1M:8 32M:16". */
static void list_caches(const rd_hierarchy *h, char *text) {
    size_t n = 0;
    for (size_t i = 0; i < h->n && n < LIST_ROOM; i++) {
        uint64_t kib = h->cache[i].bytes >> 10;
        bool mib = kib >= 1024 && kib % 1024 == 0;
        n += (size_t)snprintf(text + n, LIST_ROOM - n, "%s%llu%s", i ? " " : "",
                              (unsigned long long)(mib ? kib >> 10 : kib), mib ? "M" : "K");
        if (h->cache[i].ways && n < LIST_ROOM)
            n += (size_t)snprintf(text + n, LIST_ROOM - n, ":%llu",
                                  (unsigned long long)h->cache[i].ways);
    }
}

static void print_line(const rd_machine *m) {
    char caches[LIST_ROOM];
    list_caches(&m->caches, caches);
    show("  %-16s %-8s %-30s %s", m->name, m->kind, caches, m->title);
}

static int print_list(rd_ctx *ctx) {
    rd_machine m;
    printf("This host:\n");
    if (rd_machine_find(ctx, "host", &m) == RD_OK)
        print_line(&m);
    else
        show("  %s", rd_last_error(ctx));
    printf("\nKnown machines, with the size and ways of their data caches:\n");
    for (size_t i = 0; i < rd_machine_count(); i++) {
        rd_status status = rd_machine_at(ctx, i, &m);
        if (status != RD_OK)
            return fail_status(ctx, status);
        print_line(&m);
    }
    return EXIT_OK;
}

static int run_machines(rd_ctx *ctx, void *opts, int n, char **operands) {
    (void)opts;
    if (n == 0)
        return print_list(ctx);
    rd_machine m;
    char *text = NULL;
    rd_status status = rd_machine_find(ctx, operands[0], &m);
    if (status == RD_OK)
        status = rd_machine_text(ctx, &m, &text);
    if (status != RD_OK)
        return fail_status(ctx, status);
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        show("%s", line);
    }
    rd_text_free(ctx, text);
    return EXIT_OK;
}

const command command_machines = {
    .name = "machines",
    .summary = "list the known machines and this host, or describe one",
    .operands = "[MACHINE|host|FILE]",
    .details =
        "A machine is described by its data caches, innermost first, as --caches takes them,\n"
        "with latencies in cycles; by its first-level instruction cache, the size of a line, the\n"
        "number of cores that share the last cache, the clock rate in GHz, the latency of memory "
        "in\n"
        "ns and the number of misses that can be in flight; and by the public documents\n"
        "that these numbers come from.\n"
        "\n"
        "'machines MACHINE' prints a description as text. A file in this form can be used as a\n"
        "machine:\n"
        "    reusedist machines host > mine.conf\n"
        "No system reports the latencies of its caches, so this file lacks them. Add them, and\n"
        "then use --machine=mine.conf.\n",
    .max_operands = 1,
    .run = run_machines,
};
