# kgen compiles kernels that run unchecked for long while the program runs, without an effect that the program sees.
. tests/shell/check.bash
program=$KGEN_BUILD/tests/exec_program
export TMPDIR=$tmp/sessions KGEN_CACHE_DIR=$tmp/cache
mkdir "$TMPDIR" bin none
real=$(command -v gcc cc clang | head -1)
[ -n "$real" ] && grep -q avx2 /proc/cpuinfo || exit 77
unset CC

# A compiler that counts its runs, and works once: it is always the same kernel.
cat >bin/cc <<END
#!/bin/sh
echo run >>$tmp/runs
all=\$*
while [ "\$1" != -o ]; do shift; done
test -f $tmp/object || { $real \$all && cp "\$2" $tmp/object; } || exit
cp $tmp/object "\$2"
END
printf '#!/bin/sh\nexit 1\n' >bin/fails
printf '#!/bin/sh\necho nothing\n' >bin/lies
printf '#!/bin/sh\necho $$ >%s/hangs; exec sleep 1000\n' "$tmp" >bin/hangs
chmod +x bin/*
path=$tmp/bin:$PATH

# natively WANTED ACTION: what the program says of its kernel.
natively() {
  PATH=$path "$KGEN" --exec -q --launches 0 -- "$program" "$2" >stdout 2>stderr
  holds "$2: status $?" [ $? = 0 ]
  holds "$2: $(cat stdout stderr)" test "$(sort -u stdout)" = "$1"
}
runs() { holds "the compiler ran $(wc -l <runs) times, not $1" test "$(wc -l <runs)" = "$1"; }

natively native native
runs 1
natively native hostile
runs 1
touch -d yesterday bin/cc
natively native native-twice
runs 2
for entry in cache/*; do printf broken | dd of="$entry" bs=1 seek=3000 conv=notrunc 2>/dev/null; done
natively native native
runs 3

# --- where it cannot be kept, and where compilers fail ---
export KGEN_CACHE_DIR=/dev/null/none
CC=$tmp/bin/fails natively native native
CC=$tmp/bin/lies natively native native
runs 5
printf '#!/bin/sh\n{ ulimit -v; ulimit -t; } >%s/limits; exit 1\n' "$tmp" >bin/limited
chmod +x bin/limited
CC=$tmp/bin/limited natively native native
holds "limits of memory and time: $(xargs <limits)" test "$(xargs <limits)" = '3145728 120'
runs 6
path=$tmp/none natively interpreted soon
"$KGEN" --exec -q --no-native --launches 0 -- "$program" soon >stdout 2>stderr
holds "--no-native: $(cat stdout)" grep -qx interpreted stdout

# --- a compiler that hangs ends with the program, and with kgen ---
CC=$tmp/bin/hangs natively interpreted soon
holds "it hung" test -s hangs
holds "it is gone" sh -c '! kill -0 "$(cat hangs)" 2>/dev/null'
rm hangs
CC=$tmp/bin/hangs "$KGEN" --exec -q --launches 0 -- "$program" native >stdout 2>stderr &
for _ in $(seq 400); do test -s hangs && break; sleep 0.05; done
kill -TERM $!
wait $!
holds "the signal's status" [ $? = 143 ]
holds "it is gone, too" sh -c '! kill -0 "$(cat hangs)" 2>/dev/null'
holds "no session stays behind" test -z "$(ls -A "$TMPDIR")"
verdict native_test
