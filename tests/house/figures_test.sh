# The figures that docs show are those of the kept result, and what changed between two results is told: beyond the noise of both,
# what got slower first, rows that only one has.
. tests/shell/check.bash
PYTHON=${PYTHON:-python3}

holds "docs show the kept result: scripts/bench --draw" "$PYTHON" "$source_dir/bench/draw.py" --check

# result FILE RATE NOISE: one row of kgen's and one peer, which is always 1000.
result() {
  cat >"$1" <<END
{"version": 1, "device": "GPU", "works": [{"work": "copy", "size": "1", "unit": "GB/s",
 "kgen": {"spec": "s", "kernel": "copy", "rate": $2, "noise": $3, "correct": true},
 "peers": {"p": {"rate": 1000, "noise": 0.001, "checked": "yes"}}}]}
END
}
# changes CODE PATTERN: of old.json to new.json.
changes() {
  local got=0
  "$PYTHON" "$source_dir/bench/changes.py" old.json new.json >stdout || got=$?
  [ $got = "$1" ] && grep -Eq "$2" stdout
  check $? "exit $got, want $1 and /$2/: $(cat stdout)"
}

result old.json 1000 0.001
result new.json 990 0.001
changes 0 '^nothing changed beyond noise$'
result new.json 900 0.001
changes 1 '^copy  1  kgen copy: 1000.0 -> 900.0 GB/s, x 0.900$'
result new.json 900 0.1
changes 0 '^nothing changed'
result new.json 1100 0.001
changes 0 'x 1.100'
sed -i 's/"work": "copy"/"work": "scan"/' new.json
changes 0 'scan  1  p: only in the new result'
verdict figures_test
