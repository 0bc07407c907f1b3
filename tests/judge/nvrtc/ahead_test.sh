# Kernels compiled ahead by other processes: the same output, nothing said of it, and no process or file left however it ends.
. tests/shell/check.bash
export KGEN_CACHE_DIR="$tmp/cache"
# The leak checker of a sanitized process is its child for a moment, which this test would count; other tests check for leaks.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
specs=("$source_dir"/specs/scan_rows_*.yaml)
run=(env --default-signal=INT "$KGEN" --device emulator --jit --run -o "$tmp/out")
"${run[@]}" "${specs[0]}" >first 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
# Without milliseconds.
steady() { sed 's/ *[0-9.]*$//' "$@"; }

# children PID: of a process that has some; waits for them.
children() {
  local list
  while list=$(cat "/proc/$1/task/$1/children" 2>/dev/null); do
    [ -z "$list" ] || { echo "$list"; return 0; }
    sleep 0.01
  done
  return 1
}
# gone PID...: soon.
gone() {
  for _ in $(seq 200); do
    kill -0 "$@" 2>/dev/null || return 0
    sleep 0.05
  done
  return 1
}
begin() { rm -rf cache; "${run[@]}" "${specs[@]}" >stdout 2>stderr & child=$!; workers=$(children $child); }

"${run[@]}" --no-cache "${specs[@]}" >want 2>want.err
begin; wait $child; code=$?
holds "other processes compile" test -n "$workers"
check $code "with an empty cache: exit $code"
holds "the same messages" cmp -s want.err stderr
holds "the same table, without a hit" diff <(steady want) <(steady stdout)
"${run[@]}" "${specs[@]}" >again 2>stderr & child=$!; workers=$(children $child); wait $child
holds "none where all is in the cache" test -z "$workers" -a "$(grep -c ' hit ' again)" = ${#specs[@]}

core=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
rm -rf cache
taskset -c "$core" "${run[@]}" "${specs[@]}" >stdout 2>stderr & child=$!; workers=$(children $child); wait $child
holds "one where one processor may be used" test "$(wc -w <<<"$workers")" = 1

rm -rf cache
"$KGEN" --jit --json --sweep timed_count=1024,2048,4096 "$source_dir"/specs/copy_f32.yaml >sweep.json 2>stderr
check "$(($(grep -c '"cached": false' sweep.json) != 1))" "candidates of one source are compiled once"

begin; for worker in $workers; do kill -KILL "$worker"; done; wait $child; code=$?
check $code "a compiler that is killed is not waited for: exit $code"
holds "and is made up for" diff <(steady want) <(steady stdout)

for signal in INT TERM KILL; do
  begin; sleep 0.1; kill -$signal $child; wait $child; code=$?
  check $((code != 128 + $(kill -l $signal))) "SIG$signal: exit $code"
  for worker in $workers; do holds "SIG$signal: a worker ends" gone "$worker"; done
  holds "SIG$signal: no temporary" test -z "$(find cache -name 'tmp-*' 2>/dev/null)"
done
verdict judge_ahead
