"""Runs the commands that the documentation shows and compares their output.

usage: commands.py [--compilers] [--update] [PAGE...]

A fenced block whose language is `console` holds commands, each after `$ `, and below each its output, stdout and stderr
together. In the output, `[...]` on a line by itself stands for any number of lines, and within a line for any text. A
command must exit with 0 unless its output ends in a line `exit N`. Words after `console` say what a block needs:

    console            nothing but kgen; run without --compilers
    console nvrtc      NVRTC; run with --compilers
    console nvcc       nvcc; run with --compilers if there is one
    console norun=GPU  something that tests do not have: not run, and reported as not run

A block `yaml file=NAME` (or another language) is written to that file first. The blocks of a page run in order, in one
empty directory that has the repository's docs, and links to its specs, tests, templates and scripts. --update replaces outputs that differ and have
no `[...]`.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FENCE = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```$", re.M | re.S)
ELISION = "[...]"
SECONDS = 300  # for one command


def pages():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def commands(block):
    """The commands of a block and the lines of output below each."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and not found[-1][1] and found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0] + "\n" + line, [])
        elif found:
            found[-1][1].append(line)
    return found


def matches(want, got):
    """Whether the output got is what want, with its elisions, shows."""
    pattern = ""
    for line in want:
        if line.strip() == ELISION:
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(re.escape(part) for part in line.rstrip().split(ELISION)) + r"\n"
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in got)) is not None


def run(command, folder, environment):
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=SECONDS, text=True, errors="replace",
    )  # fmt: skip
    return done.returncode, done.stdout.rstrip("\n").splitlines() if done.stdout else []


class Page:
    def __init__(self, path, compilers, update):
        self.path, self.compilers, self.update = path, compilers, update
        self.ran, self.failures, self.not_run = 0, [], {}

    def is_wanted(self, needs):
        if any(word.startswith("norun=") for word in needs):
            reason = next(word for word in needs if word.startswith("norun="))[6:]
            self.not_run[reason] = self.not_run.get(reason, 0) + 1
            return False
        if "nvcc" in needs and self.compilers and not shutil.which("nvcc"):
            self.not_run["nvcc"] = self.not_run.get("nvcc", 0) + 1
            return False
        return self.compilers or not needs

    def check(self):
        text = self.path.read_text()
        self.check_marks(text)
        environment = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
        environment["PATH"] = f"{os.environ.get('KGEN_BUILD', ROOT / 'build')}:{os.environ['PATH']}"
        for name in ("COLUMNS", "KGEN_TEMPLATES"):
            environment.pop(name, None)
        with tempfile.TemporaryDirectory() as folder:
            environment["KGEN"] = shutil.which("kgen", path=environment["PATH"]) or "kgen"
            environment["KGEN_WISDOM"] = f"{folder}/wisdom.jsonl"
            for name in ("specs", "tests", "templates", "scripts"):
                (Path(folder) / name).symlink_to(ROOT / name)
            shutil.copytree(ROOT / "docs", Path(folder) / "docs")  # `kgen exec` quotes only sources below its directory
            for block in FENCE.finditer(text):
                language, words, body = block[1], block[2].split(), block[3]
                for word in words:
                    if word.startswith("file="):
                        (Path(folder) / word[5:]).write_text(body)
                if language == "console" and self.is_wanted(words):
                    text = self.check_block(text, body, folder, environment)
        if self.update:
            self.path.write_text(text)
        return self

    def check_block(self, text, body, folder, environment):
        for command, want in commands(body):
            code, got = run(command, folder, environment)
            self.ran += 1
            ends = re.fullmatch(r"exit (\d+)", want[-1].strip()) if want else None
            if code and not ends:
                self.failures.append((command, [f"exits with {code}", *got]))
            elif not matches(want, got):
                if self.update and not any(ELISION in line for line in want):
                    shown = "$ " + command + "\n"
                    text = text.replace(shown + "".join(x + "\n" for x in want), shown + "".join(x.rstrip() + "\n" for x in got))
                else:
                    self.failures.append((command, got))
        return text

    def check_marks(self, text):
        """A command in a block of another language would not be run; `text` is for what is no command."""
        for block in FENCE.finditer(text):
            if block[1] in ("", "sh", "bash", "shell") and re.search(r"^(\$ |kgen (?!- )|nvcc |scripts/|cmake )", block[3], re.M):
                self.failures.append(("a block with commands is not marked console", block[3].splitlines()[:3]))


def main():
    arguments = sys.argv[1:]
    compilers, update = "--compilers" in arguments, "--update" in arguments
    wanted = [Path(a).resolve() for a in arguments if not a.startswith("--")] or pages()
    work = [Page(path, compilers, update) for path in wanted]
    if compilers:  # without these compilers every block runs
        work = [p for p in work if re.search(r"^```console .*\b(nvrtc|nvcc)\b", p.path.read_text(), re.M)]
    with ThreadPoolExecutor(max(1, min(4, os.cpu_count() or 1))) as pool:
        done = list(pool.map(Page.check, work))
    for page in done:
        for command, got in page.failures:
            print(f"{page.path.relative_to(ROOT)}: $ {command}")
            print("".join(f"    {line}\n" for line in got[:60]), end="")
    failures, ran = sum(len(p.failures) for p in done), sum(p.ran for p in done)
    reasons = {}
    for page in done:
        for reason, count in page.not_run.items():
            reasons[reason] = reasons.get(reason, 0) + count
    print(f"{ran} commands run, {failures} failed" + "".join(f"; {n} blocks not run: they need {r}" for r, n in reasons.items()))
    return failures != 0 or ran == 0


if __name__ == "__main__":
    sys.exit(main())
