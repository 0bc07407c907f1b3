# kgen --tune by the emulator's counts, and --wisdom: searched, gone on with after kill -9, in parts, used, stale, merged, exported.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates" KGEN_WISDOM=$tmp/w.jsonl KGEN_CACHE_DIR=$tmp/cache
"$KGEN" --doctor >doctor 2>&1
grep -qi 'nvrtc.*none\|no NVRTC' doctor && { echo "tune_test: skipped: no NVRTC"; exit 77; }

# reads PYTHON: is true of d, the JSON on stdout, with t the first search.
reads() {
  python3 -c "
import json
d = json.load(open('stdout')); t = (d.get('tune') or [None])[0]
assert $1" 2>python
  check $? "not so: $1
$(tail -1 python)"
}
lines() { cat "$@" 2>/dev/null | wc -l; }
tune() { exits 0 --tune --device emulator --budget 600 -q --json "$@"; }

printf 'version: 1\nkernel: vector_read\ndtype: f32\nlayout: none\n' >plain.yaml
printf 'version: 1\nkernel: scan_rows\nname: rows\ndtype: f32\nparams: {method: 1}\n' >rows.yaml

# --- what cannot be the best is not measured; measured all the same, it is not ---
tune plain.yaml
reads 't["kernels"] == 15 and t["pruned"] > 5 and t["measured"] + t["pruned"] == 15 and t["invalid"] == 0'
best=$(python3 -c 'import json; print(json.load(open("stdout"))["tune"][0]["configurations"][0]["median"])')
exits 0 --tune --device emulator -q --only 'vector=1 d0=32' --only 'vector=2 d0=512' plain.yaml
tune plain.yaml
reads "t['measured'] == 0 and t['configurations'][0]['median'] == $best"
reads "min(c['median'] for c in t['configurations'] if c['set']['vector'] < 4) > $best"

# --- gone on with after a signal, and after kill -9 ---
# The search that gets the signal has 2,080 configurations, so that it cannot end before.
rm "$KGEN_WISDOM"
printf 'version: 1\nkernel: scan\n' >scan.yaml
"$KGEN" --tune --device emulator --budget 600 -q scan.yaml & killed=$!
for _ in $(seq 600); do [ "$(lines w.jsonl)" -ge 1 ] && break; sleep 0.1; done
kill -TERM $killed; wait $killed; code=$?
check "$([ $code = 143 ]; echo $?)" "a signal ends it with $code, not 143"
rm "$KGEN_WISDOM"
"$KGEN" --tune --device emulator --budget 600 -q rows.yaml & killed=$!
for _ in $(seq 600); do [ "$(lines w.jsonl)" -ge 2 ] && break; sleep 0.1; done
kill -9 $killed; wait $killed 2>/dev/null
before=$(lines w.jsonl)
holds "some was measured, and not all" test "$before" -ge 2 -a "$before" -le 5
tune rows.yaml
reads "t['known'] == $before and t['measured'] == 5 - $before and t['configurations'][0]['set'] == {'bx': 1024}"
cp w.jsonl all.jsonl

# --- parts of a search have nothing in common, and merge ---
export KGEN_WISDOM=$tmp/one.jsonl
tune --shard 1/2 rows.yaml
export KGEN_WISDOM=$tmp/two.jsonl
tune --shard 2/2 rows.yaml
holds "both have some" test "$(lines one.jsonl)" -gt 0 -a "$(lines two.jsonl)" -gt 0
check "$([ $(($(lines one.jsonl) + $(lines two.jsonl))) = 5 ]; echo $?)" "the parts have $(lines one.jsonl) and $(lines two.jsonl) of 5"
expect 0 ' 2 of 2 | 3 of 3 ' --wisdom --merge "$tmp/one.jsonl"
exits 0 --wisdom --merge "$tmp/one.jsonl" "$tmp/two.jsonl" --json
reads '[(f["file"][-9:], f["added"]) for f in d["merged"]] == [("one.jsonl", 0), ("two.jsonl", 0)]'
exits 2 --wisdom --merge "$tmp/one.jsonl" "$tmp/none.jsonl" --json
reads 'd["error"]["exit"] == 2'
printf '{"wisdom": 1, "kernel"\nhello\n' >half.jsonl
expect 2 'cannot read .*: Is a directory' --wisdom --merge "$tmp"
expect 0 'half.jsonl: lines that are not measurements, skipped: 2' --wisdom --merge half.jsonl
tune rows.yaml
reads 't["known"] == 5 and t["measured"] == 0'
for part in 3/2 0/2 ' 1/2' 4294967297/2 1/2x 1/1048577; do expect 2 'not I/N' --tune --shard "$part" rows.yaml; done
exits 3 --tune --device emulator -q --json nosuch.yaml
reads "d['error']['exit'] == 3 and d['error']['messages'] == open('stderr').read().splitlines() and 'nosuch.yaml' in d['error']['messages'][0]"
expect 2 'want all, or numbers' --tune --device emulator --devices ,, rows.yaml
expect 2 'GPU 0 is named twice' --tune --device emulator --devices 0,1,0 rows.yaml
if "$KGEN" --doctor 2>&1 | grep -q '^GPU  *-'; then expect 77 'no GPU' --tune --device emulator --devices all rows.yaml; fi
rm one.jsonl; export KGEN_WISDOM=$tmp/one.jsonl
exits 0 --tune --device emulator --devices 0,1 --budget 600 -q rows.yaml
check "$([ "$(lines one.jsonl)" = 5 ]; echo $?)" "two processes measured $(lines one.jsonl) of 5"
holds "each its part" test "$(grep -o 'process [0-9]*' one.jsonl | sort -u | wc -l)" = 2

# --- on a terminal the line of the search stays one ---
export KGEN_WISDOM=$tmp/watched.jsonl
python3 - "$KGEN" rows.yaml >watched <<'END'
import fcntl, os, pty, re, struct, subprocess, sys, termios
COLUMNS = 40
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
run = subprocess.Popen([sys.argv[1], "--tune", "--device", "emulator", "--budget", "600", sys.argv[2]],
                       stdout=subprocess.DEVNULL, stderr=slave)
os.close(slave)
text = b""
try:
    while piece := os.read(master, 4096):
        text += piece
except OSError:  # the end, on Linux
    pass
lines = [re.sub(r"\x1b\[K", "", line) for line in re.split(r"[\r\n]+", text.decode())]
print(run.wait(), max(map(len, lines)) < COLUMNS, any("of 5 measured" in line for line in lines), text)
END
holds "its line is not longer than the terminal is wide" grep -q '^0 True True' watched

# --- used, and said so; without the device as ever ---
export KGEN_WISDOM=$tmp/none.jsonl
exits 0 rows.yaml -q -o plain
export KGEN_WISDOM=$tmp/all.jsonl
exits 0 rows.yaml -q -o same --no-wisdom --for emulator
holds "--no-wisdom changes nothing" diff -r plain same
exits 0 rows.yaml -q -o tuned --for emulator
exits 0 rows.yaml -q -o again --for 'ptx EMU'
! cmp -s plain/rows.cu tuned/rows.cu; check $? "what is known makes no difference"
holds "the same each time" diff -r tuned again
holds "the source says so" grep -q '^ \* with bx = 1024: wisdom of PTX emulator' tuned/rows.cu
exits 0 rows.yaml --json --dry-run --for emulator
reads 'd["specs"][0]["overrides"]["set"] == {"bx": 1024} and d["specs"][0]["block"] == [1024, 1, 1]'
expect 0 'set: bx = 1024' rows.yaml --explain --dry-run --for emulator
printf 'block: [128]\n' | cat rows.yaml - >own.yaml
exits 0 own.yaml --json --dry-run --for emulator
reads '"overrides" not in d["specs"][0] and d["specs"][0]["block"] == [128, 1, 1]'
exits 0 rows.yaml -q -o nobody --for 'no such device'
holds "of another device nothing is known" diff -r plain nobody

# --- of equals the same is chosen in whatever order files were merged, and of devices the one whose name is the closest ---
sed 's/"median": [0-9.]*/"median": 70/' all.jsonl >equal.jsonl
tac equal.jsonl >lauqe.jsonl
for file in equal lauqe; do
  KGEN_WISDOM=$tmp/$file.jsonl exits 0 rows.yaml -q -o $file --for emulator
done
holds "the order of records is none of equals" diff -r equal lauqe
holds "of equals the spec stands as it is" grep -q 'constexpr int kThreads = 256;\|bx = 256' equal/rows.cu
device() { sed -n "${3}p" all.jsonl | sed "s/\"PTX emulator\"/\"$1\"/; s/\"median\": [0-9.]*/\"median\": $2/; s/\"unit\": \"counts\"/\"unit\": \"ms\"/"; }
{ device 'NVIDIA H200' 2 1; device 'NVIDIA H200 NVL' 1 2; } >kinds.jsonl
tac kinds.jsonl >sdnik.jsonl
for file in kinds sdnik; do
  KGEN_WISDOM=$tmp/$file.jsonl expect 0 'by wisdom of NVIDIA H200: 2 ms' rows.yaml --explain --dry-run --for h200
done

# --- a record that cannot be, however good, hides none that can ---
forged() { sed -n 1p all.jsonl | sed "s/\"set\": {[^}]*}/\"set\": {$1}/; s/\"median\": [0-9.]*/\"median\": 0.001/; s/\"stage\": \"screen\"/\"stage\": \"final\"/"; }
{ cat all.jsonl; for set in '"bx": 1000' '"bx": -1' '"bx": 4294967552' '"other": 3' '"bx": 1024, "rows": 1'; do forged "$set"; done; } >forged.jsonl
KGEN_WISDOM=$tmp/forged.jsonl expect 0 '5 configurations measured on PTX emulator are not valid' rows.yaml -o forged --for emulator
holds "the best that can be" diff -r tuned forged
echo 'root:x:0:0' >system; cp system before
KGEN_WISDOM=$tmp/system expect 2 'cannot append to .*/system: it does not begin with a measurement' --tune --device emulator rows.yaml
holds "it stays as it was" cmp system before
mkfifo fifo
KGEN_WISDOM=$tmp/fifo expect 2 'cannot append to .*/fifo: not a regular file' --tune --device emulator rows.yaml
KGEN_WISDOM=/dev/null expect 2 'cannot append to /dev/null: not a regular file' --tune --device emulator rows.yaml

# --- a measurement belongs to its size, however the spec states it ---
export KGEN_WISDOM=$tmp/sizes.jsonl
printf 'version: 1\nkernel: transpose\nname: sized\nparams: {vector: 4, band: 0, in_flight: 96}\ntile: [32, 32]\nblock: [128]\n' >sized.yaml
{ cat sized.yaml; echo 'problem: {rows: 100, cols: 64}'; } >new_size.yaml
sed 's/^params: {/&timed_rows: 100, timed_cols: 64, /' sized.yaml >old_size.yaml
tune --sizes 'rows=50..100 times 2 cols=64' --sizes 'rows=7' sized.yaml
reads '[(p["rows"], p["cols"]) for p in (x["problem"] for x in d["tune"])] == [(50, 64), (100, 64), (7, 16384)]'
reads 'all(x["measured"] == x["kernels"] for x in d["tune"])'
tune new_size.yaml
reads 't["measured"] == 0 and t["known"] == t["kernels"]'
exits 0 --tune --device emulator --json old_size.yaml
reads 't["measured"] == 0 and t["known"] == t["kernels"]'
holds "the old form is reported" grep -q "sized: note: param 'timed_rows' is old: write problem: {rows: 100}" stderr
expect 2 "sized has no size 'm'; its sizes are rows, cols, batch" --tune --device emulator --sizes 'm=8' sized.yaml
for sizes in ' ' 'rows' 'rows=' 'rows=2..' 'rows=8..2' 'rows=1..8 times 1' 'rows=0' 'rows=1 rows=2' 'rows=1..300'; do
  expect 2 "kgen: --sizes '$sizes': " --tune --device emulator --sizes "$sizes" sized.yaml
done
expect 3 "size 'rows' is 100000001" --tune --device emulator --sizes 'rows=100000001' sized.yaml

# --- only results that can be recorded, under their own key, are measured; errors are reported before the first search ---
KGEN_WISDOM=$tmp/all.jsonl/below expect 2 'cannot append to .*/below: Not a directory' --tune --device emulator rows.yaml
holds "it has not begun" sh -c '! grep -q measured stderr'
export KGEN_WISDOM=$tmp/nothing.jsonl
for config in 'foo=4' 'timed_rows=8' 'method=0' 'bx=64 bx=128' 'bx=4294967424'; do
  expect 3 'what is searched here: bx' --tune --device emulator --only "$config" rows.yaml
done
holds "and nothing is remembered" test ! -s nothing.jsonl
printf 'version: 1\nkernel: scan_rows\ndtype: f33\n' >bad.yaml
expect 3 "unknown dtype 'f33'" --tune --device emulator rows.yaml bad.yaml
holds "nor is anything searched" test ! -s nothing.jsonl

# --- stale records: reported, not used, dropped ---
sed 's/"toolkit": "[^"]*"/"toolkit": "1.0"/' all.jsonl >old.jsonl
export KGEN_WISDOM=$tmp/old.jsonl
expect 0 '5 measurements on PTX emulator are of another toolkit or template' rows.yaml --for emulator -o old
holds "what is stale is not used" diff -r plain old
expect 0 'stale' --wisdom rows
expect 0 '0 measurements kept, 5 dropped' --wisdom --prune
exits 0 --wisdom --prune --json
reads 'd["pruned"]["kept"] == 0 and d["pruned"]["dropped"] == 0'
cp -r "$source_dir/templates" changed
echo 'int changed;' >>changed/scan_rows.cu
export KGEN_WISDOM=$tmp/all.jsonl
expect 0 'another toolkit or template' rows.yaml --for emulator --templates changed --dry-run
cp "$source_dir/templates/scan_rows.cu" changed/
echo '# a comment' >>changed/scan_rows.yaml; echo '// a comment' >>changed/scan_rows.cu
expect 0 'set: bx = 1024' rows.yaml --for emulator --templates changed --dry-run --explain

# --- listed, exported ---
exits 0 --wisdom --json rows
reads 'len(d["wisdom"]) == 1 and d["wisdom"][0]["records"] == 5 and not d["wisdom"][0]["stale"]'
exits 0 --wisdom --t4 rows
reads 'd["schema_version"] == "1.0.0" and len(d["results"]) == 5'
reads 'all(set(("timestamp", "configuration", "objectives", "times", "invalidity", "correctness", "measurements")) <= set(r) for r in d["results"])'
reads 'all(r["invalidity"] == "correct" for r in d["results"]) and d["results"][0]["configuration"]["bx"] > 0'

# --- errors ---
mkdir bin; printf '#!/bin/sh\necho 1\n' >bin/sbatch; chmod +x bin/sbatch
slurm() { # slurm PATTERN ARGUMENT...: scripts/tune_slurm fails with this message
  local pattern=$1 got=0; shift
  PATH=$tmp/bin:/usr/bin:/bin KGEN=$tmp/none bash "$source_dir/scripts/tune_slurm" "$@" >stdout 2>stderr || got=$?
  [ $got = 2 ] && grep -Eq -- "$pattern" stderr
  check $? "exit $got, want 2 and /$pattern/: tune_slurm $*: $(head -3 stderr)"
}
slurm '--tasks needs a value' --tasks
slurm '--tasks x: not a number' --tasks x -- rows.yaml
command -v kgen >/dev/null || slurm 'there is no kgen here' --tasks 1 -- rows.yaml
expect 3 'is not a configuration' --tune --device emulator --only 'bx=100' rows.yaml
expect 2 'belongs to kgen tune' --budget 5 rows.yaml
expect 0 'leaves nothing open' --tune --device emulator "$source_dir/specs/banks_one.yaml"
verdict tune_test
