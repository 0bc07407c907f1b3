# Runs that are ended at any time: what they leave is whole or theirs to recognize, and the next run clears it away.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates" KGEN_CACHE_DIR="$tmp/cache"
generate() { "$KGEN" -q -o "$1" "$source_dir"/specs/transpose*; }
generate want

# whole: of the files that are there, every one is complete.
whole() {
  local path
  for path in got/*; do
    [ -e "$path" ] || continue
    cmp -s "$path" "want/${path#got/}" || return
  done
}
# clean: nothing but files by their own names.
clean() { [ -z "$(find "$1" -name '.*' ! -path "$1" 2>/dev/null)" ]; }
# A shell's background jobs ignore SIGINT: this one does not.
killable=(env --default-signal=INT)
age() { touch -d '2 minutes ago' "$@"; }

# --- ended at random times, by each of three signals; how fast this machine is decides only when ---
rounds=25
! sanitized || rounds=5
start=$(date +%s%N); generate timed; span=$((($(date +%s%N) - start) / 1000000 + 1))
for signal in INT TERM KILL; do
  torn=0 left=0
  for round in $(seq $rounds); do
    rm -rf got
    "${killable[@]}" "$KGEN" -q -o got "$source_dir"/specs/transpose* 2>/dev/null & child=$!
    sleep "$(printf '0.%03d' $(((span / 2 + RANDOM % (span / 2 + 3)) % 1000)))"
    kill -$signal $child 2>/dev/null
    wait $child 2>/dev/null
    whole || torn=$((torn + 1))
    [ ! -e got ] || clean got || left=$((left + 1))
  done
  check $torn "SIG$signal: $torn of $rounds runs left files in part"
  [ $signal = KILL ] || check $left "SIG$signal: $left of $rounds runs left temporaries"
  find got -mindepth 1 -name '.*' -exec touch -d '2 minutes ago' {} + 2>/dev/null
  generate got
  holds "the next run after SIG$signal is whole" diff -r want got
done

# --- leftovers: the stale are removed, and nothing else ---
rm -rf got; mkdir -p got/.kgen-stale0/deeper got/.kgen-young0 got/.kgen-locked got/.kgenother got/aside
echo part | tee got/.kgen-stale0/x.cu got/.kgen-stale0/deeper/y got/.kgen-young0/x.cu got/.kgen-locked/x.cu >keep
ln -s "$tmp/keep" got/.kgen-stale0/out; ln -s aside got/.kgen-link00; echo >got/.kgen-file00
age got/.kgen-* got/.kgenother got/aside; touch got/.kgen-young0
exec 8<got/.kgen-locked; flock 8
mkdir got/.kgen-theirs; age got/.kgen-theirs; chown 1 got/.kgen-theirs 2>/dev/null || rmdir got/.kgen-theirs
[ -d got/.kgen-theirs ] || echo "not root: another user's leftovers are not checked"
generate got
holds "a stale folder goes" test ! -e got/.kgen-stale0
holds "a link in it is not followed" test -s keep
for name in young0 locked link00 file00; do holds "$name stays" test -e "got/.kgen-$name"; done
holds "another's name stays" test -d got/.kgenother -a -d got/aside
[ "$(id -u)" != 0 ] || holds "another user's stays" test -d got/.kgen-theirs
exec 8<&-

# --- a compiler under way is ended, and its scratch folder goes ---
mkdir -p fake/bin scratch
cat >fake/bin/nvcc <<'E2'
#!/bin/sh
for word; do out=$before before=$word; done
echo "$$" >"$(dirname "$0")/pid.new"; mv "$(dirname "$0")/pid.new" "$(dirname "$0")/pid"
exec sleep 1000
E2
chmod +x fake/bin/nvcc
printf '#include <vector>\n__global__ void k() {}\nint main() {}\n' >whole.cu
for signal in INT TERM HUP; do
  rm -f fake/bin/pid
  CUDA_HOME=$tmp/fake TMPDIR=$tmp/scratch "${killable[@]}" "$KGEN" --lint whole.cu --grid 1 >stdout 2>stderr & child=$!
  until [ -e fake/bin/pid ] || ! kill -0 $child 2>/dev/null; do sleep 0.05; done
  holds "a scratch folder while it compiles" test -n "$(ls -A scratch)"
  kill -$signal $child; wait $child 2>/dev/null; status=$?
  [ $status = $((128 + $(kill -l $signal))) ]; check $? "SIG$signal: exit $status"
  holds "SIG$signal: the scratch folder goes" test -z "$(ls -A scratch)"
  ! kill -0 "$(cat fake/bin/pid 2>/dev/null)" 2>/dev/null
  check $? "SIG$signal: the compiler runs on"
done
verdict faults_kill
