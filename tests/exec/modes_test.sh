# Fuzzes kgen exec: random modes of its test program with random options. Whatever the program does to the driver and to itself,
# kgen ends, its report can be read, and the program prints what it prints in other runs. More rounds, or others:
# KGEN_FUZZ_RUNS=400 KGEN_FUZZ_SEED=7.
. tests/shell/check.bash
program=$KGEN_BUILD/tests/exec_program
export KGEN_TEMPLATES="$source_dir/templates" KGEN_CACHE_DIR="$tmp/cache" TMPDIR=$tmp/sessions
mkdir "$TMPDIR"
rounds=${KGEN_FUZZ_RUNS:-40} RANDOM=${KGEN_FUZZ_SEED:-1}

# From the program's table; without modes that need a file or another user's directory, run long without native code, or count by the clock.
mapfile -t modes < <(sed -n 's/^    {"\([a-z-]*\)", .*/\1/p' "$source_dir/tests/exec/program.c" | grep -vE '^(echo|file|from-file|elsewhere|other-user.*|threads-at-exit|hangs|native.*|hostile|soon)$')
[ ${#modes[@]} -gt 30 ]; check $? "${#modes[@]} modes"

# pick WORD...: one of the words, which may be empty.
pick() { shift $((RANDOM % $#)); echo "$1"; }

declare -A printed
for ((i = 0; i < rounds; i++)); do
  mode=${modes[RANDOM % ${#modes[@]}]}
  read -ra options <<<"$(pick '' '--launches 0' '--launches 1' '--launches 3') $(pick '' '' '--skip 1' '--skip 2') $(pick '' --no-native) \
    $(pick '' --no-leaks) $(pick '' '--kernels fill' '--kernels .') $(pick '' '' '--schedules 2') $(pick '' "--save save$i") $(pick '' --json --markdown)"
  code=0
  timeout 300 "$KGEN" exec --max-steps 200000 "${options[@]}" -- "$program" "$mode" >stdout 2>stderr || code=$?
  what="$mode ${options[*]}: exit $code: $(grep -m3 '^kgen: ' stderr)"
  [ $code != 124 ]; check $? "it hangs: $what"
  ! grep -qE 'internal error|ERROR: AddressSanitizer|runtime error:|WARNING: ThreadSanitizer' stderr; check $? "$what"
  case " ${options[*]} " in
  *' --json '*) python3 -c 'import json; json.load(open("stdout"))' 2>/dev/null; check $? "JSON that cannot be read: $what" ;;
  *' --markdown '*) ;;
  *)
    [ -z "${printed[$mode]+set}" ] || [ "${printed[$mode]}" = "$(<stdout)" ]; check $? "another output of the program: $what"
    printed[$mode]=$(<stdout)
    ;;
  esac
done
holds "no session stays behind" test -z "$(ls -A "$TMPDIR")"
verdict exec_modes
