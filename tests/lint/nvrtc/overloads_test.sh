# Kernels of one name: what there is to choose from, and the signature or the name in PTX that chooses.
. tests/shell/check.bash
file=$source_dir/tests/lint/cases/overloads.cu
"$KGEN" --lint "$file" 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
lint() { expect "$1" "$2" --lint "$file" --grid 1 --block 32 --kernel "${@:3}"; }
two=(--arg buf:128 --arg buf:256)

lint 5 "^kgen: --kernel 'sumKernel1<256>' may be any of these: give its parameters, too$" 'sumKernel1<256>'
holds "both" test "$(grep -c '^  line [15]: --kernel .sumKernel1<256>(const [a-z]* \*in, [a-z]* \*out, int n).$' stderr)" = 2
eval "chosen=$(sed -n 's/^  line 1: --kernel //p' stderr)"
lint 0 '8 sectors, ideal 8; 0 findings' "$chosen" "${two[@]}" --arg i32:32
lint 0 '16 sectors, ideal 16; 0 findings' 'sumKernel1<256>(const double *, double *, int)' --arg buf:256 --arg buf:256 --arg i32:32
lint 5 "line 10: --kernel 'scale<float>\(const float \*a, float \*b, float by\)'" 'scale<float>'
lint 0 'scale<float, 4>' 'void scale<float>(const float *a, float *b, float by)' "${two[@]}" --arg f32:2
lint 5 "kgen: --kernel 'plain\(char \*\)' names no kernel; the file declares" 'plain(char *)' --arg buf:128
lint 0 ': plain$' 'plain(int *)' --arg buf:128
lint 2 "give the parameters, too, or the name in PTX" plain --arg buf:128
holds "the names in PTX" grep -q 'in PTX: _Z5plainPi' stderr

# --- an instance that the source does not name, by its name in PTX; signatures with PTX only ---
if compgen -G '/usr/lib/*/libstdc++.so.6' >/dev/null || [ -e /usr/lib64/libstdc++.so.6 ]; then
  lint 0 '^.*: sumKernel1<256>$' _Z10sumKernel1ILi256EEvPKfPfi "${two[@]}" --arg i32:32
  lint 2 'has no kernel _Z10sumKernel1ILi256EEvPKcPfi' _Z10sumKernel1ILi256EEvPKcPfi "${two[@]}" --arg i32:32
  for type in f i; do
    printf '.visible .entry _Z5plainP%s(.param .u64 a) { ret; }\n' $type
  done | sed '1i .version 8.0\n.target sm_90\n.address_size 64' >plain.ptx
  expect 2 "--kernel 'plain\(int\*\)'" --lint plain.ptx --grid 1 --block 32 --kernel plain --arg buf:128
  expect 0 '0 findings' --lint plain.ptx --grid 1 --block 32 --kernel 'plain(int *)' --arg buf:128
fi

# --- a file of launches is compiled once for all its templates' kernels, and for each where one of them is wrong ---
cp "$file" .
launches() { # KERNEL...: a launch each
  printf 'version: 1\nsource: overloads.cu\nlaunches:\n'
  for kernel; do printf '  - {kernel: "%s", grid: 1, block: 32, args: ["buf:256", "buf:256", "i32:32"]}\n' "$kernel"; done
}
of_32='sumKernel1<32>(const float *, float *, int)' of_64='sumKernel1<64>(const float *, float *, int)'
launches "$of_32" "$of_64" plain_too "$of_64" | sed 's/kernel: "plain_too"\(.*\)args:.*/kernel: "plain(int *)"\1args: ["buf:256"]}/' >lint.yaml
expect 0 '^.*: sumKernel1<64>$' --lint lint.yaml
holds "four launches" test "$(grep -c ': sumKernel1<\|: plain$' stdout)" = 4
launches "$of_32" 'sumKernel1<96>(char *)' "$of_64" >lint.yaml
expect 5 "kgen: --kernel 'sumKernel1<96>\(char \*\)' names no kernel" --lint lint.yaml
holds "the others are judged" test "$(grep -c ': sumKernel1<' stdout)" = 2
verdict lint_overloads
