# scripts/corpus on a directory of this test: PTX that runs, PTX that is unsupported, a file that is not PTX, and programs that
# report their result.
. tests/shell/check.bash
mkdir ptx programs
cat >ptx/good.ptx <<'EOF'
.version 9.0
.target sm_90
.address_size 64
.visible .entry good() { ret; }
EOF
sed 's/good() { ret;/bad() { frobnicate; ret;/' ptx/good.ptx >ptx/bad.ptx
echo 'kernel void' >ptx/other.ptx
export KGEN_BUILD
got=0
"$source_dir/scripts/corpus" ptx >said 2>&1 || got=$?
holds "a refused kernel is told: $(cat said)" [ $got = 1 ]
holds "kernels are counted: $(cat said)" grep -qx '2 kernels: 1 run, 1 are refused; 0 files do not compile, 1 hold no kernel that can be read' said
holds "the reason is told: $(cat said)" grep -q '1  frobnicate: the instruction is not supported' said
holds "a line for each" [ "$(wc -l <corpus.tsv)" = 3 ]
rm ptx/bad.ptx
holds "all that runs" "$source_dir/scripts/corpus" ptx

# A stand-in for kgen: programs are shell scripts here.
printf '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n' >kgen
printf '#!/bin/sh\necho "test $1: PASS"\n' >programs/good
printf '#!/bin/sh\necho Test FAILED; exit 0\n' >programs/bad
printf '#!/bin/sh\nkill -SEGV $$\n' >programs/ugly
echo 7 >programs/good.args
chmod +x kgen programs/good programs/bad programs/ugly
got=0
KGEN=$tmp/kgen "$source_dir/scripts/corpus" --exec programs >said 2>&1 || got=$?
holds "a failing program is told" [ $got = 1 ]
holds "verdicts: $(cat said)" [ "$(cut -f2 corpus.tsv | sort | tr '\n' ,)" = 'ended by signal 11,fail,pass,' ]
holds "arguments are taken" grep -q 'test 7: PASS' corpus/good.out
rm programs/bad programs/ugly
holds "all that pass" env KGEN="$tmp/kgen" "$source_dir/scripts/corpus" --exec programs
exits_usage() { "$source_dir/scripts/corpus" >/dev/null 2>&1; [ $? = 2 ]; }
holds "without a folder: usage" exits_usage
verdict emu_corpus
