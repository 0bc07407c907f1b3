# kgen --lint as a user sees it without NVRTC: PTX, usage, hostile files and arguments.
. tests/shell/check.bash
ptx=$source_dir/tests/lint/cases/transpose.ptx

json() { python3 -c "import json,sys; d=json.load(open('stdout'))['lint']; assert $1, d"; }

launch=(--grid 2,2 --block 32,8 --arg buf:16384 --arg buf:16384 --arg i32:64)

# --- PTX ---
expect 0 '3968 of them conflicts' --lint "$ptx" --kernel transpose "${launch[@]}"
holds "at most 100 columns" sh -c "! grep -E '^.{101}' stdout"
holds "messages on stderr only" test ! -s stderr
holds "the line of PTX" grep -q 'ld.shared.f32' stdout
expect 0 conflicts --lint "$ptx" "${launch[@]}" --json
holds "the only kernel" json 'd["kernel"] == "transpose" and d["conflicts"] == 3968'
holds "totals" json 'sum(a["wavefronts"] for a in d["accesses"]) == 4224 and sum(a["ideal"] for a in d["accesses"]) == 256'
holds "keys" json 'all(list(a) == ["line", "op", "bytes_per_lane", "instructions", "wavefronts", "ideal", "worst_lanes", "fix"] + (["stride", "why"] if a["wavefronts"] > a["ideal"] else []) for a in d["accesses"])'
holds "lanes" json '[a["worst_lanes"] for a in d["accesses"] if a["op"] == "load"] == [list(range(32))] * 4'
holds "fix" json 'd["accesses"][-1]["fix"].startswith("tile[row][col ^ (row & 31)]") and "tile[32][33]: pad each row of 32 4-byte elements by 1" in d["arrays"][0]["alternative"]'
cp stdout first; "$KGEN" --lint "$ptx" "${launch[@]}" --json >second
holds "the same every time" cmp first second
expect 0 '' --lint "$ptx" "${launch[@]}" -q
holds "quiet" test ! -s stdout
expect 0 "$(printf '\033')" --lint "$ptx" "${launch[@]}" --color always
NO_COLOR=1 expect 0 . --lint "$ptx" "${launch[@]}"
holds "no colour in a file" sh -c '! grep -q "$(printf "\033")" stdout'

# --- what it is for ---
sed 's/^.target sm_90/.target sm_86/' "$ptx" >old.ptx
expect 0 'block 32x8x1, sm_86,' --lint old.ptx "${launch[@]}"
expect 0 'block 32x8x1, sm_80,' --lint old.ptx "${launch[@]}" --arch sm_80
sed 's/^.target sm_90/.target sm_70, debug/' "$ptx" >old.ptx
expect 0 'block 32x8x1, sm_70,' --lint old.ptx "${launch[@]}"
expect 2 '69632 bytes of shared memory, and a block of sm_70 has at most 65536' --lint old.ptx "${launch[@]}" --smem 65536
holds "who has as many" grep -q '^kgen: hint: --arch sm_80 has 166912$' stderr
bulk=cp.async.bulk.tensor.2d.shared::cta.global.im2col.mbarrier::complete_tx::bytes
sed "s/bar.sync[^;]*;/$bulk [%r1], [%rd1, {%r1, %r2}], [%r2];/" "$ptx" >bulk.ptx
expect 5 "error: $bulk: " --lint bulk.ptx "${launch[@]}"

tile=$(sed -n 's/.*shared.* \([^ ]*\)\[4096\];/\1/p' "$ptx")
copy="{.reg .b32 t; .reg .b64 o; mov.u32 t, $tile; ld.param.u64 o, [transpose_param_1]; cp.async.bulk.global.shared::cta.bulk_group [o], [t], 4096;}"
sed "s/bar.sync[^;]*;/& $copy/" "$ptx" >laid.ptx
expect 1 'why: a bulk copy lays it out as in global memory' --lint laid.ptx "${launch[@]}"
holds "no pad for what a bulk copy lays out" sh -c '! grep -q "fix:" stdout'

# --- what other kernels of the file need concerns them alone ---
{ cat "$ptx"
  echo '.visible .entry clustered() .reqnctapercluster 2, 1, 1 { .reg .b32 %r<9>; mov.u32 %r1, %tid.x; ret; }'
  echo '.visible .entry multicast() { .reg .b32 %r<9>; .reg .b64 %rd<9>; multimem.ld_reduce.relaxed.sys.global.add.u32 %r1, [%rd1]; ret; }'
  echo '.visible .entry other(.reg .b32 %r1) { ret; }'
  echo '.visible .entry empty() { ret; }'; } >beside.ptx
expect 0 '3968 of them conflicts' --lint beside.ptx --kernel transpose "${launch[@]}"
expect 0 '0 findings' --lint beside.ptx --kernel empty --grid 1 --block 32
expect 0 '0 findings' --lint beside.ptx --kernel clustered --grid 2 --block 32
for kernel in multicast other; do
  expect 5 "^kgen: beside.ptx: the emulator does not execute $kernel\$" --lint beside.ptx --kernel $kernel --grid 1 --block 32
  holds "$kernel: one error" test "$(grep -c ': error: ' stderr)" = 1
done

# --- --max-conflicts, findings ---
expect 1 '3968 conflicts, more than --max-conflicts 3967' --lint "$ptx" "${launch[@]}" --max-conflicts 3967
expect 0 . --lint "$ptx" "${launch[@]}" --max-conflicts 3968
expect 1 'out-of-bounds' --lint "$ptx" --grid 2,2 --block 32,8 --arg buf:16380 --arg buf:16384 --arg i32:64
expect 1 'max-steps' --lint "$ptx" "${launch[@]}" --max-steps 5
expect 1 'out-of-bounds' --lint "$ptx" --grid 1 --block 32,8 --arg i64:0 --arg buf:16384 --arg i32:64

# --- the first blocks, when the time is up ---
many=(--grid 64,64 --block 32,8 --arg buf:16777216 --arg buf:16777216 --arg i32:2048)
expect 0 '^  the first [1-9][0-9]* of 4096 blocks: --time-limit$' --lint "$ptx" "${many[@]}" --time-limit 0
expect 0 . --lint "$ptx" "${many[@]}" --time-limit 0 --json
holds "few blocks" json '0 < d["blocks_run"] < 4096 and d["conflicts"] == d["blocks_run"] * 992'
holds "no progress where nobody looks" test ! -s stderr
expect 0 . --lint "$ptx" "${launch[@]}" --time-limit 1000 --json
holds "all blocks" json 'd["blocks_run"] == 4 and d["conflicts"] == 3968'
expect 2 'time-limit' --lint "$ptx" "${launch[@]}" --time-limit soon
printf '.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry ends() { trap; }\n' >ends.ptx
expect 1 '^  the first [1-9][0-9]* of 4096 blocks: a finding ended the launch$' --lint ends.ptx --grid 4096 --block 32

# --- buffers ---
head -c 16384 /dev/zero >zeros; head -c 100 /dev/zero >short
expect 0 . --lint "$ptx" --grid 2,2 --block 32,8 --arg buf:16384:zeros --arg buf:16384:zero --arg i32:64
expect 2 'kgen: --arg buf:4k: not a buf:BYTES or buf:COUNTxDTYPE' --lint "$ptx" --grid 1 --block 32 --arg buf:4k --arg buf:4 --arg i32:64
expect 2 'has 1 kernel: --grid, --block and an --arg for each parameter launch it' --lint "$ptx"
expect 2 'only 100 bytes' --lint "$ptx" --grid 2,2 --block 32,8 --arg buf:16384:short --arg buf:16384 --arg i32:64
expect 2 '--arg {buf:100:a}b,i32:1}: does not fit parameter 1, u64 of 8 bytes' --lint "$ptx" --grid 1 --block 32 --arg '{buf:100:a}b,i32:1}' --arg buf:4 --arg i32:1
expect 2 'No such file' --lint "$ptx" --grid 2,2 --block 32,8 --arg buf:16384:none --arg buf:16384 --arg i32:64

# --- lines are quoted from what the user named, and from nothing else ---
mkdir -p near/deeper near/.hidden far/secret
for f in near/a.cu near/deeper/b.cu near/.hidden/c.cu far/d.cu far/secret/e.cu; do echo "text of $f" >$f; done
ln -s ../far/d.cu near/link.cu
ln -s ../far near/folder
mkfifo near/pipe.cu
quoting() { # FILE: the PTX, with .file FILE and a line of it for each instruction
  awk -v file="$1" '{ print } /^.address_size/ { print ".file 1 \"" file "\"" } /^\t.shared/ { print ".loc 1 1 0" }' "$ptx" >near/k.ptx
}
shown() { expect 0 "^ +1  text of $1\$" --lint near/k.ptx "${launch[@]}" "${@:2}"; }
withheld() { expect 0 '^ +1  $' --lint near/k.ptx "${launch[@]}"; holds "$1 is not quoted" sh -c '! grep -Eq "text of|root:" stdout'; }
for f in near/a.cu near/deeper/b.cu "$PWD/near/a.cu" near/../near/a.cu; do quoting "$f"; shown '.*'; done
for f in /etc/passwd far/d.cu near/../far/d.cu near/link.cu near/folder/d.cu near/.hidden/c.cu near/pipe.cu near /dev/zero near/none.cu; do
  quoting "$f"; withheld "$f"
done
quoting far/secret/e.cu; shown far/secret/e.cu --include far
quoting near/link.cu; shown far/d.cu --include far
quoting "$(printf 'near/\033[31m.cu')"; withheld "a name with an escape"
holds "control characters are not shown" sh -c '! grep -q "$(printf "\033")" stdout'

# NVRTC calls a text without a name default_program: PTX shows more than its lines.
quoting "$PWD/default_program"
expect 0 '^ +[0-9]+  st\.shared\.f32' --lint near/k.ptx "${launch[@]}"
quoting near/my_default_program; withheld "a name that ends alike"

# --- usage ---
expect 2 '^kgen: --grid X,Y,Z is missing$' --lint "$ptx" --kernel transpose
expect 2 'transpose\(u64, u64, u32\)' --lint "$ptx"
expect 2 'did you mean transpose' --lint "$ptx" --kernel transpos "${launch[@]}"
expect 2 'has 3 parameters, 1 --arg' --lint "$ptx" --grid 1 --block 32 --arg i32:1
expect 2 'does not fit parameter 3, u32' --lint "$ptx" --grid 1 --block 32 --arg buf:4 --arg buf:4 --arg f32:1
expect 2 'does not fit parameter 1, u64' --lint "$ptx" --grid 1 --block 32 --arg i32:4 --arg buf:4 --arg i32:1
for bad in buf: buf:0 buf:-4 buf:x buf:4: i32:4294967296 i32:-2147483649 i32: i32:1x f32:x f64: i64:99999999999999999999 foo '' \
  '{i32:1}i32:2}i32:3}i32:4}'; do
  expect 2 'kgen: --arg' --lint "$ptx" --grid 1 --block 32 --arg "$bad"
done
for bad in 0 -1 x 1,2,3,4 1, 99999999999; do
  expect 2 'kgen: --grid' --lint "$ptx" --grid "$bad" --block 32
done
expect 2 'more than 16777216 threads' --lint "$ptx" --grid 2147483647,65535,65535 --block 1024 --arg buf:4
expect 2 'block larger than 1,024' --lint "$ptx" --grid 1 --block 32,33 --arg buf:4 --arg buf:4 --arg i32:1
expect 2 'of buffers in all' --lint "$ptx" --grid 1 --block 32 --arg buf:18446744073709551615 --arg buf:4 --arg i32:1
expect 2 'of buffers in all' --lint "$ptx" --grid 1 --block 32 --arg buf:4 --arg buf:1099511627776 --arg i32:1
expect 2 'shared memory' --lint "$ptx" "${launch[@]}" --smem 2000000000
expect 2 'kgen: --smem' --lint "$ptx" "${launch[@]}" --smem -1
cat >extern.ptx <<'EOF'
.version 8.0
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 _ZN2ns3dynE[];
.visible .entry sized() {
  .reg .b32 %r<3>;
  mov.u32 %r1, _ZN2ns3dynE;
  mov.u32 %r2, 1;
  st.shared.u32 [%r1], %r2;
  ret;
}
EOF
printf 'version: 1\nsource: extern.ptx\nlaunches:\n  - {kernel: sized, grid: 1, block: 1}\n' >extern.yaml
expect 1 "^kgen: hint: 'ns::dyn' has 0 bytes: --smem BYTES says how many an extern array has$" --lint extern.ptx --grid 1 --block 1
expect 1 "^kgen: hint: 'ns::dyn' has 0 bytes: smem: BYTES says how many" --lint extern.yaml
expect 0 '' --lint extern.ptx --grid 1 --block 1 --smem 4
holds "no hint where it has a size" sh -c '! grep hint stderr'
expect 2 'kgen: --max-conflicts' --lint "$ptx" "${launch[@]}" --max-conflicts many
expect 2 'kgen: --max-steps' --lint "$ptx" "${launch[@]}" --max-steps 1e9
expect 2 '--arch sm_91: not one of' --lint "$ptx" "${launch[@]}" --arch sm_91
expect 2 'belongs to kgen lint' --kernel transpose --grid 1
expect 2 'takes no SPEC' --lint "$ptx" spec.yaml "${launch[@]}"
expect 2 'needs a value' --lint

expect 2 'has 3 parameters, 1 --arg' --lint "$ptx" --grid 1 --block 32 --arg i32:1 --json
holds "JSON without a report says why" json 'd["error"]["exit"] == 2 and "kgen: the kernel has 3 parameters, 1 --arg given" in d["error"]["messages"] and d["file"].endswith("transpose.ptx")'

# --- hostile files ---
expect 2 'No such file' --lint none.cu --grid 1 --block 1
expect 2 'Is a directory' --lint . --grid 1 --block 1
expect 2 'File too large' --lint /dev/zero --grid 1 --block 1
head -c 20000 /dev/urandom >garbage.ptx; expect 5 'does not execute this' --lint garbage.ptx --grid 1 --block 1
head -c 700 "$ptx" >cut.ptx; expect 5 'cut.ptx:[0-9]+: error' --lint cut.ptx --grid 1 --block 1
sed 's/st.shared.f32/st.shared.f31/' "$ptx" >wrong.ptx; expect 5 'wrong.ptx:[0-9]+: error' --lint wrong.ptx --grid 1 --block 1
: >empty.ptx; expect 2 '^kgen: empty.ptx has no kernel$' --lint empty.ptx --grid 1 --block 1

# --- numbers without a type: the parameter's ---
cat >typed.ptx <<'E2'
.version 8.0
.target sm_80
.address_size 64
.visible .entry _Z1kPfifxs(.param .u64 p0, .param .u32 p1, .param .f32 p2, .param .u64 p3, .param .u16 p4) { ret; }
.visible .entry plain(.param .u64 p0, .param .align 2 .b8 p1[2]) { ret; }
E2
typed=(--lint typed.ptx --grid 1 --block 32)
expect 0 '0 findings' "${typed[@]}" --kernel k --arg buf:128 --arg -5 --arg 0.5 --arg 70000000000 --arg 65535
expect 2 "^kgen: --arg 16384: parameter 1 is a pointer: give buf:16384, a buffer of that many bytes$" "${typed[@]}" --kernel k --arg 16384 --arg 1 --arg 1 --arg 1 --arg 1
expect 2 '^kgen: --arg 2.5: parameter 2 is a number of type i32$' "${typed[@]}" --kernel k --arg buf:128 --arg 2.5 --arg 1 --arg 1 --arg 65536
holds "every one" grep -q '^kgen: --arg 65536: parameter 5 is a number of type i16$' stderr
expect 2 '^kgen: --arg 5: parameter 1 has 8 bytes: give buf:5 for a pointer, i64:5 for a number$' "${typed[@]}" --kernel plain --arg 5 --arg 6
holds "a structure" grep -q '^kgen: --arg 6: parameter 2 is a structure of 2 bytes' stderr
expect 2 'has 5 parameters, 6 --arg given' "${typed[@]}" --kernel k --arg buf:128 --arg 1 --arg 1 --arg 1 --arg 1 --arg 1

verdict lint
