#!/usr/bin/env python3
"""Completes command lines in real shells, with the completion script that reusedist makes for each shell.

usage: tests/completion/complete.py SHELL REUSEDIST

bash and zsh run in a terminal of their own: a line is typed, Tab and Return are pressed, and a
function in place of the command prints the words that it got. fish is asked for its candidates. The exit
status is 77 if the shell is not installed.
"""
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile

# The typed text, and the words of the completed command line.
LINES = [
    ("ana", ["analyze"]),
    ("engines geo", ["engines", "geometric"]),
    ("formats champ", ["formats", "champsim"]),
    ("machines sapph", ["machines", "sapphire-rapids"]),
    ("generate saw", ["generate", "sawtooth"]),
    ("help simi", ["help", "similarity"]),
    ("bench mem", ["bench", "memory"]),
    ("analyze --outp", ["analyze", "--output="]),
    ("analyze --chec", ["analyze", "--checkpoint="]),
    ("analyze --partial --kin", ["analyze", "--partial", "--kinds="]),
    ("analyze --ver", ["analyze", "--verbose"]),
    ("analyze --out=j", ["analyze", "--out=json"]),
    ("analyze --engine=str", ["analyze", "--engine=stream"]),
    ("analyze -e str", ["analyze", "-e", "stream"]),
    ("analyze --engine str", ["analyze", "--engine", "stream"]),
    ("analyze --hist=refer", ["analyze", "--hist=reference"]),
    ("analyze -b ad", ["analyze", "-b", "addr"]),
    ("simulate --machine=sapph", ["simulate", "--machine=sapphire-rapids"]),
    ("analyze --output=only-fi", ["analyze", "--output=only-file"]),
    ("analyze -o only-fi", ["analyze", "-o", "only-file"]),
    ("analyze -q only-fi", ["analyze", "-q", "only-file"]),
    ("compare only-file only-fi", ["compare", "only-file", "only-file"]),
    ("predict --train only-fi", ["predict", "--train", "only-file"]),
    ("run -q -- /bin/sle", ["run", "-q", "--", "/bin/sleep"]),
    ("run -q -- cat only-fi", ["run", "-q", "--", "cat", "only-file"]),
    # No word matches: the line stays unchanged.
    ("nosuch", ["nosuch"]),
    ("engines only-fi", ["engines", "only-fi"]),
    ("analyze --threads only-fi", ["analyze", "--threads", "only-fi"]),
    ("version --ou", ["version", "--ou"]),
]

PROMPT = "ready> "
SETUP = {
    "bash": "bind 'set enable-bracketed-paste off'; source {script}; "
            "reusedist() {{ printf 'got'; printf '<%s>' \"$@\"; echo; }}; echo set u''p\n",
    "zsh": "unset zle_bracketed_paste; autoload -U compinit; compinit -u -D; "
           "source {script}; reusedist() {{ printf 'got'; printf '<%s>' \"$@\"; echo }}; echo set u''p\n",
}
START = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}


class Terminal:
    """A shell in a terminal, and methods that type into it."""

    def __init__(self, command, directory):
        self.shown = ""
        self.child, self.fd = pty.fork()
        if self.child == 0:
            os.chdir(directory)
            os.execvpe(command[0], command, dict(os.environ, TERM="dumb", LC_ALL="C.UTF-8", PS1=PROMPT))

    def type(self, text):
        os.write(self.fd, text.encode())

    def read_until(self, mark, seconds=30):
        """Returns the text before the mark. The text after it is left for the next call."""
        while mark not in self.shown:
            if not select.select([self.fd], [], [], seconds)[0]:
                raise SystemExit(f"the shell says nothing more; so far:\n{self.shown}")
            try:
                self.shown += os.read(self.fd, 65536).decode(errors="replace")
            except OSError:
                raise SystemExit(f"the shell ended:\n{self.shown}") from None
        before, self.shown = self.shown.split(mark, 1)
        return before

    def close(self):
        os.close(self.fd)
        os.waitpid(self.child, 0)


def type_lines(shell, script, directory):
    terminal = Terminal(START[shell], directory)
    terminal.read_until(PROMPT)
    terminal.type(SETUP[shell].format(script=script))
    terminal.read_until("set up")
    terminal.read_until(PROMPT)
    for line, _ in LINES:
        terminal.type(f"reusedist {line}\t\n")
        terminal.read_until("got<")
        yield terminal.read_until(">\r").split("><")
        terminal.read_until(PROMPT)
    terminal.close()


def ask_fish(script, directory):
    for line, _ in LINES:
        command = f"source {script}; complete -C 'reusedist {line}'"
        done = subprocess.run(["fish", "--no-config", "-c", command], cwd=directory, text=True,
                              capture_output=True, check=True)
        candidates = [c.split("\t")[0] for c in done.stdout.splitlines()]
        words = line.split()
        yield words[:-1] + (candidates if len(candidates) == 1 else [words[-1]])


def main():
    shell, tool = sys.argv[1], os.path.realpath(sys.argv[2])
    if not shutil.which(shell):
        print(f"skipped: there is no {shell}")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as directory:
        script = os.path.join(directory, "script")
        with open(script, "w", encoding="utf-8") as file:
            subprocess.run([tool, "help", f"--completion={shell}"], stdout=file, check=True)
        work = os.path.join(directory, "work")
        os.mkdir(work)
        open(os.path.join(work, "only-file"), "w", encoding="utf-8").close()
        answers = ask_fish(script, work) if shell == "fish" else type_lines(shell, script, work)
        wrong = 0
        for (line, wanted), got in zip(LINES, answers):
            if shell != "bash":  # the other shells add '=' only when a value is typed, or remove it again
                wanted = [w.rstrip("=") for w in wanted]
            if got != wanted:
                print(f"reusedist {line}: {got} instead of {wanted}")
                wrong += 1
        sys.exit(1 if wrong else 0)


main()
