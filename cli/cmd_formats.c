/* formats: lists the trace formats, or describes one of them. */
#include "cli.h"

#include <string.h>

static void print_format(const rd_format_info *info) {
    printf("%s: %s\n\n%s\n", info->name, info->summary, info->card);
    printf("\ndelivers: address%s%s%s%s%s%s%s%s; default: %s\n",
           info->fields & RD_FIELD_SIZE ? ", size" : "",
           info->fields & RD_FIELD_KIND ? ", kind" : "",
           info->fields & RD_FIELD_PC ? ", program counter" : "",
           info->fields & RD_FIELD_THREAD ? ", thread" : "",
           info->fields & RD_FIELD_EVENTS ? ", events" : "",
           info->fields & RD_FIELD_TIME ? ", time" : "",
           info->fields & RD_FIELD_OPERATION ? ", operation" : "",
           info->fields & RD_FIELD_LIFETIME ? ", lifetime" : "",
           info->ids ? "one block per id (-b addr)" : "64-byte blocks (-b 64)");
    print_opts_table(stdout, info->opts);
}

static int run_formats(rd_ctx *ctx, void *opts, int n, char **operands) {
    (void)ctx;
    (void)opts;
    if (n == 0) {
        for (size_t i = 0; rd_format_info_at(i); i++)
            printf("%-14s %-6s %s\n", rd_format_info_at(i)->name,
                   rd_format_info_at(i)->writable ? "write" : "", rd_format_info_at(i)->summary);
        return EXIT_OK;
    }
    const rd_format_info *info = rd_format_info_find(operands[0]);
    if (!info) {
        rd_suggestion close = rd_suggest(operands[0], strlen(operands[0]));
        char room[RD_SUGGESTION_ROOM];
        for (size_t i = 0; rd_format_info_at(i); i++)
            rd_suggest_offer(&close, rd_format_info_at(i)->name,
                             strlen(rd_format_info_at(i)->name));
        rd_suggest_text(&close, "", room);
        fail_usage("unknown format '%s'%s%s the formats are:", operands[0], room, *room ? "" : ";");
        for (size_t i = 0; rd_format_info_at(i); i++)
            fprintf(stderr, "  %s\n", rd_format_info_at(i)->name);
        return EXIT_USAGE;
    }
    print_format(info);
    return EXIT_OK;
}

const command command_formats = {
    .name = "formats",
    .summary = "list the trace formats, or describe one",
    .operands = "[FORMAT]",
    .max_operands = 1,
    .run = run_formats,
};
