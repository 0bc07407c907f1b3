# The figures in the docs equal the stored result. A comparison of two results reports changes beyond the noise of both, slower
# rows first, and rows that only one result has.
. tests/shell/check.bash
PYTHON=${PYTHON:-python3}

holds "docs show the kept result: scripts/bench --draw" "$PYTHON" "$source_dir/bench/draw.py" --check

named_twice=$(grep -o 'text-anchor="end">[^<]*' "$source_dir/docs/images/figures.svg" | sort | uniq -d)
check "$([ -z "$named_twice" ]; echo $?)" "two bars of the chart have one name: $named_twice"
for picture in figures banks pad fft; do
  holds "text of docs/images/$picture.svg can be read on any page, as it has its own ground" grep -q 'svg {.* background: ' "$source_dir/docs/images/$picture.svg"
done

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
result new.json 1000 0.001
sed -i 's/"correct": true/"correct": false/' new.json
changes 1 '^copy  1  kgen copy: is wrong now$'
sed -i 's/"checked": "yes"/"checked": "failed"/; s/"correct": false/"correct": true/' new.json
changes 0 '^copy  1  p: is wrong now$'
result new.json 1000 0.001
sed -i 's/"work": "copy"/"work": "scan"/' new.json
changes 0 'scan  1  p: only in the new result'

# bench PATTERN ARGUMENT...: rejected at once, before work that takes minutes.
bench() {
  local pattern=$1 got=0; shift
  "$source_dir/scripts/bench" "$@" >stdout 2>stderr || got=$?
  [ $got = 2 ] && grep -Eq "$pattern" stderr
  check $? "exit $got, want 2 and /$pattern/: scripts/bench $*: $(head -3 stderr)"
}
bench 'not a number' --turns 0
bench 'needs a value' --compare
bench "$tmp/none.json is not a result" --compare none.json
echo '{"specs": []}' >report.json
bench 'report.json is not a result' --compare report.json
bench "cannot write $tmp/no/table.json" --json no/table.json

# A ratio uses two rates from one program, whatever kgen's rate is alone or compared with another library.
peer() { printf 'copy\t1000000\t%s\t%s\t%s\t0.001\t%s\t%s\n' "$1" "$2" "$2" "$3" "${4:-yes}"; }
cat >run.json <<'END'
{"specs": [{"name": "copy_f32", "kernel": "copy", "dtype": "f32",
 "run": {"time_ms": {"median": 1, "min": 1, "noise": 0.001}, "gbps": 2, "correct": true, "device": "GPU"}}]}
END
{ peer cudaMemcpy 0.001 2000; peer 'kgen copy_f32' 0.00125 1600; } >cuda
{ peer PyTorch 0.002 1000; peer 'kgen copy_f32' 0.0016 1250; } >python
table() {
  "$PYTHON" "$source_dir/bench/table.py" --peers cuda --peers python --json table.json run.json >stdout
  check $? "the table"
}
table
holds "the ratio to the peer that comes closest: 1600 of 2000" grep -q '"vs_best_peer": 0.8,' table.json
holds "and its name" grep -q '"best_peer": "cudaMemcpy"' table.json
holds "a line for the row, one for each peer, and two around them" test "$(wc -l <table.json)" = 5
{ peer cudaMemcpy 0.001 2000; peer 'kgen copy_f32' 0.00125 1600 WRONG; } >cuda
table
holds "a kernel that is wrong beside a peer is wrong" grep -q 'WRONG' stdout
holds "and has no ratio" grep -q '"vs_best_peer": null' table.json

# Alternating runs: a median over processes, whose spread is noise if it exceeds the spread within each; for kgen's rate and the
# reference libraries'.
sed 's/"median": 1, "min": 1/"median": 1.25, "min": 1.25/; s/"gbps": 2/"gbps": 1.6/' run.json >turn2.json
{ peer cudaMemcpy 0.001 2000; peer cudaMemcpy 0.0012 1667; peer 'kgen copy_f32' 0.001 2000; peer 'kgen copy_f32' 0.00125 1600; } >cuda
turns() { "$PYTHON" "$source_dir/bench/table.py" --peers cuda --json table.json run.json turn2.json >stdout; }
turns
holds "peers' spread over turns is noise: 1.0 and 1.2 us" grep -q '"noise": 0.09091' table.json
: >cuda
turns
holds "and so is kgen's alone: 1.00 and 1.25 ms" grep -q '"noise": 0.111' table.json

# The whole of scripts/bench, with a stub of kgen and of the reference programs: its calls, the results that it stores, and its
# comparison.
mkdir fakes
cat >fakes/kgen <<'END'
#!/bin/sh
case "$*" in
*--json*--dry-run*) echo '{"specs": [{"name": "copy_f32", "kernel": "copy", "dtype": "f32"}]}' ;;
*--json*) cat "$FAKES/../run.json" ;;
esac
END
printf '#!/bin/sh\necho "$ONLY" >"$FAKES/only"; cat "$FAKES/../cuda"\n' >fakes/peers
printf '#!/bin/sh\n[ "$1" = bench/peers.py ] || exec %s "$@"\n' "$PYTHON" >fakes/python
chmod +x fakes/*
faked() { # faked CODE ARGUMENT...: scripts/bench exits with that code
  local want=$1 got=0; shift
  FAKES=$tmp/fakes KGEN=$tmp/fakes/kgen PEERS=$tmp/fakes/peers PYTHON=$tmp/fakes/python KERNELS=$tmp/none \
    ONLY='copy, 2^20' "$source_dir/scripts/bench" "$@" >stdout 2>stderr || got=$?
  check "$([ $got = "$want" ]; echo $?)" "exit $got, want $want: scripts/bench $*: $(head -5 stderr)"
}
copy() { # copy MS: of kgen and of the peer, 2^21 bytes
  sed "s/\"median\": [0-9.]*, \"min\": [0-9.]*/\"median\": $1, \"min\": $1/; s/\"gbps\": [0-9.]*/\"gbps\": $(awk "BEGIN { print 2.097152 / $1 }")/" run.json >next.json
  mv next.json run.json
  awk "BEGIN { for (n = split(\"cudaMemcpy,kgen copy_f32\", name, \",\"); n; n--)
    printf \"copy\\t1048576\\t%s\\t%s\\t%s\\t0.001\\t%s\\tyes\\n\", name[n], $1, $1, 2.097152 / $1 }" >cuda
}
copy 1
faked 0 --json table.json
holds "the peers are asked for the number" grep -qx 'copy, 1048576' fakes/only
holds "the table is kept where it was called from" grep -q '"best_peer": "cudaMemcpy"' table.json
copy 2
faked 1 --compare table.json
holds "with what got slower" grep -q '^copy  1048576  kgen copy: .* x 0.500$' stdout

# ONLY: the specs whose rows are wanted.
wanted() {
  echo '{"specs": [{"name": "a", "kernel": "scan", "dtype": "f32"}, {"name": "transpose_u8", "kernel": "transpose", "dtype": "u8", "problem": {"rows": 16384, "cols": 16384, "batch": 1}}]}' |
    "$PYTHON" "$source_dir/bench/works.py" --specs "$1" | paste -sd' '
}
holds "a part of a size" [ "$(wanted 'u8, 16384x')" = transpose_u8 ]
holds "a size that only the peers know" [ "$(wanted 'scan inclusive f32, 2^28')" = a ]
holds "no part" [ "$(wanted 'scan inclusive f64')$(wanted 'u8, 4096')" = '' ]
verdict figures_test
