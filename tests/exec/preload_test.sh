# The preload library of kgen --exec: compilers that are linked, or looked up by dlsym, get the option for line information; every
# other lookup is unchanged.
. tests/shell/check.bash

shared() { cc -w -O1 -fPIC -shared "$@" || exit 1; }
run() { "$KGEN" --exec -q --launches 0 -- "$@" >out 2>err; }

# A compiler that prints its options, in two versions.
cat >compiler.c <<'END'
#include <stdio.h>
static int tell(const char *who, int count, const char *const *option) {
  printf("%s:", who);
  for (int i = 0; i < count; i++) printf(" %s", option[i]);
  return puts(""), 0;
}
int nvrtcCompileProgram(void *p, int n, const char *const *o) { return tell(NAME, n, o); }
int nvJitLinkCreate(void *p, unsigned n, const char **o) { return tell(NAME, n, o); }
int __nvJitLinkCreate_13_0(void *p, unsigned n, const char **o) { return tell(NAME " 13.0", n, o); }
int __nvJitLinkCreate_19_7(void *p, unsigned n, const char **o) { return tell(NAME " 19.7", n, o); }
END
shared -DNAME='"one"' compiler.c -o libone.so
shared -DNAME='"two"' compiler.c -o libtwo.so

cat >lookup.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
typedef int Call(void *, int, const char *const *);
int main(void) {
  const char *plain[] = {"-arch=sm_90"}, *own[] = {"-lineinfo"}, *debug[] = {"-G", "-x"};
  void *one = dlopen("./libone.so", RTLD_NOW), *two = dlopen("./libtwo.so", RTLD_NOW);
  if (dlsym(RTLD_DEFAULT, "nvrtcCompileProgram") || dlsym(one, "nvJitLinkCreate_")) return 1;
  ((Call *)dlsym(one, "nvrtcCompileProgram"))(0, 1, plain);
  ((Call *)dlsym(two, "nvrtcCompileProgram"))(0, 1, own);
  ((Call *)dlsym(one, "nvrtcCompileProgram"))(0, 2, debug);
  ((Call *)dlsym(two, "nvJitLinkCreate"))(0, 0, 0);
  return ((Call *)dlsym(one, "__nvJitLinkCreate_19_7"))(0, 1, plain);
}
END
cc -w lookup.c -o lookup -ldl || exit 1
holds "compilers that are looked up" run ./lookup
printf '%s\n' 'one: -arch=sm_90 -lineinfo' 'two: -lineinfo' 'one: -G -x' 'two: -lineinfo' \
  'one 19.7: -arch=sm_90 -lineinfo' >want
holds "are asked for lines: $(diff want out)" cmp -s want out

cat >linked.c <<'END'
int nvrtcCompileProgram(void *, int, const char *const *), __nvJitLinkCreate_13_0(void *, unsigned, const char **);
int main(void) { return nvrtcCompileProgram(0, 0, 0) || __nvJitLinkCreate_13_0(0, 0, 0); }
END
cc -w linked.c ./libone.so -o linked || exit 1
holds "a compiler that is linked" run ./linked
printf '%s\n' 'one: -lineinfo' 'one 13.0: -lineinfo' >want
holds "is asked for lines: $(diff want out)" cmp -s want out

# So is one that a library links that the program opens: nothing else sees it.
echo 'int nvrtcCompileProgram(void *, int, const char *const *);
int plugin(void) { return nvrtcCompileProgram(0, 0, 0) + 1; }' >plugin.c
echo '#include <dlfcn.h>
int main(void) { return ((int (*)(void))dlsym(dlopen("./libplugin.so", RTLD_NOW), "plugin"))() - 1; }' >opens.c
shared plugin.c ./libone.so -o libplugin.so
cc -w opens.c -o opens -ldl || exit 1
holds "a compiler that a library links" run ./opens
holds "is asked for lines: $(cat out)" grep -qx 'one: -lineinfo' out

# RTLD_NEXT is what comes after the caller.
echo '#include <dlfcn.h>
int number(void) { return ((int (*)(void))dlsym(RTLD_NEXT, "number"))() + 1; }' >first.c
echo 'int number(void) { return 6; }' >second.c
echo 'int number(void); int main(void) { return number() != 7; }' >next.c
shared -D_GNU_SOURCE first.c -o libfirst.so
shared second.c -o libsecond.so
cc -w next.c -Wl,--no-as-needed ./libfirst.so ./libsecond.so -o next || exit 1
holds "the next function of a name" run ./next

holds "nvcc is asked for lines, too" run sh -c 'test "$NVCC_APPEND_FLAGS" = -lineinfo'
export NVCC_APPEND_FLAGS=-O1 LD_PRELOAD=$PWD/libsecond.so
holds "behind what the user asks for" run sh -c 'test "$NVCC_APPEND_FLAGS" = "-O1 -lineinfo"'
holds "the user's libraries stay" run sh -c 'case $LD_PRELOAD in *:$PWD/libsecond.so) ;; *) false ;; esac'
unset NVCC_APPEND_FLAGS LD_PRELOAD

# Machine code from before may lack lines.
holds "caches are left aside" run sh -c 'test "$CUPY_CACHE_IN_MEMORY$PYCUDA_DISABLE_CACHE" = 11'
export CUPY_CACHE_IN_MEMORY=0
holds "unless the user says so" run sh -c 'test "$CUPY_CACHE_IN_MEMORY$PYCUDA_DISABLE_CACHE" = 01'
unset CUPY_CACHE_IN_MEMORY

# A sanitizer wants its library to be the first.
echo 'int main(void) { return 0; }' >plain.c
if gcc -fsanitize=address plain.c -o sanitized 2>/dev/null && ./sanitized; then
  holds "a program with a sanitizer: $(cat err)" run ./sanitized
fi
verdict exec_preload
