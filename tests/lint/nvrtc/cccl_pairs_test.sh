# Pairs of kernels by cuda::barrier, cuda::pipeline, cuda::atomic_ref and cooperative groups: a race in the broken one, none in its twin.
. tests/shell/check.bash
cases=$source_dir/tests/lint/cases/cccl_pairs.cu
lint() { expect "$1" "$2" --lint "$cases" --kernel "$3" --grid "$4" --block 64 --arch sm_90 --arg buf:16384 --arg buf:16384:zero; }
"$KGEN" --lint "$cases" 2>stderr
if grep -q 'NVRTC cannot be used' stderr; then echo "skipped: no NVRTC"; exit 77; fi
if grep -q 'cannot open source file' stderr; then echo "skipped: no CCCL"; exit 77; fi

pair() { # NAME GRID PART_OF_THE_MESSAGE
  lint 1 race "$1_broken" "$2"
  holds "$1 says: $3" grep -q -- "$3" <(tr -s ' \n' ' ' <stdout)
  lint 0 '0 findings' "$1_clean" "$2"
}
pair barrier_without_wait 1 'no barrier between'
pair barrier_of_warps 1 'other lanes need __syncwarp() before it'
pair barriers_of_roles 1 'no barrier between'
pair copy_without_wait 1 'race'
pair pipeline_without_barrier 1 'no barrier between'
pair pipeline_of_the_block 1 'race'
pair tile_of_eight 1 'need __syncwarp()'
pair beyond_the_tile 1 'need __syncwarp()'
pair group_of_the_block 1 'no barrier between'
pair relaxed_ref 2 'is relaxed, and no fence precedes it'
pair ref_of_the_block 2 'scope .cta, but .gpu is needed'
pair fence_of_the_block 2 'scope .cta, but .gpu is needed'
pair cluster_group 2 'no barrier between'
verdict cccl_pairs
