# Names of files and directories that a shell, a comment, JSON or C would interpret.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates" KGEN_CACHE_DIR="$tmp/cache"
spec='version: 1
kernel: none
name: tile
dtype: f32
tile: [32, 32]
block: [32, 8]
access: [{op: load, at: [tx, ty]}]'
bad='version: 1
kernel: none
name: tile
dtype: f33'
launch=(--kernel transpose --grid 2,2 --block 32,8 --arg buf:16384 --arg buf:16384 --arg i32:64)
mkdir work; cd work || exit
names=("it's" 'two  words' $'two\nlines' '-dash' '--json' '$(touch made)' '`touch made`' ';touch made' 'a"quote' 'back\slash' '*' '?'
  $'\377\376' $'nul\001' 'ü' 'comment*/' 'line//' '#if' '%s%n' $'tab\t' '~' 'a&b|c>d' '${HOME}' $'\033[31m' '.hidden' "$(printf 'n%.0s' $(seq 250))")
for name in "${names[@]}"; do
  shown=$(printf %q "$name")
  shown=${shown:0:40}
  mkdir -- "./$name" || continue
  printf '%s\n' "$spec" >"./$name/s.yaml"
  printf '%s\n' "$bad" >"./$name/bad.yaml"
  cp "$source_dir/tests/lint/cases/transpose.ptx" "./$name/k.ptx"

  "$KGEN" --json -o "./$name/out" "./$name/s.yaml" >../json 2>../err; check $? "$shown: exit $?: $(head -3 ../err)"
  [ "$(ls -A "./$name/out")" = "$(printf 'tile.h\ntile.json')" ]; check $? "$shown: $(ls -A "./$name/out")"
  python3 - "./$name/out/tile.h" <<'E2' ; check $? "$shown: no JSON, or another file"
import json, sys
text = open("../json", "rb").read()
[path] = json.loads(text.decode())["specs"][0]["files"]
want = sys.argv[1].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
assert path.replace("\ufffd", "") == want.replace("\ufffd", ""), (path, want)
E2
  "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -fsyntax-only -x c "./$name/out/tile.h" 2>../err; check $? "$shown: no C: $(head -3 ../err)"

  # A spec with such a name, in a directory that is scanned; then as an argument.
  if cp "./$name/s.yaml" "./$name/$name.yaml" 2>/dev/null; then
    "$KGEN" -q -o "./$name/out2" -- "./$name/$name.yaml" 2>../err; check $? "$shown as a spec: $(head -3 ../err)"
    "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -fsyntax-only -x c "./$name/out2/tile.h" 2>../err
    check $? "$shown as a spec: no C: $(head -3 ../err)"
    (cd "./$name" && "$KGEN" -q -o out3 -- "$name.yaml" 2>../../err); check $? "$shown as a word: $(head -3 ../err)"
  fi
  "$KGEN" -q -o "./$name/none" "./$name/bad.yaml" 2>../err; [ $? = 3 ] && grep -q ':4:[0-9]*: error: ' ../err
  check $? "$shown: a mistake in it: $(head -3 ../err)"
  ! grep -q "$(printf '\033')" ../err; check $? "$shown: an escape reaches the terminal"
  "$KGEN" --lint "./$name/k.ptx" "${launch[@]}" --json >../json 2>../err; check $? "$shown: lint: $(head -3 ../err)"
  python3 -c 'import json; json.load(open("../json", encoding="utf-8"))' 2>/dev/null; check $? "$shown: lint's JSON"
  KGEN_CACHE_DIR="./$name/cache" KGEN_TEMPLATES="./$name/templates" "$KGEN" -q --dry-run "./$name/s.yaml" 2>../err
  [ $? = 2 ]; check $? "$shown: no templates there: $(head -1 ../err)"
done
holds "nothing was executed" test -z "$(find .. -name 'made')"
made=$(find . -mindepth 1 -maxdepth 1 -printf x)
[ ${#made} = ${#names[@]} ]; check $? "${#made} folders for ${#names[@]} names"

# --- as long as paths may be, and longer ---
cd .. || exit
deep=$(printf 'd%.0s' $(seq 250))
path=deep
mkdir deep; printf '%s\n' "$spec" >deep/s.yaml
for _ in $(seq 15); do path=$path/$deep; done
"$KGEN" -q -o "$path" deep/s.yaml 2>err; check $? "a path of ${#path} bytes: $(cut -c 1-80 err)"
holds "its files" test -s "$path/tile.h"
"$KGEN" -q -o "$path/$deep/$deep" deep/s.yaml 2>err
[ $? = 2 ] && grep -q 'File name too long' err; check $? "a path too long"
"$KGEN" -q -o "$deep$deep" deep/s.yaml 2>err; [ $? = 2 ] && grep -q 'File name too long' err; check $? "a name too long"
long=$(printf 'n%.0s' $(seq 253))
sed "s/name: tile/name: $long/" deep/s.yaml >long.yaml
"$KGEN" -q -o fits long.yaml 2>err; got=$?
[ $got = 0 ] || { [ $got = 2 ] && [ -z "$(ls -A fits 2>&1)" ]; } || [ $got = 3 ]
check $? "a kernel's name of 253 letters: exit $got"
verdict faults_name
