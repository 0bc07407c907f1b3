# docs/library.md's way to the library: installed anywhere, found by pkg-config and by CMake, its command with its own data.
set -eu
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
build=${KGEN_BUILD:?}
grep -q '^KGEN_SANITIZE:BOOL=ON' "$build/CMakeCache.txt" && exit 77 # its library needs the sanitizers' flags
cmake --install "$build" --prefix "$tmp/at" >/dev/null
mv "$tmp/at" "$tmp/moved"
cd "$tmp"
printf 'version: 1\nkernel: transpose\ndtype: f32\n' >transpose.yaml
cat >mine.c <<E2
#include <kgen.h>
#include <kgen_layout.h>
#include <stdio.h>

int main(void) {
  Kgen *k = kgen_open("$tmp/moved/share/kgen/templates");
  if (kgen_add(k, "transpose.yaml")) puts(kgen_source(k, 0));
  else fputs(kgen_errors(k), stderr);
  kgen_free(k);
}
E2

pc=$(dirname "$(find "$tmp/moved" -name kgen.pc)")
export PKG_CONFIG_PATH=$pc
if command -v pkg-config >/dev/null; then
  # shellcheck disable=SC2046 # flags are words
  "${CC:-cc}" mine.c $(pkg-config --cflags --libs kgen) -o mine
  ./mine | grep -q transpose_launch || { echo "the library, by pkg-config, makes no source"; exit 1; }
else
  echo "no pkg-config here: that way is not checked"
fi

cat >CMakeLists.txt <<'E2'
cmake_minimum_required(VERSION 3.18)
project(mine C)
add_executable(mine mine.c)
find_package(kgen REQUIRED)
target_link_libraries(mine PRIVATE kgen::libkgen)
E2
cmake -S . -B b -DCMAKE_PREFIX_PATH="$tmp/moved" >/dev/null
cmake --build b >/dev/null
b/mine | grep -q transpose_launch || { echo "the library, by CMake, makes no source"; exit 1; }

env -u KGEN_TEMPLATES "$tmp/moved/bin/kgen" -q -o out transpose.yaml
test -s out/transpose.cu
