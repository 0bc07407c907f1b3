# libkgen.so as it is built: it shows the functions of kgen.h under one version and nothing else, keeps no state outside of its
# handles, and neither ends the process nor writes to stdout.
. tests/shell/check.bash
! grep -q '^KGEN_SANITIZE:BOOL=ON' "${KGEN_BUILD:?}/CMakeCache.txt" || { echo "skipped: the sanitizers add their own symbols"; exit 77; }
so=${KGEN_SHARED:?}
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=\([0-9]*\.[0-9]*\).*/\1/p' "$KGEN_BUILD/CMakeCache.txt")

nm -D --defined-only "$so" | awk '$2 != "A" { print $3 }' | sort >shown
sed "s/@.*//" shown | sort -u >names
sed -n 's/^KGEN_API .*\(kgen_[a-z_]*\)(.*/\1/p' "$source_dir/gen/kgen.h" | sort -u >marked
check "$([ "$(wc -l <marked)" -ge 20 ]; echo $?)" "kgen.h marks $(wc -l <marked) functions"
check "$(diff marked names >differ; echo $?)" "kgen.h and libkgen.so differ: $(cat differ)"
holds "each has the version of the interface" test "$(grep -c "@@KGEN_$version$" shown)" = "$(wc -l <shown)"
holds "the soname has it, too" sh -c "readelf -d '$so' | grep -q 'SONAME.*\[libkgen.so.$version\]'"
holds "no text relocations" sh -c "! readelf -d '$so' | grep -q TEXTREL"

# The symbols that may be writable. Not the tables, which are constant once their pointers are set (.data.rel.ro). 8 bytes each
# belong to gcc, as do its processor features (__cpu_model, __cpu_features2), padded to 32 bytes.
writable=$(size -A "$so" | awk '$1 ~ /^\.(data|bss|tdata|tbss)$/ { sum += $2 } END { print sum + 0 }')
check "$([ "$writable" -le $((16 + 48)) ]; echo $?)" "$writable writable bytes outside of handles: $(nm "$so" | awk '$2 ~ /^[bBD]$/ { print $3 }' | tr '\n' ' ')"

nm -D --undefined-only "$so" | awk '{ sub(/@.*/, "", $2); print $2 }' >needed
for name in exit _exit quick_exit stdout stdin printf puts putchar perror system setenv chdir setlocale; do
  holds "$name is not called" sh -c "! grep -qx $name needed"
done
holds "it needs the C library only" sh -c "! readelf -d '$so' | grep NEEDED | grep -Eqv 'lib(c|m|yaml-0)\.so'"
verdict library_exports
