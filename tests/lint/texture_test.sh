# Textures and surfaces as arguments of --lint, on the command line and in lint.yaml.
. tests/shell/check.bash
ptx=$source_dir/tests/lint/cases/texture.ptx
words() { python3 -c "import struct,sys; d=open('$1','rb').read(); print(*struct.unpack('<%d$2' % (len(d) // 4), d))"; }
launch=(--grid 1 --block 8 --arg texels=buf:32xf32:iota --arg tex:f32:dims=8x4:at=texels --arg "surf:u32:dims=8x2:at=out+32" --arg out=buf:24xf32:zero)

exits 0 --lint "$ptx" "${launch[@]}" --dump out=out.bin
holds "row 1 is fetched: $(words out.bin f)" test "$(words out.bin f | cut -d' ' -f1-8)" = "8.0 9.0 10.0 11.0 12.0 13.0 14.0 15.0"
holds "row 1 of the surface is written" test "$(words out.bin I | cut -d' ' -f17-24)" = "100 101 102 103 104 105 106 107"
exits 0 --lint "$ptx" --grid 1 --block 8 --arg buf:4 --arg tex:f32:dims=4x4:address=border:border=2.5/1 --arg surf:u32:dims=8x2 --arg out=buf:8xf32 --dump out=out.bin
holds "outside of it the border: $(words out.bin f)" test "$(words out.bin f | cut -d' ' -f5-8)" = "2.5 2.5 2.5 2.5"
cat >lint.yaml <<E2
version: 1
source: $ptx
launches:
  - {kernel: fetch, grid: 1, block: 8, args: ["texels=buf:32xf32:iota", "tex:f32:dims=8x4:at=texels", "surf:u32:dims=8x2", "out=buf:8xf32"], expect: {out: {dtype: f32, fill: iota, start: 8}}}
E2
expect 0 'out: 8 f32 equal' --lint lint.yaml
expect 1 'surface' --lint "$ptx" --grid 1 --block 8 --arg buf:4 --arg tex:f32:dims=8x4 --arg surf:u32:dims=4x2 --arg out=buf:8xf32

expect 2 'TYPE:dims=WxHxD, TYPE u8' --lint "$ptx" --grid 1 --block 8 --arg buf:4 --arg tex:f64:dims=8 --arg surf:u32:dims=8x2 --arg buf:32
expect 2 'color=1 is not a key of a texture' --lint "$ptx" --grid 1 --block 8 --arg buf:4 --arg tex:f32:dims=8x4:color=1 --arg surf:u32:dims=8x2 --arg buf:32
expect 2 'without dims' --lint "$ptx" --grid 1 --block 8 --arg buf:4 --arg tex:f32 --arg surf:u32:dims=8x2 --arg buf:32
expect 2 'integers are not filtered' --lint "$ptx" --grid 1 --block 8 --arg buf:4 --arg tex:u32:dims=8x4:filter=linear --arg surf:u32:dims=8x2 --arg buf:32
expect 2 'not a multiple of a texel' --lint "$ptx" --grid 1 --block 8 --arg texels=buf:32xf32:iota --arg tex:f32:dims=2:channels=4:at=texels+8 --arg surf:u32:dims=8x2 --arg buf:32
expect 2 'too large' --lint "$ptx" --grid 1 --block 8 --arg texels=buf:32xf32:iota --arg tex:f32:dims=1048576x1048576x1048576:at=texels --arg surf:u32:dims=8x2 --arg buf:32
expect 2 '1 to 16 levels' --lint "$ptx" --grid 1 --block 8 --arg buf:4 --arg tex:f32:dims=64x64:levels=99 --arg surf:u32:dims=8x2 --arg buf:32
expect 2 'more levels than the largest extent' --lint "$ptx" --grid 1 --block 8 --arg buf:4 --arg tex:f32:dims=64x64:levels=8 --arg surf:u32:dims=8x2 --arg out=buf:8xf32
exits 0 --lint "$ptx" --grid 1 --block 8 --arg buf:4 --arg tex:f32:dims=64x64:levels=7 --arg surf:u32:dims=8x2 --arg out=buf:8xf32
verdict lint_texture
