# explain --as and "as" of --json: a layout in the languages of others, every offset compared (languages.py).
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates"
"$KGEN" gen "$source_dir/specs" --dry-run --json >specs.json 2>stderr
python3 "$source_dir/tests/emit/languages.py" <specs.json >compared 2>&1
check $? "$(cat compared)"
grep -v '^[0-9]* layouts' compared

# spec NAME DTYPE TILE LAYOUT: a tile whose rows are written and whose columns are read.
spec() {
  printf 'version: 1\nkernel: none\ndtype: %s\ntile: [%s]\nblock: [32]\nlayout: %s\naccess:\n  - {name: fill, op: store, at: [0, tx]}\n' \
    "$2" "$3" "$4" >"$1.yaml"
}
spec swizzled f16 '64, 64' '{cute: [3, 3, 3]}'
expect 0 'as Gluon: ttgl.SwizzledSharedLayout[(]vec=8, per_phase=1, max_phase=8, order=[[]1, 0[]][)]$' explain swizzled.yaml --as gluon
expect 0 'as CuTe: composition[(]Swizzle<3, 3, 3>' explain swizzled.yaml --as cute
expect 0 'make_swizzle[(]3, 3, 3[)], 0, .* swizzles bytes: cute.make_swizzle[(]3, 4, 3[)]$' explain swizzled.yaml --as cutedsl
expect 0 'as Mojo: ComposedLayout[(]Layout[(]IntTuple[(]64, 64[)], IntTuple[(]64, 1[)][)], Swizzle[(]3, 3, 3[)][)]$' explain swizzled.yaml --as mojo
expect 0 'as cuTile: none: cuTile places tiles itself$' explain swizzled.yaml --as cutile
spec padded f32 '32, 32' '{pad: 4}'
expect 0 'with_identity_for[(][[][[]32, 4[]][]], [[]32, 32[]], [[]1, 0[]][)]$' explain padded.yaml --as gluon
expect 0 'as TileLang: T.Layout[(][[]32, 32[]], lambda c0, c1: c0 [*] 36 [+] c1[)]$' explain padded.yaml --as tilelang
spec odd f32 '32, 32' '{pad: 3}'
expect 0 "as Gluon: none: Gluon's pads are powers of two$" explain odd.yaml --as gluon
spec wide f32 '32, 48' none
expect 0 "as Gluon: none: Gluon's shapes are powers of two$" explain wide.yaml --as gluon
spec rotated f32 '32, 32' '{expr: "c0 * 32 + (c0 + c1) % 32"}'
expect 0 'as Gluon: none: it is no linear map' explain rotated.yaml --as gluon
expect 0 'as TileLang: none: the layout is an expression of C$' explain rotated.yaml --as tilelang
expect 0 'as CuTe DSL: none: it is no swizzle' explain rotated.yaml --as cutedsl
expect 2 '^kgen: --as glum: .*' explain odd.yaml --as glum
expect 2 '^kgen: ' gen odd.yaml --as gluon
expect 2 'write kgen exec --arch SM' exec --as sm_80 -- true
verdict emit_languages
