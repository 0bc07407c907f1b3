# scripts/release: two clones in different directories make the same tarball and the same wheel, which hold what is committed, with
# their checksums. The Debian packages take two builds of everything: scripts/release --check compares them, too.
. tests/shell/check.bash
[ -n "$(cd "$source_dir" && git rev-parse HEAD 2>/dev/null)" ] || { echo "skipped: not in a git repository"; exit 77; }
export GIT_AUTHOR_DATE='2026-01-02T03:04:05Z' GIT_COMMITTER_DATE='2026-01-02T03:04:05Z'
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME='Who Makes It' GIT_COMMITTER_EMAIL=who@makes.it
version=$(sed -n 's/^project(kgen VERSION \([0-9.]*\).*/\1/p' "$source_dir/CMakeLists.txt")
export KGEN_LIBRARY=$KGEN_SHARED # the wheel packs it

for clone in one 'another clone'; do
  mkdir "$clone"
  (cd "$source_dir" && git ls-files -z --cached --others --exclude-standard | tar c --null --ignore-failed-read -T - 2>/dev/null) | tar x -C "$clone"
  (cd "$clone" && git init -q && git add -A && git commit -q -m release) >git.log 2>&1
  check $? "git: $(tail -3 git.log)"
  (cd "$clone" && scripts/release --tarball) >"$clone.log" 2>&1
  check $? "scripts/release --tarball: $(tail -3 "$clone.log")"
  (cd "$clone/python" && python3 -c 'import wheel_backend; print(wheel_backend.build_wheel("../dist"))') >wheel.log 2>&1
  check $? "the wheel: $(tail -3 wheel.log)"
done
holds "the same tarball" cmp "one/dist/kgen-$version.tar.gz" "another clone/dist/kgen-$version.tar.gz"
wheel=$(cd one/dist && ls ./*.whl)
holds "the same wheel" cmp "one/dist/$wheel" "another clone/dist/$wheel"
holds "its checksum" sh -c 'cd one/dist && sha256sum -c SHA256SUMS'
holds "what is committed" test "$(tar -tzf "one/dist/kgen-$version.tar.gz" | grep -vc '/$')" = "$(cd one && git ls-files | wc -l)"
holds "the version in the library" test "$("$KGEN" --version | head -1)" = "kgen $version"
holds "and in the wheel" sh -c 'unzip -p "one/dist/$1" "*/METADATA" 2>/dev/null | grep -qx "Version: $2" || python3 -m zipfile -l "one/dist/$1" | grep -q "kgen-$2.dist-info"' sh "$wheel" "$version"
touch one/uncommitted
(cd one && scripts/release --tarball) >dirty.log 2>&1
holds "no release of what is not committed" test $? = 1
holds "it says so" grep -q 'commit first' dirty.log

# --- no placeholder of an owner or a maintainer; who makes the packages is named ---
found=$(cd "$source_dir" && git grep -nIE 'OWNER/|@[a-z.-]+[.](invalid|example)\b|maintainers@' -- . ':!tests/library/release_test.sh' ':!tests/fuzz' ':!*.csv')
holds "no placeholder: $found" [ -z "$found" ]
maintainer() { # maintainer WANT NAME=VALUE...: scripts/package up to the first cmake
  local want=$1; shift
  mkdir -p bin
  printf '#!/bin/sh\nprintf "%%s\\n" "$@" | grep ^-DKGEN_MAINTAINER >"$SAID"; exit 3\n' >bin/cmake
  cp bin/cmake bin/dpkg-shlibdeps; chmod +x bin/*
  (cd one && env "$@" SAID="$tmp/said" PATH="$tmp/bin:$PATH" scripts/package) >package.log 2>&1
  holds "maintainer with $*: $(cat said)" grep -Fqx -- "-DKGEN_MAINTAINER=$want" said
}
maintainer 'N <n@x.y>' KGEN_MAINTAINER='N <n@x.y>'
maintainer 'D <d@x.y>' DEBFULLNAME=D DEBEMAIL=d@x.y
(cd one && env -u KGEN_MAINTAINER -u DEBEMAIL PATH="$tmp/bin:$PATH" scripts/package) >package.log 2>&1
holds "packages without a maintainer are not made" test $? = 2
rm one/uncommitted
(cd one && env -u KGEN_MAINTAINER -u DEBEMAIL scripts/release) >release.log 2>&1
holds "nor a release" test $? = 2
holds "the message says what to set" grep -q "set KGEN_MAINTAINER='NAME <ADDRESS>'" release.log
printf 'cmake_minimum_required(VERSION 3.22)\nproject(x LANGUAGES NONE VERSION 1.0)\ninclude(%s/scripts/packages.cmake)\n' "$source_dir" >CMakeLists.txt
cmake -S . -B b -DKGEN_MAINTAINER=nobody >cmake.log 2>&1
holds "CMake asks for a maintainer" grep -q "Debian packages need a maintainer" cmake.log
verdict release
