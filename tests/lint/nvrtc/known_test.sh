# The identity of a finding in a baseline: its kind, the lines of both accesses, the memory space; and the category of a SARIF
# log.
. tests/shell/check.bash
"$KGEN" --lint "$source_dir/tests/lint/cases/transpose.cu" 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
cat >two.cu <<'E2'
__global__ void two(int *out, int bug) {
  __shared__ int s[64];
  const int i = threadIdx.x;
  s[i] = i;
  if (bug != 1) __syncthreads();
  s[i ^ 1] += 1;
  if (bug != 2) __syncthreads();
  out[i] = s[i ^ 33];
}
E2
two() { expect "$1" "$2" --lint two.cu --grid 1 --block 64 --arg buf:256 --arg "i32:$3" "${@:4}"; }
two 0 '0 findings' 0
two 1 . 1 --json; cp stdout first.json
two 1 . 2 --json; cp stdout second.json
holds "the space" python3 -c "
import json
f = json.load(open('second.json'))['lint']['findings']
assert all(x['space'] == 'shared' for x in f) and f, f"
two 0 . 1 --baseline first.json
two 0 . 2 --baseline second.json
two 1 'two.cu:8: race: 1, in first.json 0' 2 --baseline first.json

# One line that races with two others in turn.
cat >other.cu <<'E2'
__global__ void other(int *out, int bug) {
  __shared__ int s[64];
  const int i = threadIdx.x;
  if (bug == 1) s[i] = i;
  if (bug == 2) s[i ^ 1] = i;
  out[i] = s[i ^ 32];
}
E2
other() { expect "$1" "$2" --lint other.cu --grid 1 --block 64 --arg buf:256 --arg "i32:$3" "${@:4}"; }
other 1 . 1 --json; cp stdout first.json
other 0 . 1 --baseline first.json --sarif same.sarif
holds "known" grep -q '"baselineState": "unchanged"' same.sarif
other 1 'other.cu:6: race with line 5: 1, in first.json 0' 2 --baseline first.json --sarif new.sarif
holds "new" grep -q '"baselineState": "new"' new.sarif
# Lines that have moved are still the same.
sed -i '1i // a comment' other.cu
other 0 . 1 --baseline first.json

# --- names of SARIF logs ---
id() { "$KGEN" --lint two.cu "$@" --sarif - -q | python3 -c 'import json,sys; print(json.load(sys.stdin)["runs"][0]["automationDetails"]["id"])'; }
one=$(id --grid 1 --block 64 --arg buf:256 --arg i32:0)
check "$([ "$one" = "kgen/lint/two.cu/two/grid 1/block 64/buf:256/i32:0/" ]; echo $?)" "id: $one"
for other in "--grid 2 --block 64 --arg buf:512 --arg i32:0" "--grid 1 --block 32 --arg buf:256 --arg i32:0" "--grid 1 --block 64 --arg buf:512 --arg i32:0"; do
  # shellcheck disable=SC2086
  [ "$(id $other)" != "$one" ]; check $? "the same id for $other"
done
[ "$(id --grid 1 --block 64 --arg buf:256:zero --arg i32:0)" = "$one" ]; check $? "another id for another fill"
verdict known
