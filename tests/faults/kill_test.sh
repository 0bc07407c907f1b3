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

# --- leftovers: directories that a killed run made are removed, and nothing else ---
rm -rf got; mkdir -p got/.kgenother got/aside
# leave HEX [NAME]: what a killed run leaves, with the marker of the directory NAME.
leave() {
  mkdir -p "got/.kgen-$1/deeper"
  echo part | tee "got/.kgen-$1/x.cu" >"got/.kgen-$1/deeper/y"
  echo "scratch directory of kgen: ${2:-.kgen-$1}" >"got/.kgen-$1/.kgen-scratch"
}
stale=0123456789abcdef young=1123456789abcdef locked=2123456789abcdef renamed=3123456789abcdef
theirs=4123456789abcdef unmarked=5123456789abcdef linked=6123456789abcdef cut=7123456789abcdef
for name in $stale $young $locked $renamed $theirs $unmarked $linked $cut 0123456789ABCDEF 0123456789abcde 0123456789abcdef0; do leave $name; done
leave $renamed .kgen-$stale
rm got/.kgen-$unmarked/.kgen-scratch
mv got/.kgen-$linked/.kgen-scratch marker; ln -s "$tmp/marker" got/.kgen-$linked/.kgen-scratch
printf 'scratch dir' >got/.kgen-$cut/.kgen-scratch
# Names that users choose.
for name in baselines cache stale0 a; do mkdir got/.kgen-$name; echo precious >got/.kgen-$name/old.json; done
echo keep >keep; ln -s "$tmp/keep" got/.kgen-$stale/out
ln -s aside got/.kgen-8123456789abcdef; echo >got/.kgen-9123456789abcdef
find got -mindepth 1 -exec touch -hd '2 minutes ago' {} +
touch got/.kgen-$young/.kgen-scratch
mkdir got/.kgen-a123456789abcdef # one that another process has just made
exec 8<got/.kgen-$locked/.kgen-scratch; flock 8
chown -R 1 got/.kgen-$theirs 2>/dev/null || { rm -rf got/.kgen-$theirs; echo "not root: another user's leftovers are not checked"; }
find got -mindepth 1 | sort >before
generate got
for name in $stale $cut; do holds "a stale directory is removed" test ! -e got/.kgen-$name; done
holds "a link in it is not followed" test -s keep
find got -mindepth 1 ! -name 'transpose*' | sort >after
grep -Ev "^got/.kgen-($stale|$cut)(/|$)" before | diff - after; check $? "something else was removed"
exec 8<&-

# --- a running compiler is stopped, and its scratch directory is removed ---
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
