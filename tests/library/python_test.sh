# The Python module: its own tests against this build's library; a wheel, which holds all that it needs.
. tests/shell/check.bash
! grep -q '^KGEN_SANITIZE:BOOL=ON' "${KGEN_BUILD:?}/CMakeCache.txt" || { echo "skipped: python3 does not load a sanitizer's library"; exit 77; }
python=$(command -v python3) || { echo "skipped: no python3"; exit 77; }
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' || { echo "skipped: python3 is older than 3.9"; exit 77; }
export KGEN_LIBRARY=${KGEN_SHARED:?} PYTHONDONTWRITEBYTECODE=1
unset KGEN_TEMPLATES

PYTHONPATH=$source_dir/python KGEN_TEMPLATES=$source_dir/templates "$python" -m unittest discover -s "$source_dir/python/tests" >unittest.log 2>&1
check $? "$(cat unittest.log)"
holds "there are tests" grep -Eq 'Ran (1[5-9]|[2-9][0-9]) tests' unittest.log
holds "none is skipped" sh -c "! grep -q skipped unittest.log"

# docs/howto/python.md's examples, as a terminal shows them.
printf 'version: 1\nkernel: none\ndtype: f32\ntile: [32, 32]\nblock: [32, 8]\naccess:\n' >columns.yaml
printf '  - {name: fill, op: store, for: {j: 4}, at: [ty + 8*j, tx]}\n  - {name: drain, op: load, for: {j: 4}, at: [tx, ty + 8*j]}\n' >>columns.yaml
cp "$source_dir/tests/lint/cases/transpose.ptx" .
PYTHONPATH=$source_dir/python KGEN_TEMPLATES=$source_dir/templates "$python" -m doctest -o NORMALIZE_WHITESPACE -o ELLIPSIS "$source_dir/docs/howto/python.md" >doctest.log 2>&1
check $? "docs/howto/python.md: $(head -20 doctest.log)"
holds "it has examples" [ "$(grep -c '^>>> ' "$source_dir/docs/howto/python.md")" -ge 8 ]
PYTHONPATH=$source_dir/python KGEN_TEMPLATES=$source_dir/templates "$python" -c 'import doctest, kgen; raise SystemExit(doctest.testmod(kgen).failed)' >doctest.log 2>&1
check $? "kgen's docstring: $(head -20 doctest.log)"

(cd "$source_dir/python" && "$python" -c "import wheel_backend as w, sys; print(w.build_wheel(sys.argv[1]))" "$tmp") >name 2>wheel.log
check $? "the wheel: $(tail -3 wheel.log)"
mkdir site && "$python" -m zipfile -e "$(cat name)" site
unset KGEN_LIBRARY
cat >use.py <<'P'
import sys, kgen
assert kgen.__file__.startswith(sys.argv[1]), kgen.__file__
assert "transpose_launch" in kgen.generate("version: 1\nkernel: transpose\ndtype: f32\n", "transpose").source
columns = kgen.Access.of("drain", "load", lambda i, lane: (lane, i), 32)
assert kgen.solve((32, 32), "f32", [columns]).conflict_free
maps = open("/proc/self/maps").read()
assert sys.argv[1] + "/kgen/libkgen.so" in maps, "another library was loaded"
P
(cd / && PYTHONPATH=$tmp/site "$python" "$tmp/use.py" "$tmp/site") >use.log 2>&1
check $? "from the wheel alone: $(tail -3 use.log)"
holds "it lists what it holds" "$python" - <<'P'
import base64, csv, glob, hashlib
record = glob.glob("site/kgen-*.dist-info/RECORD")[0]
for name, digest, size in csv.reader(open(record)):
    if name.endswith("RECORD"): continue
    data = open("site/" + name, "rb").read()
    assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), name
    assert int(size) == len(data), name
P
verdict library_python
