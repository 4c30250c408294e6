/* Completion for bash, zsh and fish. See completion.h. */
#include "completion.h"

#include "completion_words.h"

#include <string.h>

/* Writes text that is inside single quotes, with a backslash before each character in `special`.
 * `quote` replaces each single quote in the text. */
static void put_quoted(FILE *out, const char *text, const char *special, const char *quote) {
    for (; *text; text++) {
        if (*text == '\'') {
            fputs(quote, out);
            continue;
        }
        if (strchr(special, *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

/* ---- bash ---- */

static const char bash_head[] =
    "# bash completion for reusedist, made by: reusedist help --completion=bash\n";

/* The fixed end of the bash script. The generated part before it defines two functions with case
 * statements that hold the options and values. _reusedist() takes the current word from the
 * line, because bash splits words at '=' and ':'. */
static const char bash_tail[] =
    "_reusedist_reply() {\n"
    "    local word=$1 words=${2/<value>/}\n"
    "    if [[ $words == *'<file>'* ]]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
    "        words=${words/<file>/}\n"
    "    elif [[ $words == *'<program>'* ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -c -- \"$word\")\n"
    "        return\n"
    "    fi\n"
    "    local reply\n"
    "    mapfile -t reply < <(compgen -W \"$words\" -- \"$word\")\n"
    "    COMPREPLY+=(\"${reply[@]}\")\n"
    "    [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null\n"
    "}\n"
    "\n"
    "_reusedist() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} word command before option i\n"
    "    local -a typed\n"
    "    COMPREPLY=()\n"
    "    read -ra typed <<<\"$line\"\n"
    "    word=${line##*[[:space:]]}\n"
    "    [[ -n $word ]] || typed+=('')\n"
    "    if [[ ${#typed[@]} -le 2 ]]; then\n"
    "        _reusedist_reply \"$word\" \"$(_reusedist_values ' operand')\"\n"
    "        return\n"
    "    fi\n"
    "    command=${typed[1]}\n"
    "    before=${typed[${#typed[@]} - 2]}\n"
    "    for ((i = 2; i < ${#typed[@]} - 1; i++)); do\n"
    "        if [[ ${typed[i]} == -- ]]; then # only operands\n"
    "            option=operand\n"
    "            [[ $i -eq ${#typed[@]}-2 ]] || option='later operand'\n"
    "            _reusedist_reply \"$word\" \"$(_reusedist_values \"$command $option\")\"\n"
    "            return\n"
    "        fi\n"
    "    done\n"
    "    if [[ $word == --*=* ]]; then\n"
    "        option=${word%%=*}\n"
    "        _reusedist_reply \"${word#*=}\" \"$(_reusedist_values \"$command $option\")\"\n"
    "        [[ $COMP_WORDBREAKS == *=* ]] || COMPREPLY=(\"${COMPREPLY[@]/#/$option=}\")\n"
    "    elif [[ $before == -* && -n $(_reusedist_values \"$command $before\") ]]; then\n"
    "        _reusedist_reply \"$word\" \"$(_reusedist_values \"$command $before\")\"\n"
    "    elif [[ $word == -* ]]; then\n"
    "        _reusedist_reply \"$word\" \"$(_reusedist_options \"$command\")\"\n"
    "    else\n"
    "        _reusedist_reply \"$word\" \"$(_reusedist_values \"$command operand\")\"\n"
    "    fi\n"
    "}\n"
    "\n"
    "complete -F _reusedist reusedist reusedist-mpi\n";

static void put_bash_value(FILE *out, const char *called, const char *choices) {
    fputs(") echo '", out);
    completion_put_words(out, called, choices);
    if (completion_takes(called) & TAKES_FILE)
        fputs(" <file>", out);
    if (completion_takes(called) & TAKES_PROGRAM)
        fputs(" <program>", out);
    fputs(" <value>' ;;\n", out); /* written even if there are no words, to say that the option
                                     takes a value */
}

static void put_bash_values(FILE *out, const command *cmd) {
    for (const rd_opt *opt = cmd->opts; opt && opt->name; opt++) {
        if (!opt->arg)
            continue;
        fprintf(out, "    '%s --%s'", cmd->name, opt->name);
        if (opt->letter)
            fprintf(out, " | '%s -%c'", cmd->name, opt->letter);
        put_bash_value(out, opt->arg, opt->choices);
    }
    if (!cmd->operands)
        return;
    fprintf(out, "    '%s operand'", cmd->name);
    put_bash_value(out, cmd->operands, NULL);
    if (completion_takes(cmd->operands) & TAKES_PROGRAM)
        fprintf(out, "    '%s later operand') echo '<file>' ;;\n", cmd->name);
}

static void print_bash(FILE *out) {
    fputs(bash_head, out);
    fputs("_reusedist_options() {\n    case $1 in\n", out);
    for (size_t i = 0; command_at(i); i++) {
        fprintf(out, "    %s) echo '--help", command_at(i)->name);
        for (const rd_opt *opt = command_at(i)->opts; opt && opt->name; opt++)
            fprintf(out, " --%s%s", opt->name, opt->arg ? "=" : "");
        fputs("' ;;\n", out);
    }
    fputs("    esac\n}\n\n_reusedist_values() {\n    case $1 in\n    ' operand'", out);
    put_bash_value(out, "[COMMAND]", NULL);
    for (size_t i = 0; command_at(i); i++)
        put_bash_values(out, command_at(i));
    fputs("    esac\n}\n\n", out);
    fputs(bash_tail, out);
}

/* ---- zsh ---- */

#define ZSH_SPECIAL "[]:\\"
#define ZSH_QUOTE   "'\\''"

/* Writes ":description:action" for _arguments. */
static void put_zsh_value(FILE *out, const char *called, const char *choices) {
    unsigned what = completion_takes(called);
    fputc(':', out);
    put_quoted(out, called, ZSH_SPECIAL, ZSH_QUOTE);
    fputc(':', out);
    if (what & TAKES_FILE && completion_has_words(called, choices)) {
        fputs("{ compadd --", out);
        completion_put_words(out, called, choices);
        fputs("; _files }", out);
    } else if (what & TAKES_FILE) {
        fputs("_files", out);
    } else if (completion_has_words(called, choices)) {
        fputc('(', out);
        completion_put_words(out, called, choices);
        fputc(')', out);
    } else {
        fputc(' ', out);
    }
}

static void put_zsh_option(FILE *out, const rd_opt *opt) {
    const char *value = opt->arg ? "=" : "";
    fputs(" \\\n            ", out);
    if (opt->type == RD_OPT_STRINGS)
        fputs("'*'", out);
    else if (opt->letter)
        fprintf(out, "'(-%c --%s)'", opt->letter, opt->name);
    if (opt->letter)
        fprintf(out, "{-%c%s,--%s%s}'[", opt->letter, opt->arg ? "+" : "", opt->name, value);
    else
        fprintf(out, "'--%s%s[", opt->name, value);
    put_quoted(out, opt->help, ZSH_SPECIAL, ZSH_QUOTE);
    fputc(']', out);
    if (opt->arg)
        put_zsh_value(out, opt->arg, opt->choices);
    fputc('\'', out);
}

static void put_zsh_command(FILE *out, const command *cmd) {
    fprintf(out, "        %s)\n        _arguments -S", cmd->name);
    fputs(" \\\n            '(- *)'{-h,--help}'[describe this command]'", out);
    for (const rd_opt *opt = cmd->opts; opt && opt->name; opt++)
        put_zsh_option(out, opt);
    if (cmd->operands && completion_takes(cmd->operands) & TAKES_PROGRAM) {
        fputs(" \\\n            '(-)1:program: _command_names -e' '*::argument: _normal'", out);
    } else if (cmd->operands && cmd->max_operands != 0) {
        fputs(" \\\n            '*", out);
        put_zsh_value(out, cmd->operands, NULL);
        fputc('\'', out);
    }
    fputs(" ;;\n", out);
}

static void print_zsh(FILE *out) {
    fputs("#compdef reusedist reusedist-mpi\n"
          "# zsh completion for reusedist, made by: reusedist help --completion=zsh\n"
          "_reusedist() {\n"
          "    local context state line\n"
          "    typeset -A opt_args\n"
          "    _arguments -C '1:command:->command' '*::operand:->operand'\n"
          "    case $state in\n"
          "    command)\n"
          "        local -a commands\n"
          "        commands=(\n",
          out);
    for (size_t i = 0; command_at(i); i++) {
        fprintf(out, "            '%s:", command_at(i)->name);
        put_quoted(out, command_at(i)->summary, "", ZSH_QUOTE);
        fputs("'\n", out);
    }
    fputs("        )\n        _describe command commands ;;\n    operand)\n        case $words[1] "
          "in\n",
          out);
    for (size_t i = 0; command_at(i); i++)
        put_zsh_command(out, command_at(i));
    fputs("        esac ;;\n    esac\n}\n\n"
          "if [[ $funcstack[1] == _reusedist ]]; then # found by its name\n"
          "    _reusedist \"$@\"\nelse # sourced\n    compdef _reusedist reusedist "
          "reusedist-mpi\nfi\n",
          out);
}

/* ---- fish ---- */

#define FISH_QUOTE "\\'"

static void put_fish_text(FILE *out, const char *text) {
    fputs(" -d '", out);
    put_quoted(out, text, "\\", FISH_QUOTE);
    fputc('\'', out);
}

static void put_fish_value(FILE *out, const char *called, const char *choices) {
    if (completion_takes(called) & TAKES_FILE)
        fputs(" -F", out);
    if (completion_has_words(called, choices)) {
        fputs(" -a '", out);
        completion_put_words(out, called, choices);
        fputc('\'', out);
    }
}

static void put_fish_command(FILE *out, const command *cmd) {
    fprintf(out, "complete -c reusedist -n '__reusedist_at 1' -a %s", cmd->name);
    put_fish_text(out, cmd->summary);
    fputc('\n', out);
    for (const rd_opt *opt = cmd->opts; opt && opt->name; opt++) {
        fprintf(out, "complete -c reusedist -n '__reusedist_in %s' -l %s", cmd->name, opt->name);
        if (opt->letter)
            fprintf(out, " -s %c", opt->letter);
        if (opt->arg) {
            fputs(completion_takes(opt->arg) & TAKES_FILE ? " -r" : " -x", out);
            put_fish_value(out, opt->arg, opt->choices);
        }
        put_fish_text(out, opt->help);
        fputc('\n', out);
    }
    if (!cmd->operands)
        return;
    fprintf(out, "complete -c reusedist -n '__reusedist_in %s'", cmd->name);
    if (completion_takes(cmd->operands) & TAKES_PROGRAM)
        fputs(" -a '(__reusedist_program)'", out);
    put_fish_value(out, cmd->operands, NULL);
    fputc('\n', out);
}

static void print_fish(FILE *out) {
    fputs("# fish completion for reusedist, made by: reusedist help --completion=fish\n"
          "function __reusedist_at\n"
          "    test (count (commandline -opc)) -eq $argv[1]\n"
          "end\n"
          "function __reusedist_in\n"
          "    set -l words (commandline -opc)\n"
          "    test (count $words) -ge 2; and test $words[2] = $argv[1]\n"
          "end\n"
          "function __reusedist_program # the words after '--' are a command line of their own\n"
          "    set -l words (commandline -opc)\n"
          "    set -l at (contains -i -- -- $words); or return\n"
          "    set -l rest $words[(math $at + 1)..-1]\n"
          "    complete -C (string join ' ' -- (string escape -- $rest) (commandline -ct))\n"
          "end\n"
          "complete -c reusedist-mpi -w reusedist\n"
          "complete -c reusedist -f\n"
          "complete -c reusedist -n 'not __reusedist_at 1' -s h -l help "
          "-d 'describe this command'\n",
          out);
    for (size_t i = 0; command_at(i); i++)
        put_fish_command(out, command_at(i));
}

void print_completion(FILE *out, unsigned shell) {
    static void (*const printers[])(FILE *) = {print_bash, print_zsh, print_fish};
    printers[shell](out);
}
