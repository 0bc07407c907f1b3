# The README's second example: its commands as they stand there, and every line that they are said to print.
. tests/shell/check.bash
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
command -v nvcc >/dev/null || { echo "no nvcc"; exit 77; }
# A library with the sanitizers in it needs a program that has them.
! sanitized || { echo "skipped: built with sanitizers"; exit 77; }
PATH=$(dirname "$KGEN"):$PATH
cp -r "$source_dir/docs" .
sed -n '/^## A program, without a GPU/,/^## Front/p' "$source_dir/README.md" | sed -n '/^```/,/^```/p' | grep -v '^```' >example
holds "there is an example" test "$(grep -c '^\$ ' example)" -ge 5

# Each command, and after it the lines up to the next one.
while IFS= read -r line; do
  if [[ $line == '$ '* ]]; then
    bash -c "${line#\$ }" >printed 2>&1 </dev/null
    continue
  fi
  grep -qxF -- "$line" printed
  check $? "not printed: $line"
done <example

# A launch of it, saved: the report names the source once, and quotes its lines.
kgen --exec -q --error-exit 0 --save saved -- ./row_sums >/dev/null 2>&1
kgen --lint saved/0001-* >repeated 2>&1
holds "the file is named once: $(cat repeated)" test "$(grep -c '^  .*row_sums_fixed.cu:$' repeated)" = 1
holds "its lines are quoted" grep -q '^ *[0-9]*  .*sum += tile' repeated
holds "the kernel is not named twice" sh -c '! grep -q "^  launch " repeated'
verdict readme_test
