# Streams that take nothing: every command says so and exits 2, and no file that it opens is taken for a stream.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates" KGEN_CACHE_DIR="$tmp/cache"
cat >good.yaml <<'E2'
version: 1
kernel: none
dtype: f32
tile: [32, 32]
block: [32, 8]
access: [{op: load, at: [tx, ty]}]
E2
sed 's/f32/f33/' good.yaml >bad.yaml
lint=(--lint "$source_dir/tests/lint/cases/transpose.ptx" --kernel transpose --grid 2,2 --block 32,8 --arg buf:16384 --arg buf:16384 --arg i32:64)
"$KGEN" -q -o want good.yaml

# door CODE ARGUMENT...: exits CODE with its streams whole and 2 where stdout takes nothing.
door() {
  local want=$1 got; shift
  "$KGEN" "$@" >stdout 2>stderr; got=$?
  [ $got = "$want" ]; check $? "exit $got, want $want: $*"
  [ -s stdout ]; check $? "nothing on stdout: $*"
  "$KGEN" "$@" >/dev/full 2>stderr; got=$?
  [ $got = 2 ] && grep -q '^kgen: cannot write to stdout: No space left' stderr; check $? "exit $got, stdout full: $*"
  "$KGEN" "$@" >&- 2>stderr; got=$?
  [ $got = 2 ] && grep -q '^kgen: cannot write to stdout: Bad file' stderr; check $? "exit $got, stdout closed: $*"
  "$KGEN" "$@" >stdout2 2>&-; got=$?
  [ $got = "$want" ] && cmp -s stdout stdout2; check $? "exit $got, stderr closed: $*"
  "$KGEN" "$@" >stdout2 2>/dev/full; got=$?
  [ $got = "$want" ] && cmp -s stdout stdout2; check $? "exit $got, stderr full: $*"
  "$KGEN" "$@" <&- >stdout2 2>stderr; got=$?
  [ $got = "$want" ] && cmp -s stdout stdout2; check $? "exit $got, stdin closed: $*"
}
door 0 --help
door 0 --version
door 0 good.yaml -o out
door 0 good.yaml -o -
door 0 --json --dry-run good.yaml
door 0 --csv --dry-run good.yaml
door 0 --explain --dry-run good.yaml
door 0 --sweep pad=0..2 good.yaml
door 0 --pads
door 0 --pads --json
door 0 "${lint[@]}"
holds "files are whole" diff -r want out
"$KGEN" good.yaml -q -o all >&- 2>&- <&-; check $? "all three closed"
holds "files are whole with all three closed" diff -r want all
"$KGEN" bad.yaml -o none >/dev/full 2>/dev/full; [ $? = 3 ]; check $? "a bad spec with full streams"
holds "nothing is written" test ! -e none

# A reader that goes away ends kgen as it ends any program: by SIGPIPE, after the files.
"$KGEN" good.yaml -o gone 2>stderr | true
holds "files before a reader that goes" diff -r want gone
(trap '' PIPE; "$KGEN" --pads 2>stderr; echo $? >code) | true
[ "$(cat code)" = 2 ] && grep -q 'cannot write to stdout: Broken pipe' stderr; check $? "SIGPIPE ignored: $(cat code)"
verdict faults_stream
