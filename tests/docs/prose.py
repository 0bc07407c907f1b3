"""Checks the English of pages for users: short sentences, the subject first, no words of the project's own."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
LONGEST = 25  # words in a sentence
OPENINGS = "Of|What|Whether|Where|Who"
# A word of the project's own, and what to write instead.
COINED = {
    r"folders?": "directory",
    r"mistakes?": "error",
    r"refus\w+": "reject, rule out, unsupported",
    r"told|tells?": "report, print",
    r"judge[ds]?|judging|unjudged": "check, unchecked, evaluate",
    r"knobs?": "parameter",
    r"famil(?:y|ies)": "kernel template, layout space",
    r"peers?": "reference library",
    r"whose turn|in turns": "alternating",
    r"nobody|somebody": "no thread, another thread",
    r"anew|once more": "again",
    r"so many|so much": "N, that number of",
    r"halves of a type": "fp16 values",
    r"(?:bytes|wavefronts|elements) an? (?:lane|warp|thread|row)": "per lane, per warp",
    r"beside": "next to, compared with",
}


def prose(text):
    """Paragraphs and list items without code, tables, headings and link targets."""
    text = re.sub(r"^```.*?^```$|^<!--.*?-->$|^---$", "", text, flags=re.M | re.S)
    lines = [line for line in text.splitlines() if not line.startswith(("|", "#", "!["))]
    for part in re.split(r"\n\s*\n|\n(?=\s*(?:- |\d+\. ))", "\n".join(lines)):
        part = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", part)
        yield re.sub(r"`[^`]*`", "X", part).replace("\n", " ").strip()


def sentences(part):
    return re.split(r"(?<=[.!?:])\s+(?=[A-Z*\"(X0-9]|kgen\b|nvcc\b|wgmma\b|$)|;\s", part)


def problems(page):
    for part in prose(page.read_text()):
        for sentence in sentences(part):
            count = len(re.findall(r"[A-Za-z0-9][\w'./%^-]*", sentence))
            if count > LONGEST:
                yield f"{count} words, at most {LONGEST}: {sentence}"
            if re.match(rf"\W*(?:{OPENINGS})\b", sentence) and not sentence.endswith("?"):
                yield f"begin with the subject: {sentence}"
            for word, better in COINED.items():
                if found := re.search(rf"\b(?:{word})\b", sentence, re.I):
                    yield f"'{found[0]}': write {better}: {sentence}"


failures = 0
for page in PAGES:
    for problem in problems(page):
        failures += 1
        print(f"{page.relative_to(ROOT)}: {problem[:240]}")
print(f"prose: {len(PAGES)} pages, {failures} failed")
sys.exit(failures != 0)
