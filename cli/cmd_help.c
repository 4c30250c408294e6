/* help: all commands, one of them, the manual page, or completion for shells. */
#include "cli.h"

#include "completion.h"
#include "man.h"

#include <stddef.h>

typedef struct help_options {
    bool man;
    uint32_t completion;
} help_options;

static const rd_opt help_opts[] = {
    {.name = "man",
     .type = RD_OPT_BOOL,
     .offset = offsetof(help_options, man),
     .help = "the manual page, whole or of one command, for man(1)"},
    {.name = "completion",
     .arg = "SHELL",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(help_options, completion),
     .choices = "none|" COMPLETION_CHOICES,
     .def = "none",
     .help = "a script that makes a shell complete command lines"},
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
    if (o->completion) {
        print_completion(stdout, o->completion - 1);
        return EXIT_OK;
    }
    const command *cmd = n ? command_find(operands[0]) : NULL;
    if (n && !cmd)
        return fail_usage("unknown command '%s': 'reusedist help' lists them", operands[0]);
    if (o->man && cmd)
        print_command_man(stdout, cmd);
    else if (o->man)
        print_man(stdout);
    else if (cmd)
        print_command_help(stdout, cmd);
    else
        print_overview(stdout);
    return EXIT_OK;
}

const command command_help = {
    .name = "help",
    .summary = "this overview, or everything about one command",
    .operands = "[COMMAND]",
    .details = "The installed tool is completed by itself. To complete one that is not installed:\n"
               "  bash   source <(reusedist help --completion=bash)\n"
               "  zsh    source <(reusedist help --completion=zsh), after compinit\n"
               "  fish   reusedist help --completion=fish | source\n",
    .opts = help_opts,
    .opts_size = sizeof(help_options),
    .max_operands = 1,
    .run = run_help,
};
