# Runs that share one -o: neither takes the other's unfinished files for its own, whatever their process numbers.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates"
spec() { printf 'version: 1\nkernel: none\nname: %s\ndtype: f32\ntile: [32, 32]\nblock: [32, 8]\naccess:\n  - {op: load, at: [tx, %s]}\n' "$1" "$2"; }
for i in 1 2 3 4 5 6; do spec "s$i" 0 >"s$i.yaml"; spec "s$i" 1 >"t$i.yaml"; done
"$KGEN" -q -o one s?.yaml
"$KGEN" -q -o two t?.yaml

# whole DIRECTORY: every file is one of the two runs', and nothing unfinished is left.
whole() {
  local name
  [ "$(ls -A "$1")" = "$(ls -A one)" ] || return
  for name in one/*; do
    cmp -s "$name" "$1/${name#one/}" || cmp -s "two/${name#one/}" "$1/${name#one/}" || return
  done
}

# together WORD...: two runs with different files, each started by WORD..., 20 times.
together() {
  local round a b bad=0
  for round in $(seq 20); do
    "$@" "$KGEN" -q -o both s?.yaml 2>log.a & a=$!
    "$@" "$KGEN" -q -o both t?.yaml 2>log.b & b=$!
    wait $a || { bad=$((bad + 1)); cat log.a; }
    wait $b || { bad=$((bad + 1)); cat log.b; }
  done
  check $bad "$bad of 40 runs failed: $*"
  holds "whole files after: $*" whole both
  rm -rf both
}

together env
if unshare -pf true 2>/dev/null; then
  together unshare -pf # each is process 1 of its own
else
  echo "no new process namespaces here (unshare -p): not checked"
fi
verdict faults_together
