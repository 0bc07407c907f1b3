# docs/howto/add-a-kernel-template.md, to the letter: a template, a declaration, a reference and one line, and nothing else, make a family.
. tests/shell/check.bash
build=${KGEN_BUILD:?}
flags=()
! sanitized || flags=(-fsanitize=address,undefined)
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")

# The four steps, the last one in a copy of the table, which is found first.
mkdir -p templates runtime/judge/reference
cp "$source_dir"/templates/*.h templates/
sed 's/copy/twice/g' "$source_dir/templates/copy.cu" >templates/twice.cu
sed 's/^family: copy/family: twice/; s/{role: output, count: count}/{role: output, count: 2 * count}/' "$source_dir/templates/copy.yaml" >templates/twice.yaml
cat >runtime/judge/reference/twice.c <<'C'
#include <string.h>

#include "judge/reference/reference.h"

void reference_twice(Arena *a, const Problem *p) {
  (void)a;
  const Buffer *in = problem_buffer(p, "in");
  Buffer *out = problem_buffer(p, "out");
  if (problem_is_dry_run(p)) return;
  memcpy(out->want, in->in, in->bytes);
  memcpy(out->want + in->bytes, in->in, in->bytes);
}
C
{ cat "$source_dir/runtime/judge/families.def"; echo 'FAMILY(twice, twice, MOVED)'; } >runtime/judge/families.def

cat >main.c <<'C'
#include <stdio.h>
#include <string.h>

#include "judge/family.h"
#include "spec/spec_read.h"

int main(void) {
  static const char text[] = "version: 1\nkernel: twice\nname: two\n";
  static const int64_t extents[MAX_EXTENTS] = {1000};
  const Source source = {"two.yaml", text, sizeof text - 1};
  Arena *a = arena_new();
  const SpecOptions options = {.templates = templates_open(a, "templates"), .source = &source};
  Diag *d = diag_new(a);
  const Spec *spec = spec_read(a, d, source.path, &options);
  const Family *family = family_find("twice");
  Problem p;
  if (!spec || !family || !family->moves || !family_check(family, a, d, spec)) return 1;
  if (!problem_make(a, d, spec, extents, &p)) return 2;
  problem_fill(a, &p, family->moves, 1);
  family->reference(a, &p);
  const size_t n = p.buffer[0].bytes;
  const unsigned char *want = p.buffer[1].want;
  if (p.buffer[1].bytes != 2 * n || n != 4000) return 3;
  if (memcmp(want, p.buffer[0].in, n) != 0 || memcmp(want + n, want, n) != 0) return 4;
  arena_free(a);
  puts("a family");
}
C
compile() {
  "$compiler" -std=c11 -D_GNU_SOURCE "${flags[@]}" -Iruntime -I"$source_dir/runtime" -I"$source_dir/gen" main.c "$source_dir/runtime/judge/family.c" \
    "$@" "$build/libkgen_runtime.a" "${KGEN_LIBRARY:?}" -lyaml -lm -lpthread -ldl -o main
}
holds "a family of four steps compiles" compile runtime/judge/reference/twice.c
check "$([ "$(./main)" = "a family" ]; echo $?)" "the family of four steps: $(./main; echo "exit $?")"

# The command needs no line for it either: it generates, and is drawn and listed, from the declaration alone.
printf 'version: 1\nkernel: twice\nname: two\n' >two.yaml
expect 0 '' two.yaml --templates templates -o out
holds "its kernel is written" grep -q 'two_launch' out/two.cu

# No code names an existing kernel template, except its own line: a quoted name, or the start of its reference's name.
while IFS='(, ' read -r _ name reference _; do
  found=$(grep -rlE "\breference_$name\b" "$source_dir/gen" "$source_dir/runtime")
  [ "$name" = "$reference" ] && holds "one file has the reference of $name" [ "$(dirname "$found")" = "$source_dir/runtime/judge/reference" ]
  holds "no line of gen or runtime is for $name alone" [ -z "$(grep -rnE "kernel.*\"$name\"|\"$name\".*kernel" "$source_dir/gen" "$source_dir/runtime")" ]
done < <(grep '^FAMILY' "$source_dir/runtime/judge/families.def")
verdict add_family_test
