/* engines: lists the engines, or describes one of them. */
#include "cli.h"

#include <string.h>

static void print_engine(const rd_engine_info *info) {
    const char *why = rd_engine_unavailable(info);
    printf("%s: %s\n\n%s\n", info->name, info->summary, info->card);
    if (why)
        printf("\nunavailable: %s\n", why);
    print_opts_table(stdout, info->opts);
}

static void print_line(const rd_engine_info *info) {
    const char *why = rd_engine_unavailable(info);
    printf("  %-10s %-11s %s%s%s%s\n", info->name,
           strcmp(info->error_kind, "none") == 0 ? "" : info->error_kind, info->summary,
           why ? " (unavailable: " : "", why ? why : "", why ? ")" : "");
}

static void print_list(void) {
    static const char *const headings[RD_ROLES] = {
        [RD_ROLE_MEASURE] = "For measuring",
        [RD_ROLE_STRATEGY] = "Strategies that auto selects from",
        [RD_ROLE_STUDY] = "Algorithms from the literature, for study and comparison",
        [RD_ROLE_BASELINE] = "Baselines, which show what measuring costs",
    };
    for (unsigned role = 0; role < RD_ROLES; role++) {
        printf("%s%s:\n", role ? "\n" : "", headings[role]);
        for (size_t i = 0; rd_engine_info_at(i); i++)
            if (rd_engine_info_at(i)->role == role)
                print_line(rd_engine_info_at(i));
    }
}

static int run_engines(rd_ctx *ctx, void *opts, int n, char **operands) {
    (void)ctx;
    (void)opts;
    if (n == 0) {
        print_list();
        return EXIT_OK;
    }
    const rd_engine_info *info = rd_engine_info_find(operands[0]);
    if (!info) {
        rd_suggestion close = rd_suggest(operands[0], strlen(operands[0]));
        char room[RD_SUGGESTION_ROOM];
        for (size_t i = 0; rd_engine_info_at(i); i++)
            rd_suggest_offer(&close, rd_engine_info_at(i)->name,
                             strlen(rd_engine_info_at(i)->name));
        rd_suggest_text(&close, "", room);
        fail_usage("unknown engine '%s'%s%s the engines are:", operands[0], room, *room ? "" : ";");
        for (size_t i = 0; rd_engine_info_at(i); i++)
            fprintf(stderr, "  %s\n", rd_engine_info_at(i)->name);
        return EXIT_USAGE;
    }
    print_engine(info);
    return EXIT_OK;
}

const command command_engines = {
    .name = "engines",
    .summary = "list the engines, or describe one",
    .operands = "[ENGINE]",
    .max_operands = 1,
    .run = run_engines,
};
