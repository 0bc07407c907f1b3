# kgen --doctor: what it says of this machine holds together with its exit code, whatever this machine has.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates" KGEN_CACHE_DIR="$tmp/cache"

# doctor WHAT EXPRESSION ARGUMENT...: Python of the JSON `d`, its findings by name `f`, and the exit code `code`.
doctor() {
  local what=$1 expression=$2 code=0; shift 2
  "$KGEN" --doctor --json "$@" >stdout 2>stderr || code=$?
  holds "$what" python3 -c "
import json, sys
d = json.load(open('stdout'))['doctor']; f = {x['name']: x for x in d['findings']}; code = $code
assert $expression, (code, d)"
}

doctor "templates and cache" 'd["generates"] and f["templates"]["state"] == f["cache"]["state"] == "ok" and f["cache"]["found"].endswith("/cache")'
doctor "the exit code" 'code == (0 if d["compiles"] and d["runs"] else 6)'
doctor "compiling needs NVRTC" 'd["compiles"] == (f["compiling"]["state"] == "ok") and (f["NVRTC"]["state"] == "ok" or not d["compiles"])'
doctor "what compiles runs on the emulator" 'not d["compiles"] or f["emulator"] == {"name": "emulator", "state": "ok", "found": "1 load and 1 store wavefronts of a small kernel", "get": None}'
doctor "what is not there can be got" 'all(bool(x["get"]) == (x["state"] != "ok") for x in d["findings"])'
doctor "a GPU when one is demanded" 'code == (0 if d["runs"] == "cuda" else 77)' --device cuda
KGEN_CACHE_DIR=/dev/null doctor "a cache that is none" 'f["cache"]["state"] == "-" and "/dev/null" in f["cache"]["found"]'
unset KGEN_TEMPLATES
doctor "no templates" 'code == 2 and not d["generates"] and f["templates"]["state"] == "missing"' --templates /nonexistent
expect 2 '^generates: no; ' --doctor --templates /nonexistent
expect 2 'takes no SPEC' --doctor a.yaml

mkdir -p fake/bin
printf '#!/bin/sh\necho "gcc: No such file or directory"\necho "nvcc fatal   : Failed to preprocess host compiler properties."\nexit 1\n' >fake/bin/nvcc
chmod +x fake/bin/nvcc
CUDA_HOME=$tmp/fake doctor "an nvcc that compiles nothing" 'f["nvcc"]["state"] == "-" and "gcc: No such file" in f["nvcc"]["found"]' --templates "$source_dir/templates"
holds "no advice that an installed kgen cannot follow" sh -c '! grep -q scripts/install "$1"' sh "$KGEN"
verdict doctor
