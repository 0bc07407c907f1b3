# kgen --exec where records are hard to write: every launch is in the report, or the exit is 6 and a message says why.
. tests/shell/check.bash
program=$KGEN_BUILD/tests/exec_program
export KGEN_TEMPLATES="$source_dir/templates" KGEN_CACHE_DIR="$tmp/cache" TMPDIR=$tmp/sessions
mkdir "$TMPDIR"
json() { python3 -c "import json; d=json.load(open('stdout')); assert $1, d['exec']"; }

# --- however the program ends ---
for end in many many-at-once many-quick; do
  sanitized && [ $end = many-at-once ] && continue # _exit() is the sanitizers' there
  exits 0 --exec --no-leaks --json -- "$program" $end
  holds "all launches: $end" json "d['exec']['launches_judged'] == 300 and d['exec']['records_missing'] == 0"
done
"$KGEN" --exec --no-leaks --json -- "$program" many-killed >stdout 2>stderr; code=$?
holds "each launch is there or missed" json "d['exec']['launches_judged'] + d['exec']['records_missing'] == 301"
if json "d['exec']['records_missing'] > 0" 2>/dev/null; then
  [ $code = 6 ] && grep -q '^kgen: error: the report is incomplete: ' stderr; check $? "exit $code: $(tail -2 stderr)"
else
  [ $code = 0 ]; check $? "exit $code: $(tail -2 stderr)"
fi

# --- whatever the program does to itself ---
for deed in masked no-descriptors closed asked-before; do
  expect 1 'race: writes shared byte' --exec -- "$program" $deed
  holds "complete: $deed" sh -c '! grep -q incomplete stderr'
done
if [ "$(id -u)" = 0 ]; then
  expect 1 'race: writes shared byte' --exec -- "$program" elsewhere
  expect 6 'the report is incomplete: .*Permission denied' --exec -- "$program" other-user
  holds "the program's own message" grep -q '^kgen: error: cannot record a launch in .*: Permission denied$' stderr
  chmod 711 . "$TMPDIR" # run as another user from the start
  expect 1 'nothing was checked' --exec -- "$program" other-user-early
else
  echo "not root: other roots and users are not checked"
fi

# --- the same process number in several namespaces ---
if unshare -pf true 2>/dev/null; then
  cat >several <<'E2'
for i in 1 2 3 4 5 6 7 8; do unshare -pf "$1" clean & done
wait
E2
  exits 0 --exec --json -- bash several "$program"
  holds "one process each" json "d['exec']['processes'] == 8 and d['exec']['launches_judged'] == 8"
else
  echo "no PID namespaces here (unshare -p)"
fi

# --- files that are not what they were ---
cat >spoil <<'E2'
"$1" clean >/dev/null
for file in "$KGEN_EXEC_SESSION"/*-0.json; do
  case $2 in
    cut) head -c 100 "$file" >part; cat part >"$file" ;;
    gone) rm "$file" ;;
    pipe) rm "$file"; mkfifo "$file" ;;
    mode) chmod 0 "$file" ;;
  esac
done
exit 0
E2
for how in cut gone pipe $([ "$(id -u)" = 0 ] || echo mode); do
  expect 6 'the report is incomplete' --exec -- bash spoil "$program" $how
done

# --- a program that is no program, or none when it has ended ---
mkfifo pipe; chmod +x pipe
expect 2 'cannot start' --exec -- ./pipe
cp "$program" swapped
cat >swap <<'E2'
./swapped leak; rm swapped; mkfifo swapped
E2
expect 1 'leak: ' --exec -- bash swap

specs=("$source_dir/specs/transpose_f32.yaml" "$source_dir/specs/reduce_f32.yaml")
# --- quotas of descriptors and memory, from nothing up: the race is found, or a message says why not ---
within() { bash -c 'exec >stdout 2>stderr; ulimit "$1" "$2" || exit 99; shift 2; exec "$@"' within "$@"; } 2>/dev/null
quotas=('-n '{0..9} '-n 12' '-v '{0,1000,2000,4000,8000,12000,16000,20000,30000,60000,500000})
# fails WHAT CODE LIMIT: not silently. With less memory than a program's own pages the system ends it before its first instruction.
fails() {
  [ "$2" != 0 ] && [ "$2" != 99 ] && { [ -s stderr ] || [[ $3 =~ ^-v\ [0-2] && $2 = 139 ]]; }
  check $? "$1: ulimit $3: exit $2: $(head -3 stderr)"
}
found=0 written=0
for limit in "${quotas[@]}"; do
  sanitized && [ "${limit#-v}" != "$limit" ] && continue # a sanitizer reserves terabytes
  # shellcheck disable=SC2086 # a flag and its value
  { code=0; within $limit "$KGEN" --exec --no-native -- "$program" race || code=$?; } 2>/dev/null
  if [ $code = 1 ] && grep -q 'race: writes shared byte' stderr; then
    found=$((found + 1))
  else
    fails exec $code "$limit"
  fi
  rm -rf out
  # shellcheck disable=SC2086
  { code=0; within $limit "$KGEN" -o out "${specs[@]}" || code=$?; } 2>/dev/null
  if [ $code = 0 ]; then
    [ "$(ls out | wc -l)" = 4 ]; check $? "ulimit $limit: $(ls out 2>/dev/null)"
    written=$((written + 1))
  else
    fails generation $code "$limit"
    [ ! -d out ] || [ -z "$(ls -A out)" ]; check $? "ulimit $limit: files of a run that failed: $(ls -A out 2>/dev/null)"
  fi
done
least=4; sanitized && least=3 # out of those with descriptors
[ $found -ge $least ]; check $? "the race was found within $found limits"
[ $written -ge $least ]; check $? "specs were written within $written limits"

# --- disks of every size, from nothing up ---
if ! unshare -m true 2>/dev/null || ! unshare -m mount -t tmpfs none "$tmp" 2>/dev/null; then
  echo "no new mount namespaces here (unshare -m): full disks are not checked"
  verdict faults_session; exit
fi
mkdir disk
# on_disk OPTIONS COMMAND...: with a tmpfs at disk/.
on_disk() {
  unshare -m bash -c 'mount -t tmpfs -o "$1" none disk || exit 99; shift; "$@"' on_disk "$@"
}
complete=0 incomplete=0
# judges WHAT COMMAND...: exit 1 with the race in the report, or exit 6 and a reason.
judges() {
  local what=$1 code=0; shift
  "$@" >stdout 2>stderr || code=$?
  case $code in
    1) grep -q 'race: writes shared byte' stderr; check $? "$what: no race: $(head -3 stderr)"; complete=$((complete + 1)) ;;
    6) grep -q '^kgen: error: .*No space left' stderr || grep -q '^kgen: .*No space left' stderr
       check $? "$what: no reason: $(head -3 stderr)"; incomplete=$((incomplete + 1)) ;;
    *) check 1 "$what: exit $code: $(head -3 stderr)" ;;
  esac
}
run=("$KGEN" --exec --no-native -- "$program" race)
sizes=$(seq 4 4 44)
! sanitized || sizes='4 16 32 44'
for size in $sizes 400; do judges "a disk of $size KiB" on_disk "size=${size}k" env TMPDIR="$tmp/disk" "${run[@]}"; done
for files in 1 2 3 4 5 6 7 8 9 20; do judges "$files files" on_disk "nr_inodes=$files" env TMPDIR="$tmp/disk" "${run[@]}"; done
[ $complete -ge 2 ] && [ $incomplete -ge 3 ]; check $? "$complete runs complete, $incomplete incomplete"
complete=0 incomplete=0
for size in $sizes 400; do
  judges "--save on $size KiB" on_disk "size=${size}k" "$KGEN" --exec --no-native --save disk/save -- "$program" race
  judges "--html on $size KiB" on_disk "size=${size}k" "$KGEN" --exec --no-native --html disk/page.html -- "$program" race
done
[ $complete -ge 2 ] && [ $incomplete -ge 4 ]; check $? "$complete saved, $incomplete not"
verdict faults_session
