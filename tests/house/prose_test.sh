# Comments are plain English: none opens with Of, What, Whether, Where or Who, and none uses the words below, which the project coined
# or uses in a sense of its own. A directory that is not clean yet has a maximum in prose_limits.txt, which may only fall; every other
# directory has the maximum 0. Covers the C, CUDA and JavaScript of gen, runtime, templates, tests and bench, and the YAML of templates.
. tests/shell/check.bash
cd "$source_dir" || exit

# FILE:LINE TAB TEXT: every comment on one line.
comments() {
  awk '
    function emit(    s) {
      s = text; gsub(/[ \t]+/, " ", s); sub(/^ /, "", s); sub(/ $/, "", s)
      if (s != "" && s !~ /^(clang-format|covers:|REFUSED|FAULT)/) print FILENAME ":" start "\t" s
      text = ""
    }
    FNR == 1 { open = 0; text = "" }
    FILENAME ~ /\.yaml$/ { if (match($0, /(^|[ \t])#/)) { start = FNR; text = substr($0, RSTART + RLENGTH); emit() } next }
    {
      line = $0
      if (open) { sub(/^[ \t]*\*?[ \t]?/, "", line); if ($0 ~ /^[ \t]*\*\//) line = "*/" }
      while (1) {
        if (open) {
          at = index(line, "*/")
          if (!at) { text = text " " line; break }
          text = text " " substr(line, 1, at - 1); line = substr(line, at + 2); open = 0; emit()
        }
        if (!match(line, /"|\047|\/\/|\/\*/)) break
        mark = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
        if (mark == "//") { start = FNR; text = line; emit(); break }
        if (mark == "/*") { start = FNR; open = 1; continue }
        while (1) { # a string or a character
          if (!match(line, /\\.|"|\047/)) { line = ""; break }
          found = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
          if (found == mark) break
        }
      }
    }' "$@"
}

# The comments among these that are not plain: FILE:LINE TAB WHAT.
not_plain() {
  awk -F'\t' '
    BEGIN {
      opener = "^([A-Za-z_0-9]+\\.[a-z]+: )?(of|what|whether|where|who) "
      n = split("told|unjudged|judged|anew|once more|for ever|nobody|somebody|so many|so much|the same of|that of|those of|mistakes?|folders?|" \
                "knobs?|front doors?|landed|put off|goes on|refused|refuses|refusal|stands|lies|beside", word, "|")
    }
    { text = " " tolower($2) " "; gsub(/[^a-z0-9_.: ]/, " ", text); gsub(/[.:] /, " ", text); gsub(/ +/, " ", text)
      if (tolower($2) ~ opener) print $1 "\topens with " substr($2, 1, 40)
      for (i = 1; i <= n; i++) if (text ~ " " word[i] " ") print $1 "\t" word[i] ": " substr($2, 1, 60) }' "$@"
}

# DIRECTORY COUNT of the places above.
count() { awk -F'\t' '{ sub(/:[0-9]+$/, "", $1); sub(/\/[^\/]*$/, "", $1); n[$1]++ } END { for (d in n) print d, n[d] }' "$@" | sort; }

# Directories above their maximum.
above() { awk 'FILENAME == ARGV[1] { max[$1] = $2; next } $2 > max[$1] + 0 { print "  " $1 " has " $2 ", at most " max[$1] + 0 }' "$1" "$2"; }

limits=tests/house/prose_limits.txt
mapfile -t files < <(find gen runtime templates tests bench -name '*.[ch]' -o -name '*.cu' -o -name '*.def' -o -path '*templates*' -name '*.yaml' -o -path '*templates*' -name '*.js' | sort)
comments "${files[@]}" >"$tmp/comments"
not_plain "$tmp/comments" >"$tmp/places"
count "$tmp/places" >"$tmp/counts"
if [ "${1:-}" = --list ]; then cat "$tmp/places"; exit; fi
if [ "${1:-}" = --update ]; then cp "$tmp/counts" "$limits"; exit; fi
holds "there are comments to check" [ "$(wc -l <"$tmp/comments")" -gt 5000 ]
found=$(above "$limits" "$tmp/counts")
holds "comments are plain English (bash tests/house/prose_test.sh --list shows the places)
$found" [ -z "$found" ]
found=$(awk 'FILENAME == ARGV[1] { now[$1] = $2; next } now[$1] + 0 < $2 { print "  " $1 " has " now[$1] + 0 ", at most " $2 }' "$tmp/counts" "$limits")
[ -z "$found" ] || echo "prose_limits.txt can be lowered (--update):
$found"
found=$(while read -r directory _; do [ -d "$directory" ] || echo "  $directory"; done <"$limits")
holds "prose_limits.txt names directories that exist
$found" [ -z "$found" ]

# The test itself: each opener and word is found in each kind of comment, and nothing in code or strings.
mkdir -p "$tmp/gen/base"
probe() {
  printf '%s\n' "$1" >"$tmp/gen/base/probe.${2:-c}"
  comments "$tmp/gen/base/probe.${2:-c}" | not_plain | wc -l
}
for bad in '/* Of a tile, the rows. */' '/* probe.h: what a tile is. */' 'int a; /* whether it is set */' '// Where it is.' '/* Who calls it. */' \
           '/* It is told
 * twice. */' '/* The same
 * of a warp. */' 'f("/*"); /* A folder. */' "c = '\"'; /* Beside it. */" '/* It stands there; */'; do
  holds "found: $bad" [ "$(probe "$bad")" -gt 0 ]
done
holds "found in YAML" [ "$(probe '  pad: 1 # the mistake' yaml)" = 1 ]
for good in '/* The rows of a tile. */' 'f("it is told"); /* Prints it. */' 'int folder; // the directory' '/* True if it waits where lanes reconverge. */'; do
  holds "not found: $good" [ "$(probe "$good")" = 0 ]
done
# A mutation: one more such comment in a clean directory, and one more than a maximum, turn it red.
echo 'gen/base 1' >"$tmp/more"
holds "a clean directory stays clean" [ -n "$(above /dev/null "$tmp/more")" ]
awk '{ print $1, $2 + 1 }' "$tmp/counts" >"$tmp/more"
[ -s "$tmp/counts" ] && holds "one more than now is found" [ -n "$(above "$tmp/counts" "$tmp/more")" ]
verdict prose_test
