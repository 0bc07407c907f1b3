# kgen --exec of programs whose threads call CUDA at once, also while the process ends or a kernel's module or context goes.
. tests/shell/check.bash
program=$KGEN_BUILD/tests/exec_program
export KGEN_TEMPLATES="$source_dir/templates" KGEN_CACHE_DIR="$tmp/cache" TMPDIR=$tmp/sessions
mkdir "$TMPDIR"
complaint='ERROR: AddressSanitizer\|WARNING: ThreadSanitizer\|runtime error' # the presets asan and tsan
# ends ACTION ARGUMENT...: by no signal, with each launch in the report.
ends() {
  local action=$1 code=0; shift
  "$KGEN" --exec --json --no-native "$@" -- "$program" $action >stdout 2>stderr || code=$?
  [ $code -le 1 ]; check $? "$action $*: exit $code: $(tail -3 stderr)"
  python3 -c "import json; assert json.load(open('stdout'))['exec']['records_missing'] == 0" 2>/dev/null
  check $? "$action $*: $(tail -3 stderr)"
  ! grep -q "$complaint" stderr; check $? "$action $*: $(grep -m1 -A5 "$complaint" stderr)"
}
for action in threads threads-share threads-at-exit unloaded destroyed; do
  for round in 1 2 3; do
    ends $action
    ends $action --launches 0
  done
done
ends threads
python3 -c "import json; d = json.load(open('stdout')); assert d['exec']['launches_judged'] == 240, d['exec']"
check $? "each of 12 threads launches 20 times"
verdict exec_threads
