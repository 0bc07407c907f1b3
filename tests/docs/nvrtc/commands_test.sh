# Like tests/docs/commands_test.sh, for the pages whose commands compile: NVRTC for kernels, nvcc (if there is one) for programs.
"$KGEN" --lint tests/emu/cases/faults.cu 2>&1 | grep -q 'NVRTC cannot be used' && { echo "skipped: no NVRTC"; exit 77; }
exec "${PYTHON:-python3}" tests/docs/commands.py --compilers
