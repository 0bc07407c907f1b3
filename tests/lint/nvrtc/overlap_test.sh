# Programmatic launches in a lint.yaml: accesses before griddepcontrol.wait race with the launch before.
. tests/shell/check.bash
cp "$source_dir/tests/lint/cases/overlap.cu" . || exit 1
"$KGEN" --lint overlap.cu 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi

# chain FIRST NEXT...: a lint.yaml of launches of these kernels, each programmatic on the one before it.
chain() {
  local first=$1 n=0 kernel; shift
  cat >lint.yaml <<YAML
version: 1
source: overlap.cu
launches:
  - name: first
    kernel: $first
    grid: 2
    block: 64
    args: [{name: data, dtype: i32, count: 128, fill: zero}, {name: out, dtype: i32, count: 128, fill: zero}]
YAML
  for kernel; do
    n=$((n + 1))
    cat >>lint.yaml <<YAML
  - name: next $n
    kernel: $kernel
    programmatic: true
    grid: 2
    block: 64
    args: [{at: data}, {name: out$n, dtype: i32, count: 128, fill: zero}]
YAML
  done
}

# The message of the last launch's only finding.
message() {
  python3 -c "
import json
*before, last = json.load(open('stdout'))['lint']
assert not any(l['findings'] for l in before), before
f = last['findings']
assert len(f) == 1 and f[0]['kind'] == 'race', f
print(f[0]['message'])"
}

pair() {
  local first=$1 second=$2 says=$3
  chain "$first" "${second}_broken"
  exits 1 lint lint.yaml --json
  got=$(message)
  holds "$first, $second: $got" grep -qE -- "$says" <<<"$got"
  chain "$first" "${second}_clean"
  expect 0 '' lint lint.yaml
}

wait='no griddepcontrol.wait \(cudaGridDependencySynchronize\) between$'
pair writes never_waits "^reads byte [0-9]+ of buffer data that kernel writes writes at line 17, after its launch_dependents at line 10: $wait"
pair writes_first never_waits "kernel writes_first writes at line 26: $wait"
pair writes waits_late "$wait"
pair writes overwrites "^writes byte .* kernel writes writes at line 17"
pair reads overwrites "^writes byte .* kernel reads reads at line 22"
pair writes one_thread_waits "$wait"
pair writes in_a_loop "$wait"
pair writes copies "$wait"
pair updates counts "kernel updates writes at line 32"

# --- three launches ---
skipped='kernel writes writes .*: between_broken, launched between, has no griddepcontrol.wait$'
chain writes between_broken never_waits_clean
exits 1 lint lint.yaml --json
got=$(message); holds "a launch that never waits: $got" grep -qE "$skipped" <<<"$got"
chain writes between_clean never_waits_clean
expect 0 '' lint lint.yaml
chain writes triggers_early_broken never_waits_broken
exits 1 lint lint.yaml --json
got=$(message); holds "triggers before it waits: $got" grep -qE "kernel writes writes .*: $wait" <<<"$got"
chain writes triggers_early_clean never_waits_broken
expect 0 '' lint lint.yaml

# --- what is no overlap ---
chain has_no_trigger never_waits_broken
expect 0 '' lint lint.yaml
sed -i 's/programmatic: true/programmatic: false/; s/{at: data}/{name: data, dtype: i32, count: 128}/; s/_broken/_clean/' lint.yaml
expect 0 '' lint lint.yaml

# --- the file ---
chain writes never_waits_broken
exits 1 lint lint.yaml --kernel 'next 1' --json
holds "the launch before is kept" python3 -c "
import json
assert [l['name'] for l in json.load(open('stdout'))['lint']] == ['first', 'next 1']"
exits 0 lint lint.yaml --kernel first --json
holds "the launch after is not" python3 -c "
import json
assert [l['name'] for l in json.load(open('stdout'))['lint']] == ['first']"
expect 1 'race' lint lint.yaml --sarif out.sarif
holds "the other side in SARIF" grep -q '"startLine": 17' out.sarif
expect 0 '' lint lint.yaml --ignore race
sed -i 's/    kernel: writes$/    kernel: writes\n    programmatic: true/' lint.yaml
expect 3 'lint.yaml:6:19: error: programmatic: the first launch has none before it, so leave this out' lint lint.yaml
verdict overlap
