# --schedules: kernels that hang, or compute something else, only in some orders of warps and blocks.
. tests/shell/check.bash
cp "$source_dir/tests/lint/cases/schedules.cu" . || exit 1
"$KGEN" --lint schedules.cu 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
lint() { expect "$1" "$2" lint schedules.cu --kernel "$3" --grid 4 --block 64 --arg buf:64xi32:zero "${@:4}"; }
# pair NAME KIND TEXT: broken only under some schedules, and the one that shows it repeats alone.
pair() {
  lint 0 '' "$1_broken"
  lint 1 '' "$1_broken" --schedules 40 --json
  number=$(python3 -c "
import json, re
f, = json.load(open('stdout'))['lint']['findings']
assert f['kind'] == '$2' and re.search('$3', f['message']), f
text = f['where'][-1]['text']
print(re.fullmatch(r'in schedule (\d+), [a-z ]+; --schedules \1\.\.\1 repeats it', text)[1])")
  cp stdout first
  lint 1 '' "$1_broken" --schedules "$number..$number" --json
  holds "$1: schedule $number repeats" cmp first stdout
  lint 0 'schedules 1 to 40: no findings, and the same output' "$1_clean" --schedules 40
}
pair overrun barrier 'deadlock: phase 2 of the mbarrier'
pair tickets barrier 'deadlock: 32 of 64 threads have arrived at barrier'
pair winner schedule 'the output depends on the order of warps and blocks: byte 0 of buffer arg 1 is 0x'
pair blocks schedule 'the output depends on the order'
pair two_steps schedule 'the output depends on the order'
lint 0 '' winner_broken --schedules 40 --ignore schedule
for bad in 0 x 3..2 5..1000001 4..; do lint 2 "kgen: --schedules $bad: not a number from 1 to 1000000, nor a range" winner_broken --schedules "$bad"; done
verdict schedules
