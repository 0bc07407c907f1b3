#!/usr/bin/env python3
"""Compares what `kgen --lint` counts on the emulator with an NVIDIA GPU's counters, for the kernels of tests/emu and
tests/lint: shared-memory wavefronts of loads and of stores. Needs ncu, CuPy and $KGEN (default build/kgen).

    python3 bench/lint_counters.py [FILE...]  # prints one line a kernel; exit 1 if any count differs
"""
import csv
import io
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
METRICS = {
    "load": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "store": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}
BYTES = 1 << 20
TWO = ["buf", "buf"]
# partial_warp of the same file is left out: ptxas merges two equal loads of it, so that it counts half of what PTX says.
CLEAN = "warp_sum_shfl warp_sum_shared double_buffer histogram scan generic_pointers".split()
SEEDS = [f"{name}_{suffix}" for suffix in ("f32", "f64") for name in ("ideal", "one_bank", "permuted", "uncoalesced")]
KERNELS = (
    [("tests/emu/clean.cu", k, 1, (64, 1), TWO) for k in CLEAN]
    + [("tests/emu/seeds.cu", k, 1, (32, 1), TWO) for k in SEEDS]
    + [("tests/emu/seeds.cu", k, 4, (256, 1), TWO) for k in ("reduce_interleaved", "reduce_sequential")]
    + [(f"tests/lint/{f}.cu", "transpose", 1, (32, 8), TWO + ["i32:32"])
       for f in ("transpose", "transpose_pad", "transpose_xor")]
)


def chosen():
    """The kernels of the files on the command line, or all."""
    files = [a for a in sys.argv[1:] if not a.startswith("--")]
    return [k for k in KERNELS if not files or k[0] in files]


def emulated(file, kernel, grid, block, args):
    """Wavefronts of loads and stores by kgen --lint, on buffers of zeros; None if the file lacks the kernel."""
    command = [os.environ.get("KGEN", "build/kgen"), "--lint", file, "--kernel", kernel, "--json", "--grid", str(grid),
               "--block", f"{block[0]},{block[1]}"]
    for a in args:
        command += ["--arg", f"buf:{BYTES}:zero" if a == "buf" else a]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if not run.stdout:
        print(f"{file} {kernel}: {run.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    count = {"load": 0, "store": 0}
    for access in json.loads(run.stdout)["lint"]["accesses"]:
        kind = {"ldmatrix": "load", "stmatrix": "store"}.get(access["op"], access["op"])
        if kind in count:
            count[kind] += access["wavefronts"]
    return count


def launch_all():
    """Runs under ncu: every kernel once."""
    import cupy

    for file, kernel, grid, block, args in chosen():
        with open(os.path.join(ROOT, file), encoding="utf-8") as source:
            module = cupy.RawModule(code=source.read(), options=("-std=c++17",))
        values = [cupy.zeros(BYTES, cupy.uint8) if a == "buf" else cupy.int32(a[4:]) for a in args]
        try:
            module.get_function(kernel)((grid,), block, tuple(values))
        except Exception as error:  # a kernel that the list has and the file has not
            print(f"{file} {kernel}: {error}", file=sys.stderr)
        cupy.cuda.Device().synchronize()


def measured():
    """The counters of every launched kernel, in order."""
    names = "regex:" + "|".join(sorted({k[1] for k in chosen()}))
    run = subprocess.run(["ncu", "--csv", "--clock-control", "none", "--kernel-name", names, "--metrics",
                          ",".join(METRICS.values()), sys.executable, __file__, "--launch", *sys.argv[1:]], capture_output=True, text=True)
    start = run.stdout.find('"ID"')
    if start < 0:
        sys.exit("ncu: " + (run.stdout + run.stderr)[-2000:])
    rows = {}
    for row in csv.DictReader(io.StringIO(run.stdout[start:])):
        kind = [k for k, m in METRICS.items() if m == row["Metric Name"]][0]
        kernel = row["Kernel Name"].split("(")[0]
        rows.setdefault((int(row["ID"]), kernel), {})[kind] = int(float(row["Metric Value"].replace(",", "")))
    return [(key[1], rows[key]) for key in sorted(rows)]


def main():
    gpu, different = measured(), 0
    for file, kernel, grid, block, args in chosen():
        model = emulated(file, kernel, grid, block, args)
        if model is None or not gpu or gpu[0][0] != kernel:
            print(f"{file:32} {kernel:22} not compared")
            continue
        counted = gpu.pop(0)[1]
        equal = counted == model
        different += not equal
        print(f"{file:32} {kernel:22} loads {model['load']:6} {counted['load']:6}  stores {model['store']:6} "
              f"{counted['store']:6}  {'equal' if equal else 'DIFFERENT'}")
    return different > 0


if __name__ == "__main__":
    if "--launch" in sys.argv:
        launch_all()
    else:
        sys.exit(main())
