# kgen --same with PTX only: files, launches of lint.yaml, directories, and launches that cannot be compared.
. tests/shell/check.bash
ptx=$source_dir/tests/lint/cases/transpose.ptx
sed 's/ld.shared.f32 	%f5, \[%rd19\]/ld.shared.f32 	%f5, [%rd19+4]/' "$ptx" >off.ptx
holds "another kernel" sh -c "! cmp -s '$ptx' off.ptx"
launch=(--grid 2,2 --block 32,8 --arg in=buf:4096xf32 --arg out=buf:4096xf32 --arg i32:64)
json() { python3 -c "import json; d=json.load(open('stdout'))['same']; assert $1, d"; }

expect 0 '^the same$' --same "$ptx" "$ptx:transpose" "${launch[@]}"
holds "counts side by side" grep -qE '^shared wavefronts +4224  4224$' stdout
expect 2 . --same "$ptx" none-there.ptx "${launch[@]}" --json
holds "why not, for programs" json 'd["error"]["exit"] == 2 and d["error"]["messages"]'
expect 1 '^out: 10[0-9]* of 4096 f32 differ, the first at 0: .*, in B ' --same "$ptx" off.ptx "${launch[@]}"
expect 1 . --same "$ptx" off.ptx "${launch[@]}" --json
holds "for programs" json 'not d[0]["equal"] and d[0]["a"]["wavefronts"] == 4224 and d[0]["outputs"][0]["different"] > 1000'
expect 1 . --same "$ptx" "$ptx" --grid 2,2 --block 32,8 --arg buf:16380 --arg buf:16384 --arg i32:64
holds "findings count" grep -q '^A: out-of-bounds, line' stdout

# --- launches of files: both sides', or one's with another source ---
cat >a.yaml <<E2
version: 1
source: $ptx
launches:
  - &launch {name: tile, grid: [2, 2], block: [32, 8], args: [in=buf:4096xf32, out=buf:4096xf32, i32: 64]}
  - {name: zeros, grid: [2, 2], block: [32, 8], args: [in=buf:4096xf32:zero, out=buf:4096xf32, i32: 64]}
E2
mkdir saved && sed "s|^source: .*|source: $PWD/off.ptx|" a.yaml >saved/lint.yaml
expect 1 'launch zeros' --same a.yaml saved
holds "zeros stay zeros" python3 -c 'import re; t=open("stdout").read(); assert t.count("not the same") == 1 and t.rstrip().endswith("the same")'
expect 0 'the same' --same a.yaml:zeros saved:zeros
expect 1 'in: holds something else in A and in B before the launch' --same a.yaml:tile a.yaml:zeros
expect 0 'the same' --same a.yaml:zeros off.ptx
expect 1 'not the same' --same off.ptx a.yaml:tile
expect 2 'choose by name' --same a.yaml:zeros saved
expect 3 "no launch is called 'none'" --same a.yaml:none saved

# --- what cannot be compared ---
sed 's/out=buf:4096xf32/out=buf:8192xf32/' a.yaml >b.yaml
expect 2 'buffers of the same number and sizes' --same a.yaml:tile b.yaml:tile
expect 2 'two kernels are needed' --same "$ptx" "${launch[@]}"
expect 2 'needs its type' --same "$ptx" off.ptx --grid 2,2 --block 32,8 --arg buf:16384 --arg buf:16384 --arg i32:64 --tolerance 0.5
expect 2 ': not a number from 0 to 1000' --same "$ptx" off.ptx "${launch[@]}" --tolerance much
expect 2 'No such file' --same none.ptx off.ptx "${launch[@]}"
mkdir bare
expect 2 'a directory is read by its lint.yaml, which this one lacks' --same "$ptx" bare "${launch[@]}"
verdict lint_same
