# notebook/seeds.md is true: every row of wavefronts that needs no GPU, its layout, and every line under a `$ kgen` of its blocks.
set -u
"$KGEN" --lint tests/emu/cases/seeds.cu 2>&1 | grep -q 'NVRTC cannot be used' && { echo "skipped: no NVRTC"; exit 77; }
python3 - <<'PYTHON'
import csv, json, os, re, shlex, subprocess, sys

checks = failures = 0


def check(what, got, want):
    global checks, failures
    checks += 1
    if got != want:
        failures += 1
        print(f"{what}: {got}, the page says {want}")


def kgen(*arguments):
    run = subprocess.run([os.environ["KGEN"], *arguments], capture_output=True, text=True)
    return run.stdout


def spec_file(name):
    return f"specs/{name}.yaml"


def sums(wavefronts, kind):
    return f"{wavefronts[kind + '_load']} + {wavefronts[kind + '_store']}"


def check_count(run, name, layout, model, emulator, h200):
    what = f"{name}, {layout}"
    check(what + ", model", sums(run["wavefronts"], "predicted"), model)
    check(what + ", emulator", sums(run["wavefronts"], "measured"), emulator)
    check(what + ", H200", h200, model)


def check_counts(rows):
    names = dict.fromkeys(row[0] for row in rows)
    out = kgen("--jit", "--run", "--device", "emulator", "--json", "--dry-run", *map(spec_file, names))
    specs = {spec["name"]: spec for spec in json.loads(out)["specs"]}
    for name, layout, model, emulator, h200 in rows:
        run = specs[name]["run"]
        check_count(run["control"] if layout == "none" else run, name, layout, model, emulator, h200)


def check_layouts(rows):
    table = csv.DictReader(kgen("--dry-run", "--csv", *dict.fromkeys(spec_file(name) for name, _ in rows)).splitlines())
    layouts = {row["name"]: row["layout"] for row in table}
    for name, layout in rows:
        check(f"{name}, layout", layouts[name], layout)


def check_plan(name, plain, here, ideal):
    accesses = json.loads(kgen("--dry-run", "--json", spec_file(name)))["specs"][0]["accesses"]
    for key, want in (("unswizzled", plain), ("wavefronts", here), ("ideal", ideal)):
        check(f"{name}, {key}", sum(a[key] for a in accesses), int(want))


def check_lint(kernel, block, loads, stores, findings):
    out = kgen("--lint", "tests/lint/cases/seeds.cu", "--kernel", kernel, "--grid", "1", "--block", block,
               "--arg", "buf:65536", "--arg", "buf:65536", "--json")
    lint = json.loads(out)["lint"]
    for op, want in (("load", loads), ("store", stores)):
        rows = [a for a in lint["accesses"] if a["op"] == op]
        got = f"{sum(a['wavefronts'] for a in rows)} ({sum(a['ideal'] for a in rows)})"
        check(f"{kernel}, {op}", got, want)
    kinds = sorted({finding["kind"] for finding in lint["findings"]})
    check(f"{kernel}, findings", ", ".join(kinds) or "none", findings)


def check_sweep(rows):
    lines = kgen("--jit", "--run", "--device", "emulator", "--dry-run", "--csv", "--sweep", "pad=0..8",
                 spec_file("transpose_f32")).splitlines()
    head = lines[0].split(",")
    for pad, model, emulator, h200 in rows:
        row = dict(zip(head, next(line for line in lines if line.startswith(pad + ",")).split(",")))
        check_count({"wavefronts": {k: row[k] for k in row}}, "sweep", pad, model, emulator, h200)


def check_blocks(page):
    for block in re.findall(r"^```\n(\$ kgen .*?)^```", page, re.M | re.S):
        for command in re.split(r"^\$ kgen ", block, flags=re.M)[1:]:
            arguments, *lines = command.splitlines()
            output = {line.strip() for line in kgen(*shlex.split(arguments)).splitlines()}
            for line in lines:
                check(f"kgen {arguments}: {line}", line.strip() in output, True)


page = open("notebook/seeds.md").read()
count = r"(\d+ \+ \d+)"
counts = re.findall(rf"^\| `(\w+)` \| ([^|]+) \| {count} \| {count} \| {count} \|", page, re.M)
plans = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \| ", page, re.M)
lints = re.findall(r"^\| `([^`]+)` \| (\d+(?:,\d+)?) \| (\d+ \(\d+\)) \| (\d+ \(\d+\)) \| ([\w, -]+) \|", page, re.M)
sweep = re.findall(rf"^\| (\d) \| {count} \| {count} \| {count} \|", page, re.M)
check("rows", [len(counts) >= 60, len(plans), len(lints) >= 30, len(sweep)], [True, 6, True, 9])
check_counts(counts)
check_layouts([(row[0], row[1]) for row in counts if row[1] not in ("none", "solved")])
check_layouts(re.findall(r"^\| `(\w+)` \| \d+ \| \d+ \| \d+ \| ([^|]+) \|", page, re.M))
for row in plans:
    check_plan(*row)
for row in lints:
    check_lint(*row)
check_sweep(sweep)
check_blocks(page)
print(f"seeds_nvrtc: {checks} checks, {failures} failed")
sys.exit(failures != 0)
PYTHON
