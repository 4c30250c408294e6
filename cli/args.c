/* Parses the options of a command according to its option table, and prints the help about them. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const rd_opt *find_letter(const rd_opt *opts, char letter) {
    for (const rd_opt *opt = opts; opt && opt->name; opt++)
        if (opt->letter == letter)
            return opt;
    return NULL;
}

/* Returns the option whose name is the first `len` characters of `name`, or NULL if there is
 * none. */
static const rd_opt *find_name(const rd_opt *opts, const char *name, size_t len) {
    for (const rd_opt *opt = opts; opt && opt->name; opt++)
        if (strlen(opt->name) == len && memcmp(opt->name, name, len) == 0)
            return opt;
    return NULL;
}

static void report_unknown(const command *cmd, const char *arg) {
    size_t dashes = arg[1] == '-' ? 2 : 0;
    rd_suggestion close = rd_suggest(arg + dashes, dashes ? strcspn(arg + dashes, "=") : 0);
    char room[RD_SUGGESTION_ROOM];
    for (const rd_opt *opt = cmd->opts; opt && opt->name; opt++)
        rd_suggest_offer(&close, opt->name, strlen(opt->name));
    fail_usage("%s: unknown option '%s'%s", cmd->name, arg, rd_suggest_text(&close, "--", room));
    fputs("valid options:", stderr);
    for (const rd_opt *opt = cmd->opts; opt && opt->name; opt++) {
        fprintf(stderr, " --%s", opt->name);
        if (opt->letter)
            fprintf(stderr, " (-%c)", opt->letter);
    }
    fputs(" --help (-h)\n", stderr);
}

/* Parses the option at argv[0]. Returns the number of words that the option takes, or 0 after
 * reporting a mistake. */
static int parse_option(rd_ctx *ctx, const command *cmd, void *opts, int left, char **argv) {
    const char *arg = argv[0], *value = NULL;
    const rd_opt *opt;
    if (arg[1] == '-') {
        size_t len = strcspn(arg + 2, "=");
        opt = find_name(cmd->opts, arg + 2, len);
        value = arg[2 + len] ? arg + 2 + len + 1 : NULL;
    } else {
        opt = find_letter(cmd->opts, arg[1]);
        value = arg[2] ? arg + 2 : NULL;
    }
    if (!opt) {
        report_unknown(cmd, arg);
        return 0;
    }
    int used = 1;
    if (!opt->arg) {
        if (value) {
            fail_usage("%s: option --%s takes no value; write only --%s", cmd->name, opt->name,
                       opt->name);
            return 0;
        }
        value = "on";
    } else if (!value) {
        if (left < 2) {
            fail_usage("%s: option --%s needs a value: --%s=%s", cmd->name, opt->name, opt->name,
                       opt->arg);
            return 0;
        }
        value = argv[1];
        used = 2;
    }
    if (rd_opts_set(ctx, cmd->name, cmd->opts, opts, opt->name, value) != RD_OK) {
        fail_usage("%s", rd_last_error(ctx));
        return 0;
    }
    return used;
}

bool asks_for_help(int argc, char **argv) {
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
            return true;
    return false;
}

bool parse_args(rd_ctx *ctx, const command *cmd, void *opts, int *argc, char **argv) {
    if (rd_opts_default(ctx, cmd->opts, opts) != RD_OK) {
        fail_usage("%s", rd_last_error(ctx));
        return false;
    }
    int operands = 0, n = *argc;
    bool only_operands = false;
    for (int i = 0; i < n;) {
        char *arg = argv[i];
        if (only_operands || arg[0] != '-' || arg[1] == '\0') {
            argv[operands++] = arg;
            i++;
        } else if (strcmp(arg, "--") == 0) {
            only_operands = true;
            i++;
        } else {
            int used = parse_option(ctx, cmd, opts, n - i, argv + i);
            if (used == 0)
                return false;
            i += used;
        }
    }
    *argc = operands;
    return true;
}

void print_usage(FILE *out, const command *cmd) {
    fprintf(out, "usage: %s %s%s%s%s\n", program_name, cmd->name, cmd->opts ? " [OPTIONS]" : "",
            cmd->operands ? " " : "", cmd->operands ? cmd->operands : "");
}

static void print_option(FILE *out, const rd_opt *opt) {
    char left[64];
    int n = snprintf(left, sizeof left, "  %c%c%c --%s", opt->letter ? '-' : ' ',
                     opt->letter ? opt->letter : ' ', opt->letter ? ',' : ' ', opt->name);
    if (opt->arg && n > 0 && (size_t)n < sizeof left)
        snprintf(left + n, sizeof left - (size_t)n, "=%s", opt->arg);
    fprintf(out, "%-30s %s", left, opt->help);
    if (opt->choices)
        fprintf(out, " (%s)", opt->choices);
    if (opt->def && opt->arg)
        fprintf(out, " [%s]", opt->def);
    fputc('\n', out);
}

void print_command_help(FILE *out, const command *cmd) {
    print_usage(out, cmd);
    fprintf(out, "%s\n", cmd->summary);
    if (cmd->opts)
        fputs("\noptions:\n", out);
    for (const rd_opt *opt = cmd->opts; opt && opt->name; opt++)
        print_option(out, opt);
    if (cmd->details)
        fprintf(out, "\n%s", cmd->details);
}

/* Prints a limit of an option's value. A size that is a multiple of 1024 gets a suffix (K, M ...), and a
 * power of ten from 10^6 on is printed as a power. */
static void print_limit(FILE *out, const rd_opt *opt, double limit) {
    static const char *const units[] = {"", "K", "M", "G", "T", "P", "E"};
    size_t unit = 0;
    double scaled = limit, exponent = limit > 0 ? nearbyint(log10(limit)) : 0;
    while (opt->type == RD_OPT_SIZE && unit < 6 && scaled >= 1024 && fmod(scaled, 1024) == 0) {
        scaled /= 1024;
        unit++;
    }
    if (scaled < 1e6)
        fprintf(out, "%g%s", scaled, units[unit]);
    else if (limit == pow(10, exponent))
        fprintf(out, "10^%.0f", exponent);
    else
        fprintf(out, "%.0f", limit);
}

void print_opts_table(FILE *out, const rd_opt *opts) {
    if (!opts || !opts->name)
        return;
    fputs("\noptions (NAME:key=value,...):\n", out);
    for (const rd_opt *opt = opts; opt->name; opt++) {
        fprintf(out, "  %-12s %s", opt->name, opt->help);
        if (opt->choices)
            fprintf(out, " (%s)", opt->choices);
        if (opt->min != 0 || opt->max != 0) {
            fputs(" (", out);
            print_limit(out, opt, opt->min);
            fputs(" to ", out);
            print_limit(out, opt, opt->max);
            fputc(')', out);
        }
        if (opt->def)
            fprintf(out, " [%s]", opt->def);
        fputc('\n', out);
    }
}
