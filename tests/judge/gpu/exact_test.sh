# Counters without lost arbitration: two kernels whose loads other counters than the exact ones report as more than there are,
# a different number each time. Solved form and control equal the plan.
. tests/shell/check.bash
"$KGEN" --device cuda --run --json --dry-run "$source_dir"/tests/judge/gpu/exact >run.json 2>err
code=$?
if [ $code = 77 ]; then echo "skipped: no GPU"; exit 77; fi
check $code "exit $code: $(cat err)"
for key in load store; do
  holds "predicted and measured $key of both" python3 - $key <<'PYTHON'
import json, sys
key = sys.argv[1]
specs = json.load(open("run.json"))["specs"]
assert len(specs) == 2
for spec in specs:
    count = spec["run"]["wavefronts"]
    assert count[f"predicted_{key}"] == count[f"measured_{key}"] > 0
PYTHON
done
verdict judge_exact
