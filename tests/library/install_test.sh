# The installed library and CMake package, moved after the installation: docs/howto/library.md's programs and build files, as written
# there. A header is made again when its spec, and when kgen changed, and only then.
. tests/shell/check.bash
! grep -q '^KGEN_SANITIZE:BOOL=ON' "${KGEN_BUILD:?}/CMakeCache.txt" || { echo "skipped: its library needs the sanitizers' flags"; exit 77; }
cmake --install "$KGEN_BUILD" --prefix "$tmp/at" >/dev/null || exit
mv at moved
unset KGEN_TEMPLATES
holds "installed specs name the installed schema" test "$(grep -L '^# yaml-language-server: \$schema=../kgen-spec.schema.json$' moved/share/kgen/specs/*.yaml | wc -l)" = 0 -a -s moved/share/kgen/kgen-spec.schema.json
holds "as --init does" sh -c "moved/bin/kgen --init none | grep -Fxq '# yaml-language-server: \$schema=$tmp/moved/share/kgen/kgen-spec.schema.json'"
export CMAKE_PREFIX_PATH=$tmp/moved PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$tmp/moved" -name kgen.pc)")

found=$(grep -rlI -e "$source_dir" -e "$KGEN_BUILD" -e "$tmp/at" moved --include='*.cmake' --include='*.pc' --include='*.h')
holds "no path of this machine in the package: $found" [ -z "$found" ]

# block FILE LANGUAGE N: the N-th block of that language in a page of the docs, and the block after it.
block() {
  awk -v language="$2" -v n="$3" '
    /^```/ { if (inside) { inside = 0; next }
             inside = 1; mine = 0
             if ($0 == "```" language && ++seen == n) mine = 1
             next }
    inside && mine' "$source_dir/$1"
}
output() {
  awk -v language="$2" -v n="$3" '
    /^```/ { if (inside) { inside = 0; if (mine == 1) mine = 2; next }
             inside = 1
             if ($0 == "```" language && ++seen == n) mine = 1
             else if (mine == 2) mine = 3
             next }
    inside && mine == 3 { print }
    !inside && mine == 3 { exit }' "$source_dir/$1"
}

printf 'version: 1\nkernel: none\ndtype: f32\ntile: [32, 32]\nblock: [32, 8]\naccess:\n' >columns.yaml
printf '  - {name: fill, op: store, for: {j: 4}, at: [ty + 8*j, tx]}\n  - {name: drain, op: load, for: {j: 4}, at: [tx, ty + 8*j]}\n' >>columns.yaml
cp "$source_dir/tests/lint/cases/transpose.ptx" . 2>/dev/null

# Each program, linked with what pkg-config says, prints what the page says.
programs=$(grep -c '^```c$' "$source_dir/docs/howto/library.md")
holds "docs/howto/library.md shows programs" [ "$programs" -ge 4 ]
for i in $(seq "$programs"); do
  block docs/howto/library.md c "$i" >"program$i.c"
  output docs/howto/library.md c "$i" >"want$i"
  # shellcheck disable=SC2046 # flags are words
  "${CC:-cc}" -std=c11 -Wall -Wextra -Werror "program$i.c" $(pkg-config --cflags --libs kgen) -o "program$i" 2>cc.log &&
    "./program$i" >"got$i" 2>&1
  check $? "program $i of docs/howto/library.md: $(cat cc.log; head -5 "got$i" 2>/dev/null)"
  check "$(diff "want$i" "got$i" >differ; echo $?)" "program $i prints something else: $(head -8 differ)"
done
# The archive, too.
# shellcheck disable=SC2046
"${CC:-cc}" program1.c $(pkg-config --cflags kgen) "$(find moved -name libkgen.a)" -lyaml -lpthread -ldl -lm -o archive &&
  KGEN_TEMPLATES=$tmp/moved/share/kgen/templates ./archive >got
check "$(diff want1 got >differ; echo $?)" "with the archive: $(head -8 differ)"

printf '#include <kgen.h>\nint main() { KgenTile t{}; t.rank = 1; return kgen_open(nullptr) == nullptr && t.rank; }\n' >mine.cc
# shellcheck disable=SC2046
holds "kgen.h is C++, too" "${CXX:-c++}" -std=c++11 -Wall -Wextra -pedantic -Werror -fsyntax-only $(pkg-config --cflags kgen) mine.cc

# Projects without C and C++ find the package; one of CUDA links the archive, where there is nvcc.
mkdir none cuda
printf 'cmake_minimum_required(VERSION 3.22)\nproject(x LANGUAGES NONE)\nfind_package(kgen REQUIRED)\n' >none/CMakeLists.txt
cmake -S none -B none/b >cmake.log 2>&1; check $? "a project without languages: $(tail -5 cmake.log)"
printf 'cmake_minimum_required(VERSION 3.22)\nproject(x CUDA)\nfind_package(kgen REQUIRED)\nadd_executable(mine mine.cu)\ntarget_link_libraries(mine kgen::libkgen)\n' >cuda/CMakeLists.txt
printf '#include <kgen.h>\nint main() { kgen_free(kgen_open(nullptr)); }\n' >cuda/mine.cu
if command -v nvcc >/dev/null; then
  cmake -S cuda -B cuda/b -DCMAKE_CUDA_ARCHITECTURES=80 >cmake.log 2>&1 && cmake --build cuda/b >>cmake.log 2>&1
  check $? "a project of CUDA: $(tail -5 cmake.log)"
  KGEN_TEMPLATES=$tmp/moved/share/kgen/templates holds "it runs" cuda/b/mine
else
  echo "no nvcc here: a project of CUDA is not built"
fi

# The project of docs/howto/library.md, with both generators: built, built again, touched.
block docs/howto/library.md cmake 1 >CMakeLists.txt
cp program1.c mine.c
printf '#include "columns.h"\nint uses(void) { return columns_offset(3, 5); }\n' >tile.c
stamp() { stat -c %Y.%y "$@"; }
for generator in 'Unix Makefiles' Ninja; do
  [ "$generator" != Ninja ] || command -v ninja >/dev/null || { echo "no ninja here: not checked"; continue; }
  b="build of $generator"
  cmake -G "$generator" -S . -B "$b" >cmake.log 2>&1 && cmake --build "$b" >>cmake.log 2>&1
  check $? "$generator: $(tail -5 cmake.log)"
  header="$b/kgen/mine/columns.h"; object=$(find "$b" -name 'tile.c.o')
  holds "$generator: the header" grep -q 'columns_offset' "$header"
  check "$("$b/mine" | diff want1 - >differ; echo $?)" "$generator: the program prints $(head -5 differ)"
  was=$(stamp "$header" "$object" "$b/mine")
  cmake --build "$b" >again.log 2>&1
  holds "$generator: nothing is done twice" test "$was" = "$(stamp "$header" "$object" "$b/mine")"
  holds "$generator: nor is kgen asked" sh -c "! grep -q 'kgen: columns.h' again.log"
  touch -d '+2 seconds' columns.yaml
  cmake --build "$b" >touched.log 2>&1
  holds "$generator: a touched spec is solved" grep -q 'kgen: columns.h' touched.log
  holds "$generator: the same header keeps its time" test "$was" = "$(stamp "$header" "$object" "$b/mine")"
  sed -i 's/^tile:.*/tile: [32, 64]/' columns.yaml; touch -d '+4 seconds' columns.yaml
  cmake --build "$b" >changed.log 2>&1
  holds "$generator: another tile makes another header" grep -q '32, 64' "$header"
  holds "$generator: and compiles what includes it" test "$was" != "$(stamp "$header" "$object" "$b/mine")"
  sed -i 's/^tile:.*/tile: [32, 33]/' columns.yaml; touch -d '+6 seconds' moved/share/kgen/templates/layout.h
  cmake --build "$b" >template.log 2>&1
  holds "$generator: a template counts" grep -q 'kgen: columns.h' template.log
  touch -d '+7 seconds' moved/bin/kgen
  cmake --build "$b" >command.log 2>&1
  holds "$generator: so does kgen itself" grep -q 'kgen: columns.h' command.log
  rm "$header"
  cmake --build "$b" >removed.log 2>&1
  [ "$generator" != Ninja ] || holds "$generator: a header that was removed is made again" test -s "$header"
  sed -i 's/^tile:.*/tile: [32, 31]/' columns.yaml; touch -d '+8 seconds' columns.yaml
  cmake --build "$b" >bad.log 2>&1
  holds "$generator: a bad spec fails the build" [ $? != 0 ]
  holds "$generator: and says where" grep -q 'columns.yaml:[0-9]*:[0-9]*: error' bad.log
  sed -i 's/^tile:.*/tile: [32, 32]/' columns.yaml
  touch columns.yaml moved/share/kgen/templates/layout.h moved/bin/kgen
done

"$tmp/moved/bin/kgen" -q -o out --html page.html columns.yaml
check $? "the installed command"
holds "the page of an installed command" grep -q '"kgen --\|"kgen -q' page.html
holds "its header" test -s out/columns.h
verdict library_install
