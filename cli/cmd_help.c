/* help: describes all commands or one command, and prints manual pages and completion scripts. */
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
     .help = "print the manual page of all commands, or of COMMAND, for man(1)"},
    {.name = "completion",
     .arg = "SHELL",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(help_options, completion),
     .choices = "none|" COMPLETION_CHOICES,
     .def = "none",
     .help = "print a completion script for a shell"},
    {.name = NULL},
};

static void print_overview(FILE *out) {
    fputs(
        "usage: reusedist COMMAND [OPTIONS] [OPERANDS]\n"
        "reusedist measures the reuse distances of programs and predicts the misses of caches.\n\n",
        out);
    for (size_t i = 0; command_at(i); i++)
        fprintf(out, "  %-10s %s\n", command_at(i)->name, command_at(i)->summary);
    fputs("\nFor details, see 'reusedist help COMMAND'.\n", out);
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
        return fail_unknown_command(operands[0]);
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
    .summary = "show this overview, or describe one command",
    .operands = "[COMMAND]",
    .details = "Completion works without further steps for an installed reusedist. Otherwise use:\n"
               "  bash   source <(reusedist help --completion=bash)\n"
               "  zsh    source <(reusedist help --completion=zsh), after compinit\n"
               "  fish   reusedist help --completion=fish | source\n",
    .opts = help_opts,
    .opts_size = sizeof(help_options),
    .max_operands = 1,
    .run = run_help,
};
