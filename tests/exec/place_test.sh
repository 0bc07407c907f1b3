# kgen exec from a directory that the loader would split: rejected with the reason before the program runs.
. tests/shell/check.bash
program=$KGEN_BUILD/tests/exec_program
export KGEN_TEMPLATES="$source_dir/templates" TMPDIR=$tmp
for name in 'a:b' 'a;b' 'a b' $'a\tb' $'a\nb'; do
  mkdir -p "$name/exec"
  cp "$KGEN" "$name/kgen"
  cp -d "$(dirname "$KGEN")"/exec/lib* "$name/exec/"
  code=0
  "$PWD/$name/kgen" exec -- "$program" clean >stdout 2>stderr || code=$?
  [ $code = 2 ] && grep -q 'its path has a colon, semicolon or blank; install kgen elsewhere' stderr
  check $? "$name: exit $code: $(cat stderr)"
  [ ! -s stdout ]; check $? "$name: the program ran: $(cat stdout)"
  rm -rf "$name"
done
mkdir -p plain/exec
cp "$KGEN" plain/kgen
cp -d "$(dirname "$KGEN")"/exec/lib* plain/exec/
code=0
"$PWD/plain/kgen" exec -- "$program" clean >stdout 2>stderr || code=$?
[ $code = 0 ] && grep -qx right stdout; check $? "plain: exit $code: $(cat stderr)"
verdict exec_place
