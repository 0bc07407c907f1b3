# Links between pages: each leads to a file that exists, and to a heading that is there. Files that pages name exist, and indexes
# list all pages.
exec "${PYTHON:-python3}" - <<'PYTHON'
import re
import sys
from pathlib import Path

root = Path.cwd()
pages = [root / n for n in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "wisdom/README.md")]
pages += sorted((root / "docs").rglob("*.md")) + sorted((root / "notebook").rglob("*.md"))
failures = 0


def fail(what):
    global failures
    failures += 1
    print(what)


def prose(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def anchors(path):
    found = set()
    for heading in re.findall(r"^#+ (.*)$", prose(path.read_text()), re.M):
        found.add(re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-"))
    return found


links = 0
for page in pages:
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        links += 1
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        name = page.relative_to(root)
        if not target.exists():
            fail(f"{name}: {link}: there is no such file")
        elif anchor and anchor not in anchors(target):
            fail(f"{name}: {link}: there is no such heading")
for page in [p for p in pages if "notebook" not in p.parts]:
    for path in re.findall(r"`((?:runtime|gen|templates|tests|scripts|bench|specs|wisdom)/[\w/.-]+)`", prose(page.read_text())):
        if not re.search("NAME|DIRECTORY", path) and not (root / path).exists():
            fail(f"{page.relative_to(root)}: {path}: there is no such file")
for index in (root / "docs/index.md", root / "notebook/README.md"):
    for page in sorted(index.parent.rglob("*.md")):
        if page != index and f"({page.relative_to(index.parent)})" not in index.read_text():
            fail(f"{index.relative_to(root)} does not list {page.name}")
print(f"{links} links, {failures} failed")
sys.exit(failures != 0 or links < 50)
PYTHON
