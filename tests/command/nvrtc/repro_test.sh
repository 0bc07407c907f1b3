# --repro DIR: what went wrong, again, with one command, elsewhere, and when the files that it was seen on are gone.
. tests/shell/check.bash
mkdir -p "it's here/src" inc data
"$KGEN" --jit --dry-run "$source_dir/specs/transpose_f32.yaml" -q 2>stderr
if grep -q 'NVRTC cannot be used\|pip install nvidia-cuda-nvrtc' stderr; then echo "skipped: no NVRTC"; exit 77; fi

# The output, without the time that the compiler took.
timeless() { sed 's/\(miss\|hit\) .*//' "$1"; }

# again DIR CODE: the moved directory alone reproduces the result.
again() {
  local got=0
  mv "$1" "$tmp/moved"
  find "$tmp/moved/files" -type f -exec chmod a-w {} + # recorded files are read, and never written
  (cd / && KGEN=$KGEN "$tmp/moved/run.sh" >"$tmp/again.out" 2>"$tmp/again.err") || got=$?
  check $((got != $2)) "again: exit $got, want $2: $(cat "$tmp/again.err")"
  check "$(diff <(timeless "$tmp/moved/stdout.txt") <(timeless "$tmp/again.out") >&2; echo $?)" "again: another stdout"
}
forget() { chmod -R u+w "$tmp/moved"; rm -r "$tmp/moved"; }

# --- a kernel with an error: headers in its directory, in the parent and elsewhere, data by absolute names, a directory name that a shell would split ---
cat >"it's here/src/k.cu" <<'END'
#include "../above.h"
#include <far.h>
extern "C" __global__ void k(const int *in, int *out) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = s[63 - threadIdx.x] + ABOVE + FAR;
}
END
echo '#define ABOVE 1' >"it's here/above.h"
echo '#include "farther.h"' >inc/far.h
echo '#define FAR 2' >inc/farther.h
head -c 256 /dev/zero >data/zeros
cd "it's here" || exit
lint=(--lint src/k.cu --kernel k --include "$tmp/inc" --grid 1 --block 64 --arg "buf:256:$tmp/data/zeros" --arg buf:256)
expect 1 'R/run.sh shows it again' "${lint[@]}" --repro ../R
cd "$tmp" || exit
mkdir away && mv "it's here" inc data away
again R 1
holds "the race is told" grep -q 'race: ' again.out
holds "the compiler's PTX is there" grep -q 'ld.shared' moved/made/kernel.ptx
holds "the command is told" grep -q 'kgen --lint src/k.cu --kernel k' moved/facts.txt
holds "what was found is told" grep -q '^NVRTC: ' moved/facts.txt
forget
mv away/* .
cd "it's here" || exit
expect 1 'R/run.sh shows it again' "${lint[@]}" --html - --repro ../R
cd "$tmp" || exit
holds "a page on stdout is kept, too" grep -q '</html>' R/stdout.txt
rm -r R

# --- a kernel that does not compile, and one that is not executed ---
echo 'extern "C" __global__ void k() { int i = nothing; }' >bad.cu
expect 5 'shows it again' --lint bad.cu --kernel k --grid 1 --block 32 --repro=R
again R 5
holds "the compiler is heard" grep -q 'nothing' again.err
forget

# --- nothing went wrong ---
echo 'extern "C" __global__ void k(int *out) { out[threadIdx.x] = 1; }' >good.cu
good=(--lint good.cu --kernel k --grid 1 --block 32 --arg buf:128)
expect 0 '0 findings' "${good[@]}" --repro R
holds "no folder stays" test ! -e R
mkdir R && expect 0 '0 findings' "${good[@]}" --repro R
holds "a folder that was there stays" rmdir R
mkdir R && touch R/mine && expect 2 'not an empty folder' "${good[@]}" --repro R
holds "nothing of it is touched" test "$(ls R)" = mine
expect 2 'not an empty folder' "${good[@]}" --repro good.cu
rm -r R

# --- a spec with a wrong result, by a family of one's own, and its picture ---
cp -r "$source_dir/templates" families
sed -i 's/= tile\[tile_at([^)]*)\]/= tile[0]/' families/transpose.cu
mkdir specs && printf 'version: 1\nkernel: transpose\nname: t\ndtype: f32\ntile: [32, 32]\nblock: [32, 8]\nparams: {vector: 1, band: 4}\n' >specs/t.yaml
expect 1 'shows it again' --run --device emulator --templates "$tmp/families" "$tmp/specs" -o "$tmp/out" --svg "$tmp/t.svg" --repro R
rm -rf families specs out t.svg "R/files$tmp/t.svg"
again R 1
holds "the source is there" grep -q __global__ moved/made/t.cu
holds "its picture is drawn again" grep -q '</svg>' "moved/files$tmp/t.svg"
forget
mkdir specs && printf 'version: 1\nkernel: transpose\ndtype: f32\ntile: [32, 0]\n' >specs/t.yaml
expect 3 . specs/t.yaml --repro R
holds "a bad spec is no failure of kgen" test ! -e R
verdict command_repro
