# Faults planted in a template or in its declaration must be found: exit 1, with the reason.
set -u
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
export KGEN_CACHE_DIR="$tmp/cache"
checks=0 failures=0

# fault FILE SED SAYS: with this edit of templates/FILE, the copy must fail and say so.
fault() {
  checks=$((checks + 1))
  rm -rf "$tmp/templates"; cp -r templates "$tmp/templates"
  sed -i "$2" "$tmp/templates/$1"
  if [ "$3" != 'no fault' ] && cmp -s "templates/$1" "$tmp/templates/$1"; then
    failures=$((failures + 1)); echo "the edit '$2' changes nothing in $1"; return
  fi
  "$KGEN" --templates "$tmp/templates" --device emulator --run --dry-run -q specs/copy_f32.yaml 2>"$tmp/err"
  local code=$?
  if grep -q 'without the CUDA Toolkit\|NVRTC cannot be used' "$tmp/err"; then echo skipped; exit 77; fi
  if [ "$3" = 'no fault' ]; then
    [ $code = 0 ] && return
  else
    [ $code = 1 ] && grep -q "$3" "$tmp/err" && return
  fi
  failures=$((failures + 1)); echo "exit $code, '$2' should say '$3':"; head -5 "$tmp/err"
}

fault copy.cu '' 'no fault'
fault copy.cu 's/out\[e\] = /out[e + 1] = /' 'out-of-bounds'
fault copy.cu 's/= in\[e\]/= in[e - 1]/' 'out-of-bounds'
fault copy.cu 's/(thread + j \* kThreads) \* kVector));$/((thread ^ 1) + j * kThreads) * kVector));/' 'copy_f32: wrong result at count='
fault copy.cu 's/e < count; e += kThreads) out/e < count - 1; e += kThreads) out/' 'never written'
fault copy.cu '/__syncthreads();/d' 'copy.cu:.*race\|copy_f32.cu:.*race'
fault copy.yaml 's/{name: drain, /{name: drain, times: 2, /' "measured wavefronts differ from the plan's: loads 64, not 128; stores 64, not 64"

echo "faults: $checks checks, $failures failed"
[ $failures = 0 ]
