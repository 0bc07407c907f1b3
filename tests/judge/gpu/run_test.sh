# Every shipped spec on the GPU: correct, measured wavefronts equal to the plan's, timed; and its outputs equal the
# emulator's bit for bit, as far as PTX fixes them.
. tests/shell/check.bash
cd "$source_dir" || exit
"$KGEN" --device cuda --run --json -o "$tmp/out" >"$tmp/gpu.json" 2>"$tmp/err"
code=$?
if [ $code = 77 ]; then echo "skipped: no GPU"; exit 77; fi
check $code "exit $code: $(cat "$tmp/err")"
"$KGEN" --device emulator --run --json --dry-run >"$tmp/emulator.json" 2>"$tmp/err"
code=$?
check $code "on the emulator: exit $code: $(cat "$tmp/err")"
python3 - "$tmp/gpu.json" "$tmp/emulator.json" <<'PYTHON'
import json, sys

OPEN = {"fft": "ptxas fuses multiplications and additions", "scan": "the order of floating-point sums is the blocks'",
        "gemm": "the ISA leaves the rounding within mma open"}
gpu, emulator = ({s["name"]: s for s in json.load(open(file))["specs"] if "run" in s} for file in sys.argv[1:])
failures = 0


def check(passed, why):
    global failures
    failures += not passed
    if not passed:
        print(why)


check(len(gpu) > 70, f"only {len(gpu)} specs were run")
for name, spec in gpu.items():
    run = spec["run"]
    check(run["correct"] and run["memcpy_ratio"] > 0, f"{name} is wrong or was not timed")
    if run["wavefronts"].get("measured_load") is None:
        print(f"{name}: counters were not available")
    same = run["digest"] == emulator[name]["run"]["digest"]
    check(same or spec["kernel"] in OPEN, f"{name}: outputs differ from the emulator's")
    if not same:
        print(f"{name}: outputs differ from the emulator's: {OPEN.get(spec['kernel'])}")
sys.exit(failures != 0)
PYTHON
check $? "see above"
verdict gpu_run
