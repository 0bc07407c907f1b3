# Directories in the order of the data flow: an include may name its own directory or an earlier one in this list. The emulator
# includes only gen/base and gen/model of gen, and gen never includes runtime. Includes have no cycles, guards are paths, and a
# header declares what its own file defines.
. tests/shell/check.bash
cd "$source_dir" || exit

rooms='gen/base gen/model gen/spec gen/solve gen/trade gen/emit gen/pads gen
runtime/emu/emu.h runtime/emu/arith runtime/emu/ptx runtime/emu/memory runtime/emu/code runtime/emu/translate
runtime/emu/run/state runtime/emu/run/texture runtime/emu/run/undef runtime/emu/run/race runtime/emu/run/tmem runtime/emu/run/async runtime/emu/run/access
runtime/emu/run/copy runtime/emu/run/sched runtime/emu/run/search runtime/emu/op runtime/emu
runtime/device runtime/judge runtime/command runtime/tune
runtime/lint/input runtime/lint/fix runtime/lint/report runtime/lint
runtime/libcuda runtime/libcuda/image runtime/libcuda/watch runtime/libcuda/state runtime/libcuda/launch runtime/libcuda/stream
runtime/libcuda/api
runtime/preload runtime/exec runtime/library runtime'

# FILE INCLUDED: every quoted include of gen and runtime, both as paths from here.
edges() {
  local file included folder
  grep -rHo '^#include "[^"]*"' gen runtime --include='*.[ch]' | tr -d '"' | sed 's/:#include / /' |
    while read -r file included; do
      for folder in gen runtime; do
        [ "$included" = ../templates/layout.h ] && continue 2
        [ -f "$folder/$included" ] && echo "$file $folder/$included" && continue 2
      done
      echo "$file missing:$included"
    done
}

# Arrows that point up, or out of gen or the emulator.
wrong_arrows() {
  awk -v rooms="$rooms" '
    function room(path) { while (!(path in rank) && sub("/[^/]*$", "", path)); return path }
    BEGIN { n = split(rooms, name, /[ \n]+/); for (i = 1; i <= n; i++) rank[name[i]] = i }
    { from = room($1); to = room($2)
      emulator = from ~ "^runtime/emu" && to ~ "^gen" && to !~ "^gen/(base|model)$"
      if ($2 ~ "^missing:" || rank[to] > rank[from] || emulator) print "  " $1 " includes " $2 }' "$1"
}

# x.c and x.h are one module: each may use what the other includes. Cycles that are still to be removed are listed in `known`.
known=''
circles() {
  sed 's/\.[ch]\b//g' "$1" | awk -v known="$known" '
    BEGIN { n = split(known, pair, "\n"); for (i = 1; i <= n; i++) skip[pair[i]] }
    $1 != $2 && !($1 " " $2 in skip)' | tsort 2>&1 >/dev/null | sed 's/^/  /'
}

list=$tmp/edges
edges >"$list"
found=$(wrong_arrows "$list")
holds "no arrow points up
$found" [ -z "$found" ]
found=$(circles "$list")
holds "no circle
$found" [ -z "$found" ]
holds "there are includes to judge" [ "$(wc -l <"$list")" -gt 300 ]

# A directory holds no two files whose names differ by a final s, and no file repeats the name of its directory.
confusable() {
  sed 's/\.[ch]$//' | sort -u | awk '
    { seen[$0] }
    END { for (path in seen) {
            n = split(path, part, "/")
            if (path "s" in seen) print "  " path " and " path "s"
            if (part[1] == "runtime" && part[2] ~ /^(lint|libcuda)$/ || part[3] == "run")
              if (n > 2 && (part[n] ~ "^" part[2] "_" || part[n] ~ "^" part[n - 1] "_")) print "  " path " repeats its directory" } }'
}
found=$(find gen runtime -name '*.[ch]' | confusable)
holds "no two names that differ by an s, none that repeats its directory
$found" [ -z "$found" ]

# A header's guard is the path by which it is included, KGEN_SOLVE_MAPS_H of solve/maps.h: no two headers have one.
wrong_guards() {
  awk '{ want = toupper($1); gsub(/[^A-Z0-9]/, "_", want); sub(/^(GEN|RUNTIME)_(KGEN_)?/, "", want)
      if ($2 != "KGEN_" want) print "  " $1 " has " $2 ", want KGEN_" want }' "$1"
}
grep -rHm1 '^#ifndef ' gen runtime tests bench --include='*.h' --exclude-dir=cases | sed 's/:#ifndef / /' >"$list"
found=$(wrong_guards "$list")
holds "guards are named for paths
$found" [ -z "$found" ]
holds "there are guards to judge" [ "$(wc -l <"$list")" -gt 300 ]

# A function defined in one file is declared in the header of the same name. The headers listed here belong to several files.
faces='gen/kgen runtime/emu/emu runtime/device/backend'
strangers() {
  awk -v faces="$faces" '
    BEGIN { n = split(faces, face, " "); for (i = 1; i <= n; i++) skip[face[i]] }
    /^(static|typedef|#|return|}|\/)/ || !/^[A-Za-z].*\(/ { next }
    { module = FILENAME; sub(/\.[ch]$/, "", module)
      name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
      if (FILENAME ~ /\.c$/) defined[name] = module
      else if (!(module in skip)) declared[module ".h declares " name] = name " " module }
    END { for (what in declared) { split(declared[what], of, " ")
            if (of[1] in defined && defined[of[1]] != of[2]) print "  " what " of " defined[of[1]] ".c" } }' "$@"
}
mapfile -t files < <(find gen runtime -name '*.[ch]')
found=$(strangers "${files[@]}")
holds "no header declares what another file defines
$found" [ -z "$found" ]

# The test itself: an arrow up, one out of the emulator, and a circle are found.
printf '%s\n' 'gen/base/text.c gen/model/bank.h' >"$list"
holds "an arrow up is found" [ -n "$(wrong_arrows "$list")" ]
printf '%s\n' 'runtime/emu/run/race/shared.c gen/spec/spec.h' >"$list"
holds "an arrow out of the emulator is found" [ -n "$(wrong_arrows "$list")" ]
printf '%s\n' 'gen/solve/a.c gen/solve/b.h' 'gen/solve/b.c gen/solve/a.h' >"$list"
holds "a circle is found" [ -n "$(circles "$list")" ]
printf '%s\n' 'gen/solve/maps.h KGEN_MAPS_H' >"$list"
holds "a guard that is not the path is found" [ -n "$(wrong_guards "$list")" ]
printf '%s\n' 'runtime/emu/run/race/shared.c runtime/emu/run/sched/warp.h' >"$list"
holds "an arrow up within the emulator is found" [ -n "$(wrong_arrows "$list")" ]
for pair in 'runtime/libcuda/api/event.c runtime/libcuda/api/events.c' 'runtime/lint/lint_text.c' 'runtime/lint/report/report_text.h'; do
  holds "a confusable name is found: $pair" [ -n "$(printf '%s\n' $pair | confusable)" ]
done
holds "a name that two directories have is not" [ -z "$(printf '%s\n' runtime/libcuda/api/event.c runtime/libcuda/state/event.c | confusable)" ]
mkdir "$tmp/a" "$tmp/b"
echo 'int other(void);' >"$tmp/a/one.h"
echo 'int other(void) { return 0; }' >"$tmp/b/two.c"
holds "a header of another file's function is found" [ -n "$(strangers "$tmp/a/one.h" "$tmp/b/two.c")" ]
verdict includes_test
