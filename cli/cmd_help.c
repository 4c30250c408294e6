/* help: all commands, one of them, or the manual page. */
#include "cli.h"

#include "man.h"

#include <stddef.h>

typedef struct help_options {
    bool man;
} help_options;

static const rd_opt help_opts[] = {
    {.name = "man",
     .type = RD_OPT_BOOL,
     .offset = offsetof(help_options, man),
     .help = "the whole manual page, as input for man(1)"},
    {.name = NULL},
};

static void print_overview(FILE *out) {
    fputs("usage: reusedist COMMAND [OPTIONS] [OPERANDS]\n"
          "How far apart are the reuses of my data, and what would another cache do?\n\n",
          out);
    for (size_t i = 0; command_at(i); i++)
        fprintf(out, "  %-10s %s\n", command_at(i)->name, command_at(i)->summary);
    fputs("\n'reusedist help COMMAND' tells more.\n", out);
}

static int run_help(rd_ctx *ctx, void *opts, int n, char **operands) {
    const help_options *o = opts;
    (void)ctx;
    if (o->man) {
        print_man(stdout);
        return EXIT_OK;
    }
    if (n == 0) {
        print_overview(stdout);
        return EXIT_OK;
    }
    const command *cmd = command_find(operands[0]);
    if (!cmd)
        return fail_usage("unknown command '%s': 'reusedist help' lists them", operands[0]);
    print_command_help(stdout, cmd);
    return EXIT_OK;
}

const command command_help = {
    .name = "help",
    .summary = "this overview, or everything about one command",
    .operands = "[COMMAND]",
    .opts = help_opts,
    .opts_size = sizeof(help_options),
    .max_operands = 1,
    .run = run_help,
};
