# Counters without lost arbitration: two kernels whose loads other counters than the exact ones report as more than there are,
# a different number each time; and kernels whose copies are no stores. Solved form and control equal the plan.
. tests/shell/check.bash
"$KGEN" --device cuda --run --json --dry-run "$source_dir"/tests/judge/gpu/exact >run.json 2>err
code=$?
if [ $code = 77 ]; then echo "skipped: no GPU"; exit 77; fi
check $code "exit $code: $(cat err)"
holds "predicted and measured, solved and control" python3 - <<'PYTHON'
import json
specs = json.load(open("run.json"))["specs"]
assert len(specs) == 6
for spec in specs:
    copies = spec["name"].endswith("_copies")
    for run in (spec["run"], spec["run"]["control"]):
        count = run["wavefronts"]
        for key in ("load", "store", "copy", "wgmma"):
            assert count[f"predicted_{key}"] == count[f"measured_{key}"], (spec["name"], key, count)
        assert count["predicted_load"] > 0
        assert (count["predicted_copy"] > 0) == copies and (count["predicted_store"] == 0) == copies, count
PYTHON
verdict judge_exact
