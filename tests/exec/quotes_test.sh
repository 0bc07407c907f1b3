# kgen --exec quotes source lines only from the user's directories, whatever files PTX names.
. tests/shell/check.bash
program=$KGEN_BUILD/tests/exec_program
export KGEN_TEMPLATES="$source_dir/templates" KGEN_CACHE_DIR="$tmp/cache" TMPDIR=$tmp/sessions MODULE=$tmp/evil.ptx
mkdir "$TMPDIR" work secret include work/.hidden
for place in work secret include work/.hidden; do printf 'first\nquoted of %s\n' "$place" >$place/a.cu; done
mkfifo work/pipe.cu
ln -s "$tmp/secret/a.cu" work/link.cu
cat >kernel <<'E2'
.version 8.0
.target sm_75
.address_size 64
.visible .entry race(.param .u64 out) {
  .reg .b32 %r<6>; .reg .b64 %rd<4>; .shared .align 4 .b8 tile[4096];
  .loc 1 2 0
  mov.u32 %r1, %tid.x; mov.u32 %r2, tile;
  shl.b32 %r3, %r1, 2; and.b32 %r3, %r3, 127; add.u32 %r3, %r2, %r3; st.shared.u32 [%r3], %r1;
  ld.shared.u32 %r4, [%r3];
  ret;
}
E2
cd work || exit
# quotes YES|NO FILE ARGUMENT...: whether any form of report holds the second line of the file.
quotes() {
  local want=$1 file=$2 form; shift 2
  { cat ../kernel; echo ".file 1 \"$file\""; } >"$MODULE"
  for form in --json --markdown '--html out' '--sarif out' -v; do
    rm -f out
    "$KGEN" --exec $form "$@" -- "$program" from-file >stdout 2>stderr
    [ $? = 1 ]; check $? "$file: $form: $(head -3 stderr)"
    [ -e out ] || : >out
    if [ $want = no ]; then
      ! grep -q 'quoted of\|root:' stdout stderr out; check $? "$file is quoted: $form"
    elif [ "$form" = --json ]; then
      grep -q 'quoted of' stdout; check $? "$file is not quoted: $(head -3 stderr)"
    fi
  done
}
quotes yes "$tmp/work/a.cu"
quotes no "$tmp/secret/a.cu"
quotes no /etc/passwd
quotes no "$tmp/work/../secret/a.cu"
quotes no "$tmp/work/link.cu"
quotes no "$tmp/work/.hidden/a.cu"
quotes no "$tmp/work/pipe.cu"
quotes yes "$tmp/include/a.cu" --include "$tmp/include"
# A saved launch quotes no more than that.
{ cat ../kernel; echo ".file 1 \"$tmp/secret/a.cu\""; } >"$MODULE"
"$KGEN" --exec -q --save ../saved -- "$program" from-file 2>/dev/null
"$KGEN" --lint ../saved/*/lint.yaml --json >stdout 2>stderr
grep -q race stdout; check $? "the saved launch races: $(head -3 stderr)"
! grep -q 'quoted of' stdout stderr; check $? "the saved launch quotes a file that PTX names"
verdict exec_quotes
