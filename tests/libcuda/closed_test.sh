# A program may close libcuda.so.1 before a thread ends whose own stream the library frees then.
. tests/shell/check.bash
! grep -q '^KGEN_SANITIZE:BOOL=ON' "${KGEN_BUILD:?}/CMakeCache.txt" || { echo "skipped: the sanitizers must be loaded first"; exit 77; }
cat >closed.py <<'END'
import _ctypes, ctypes, sys, threading

def use():
    context, own_stream = ctypes.c_void_p(), ctypes.c_void_p(2)
    for result in (cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
                   cuda.cuCtxSetCurrent(context), cuda.cuStreamQuery(own_stream)):
        assert result == 0, result
    _ctypes.dlclose(cuda._handle)

cuda = ctypes.CDLL(sys.argv[1])
thread = threading.Thread(target=use)
thread.start()
thread.join()
print("joined")
END
python3 closed.py "$KGEN_BUILD/exec/libcuda.so.1" >out 2>err
holds "the thread ends: $(cat err)" grep -q '^joined$' out
verdict libcuda_closed
