# Ctrl-C while NVRTC compiles ends kgen by that signal, as anywhere else. NVRTC catches it, to exit with 4: "no conflict-free layout".
. tests/shell/check.bash
export KGEN_CACHE_DIR="$tmp/cache"
cat >slow.cu <<'E2'
template <int N, int M> struct Sum { static const int of = Sum<N - 1, 2 * M>::of + Sum<N - 1, 2 * M + 1>::of; };
template <int M> struct Sum<0, M> { static const int of = M; };
extern "C" __global__ void k(int *out) { *out = Sum<19, 1>::of; }
E2
cat >quick.cu <<<'extern "C" __global__ void k(int *out) { *out = 1; }'
"$KGEN" -q --lint quick.cu --grid 1 --block 1 --arg buf:4 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi

# compiling PID: waits until the process has held SIGINT back for a while, as it does while NVRTC compiles.
compiling() {
  local held count=0
  while held=$(sed -n 's/^SigBlk:\t//p' "/proc/$1/status" 2>/dev/null) && [ -n "$held" ]; do
    (((16#$held & 2) == 0)) && count=0
    ((count++ < 20)) || return 0
    sleep 0.01
  done
  return 1
}

for signal in INT TERM; do
  env --default-signal=INT "$KGEN" --lint slow.cu --grid 1 --block 1 --arg buf:4 >stdout 2>stderr & child=$!
  holds "NVRTC compiles" compiling $child
  kill -$signal $child; wait $child; code=$?
  check $((code != 128 + $(kill -l $signal))) "SIG$signal: exit $code"
  holds "nothing is said" test ! -s stdout -a ! -s stderr
done
verdict faults_stop
