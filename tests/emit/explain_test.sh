# kgen --explain and --json of tiles whose plain form cannot run, and of lanes that share a word.
. tests/shell/check.bash

cat >misaligned.yaml <<'YAML'
version: 1
kernel: none
name: misaligned
dtype: f32
tile: [32, 13]
block: [32]
access:
  - {name: read, op: load, vector: 4, at: [tx, 0]}
YAML
expect 0 'aligned\? *no: rows of the plain tile start within vectors' --dry-run --explain misaligned.yaml
expect 0 'remedy: *[0-9]* bytes of padding.*: without it vectors are not aligned' --dry-run --explain misaligned.yaml
expect 0 'rows start where vectors or aligned pieces are not aligned' --dry-run --explain misaligned.yaml
expect 0 'read +load +16 +1 +- +[0-9]+ +4' --dry-run --explain misaligned.yaml
expect 0 '"unswizzled": null' --dry-run --json misaligned.yaml
expect 0 '"why": "rule", "rule": "alignment"' --dry-run --json misaligned.yaml

cat >histogram.yaml <<'YAML'
version: 1
kernel: none
name: histogram
dtype: u32
tile: [64]
block: [32]
access:
  - {name: count, op: atomic, at: [tx / 2]}
YAML
expect 0 'bank [0-9]* serves 2 lanes' --dry-run --explain histogram.yaml
sed -i 's,tx . 2,7,' histogram.yaml
expect 0 '"wavefronts": 32, "ideal": 32' --dry-run --json histogram.yaml
expect 0 '"conflict_free": true' --dry-run --json histogram.yaml

# What a pad of 16 bytes does to copies past L1, and an XOR does not.
expect 0 "past L1: 128 wavefronts here, ideal 128; a pad of 16 bytes slows it to 336" \
  --dry-run --explain "$source_dir"/specs/copy_async_f16.yaml
expect 0 "past L1: 336 wavefronts here, ideal 128$" --dry-run --layout pad --explain "$source_dir"/specs/copy_async_f16.yaml
expect 0 '"cache": "cg"' --dry-run --json "$source_dir"/specs/copy_async_f16.yaml
verdict explain_test
