# Uses the pages of --html as a reader would, in a headless Chromium: see browser_check.py. Skipped if there is none.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates"
specs="$source_dir/specs"

for c in chromium chromium-browser google-chrome; do command -v $c >/dev/null && found=$c; done
if [ -z "${found:-}" ]; then
  echo "browser: skipped: no Chromium here (scripts/install --tests)"
  exit 77
fi

cat >count.yaml <<'E2'
version: 1
kernel: none
dtype: u32
tile: [64]
block: [32]
access:
  - {name: count, op: atomic, at: [(tx * 7) % 40 / 3]}
E2
cat >four.yaml <<'E2'
version: 1
kernel: none
dtype: f16
tile: [2, 3, 4, 16]
layout: {kind: auto, max_bytes: 1024}
access:
  - {op: store, at: [lane / 12, lane / 4 % 3, lane % 4, 0], when: lane < 24, vector: 2}
  - {op: load, at: [lane / 16, 1, 2, lane % 16]}
E2
cat >large.yaml <<'E2'
version: 1
kernel: none
dtype: f16
tile: [128, 128]
block: [256]
access:
  - {name: fill, op: store, vector: 8, for: {j: 8}, at: [tid / 16 + 16 * j, tid % 16 * 8]}
  - {name: drain, op: load, for: {j: 64}, at: [tid % 128, tid / 128 + 2 * j]}
E2
# Lanes whose sources are below the first lane's line, and banks that serve less than one-byte elements need.
cat >backward.yaml <<'E2'
version: 1
kernel: none
dtype: u16
tile: [32, 16]
block: [32, 4]
access:
  - {name: through, op: cp_async, vector: 4, at: [lane ^ 4, 4]}
  - {name: past, op: cp_async, cache: cg, vector: 8, at: [31 - lane, 0], from: [31 - lane, lane % 8 * 8], when: lane < 8}
E2
cat >narrow.yaml <<'E2'
version: 1
kernel: none
dtype: u8
tile: [32, 32]
banks: {count: 8, bytes: 4}
access:
  - {name: column, op: load, pattern: column}
E2
# A given layout that is not strides and XORs, and takes more than its elements.
cat >sparse.yaml <<'E2'
version: 1
kernel: none
dtype: f32
tile: [4, 32]
layout: {expr: "(c0 * 32 + c1) * 3"}
access:
  - {name: row, op: load, for: {j: 4}, at: [j, lane]}
E2
sed 's/bypass: 1/bypass: 0/; s/^version: 1/&\nname: copy_ca/' "$specs/copy_async_f16.yaml" >copy_ca.yaml
# A layout of each kind that can be given, and tiles of each rank.
mkdir kinds
for given in '128 swizzle: none' '16 swizzle: tma32' '32 swizzle: tma64' '64 swizzle: tma128' '128 cute: [3, 3, 3]' '64 cute: [2, 4, 3]' \
  '128 pad: 8' '128 expr: "c0 * 128 + (c1 + 8 * c0) % 128"'; do
  cat >"kinds/given_$(find kinds -type f | wc -l).yaml" <<E2
version: 1
kernel: none
dtype: f16
tile: [64, ${given%% *}]
block: [128]
layout: {${given#* }}
access:
  - {name: fill, op: store, vector: 8, pattern: row}
  - {name: drain, op: load, pattern: column}
E2
done
for rank in 1 2 3 4; do
  case $rank in
  1) tile='[512]' at='[tid * 2 + j]' ;;
  2) tile='[16, 32]' at='[tid % 16, tid / 16 * 2 + j]' ;;
  3) tile='[4, 4, 32]' at='[tid % 4, tid / 4 % 4, tid / 16 * 2 + j]' ;;
  *) tile='[2, 4, 4, 16]' at='[tid % 2, tid / 2 % 4, tid / 8 % 4, tid / 32 + 8 * j]' ;;
  esac
  cat >kinds/rank_$rank.yaml <<E2
version: 1
kernel: none
dtype: f32
tile: $tile
block: [256]
access:
  - {name: fill, op: store, pattern: row}
  - {name: drain, op: load, for: {j: 2}, at: $at}
E2
done
# A stencil, whose search ends at its limit: thousands of layouts and searches in its certificate.
cat >kinds/stencil.yaml <<'E2'
version: 1
kernel: none
dtype: f32
tile: [10, 34, 34]
dims: [z, y, x]
block: [8, 8, 4]
access:
  - {name: fill, op: store, pattern: row}
  - {name: c,  for: {k: 2, j: 4, i: 4}, at: [tz*2+k+1, ty+8*j+1, (tx+8*i)+1]}
  - {name: xm, for: {k: 2, j: 4, i: 4}, at: [tz*2+k+1, ty+8*j+1, (tx+8*i)]}
  - {name: xp, for: {k: 2, j: 4, i: 4}, at: [tz*2+k+1, ty+8*j+1, (tx+8*i)+2]}
  - {name: ym, for: {k: 2, j: 4, i: 4}, at: [tz*2+k+1, ty+8*j, (tx+8*i)+1]}
  - {name: yp, for: {k: 2, j: 4, i: 4}, at: [tz*2+k+1, ty+8*j+2, (tx+8*i)+1]}
  - {name: zm, for: {k: 2, j: 4, i: 4}, at: [tz*2+k, ty+8*j+1, (tx+8*i)+1]}
  - {name: zp, for: {k: 2, j: 4, i: 4}, at: [tz*2+k+2, ty+8*j+1, (tx+8*i)+1]}
E2
cat >narrow_rows.yaml <<'E2'
version: 1
kernel: none
dtype: f32
tile: [512, 16]
access:
  - {name: fill, op: store, pattern: row}
E2
set -e
"$KGEN" --dry-run -q --html narrow_rows.html narrow_rows.yaml
"$KGEN" --dry-run -q --html every.html "$specs"/*.yaml
"$KGEN" --dry-run -q --html kinds.html kinds/*.yaml
"$KGEN" --sweep block_k=16,32 -q --html tiles.html "$specs/gemm_f16_small.yaml"
"$KGEN" --dry-run -q --html transpose.html "$specs/transpose_f32_pad.yaml"
"$KGEN" --dry-run -q --html many.html "$specs"/{transpose_f32,transpose_u8_w24,gemm_f16_small,copy_async_f16,given_rotated_f32,epilogue_tma_f32,operand_wgmma_k_f16,fft_64,reduce_modulo,structs_3,hyperplanes_64}.yaml count.yaml copy_ca.yaml four.yaml backward.yaml narrow.yaml sparse.yaml
"$KGEN" --dry-run -q --html large.html large.yaml
"$KGEN" --sweep pad=0..4 -q --html sweep.html "$specs/transpose_f32.yaml"
"$KGEN" --lint "$source_dir/tests/lint/cases/transpose.ptx" --kernel transpose --grid 2,2 --block 32,8 -q \
  --arg buf:16384 --arg buf:16384 --arg i32:64 --html lint.html
set +e
exits 1 --exec -q --html exec.html -- "$KGEN_BUILD/tests/exec_program" fork
python3 "$source_dir/tests/page/browser_check.py" "$found" "$source_dir"
check $? "the pages do not behave"
verdict browser
