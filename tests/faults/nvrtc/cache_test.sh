# A cache that is damaged, shared or not permitted costs time at most: results stay the same.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates" KGEN_CACHE_DIR="$tmp/cache"
printf 'version: 1\nkernel: transpose\ndtype: f32\ntile: [32, 32]\nblock: [32, 8]\nparams: {vector: 1}\n' >spec.yaml
compile() { "$KGEN" --jit --json --dry-run spec.yaml >json 2>stderr; }
compile
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
# the entry of the compiled kernel in the JSON; true if it was cached
outcome() { grep -oE '"(registers|spill_bytes)": [0-9]+' json; }
found() { sed -n 's/.*"cached": \([a-z]*\).*/\1/p' json; }
want=$(outcome)
holds "registers and spills are told" test "$(wc -l <<<"$want")" = 2
entry=$(echo cache/*.entry)
cp "$entry" whole
size=$(stat -c %s whole)

# again HIT WHAT: exit 0, the same outcome, found or not; and a run later it is found again.
again() {
  compile && [ "$(outcome)" = "$want" ] && [ "$(found)" = "$1" ]; check $? "$2: $(found), $(head -2 stderr)"
  compile && [ "$(found)" = true ]; check $? "$2: not healed"
}
again true "nothing wrong"
for cut in 0 1 7 31 32 100 $((size / 2)) $((size - 1)); do
  head -c "$cut" whole >"$entry"; again false "cut to $cut of $size bytes"
done
for round in 1 2 3 4; do
  at=$((RANDOM * RANDOM % size))
  python3 - "$entry" $at <<'E2'
import sys
data = bytearray(open("whole", "rb").read())
data[int(sys.argv[2])] ^= 1 << int(sys.argv[2]) % 8
open(sys.argv[1], "wb").write(data)
E2
  again false "a bit of byte $at flipped"
done
rm "$entry"; ln -s "$tmp/whole" "$entry"; again false "a link"
rm "$entry"; mkdir "$entry"; compile && [ "$(outcome)" = "$want" ]; check $? "a folder in its place"
rmdir "$entry"; again false "gone"
cp whole "$entry"; chmod 000 "$entry"
if [ "$(id -u)" != 0 ]; then again false "not to be read"; else again true "root reads all"; fi

chmod 770 cache; compile && [ "$(found)" = false ] && [ "$(outcome)" = "$want" ]; check $? "a folder that others may write to"
chmod 500 cache; compile && [ "$(outcome)" = "$want" ]; check $? "a folder that is only read"
chmod 700 cache
for folder in /dev/null /proc/none "$tmp/whole" "$(printf 'x%.0s' $(seq 300))" ''; do
  KGEN_CACHE_DIR=$folder HOME=$tmp/whole/none compile && [ "$(outcome)" = "$want" ]; check $? "cache at ${folder:0:40}"
done

# --- many at once on one that is empty, one that is taken away, and one that is thrown away as they run ---
for round in 1 2 3; do
  rm -rf cache
  children=()
  for i in 1 2 3 4 5 6; do
    "$KGEN" --jit --json --dry-run spec.yaml >"json$i" 2>"stderr$i" & children+=($!)
  done
  [ $round != 2 ] || rm -rf cache
  [ $round != 3 ] || { sleep 0.1; rm -rf cache; }
  for i in 1 2 3 4 5 6; do
    wait "${children[i - 1]}"; check $? "process $i: $(head -2 "stderr$i")"
    cp "json$i" json; [ "$(outcome)" = "$want" ]; check $? "process $i: $(outcome)"
  done
  compile && compile && [ "$(found)" = true ]; check $? "after six at once"
  [ -z "$(ls cache | grep -v '\.entry$')" ]; check $? "six at once leave $(ls cache)"
done

# --- what is compiled for its registers is what the emulator runs: with the control, two sources ---
rm -rf cache
exits 0 --run --device emulator --dry-run -q spec.yaml
holds "each source compiled once: $(ls cache)" test "$(ls cache | wc -l)" = 2
verdict faults_cache
