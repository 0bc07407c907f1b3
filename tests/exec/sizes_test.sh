# kgen exec of a program that launches one kernel in more sizes than kgen keeps apart: every launch is counted, a note says that
# sizes are merged, and memory is bounded.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates" KGEN_CACHE_DIR="$tmp/cache" TMPDIR=$tmp/sessions
mkdir "$TMPDIR"
cat >run.py <<'EOF'
import json, os, resource, subprocess
run = subprocess.run([os.environ["KGEN"], "exec", "--json", "--no-native", "--",
                      os.environ["KGEN_BUILD"] + "/tests/exec_program", "sizes"], capture_output=True, text=True)
report = json.loads(run.stdout)
print("exit", run.returncode)
print("launches", report["exec"]["launches_judged"], "missing", report["exec"]["records_missing"])
print("groups", len(report["lint"]), "launches in them", sum(k["launches"] for k in report["lint"]))
print("notes", run.stderr.count("further sizes are counted with others of their kernel"))
print("megabytes", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
EOF
python3 run.py >said 2>&1
for line in 'exit 0' 'launches 2200 missing 0' 'groups 2048 launches in them 2200' 'notes 1'; do
  grep -qx "$line" said; check $? "no line \"$line\": $(tail -8 said)"
done
used=$(sed -n 's/^megabytes //p' said)
sanitized || { [ "${used:-9999}" -lt 200 ]; check $? "$used MB"; }
verdict exec_sizes
