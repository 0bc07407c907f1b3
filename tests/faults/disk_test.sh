# Files that cannot be written: nothing is half-written, existing files are kept, and the reason is reported.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates"
transposes=("$source_dir"/specs/transpose*)
[ -f "${transposes[0]}" ] || transposes=("$source_dir"/specs/transpose*/*.yaml)
"$KGEN" -q -o want "${transposes[@]}" || echo "no files to compare with"

# refuses PATTERN COMMAND...: exit 2 with the reason, and neither output on stdout nor a crash.
refuses() {
  local pattern=$1 got=0; shift
  "$@" >stdout 2>stderr || got=$?
  [ $got = 2 ] && grep -q "^kgen: .*$pattern" stderr && [ ! -s stdout ]
  check $? "exit $got, want 2 and $pattern: $(head -3 stderr)"
}

# --- what root can write all the same ---
if [ "$(id -u)" != 0 ]; then
  mkdir fixed; chmod 500 fixed
  refuses 'Permission denied' "$KGEN" -o fixed "${transposes[@]}"
  refuses 'Permission denied' "$KGEN" -o fixed/below "${transposes[@]}"
else
  echo "root: a folder without permission is not checked"
fi
refuses 'Not a directory' "$KGEN" -o /dev/null "${transposes[@]}"
refuses 'cannot write /proc' "$KGEN" -o /proc/none "${transposes[@]}"
ln -s loop loop; refuses 'Too many levels' "$KGEN" -o loop/below "${transposes[@]}"
ln -s nowhere dangling; refuses 'cannot write dangling' "$KGEN" -o dangling "${transposes[@]}"
(ulimit -f 1; refuses 'File too large' "$KGEN" -o small "${transposes[@]}"; exit $failures)
check $? "a limit on a file's size"
holds "nothing is left" test -z "$(ls -A small)"

# --- disks of their own ---
if ! unshare -m true 2>/dev/null || ! unshare -m mount -t tmpfs none "$tmp" 2>/dev/null; then
  echo "no new mount namespaces here (unshare -m): full and read-only disks are not checked"
  verdict faults_disk; exit
fi
mkdir disk
# on_disk OPTIONS SCRIPT: with a tmpfs at disk/, in a namespace of its own.
on_disk() {
  unshare -m bash -c 'mount -t tmpfs -o "$1" none disk || exit 99; shift; script=$1; shift; eval "$script"' on_disk "$@"
}
export -f refuses check
export KGEN
# Every size up to the size of all files: the disk fills up at the first byte, in between, and at the last file.
all=$(du -sk want | cut -f1)
full=0 done=0
for size in $(seq 8 $((all / 12 + 1)) $((all + 64))); do
  on_disk "size=${size}k" '
    mkdir disk/out; echo old >disk/out/transpose_f32.cu; echo mine >disk/out/mine
    "$KGEN" -q -o disk/out "$@" 2>stderr; code=$?
    if [ $code = 0 ]; then diff -r -x mine want disk/out >&2 && exit 10; exit 1; fi
    [ $code = 2 ] && grep -q "^kgen: cannot write .*: No space left" stderr || exit 2
    [ "$(ls -A disk/out)" = "$(printf "mine\ntranspose_f32.cu")" ] || exit 3
    [ "$(cat disk/out/*)" = "$(printf "mine\nold")" ] || exit 4
    exit 11' "${transposes[@]}"
  code=$?
  [ $code = 10 ] && done=$((done + 1))
  [ $code = 11 ] && full=$((full + 1))
  [ $code -ge 10 ]; check $? "a disk of $size KiB: $code: $(head -3 stderr)"
done
[ $full -ge 5 ] && [ $done -ge 1 ]; check $? "$full full disks, $done with room"
on_disk size=4m '
  cp -r want disk/out; echo changed >disk/out/transpose_f32.cu; mount -o remount,ro disk
  refuses "Read-only file system" "$KGEN" -o disk/out "$@"
  refuses "Read-only file system" "$KGEN" -o disk/other "$@"
  exit $failures' "${transposes[@]}"
check $? "a read-only disk"
on_disk size=4m 'cp -r want disk/out; mount -o remount,ro disk; "$KGEN" -q -o disk/out "$@"' "${transposes[@]}"
check $? "a read-only disk that holds the very files"
on_disk size=16k,mode=700 'export KGEN_CACHE_DIR=$PWD/disk; for i in 1 2; do "$KGEN" -q --jit --dry-run "$1" 2>stderr; code=$?; done
  [ $code = 0 ] || grep -q "NVRTC cannot be used" stderr' "${transposes[0]}"
check $? "a cache on a full disk: $(head -3 stderr)"
verdict faults_disk
